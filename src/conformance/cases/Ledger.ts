/** Manual adjustments, and the ledger's list: filters, pages, cursors. */
import { Effect } from "effect"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { maxPages } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import type { CaseError } from "../CheckOutcome.ts"
import * as Earned from "../Earned.ts"
import type { Business, Probe } from "../Probe.ts"
import type { Entry, OwnMember } from "../World.ts"

const needs = ["member.enroll", "ledger.manual_adjustment", "ledger.list"] as const
const listRule = "contract/points.md *Ledger list*"

type Filters = Omit<Business<"ledger.list">, "member_id" | "program_id">

const list = (probe: Probe, { member_id }: OwnMember, filters: Filters = {}) =>
  probe.ok("ledger.list", { member_id, program_id: probe.program_id, ...filters })

const ids = (entries: ReadonlyArray<Entry>) => entries.map(({ entry_id }) => entry_id)

/** Reads every entry in pages of the given size. */
export const wholeLedger = (
  probe: Probe,
  member: OwnMember,
  filters: Filters = { limit: 100 }
): Effect.Effect<ReadonlyArray<Entry>, CaseError> =>
  Effect.gen(function* () {
    const all: Array<Entry> = []
    let cursor: string | undefined
    for (let page = 0; page < maxPages; page++) {
      const { exchange, value } = yield* list(probe, member, {
        ...filters,
        ...(cursor === undefined ? {} : { cursor })
      })
      const size = filters.limit ?? 100
      probe.check(exchange, value.entries.length <= size, `at most ${size} entries`, value.entries.length)
      all.push(...value.entries)
      cursor = value.next_cursor ?? undefined
      if (cursor === undefined) return all
    }
    return yield* probe.stop(undefined, `a ledger that ends within ${maxPages} pages`, `${all.length} entries`)
  })

const unit = (probe: Probe) => Earned.primaryUnit(probe.world.program)

/** A member with the given number of credits. */
const credited = Effect.fnUntraced(function* (probe: Probe, count: number) {
  const member = yield* probe.member()
  for (let made = 0; made < count; made++) {
    yield* probe.ok("ledger.manual_adjustment", probe.manual(member, probe.number(1, 9)))
  }
  return member
})

const broken = (cursor: string): ReadonlyArray<string> => {
  const middle = Math.floor(cursor.length / 2)
  const other = cursor[middle] === "A" ? "B" : "A"
  return [`${cursor.slice(0, middle)}${other}${cursor.slice(middle + 1)}`, cursor.slice(0, -2), "no-cursor"]
}

