/** Journals of every released format are read as their own code read them, and go on. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { replay } from "../../src/account/Account.ts"
import { claimsText, isChained } from "../../src/account/Chain.ts"
import { decodeRecord } from "../../src/account/Codec.ts"
import { EVENT_VERSION } from "../../src/account/domain/Event.ts"
import * as Lots from "../../src/account/domain/Lots.ts"
import { recall } from "../../src/account/domain/Recall.ts"
import * as Rows from "../../src/account/Rows.ts"
import type { OrderRecord, State } from "../../src/account/domain/State.ts"
import { initialState, plain } from "../../src/account/domain/State.ts"
import { upcast } from "../../src/account/Upcast.ts"
import { canonical } from "../../src/contract/Decode.ts"
import { makeClaimKey } from "../../src/journal/Hashing.ts"
import type { Claim, IssuedRewardRow, LedgerRow, MemberRow, StoredRecord } from "../../src/journal/Journal.ts"
import { MemoryStorage, MemoryTables } from "../../src/journal/MemoryJournal.ts"
import { balanceOf, earn, ledgerOf } from "../../src/testing/Guests.ts"
import * as Testing from "../../src/testing/Testing.ts"

interface KeptRecord extends Omit<StoredRecord, "account" | "events" | "reply"> {
  readonly events: unknown
  readonly reply: unknown
  readonly claims: ReadonlyArray<Claim>
}

interface KeptAccount {
  readonly number: number
  readonly programId: string
  readonly memberId: string
  readonly member: MemberRow
  readonly records: ReadonlyArray<KeptRecord>
  readonly entries: ReadonlyArray<LedgerRow>
  readonly rewards: ReadonlyArray<IssuedRewardRow>
  /** The state, with the latest orders, which it had then. */
  readonly state: { readonly orders?: ReadonlyArray<OrderRecord> }
}

interface Format {
  readonly version: number
  readonly secret: string
  readonly accounts: ReadonlyArray<KeptAccount>
}

const folder = path.join(import.meta.dirname, "formats")
const read = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(folder, file), "utf8"))
const formats = fs
  .readdirSync(folder)
  .filter((file) => /^\d+\.json$/.test(file))
  .map((file) => read(file) as Format)
const programs = [Testing.demoProgram, Testing.programOf(read("program.stamps.json"))]

const storedOf = (account: KeptAccount): ReadonlyArray<StoredRecord> =>
  account.records.map(({ claims: _, events, reply, ...record }) => ({
    ...record,
    account: account.number,
    events: JSON.stringify(events),
    reply: JSON.stringify(reply)
  }))

/** The in-memory tables as the format's own code left them. */
const tablesOf = (format: Format): MemoryTables => {
  const tables = new MemoryTables()
  for (const account of format.accounts) {
    const { entries, memberId, number, programId, records, rewards } = account
    for (const [index, stored] of storedOf(account).entries()) {
      const isLast = index === records.length - 1
      const [verdict] = tables.write([
        {
          ...stored,
          claims: records[index]?.claims ?? [],
          entries: isLast ? entries : [],
          issuedRewards: isLast ? rewards : [],
          totals: { nextDue: null, balance: 0, status: "active" },
          opens: index === 0 ? { programId, memberId, ...account.member } : undefined
        }
      ])
      assert.strictEqual(verdict?._tag, "committed")
    }
    tables.lastNumber = Math.max(tables.lastNumber, number)
  }
  return tables
}

/** The first account of a format, which did everything that there is to do. */
const ada = ({ accounts: [first] }: Format): KeptAccount => {
  if (first === undefined) throw new Error("every format has accounts")
  return first
}

/** A state as JSON has it: nothing undefined. */
const asJson = (state: State): unknown => JSON.parse(JSON.stringify(plain(state)))