export const cases: ReadonlyArray<Case> = [
  {
    id: "ledger.credit",
    level: "base",
    rule: "contract/points.md *Manual adjustments*",
    title: "a manual credit posts an entry with its classification and reason, and raises the balance",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const amount = probe.number(1, 5_000)
      const body = probe.manual(member, amount, { unit: unit(probe), reason: "lotbook verify: ✓ credit" })
      const { exchange, value } = yield* probe.ok("ledger.manual_adjustment", body)
      const { entry } = value
      probe.equal(exchange, "amount", entry.amount, amount)
      probe.equal(exchange, "member_id", entry.member_id, member.member_id)
      probe.equal(exchange, "adjustment_id", entry.adjustment_id, body.adjustment_id)
      probe.equal(exchange, "classification", entry.classification, "bonus")
      probe.equal(exchange, "reason", entry.reason, body.reason)
      probe.equal(exchange, "unit", entry.unit, unit(probe))
      if ((value.entries ?? []).length > 1) return
      const balance = yield* probe.balanceIn(exchange, value.balances, unit(probe))
      probe.equal(exchange, "balance", balance.amount, amount)
    })
  },
  {
    id: "ledger.debit",
    level: "base",
    rule: "contract/points.md *Manual adjustments*",
    title: "a manual debit lowers the balance by its amount",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const amount = probe.number(100, 5_000)
      yield* probe.fund(member, { unit: unit(probe), amount })
      const debit = probe.number(1, 100)
      const { exchange, value } = yield* probe.ok("ledger.manual_adjustment", probe.manual(member, -debit))
      probe.equal(exchange, "amount", value.entry.amount, -debit)
      const balance = yield* probe.balanceIn(exchange, value.balances, unit(probe))
      probe.equal(exchange, "balance", balance.amount, amount - debit)
    })
  },
  {
    id: "ledger.overdraft",
    level: "base",
    rule: "contract/transport.md *Problem codes*",
    title: "a debit of more than is available is refused and changes nothing",
    needs: [...needs, "account.get"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const amount = probe.number(10, 500)
      yield* probe.fund(member, { unit: unit(probe), amount })
      const exchange = yield* probe.call("ledger.manual_adjustment", probe.manual(member, -amount - 1))
      probe.refusedSomehow(exchange, 409, "insufficient_balance")
      probe.equal(exchange, "balance", (yield* probe.balance(member, unit(probe))).amount, amount)
    })
  },
  {
    id: "ledger.overdraft-allowed",
    level: "strict",
    rule: "contract/points.md *Balances*",
    title: "corrections and migrations may go below zero",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      for (const classification of ["correction", "migration"] as const) {
        const member = yield* probe.member()
        const body = probe.manual(member, -probe.number(1, 99), { classification })
        const { exchange, value } = yield* probe.ok("ledger.manual_adjustment", body)
        const balance = yield* probe.balanceIn(exchange, value.balances, unit(probe))
        probe.equal(exchange, "balance", balance.amount, body.amount)
      }
    })
  },
  {
    id: "ledger.expires-at",
    level: "strict",
    rule: "contract/points.md *Balances*",
    title: "expires_at on a debit is 409 invalid_state, in the past 409 expired",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const past = probe.manual(member, 10, { expires_at: "2001-01-01T00:00:00Z" })
      probe.refused(yield* probe.call("ledger.manual_adjustment", past), 409, "expired")
      yield* probe.fund(member, { unit: unit(probe), amount: 10 })
      const debit = probe.manual(member, -1, { expires_at: "2999-01-01T00:00:00Z" })
      probe.refused(yield* probe.call("ledger.manual_adjustment", debit), 409, "invalid_state")
    })
  },
  {
    id: "ledger.pages",
    level: "base",
    rule: "contract/points.md *Ledger list*",
    title: "pages have every entry exactly once",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 8)
      const { exchange, value } = yield* list(probe, member, { limit: 100 })
      for (const limit of [1, 3, 4, 8]) {
        const paged = yield* wholeLedger(probe, member, { limit })
        probe.equal(exchange, `entries by pages of ${limit}`, ids(paged), ids(value.entries))
      }
      const known = [...member.acknowledged.keys()].sort()
      probe.equal(exchange, "entries listed", [...ids(value.entries)].sort(), known)
    })
  },
  {
    id: "ledger.no-cursor-at-the-end",
    level: "strict",
    rule: listRule,
    title: "next_cursor is present only if more entries follow; a page has 50 entries by default",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      const credit = Effect.suspend(() => probe.ok("ledger.manual_adjustment", probe.manual(member, 1)))
      yield* Effect.all(
        Array.from({ length: 50 }, () => credit),
        { concurrency: 8, discard: true }
      )
      const exactly = yield* list(probe, member)
      // A stamp card posts additional entries.
      if (exactly.value.entries.length === 50 && member.acknowledged.size === 50) {
        probe.equal(exactly.exchange, "next_cursor", exactly.value.next_cursor, undefined)
      }
      yield* credit
      const { exchange, value } = yield* list(probe, member)
      probe.equal(exchange, "entries on a page", value.entries.length, 50)
      probe.check(exchange, value.next_cursor !== undefined, "a next_cursor", value.next_cursor)
    })
  },
  {
    id: "ledger.newest-first",
    level: "strict",
    rule: listRule,
    title: "entries come newest first, and their times never run backwards",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 5)
      const { exchange, value } = yield* list(probe, member)
      const posted = [...member.acknowledged.keys()].reverse()
      probe.equal(exchange, "entries", ids(value.entries), posted)
      const times = value.entries.map(({ occurred_at }) => toMillis(occurred_at))
      probe.check(
        exchange,
        times.every((time, at) => at === 0 || time <= times[at - 1]!),
        "times that fall",
        times
      )
    })
  },
  {
    id: "ledger.operations-filter",
    level: "base",
    rule: "contract/points.md *Ledger list*",
    title: "the filter operations lists only the accruals",
    needs: [...needs, "accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 2)
      const { member_id } = member
      const accrual = yield* probe.ok("accrual.post", { member_id, order: yield* probe.order([{ subtotal: 1_000 }]) })
      const { exchange, value } = yield* list(probe, member, { operations: ["accrual"] })
      const operations = [...new Set(value.entries.map(({ operation }) => operation))]
      probe.equal(exchange, "operations", operations, ["accrual"])
      const isThere = ids(value.entries).includes(accrual.value.entry.entry_id)
      probe.check(exchange, isThere, "the accrual's entry", ids(value.entries))
    })
  },
  {
    id: "ledger.account-filter",
    level: "base",
    rule: "contract/points.md *Ledger list*",
    title: "account_id lists only the entries of that account",
    needs: [...needs, "account.get"],
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* probe.member()
      for (const account of probe.world.program.accounts) {
        yield* probe.ok("ledger.manual_adjustment", probe.manual(member, 3, { unit: account.unit }))
      }
      const { value } = yield* probe.account(member)
      for (const { account_id } of value.balances) {
        const { exchange, value: listed } = yield* list(probe, member, { account_id })
        const accounts = [...new Set(listed.entries.map((entry) => entry.account_id))]
        probe.equal(exchange, "accounts", accounts, [account_id])
      }
    })
  },
  {
    id: "ledger.time-filter",
    level: "base",
    rule: "contract/points.md *Ledger list*",
    title: "occurred_from and occurred_until limit the list",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 1)
      const all = yield* list(probe, member)
      const at = toMillis(all.value.entries[0]?.occurred_at ?? fromMillis(0))
      const rows: ReadonlyArray<readonly [Filters, number]> = [
        [{ occurred_from: fromMillis(at - 60_000) }, all.value.entries.length],
        [{ occurred_from: fromMillis(at + 60_000) }, 0],
        [{ occurred_until: fromMillis(at - 60_000) }, 0],
        [{ occurred_until: fromMillis(at + 60_000) }, all.value.entries.length]
      ]
      for (const [filters, count] of rows) {
        const { exchange, value } = yield* list(probe, member, filters)
        probe.equal(exchange, "number of entries", value.entries.length, count)
      }
    })
  },
  {
    id: "ledger.time-filter-inclusive",
    level: "strict",
    rule: listRule,
    title: "occurred_from and occurred_until are inclusive",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 1)
      const [entry] = (yield* list(probe, member)).value.entries
      if (entry === undefined) return yield* probe.stop(undefined, "an entry", "none")
      const { occurred_at } = entry
      const { exchange, value } = yield* list(probe, member, {
        occurred_from: occurred_at,
        occurred_until: occurred_at
      })
      probe.check(exchange, ids(value.entries).includes(entry.entry_id), "the entry of that instant", value.entries)
    })
  },
  {
    id: "ledger.cursor-bound",
    level: "strict",
    rule: listRule,
    title: "a cursor is valid only unchanged and for its own member and filters; otherwise 400 invalid_cursor",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const { program_id } = probe
      const member = yield* credited(probe, 4)
      const other = yield* credited(probe, 4)
      const { exchange, value } = yield* list(probe, member, { limit: 2 })
      const cursor = value.next_cursor
      if (cursor === undefined) return yield* probe.stop(exchange, "a next_cursor", "none")
      const { member_id } = member
      const wrong: ReadonlyArray<Business<"ledger.list">> = [
        { member_id: other.member_id, program_id, limit: 2, cursor },
        { member_id, program_id, limit: 2, cursor, operations: ["manual"] },
        { member_id, program_id, limit: 2, cursor, occurred_from: "2001-01-01T00:00:00Z" },
        ...broken(cursor).map((text) => ({ member_id, program_id, limit: 2, cursor: text }))
      ]
      for (const body of wrong) probe.refused(yield* probe.call("ledger.list", body), 400, "invalid_cursor")
    })
  },
  {
    id: "ledger.pages-while-posting",
    level: "strict",
    rule: listRule,
    title: "entries posted between two pages neither repeat nor hide others",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 4)
      const before = ids((yield* list(probe, member)).value.entries)
      const first = yield* list(probe, member, { limit: 2 })
      yield* probe.ok("ledger.manual_adjustment", probe.manual(member, 1))
      const cursor = first.value.next_cursor
      if (cursor === undefined) return yield* probe.stop(first.exchange, "a next_cursor", "none")
      const { exchange, value } = yield* list(probe, member, { limit: 100, cursor })
      const paged = [...ids(first.value.entries), ...ids(value.entries)]
      probe.equal(exchange, "entries of both pages", paged, before)
    })
  },
  {
    id: "ledger.foreign-account",
    level: "strict",
    rule: "contract/points.md *Ledger list*",
    title: "a list filtered by an account that is not the member's is empty",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const member = yield* credited(probe, 1)
      const { exchange, value } = yield* list(probe, member, { account_id: probe.id("account") })
      probe.equal(exchange, "entries", value.entries, [])
    })
  }
]