describe("formats of the journal", () => {
  it("are kept for every version that was ever written", () => {
    assert.deepStrictEqual(
      formats.map(({ version }) => version),
      Array.from({ length: EVENT_VERSION }, (_, index) => index + 1)
    )
  })

  it("an unknown one is refused with the record's name", () => {
    for (const version of [0, EVENT_VERSION + 1]) {
      assert.throws(() => upcast(version, { events: [], reply: {} }, "7/3"), /record 7\/3 has format/)
    }
  })

  for (const format of formats) {
    describe(`format ${format.version}`, () => {
      it("folds into the state and the orders that its own code had, and its ledger sums up to it", () => {
        for (const account of format.accounts) {
          const records = storedOf(account).map(decodeRecord)
          const state = records.reduce(replay, initialState)
          const { orders = [], ...rest } = account.state
          assert.deepStrictEqual(asJson(state), rest)
          for (const order of orders) {
            assert.deepStrictEqual(recall({ type: "order", id: order.order }, records), { order })
          }
          for (const { lots, posted, unit } of state.units) {
            const sum = account.entries.filter((entry) => entry.unit === unit).reduce((all, one) => all + one.amount, 0)
            assert.strictEqual(posted, sum)
            assert.strictEqual(Lots.total(lots), Math.max(0, sum))
          }
        }
      })

      it("holds its chain; a record or claim that was changed breaks it", () => {
        const claimKey = makeClaimKey(format.secret)
        for (const account of format.accounts) {
          let previous = ""
          for (const [index, stored] of storedOf(account).entries()) {
            const claims = account.records[index]?.claims ?? []
            assert.isTrue(
              isChained(claimKey, account.programId, previous, stored, claimsText(claims.toReversed())),
              `record ${stored.seq}`
            )
            assert.isFalse(isChained(claimKey, account.programId, `${previous}x`, stored, claimsText(claims)))
            assert.isFalse(
              isChained(claimKey, account.programId, previous, { ...stored, at: stored.at + 1 }, claimsText(claims))
            )
            assert.isFalse(
              isChained(
                claimKey,
                account.programId,
                previous,
                { ...stored, reply: `${stored.reply} ` },
                claimsText(claims)
              )
            )
            if (claims.length > 0)
              assert.isFalse(isChained(claimKey, account.programId, previous, stored, claimsText(claims.slice(1))))
            previous = stored.hash
          }
        }
      })

      it.effect(
        "has keys that replay, whichever earlier version made their fingerprints, and for their payload only",
        () => {
          const claimKey = makeClaimKey(format.secret)
          const key = Rows.keyClaim(claimKey, Testing.demoProgram.id, "test", "accrual.post", "format-key-2")
          const post = (order: ReturnType<typeof Testing.order>, evaluation_id?: string) =>
            Testing.call("accrual.post", {
              context: Testing.context("format-key-2"),
              member_id: "ada",
              order,
              ...(evaluation_id === undefined ? undefined : { evaluation_id })
            })
          const order = Testing.order("order-1", 6000)
          const facts = `ada ${canonical(order)}`
          const hashed = claimKey("facts", "accrual.post", facts)
          return Effect.forEach(
            [
              claimKey("payload", ` ${facts}`),
              claimKey("facts and evaluation", hashed, ""),
              // As it is made now.
              hashed
            ],
            (fingerprint) => {
              const tables = tablesOf(format)
              const holder = tables.claims.get(key)
              if (holder === undefined) throw new Error("the format has the key")
              tables.claims.set(key, { ...holder, fingerprint })
              return Effect.gen(function* () {
                const again = yield* post(order)
                assert.strictEqual(again._tag === "Answer" ? again.processedAt : again._tag, ada(format).records[1]?.at)
                for (const other of [post(Testing.order("order-1", 6001)), post(order, "evl_other")]) {
                  const refused = yield* other
                  assert.strictEqual(refused._tag === "Refusal" ? refused.code : refused._tag, "idempotency_conflict")
                }
              }).pipe(Effect.provide(Testing.layerOver(MemoryStorage.over(tables), programs)))
            },
            { discard: true }
          )
        }
      )

      it.effect("goes on: replays of its keys, its holds and lots, new records on top of its chain", () => {
        const tables = tablesOf(format)
        const { entries, number, programId, records } = ada(format)
        return Effect.gen(function* () {
          yield* TestClock.setTime(Math.max(...records.map((record) => record.at)))
          const before = yield* ledgerOf("ada")
          assert.strictEqual(before.length, entries.length)
          const again = yield* Testing.call("accrual.post", {
            context: Testing.context("format-key-2"),
            member_id: "ada",
            order: Testing.order("order-1", 6000)
          })
          assert.strictEqual(again._tag === "Answer" ? again.processedAt : again._tag, records[1]?.at)
          const amount = (yield* balanceOf("ada")).amount
          const { entry } = yield* earn("ada", "order-new", 1000)
          assert.strictEqual((yield* balanceOf("ada")).amount, amount + entry.amount)
          yield* TestClock.adjust("400 days")
          assert.strictEqual((yield* balanceOf("ada")).amount, 0)
          const claimKey = makeClaimKey(format.secret)
          let previous = ""
          for (const stored of tables.accounts.get(number)?.records ?? []) {
            const claims = [...tables.claims.values()].filter(
              ({ account, seq }) => account === number && seq === stored.seq
            )
            assert.isTrue(isChained(claimKey, programId, previous, stored, claimsText(claims)))
            previous = stored.hash
          }
          assert.strictEqual(tables.accounts.get(number)?.records.at(-1)?.version, EVENT_VERSION)
        }).pipe(Effect.provide(Testing.layerOver(MemoryStorage.over(tables), programs)))
      })
    })
  }
})
