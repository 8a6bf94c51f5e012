/**
 * Lots: first in, first out; restored by reversals; expired by the service
 * (contract/points.md *Lots*, *Expiration*, *Reversals and lots*).
 */
import { Effect } from "effect"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { dueWithinMs, pollEveryMs, shortLifeMs } from "../Bounds.ts"
import type { Case } from "../Case.ts"
import { machineNow } from "../Clock.ts"
import * as Earned from "../Earned.ts"
import type { Probe } from "../Probe.ts"
import { codeOf, entriesOf } from "../Probe.ts"
import type { Entry, OwnMember } from "../World.ts"
import { wholeLedger } from "./Ledger.ts"
import { reservable } from "./Redemptions.ts"

const needs = ["member.enroll", "account.get", "ledger.manual_adjustment"] as const
const fifo = "contract/points.md *Lots*"
const dayMs = 86_400_000

/** Expiring amounts of an account, by time. */
const expiring = Effect.fnUntraced(function* (probe: Probe, member: OwnMember, unit: string) {
  const { exchange, value } = yield* probe.account(member)
  const { account_id } = yield* probe.balanceIn(exchange, value.balances, unit)
  const own = value.expiring_balances.filter((one) => one.account_id === account_id)
  const byInstant = own.map(({ amount, expires_at }) => `${amount} at ${fromMillis(toMillis(expires_at))}`).sort()
  return { exchange, byInstant }
})

/** Two credits; the first one expires last. Spending must still take the first one. */
const twoLots = Effect.fnUntraced(function* (probe: Probe, unit: "points", least: number) {
  const member = yield* probe.member()
  // The host's time: a sandbox has its own clock.
  const { value } = yield* probe.account(member)
  const now = toMillis(value.context.processed_at)
  const late = fromMillis(now + 20 * dayMs)
  const early = fromMillis(now + 10 * dayMs)
  const first = least + probe.number(100, 900)
  const second = probe.number(100, 900)
  for (const [amount, expires_at] of [
    [first, late],
    [second, early]
  ] as const) {
    const body = probe.manual(member, amount, { unit, expires_at })
    const credit = yield* probe.ok("ledger.manual_adjustment", body)
    if (entriesOf(credit.value).length > 1) return yield* probe.skip(`a credit of ${unit} posts further entries here`)
  }
  return { member, first, second, late, early }
})

/** Polls a member's ledger for an entry; undefined if it does not appear in time. */
const poll = Effect.fnUntraced(function* (
  probe: Probe,
  member: OwnMember,
  found: (entry: Entry) => boolean,
  untilMs: number
) {
  while (true) {
    const entry = (yield* wholeLedger(probe, member)).find(found)
    if (entry !== undefined) return entry
    if ((yield* machineNow) > untilMs) return undefined
    yield* Effect.sleep(pollEveryMs)
  }
})

export const cases: ReadonlyArray<Case> = [
  {
    id: "lots.expires",
    level: "base",
    rule: "contract/points.md *Expiration*",
    title: "when a lot expires, its rest is posted as an expiration entry, linked to its source",
    needs: [...needs, "ledger.list"],
    run: Effect.fnUntraced(function* (probe) {
      if (probe.world.isSandbox) return yield* probe.skip("the host's clock is moved by hand")
      const unit = Earned.primaryUnit(probe.world.program)
      const member = yield* probe.member()
      const now = yield* machineNow
      const amount = probe.number(2, 500)
      const expires_at = fromMillis(now + shortLifeMs)
      const { exchange, value } = yield* probe.ok(
        "ledger.manual_adjustment",
        probe.manual(member, amount, { unit, expires_at })
      )
      if (entriesOf(value).length > 1) return yield* probe.skip(`a credit of ${unit} posts further entries here`)
      yield* Effect.sleep(shortLifeMs)
      const until = now + shortLifeMs + dueWithinMs
      const entry = yield* poll(probe, member, ({ operation }) => operation === "expiration", until)
      if (entry === undefined) {
        return yield* probe.stop(exchange, `an expiration entry at ${expires_at}`, `none within ${dueWithinMs} ms`)
      }
      probe.equal(exchange, "amount of the expiration", entry.amount, -amount)
      probe.equal(exchange, "related_entry_id", entry.related_entry_id, value.entry.entry_id)
      probe.equal(exchange, "balance", (yield* probe.balance(member, unit)).amount, 0)
      if (probe.strict) probe.equal(exchange, "occurred_at of the expiration", entry.occurred_at, expires_at)
    })
  },
  {
    id: "lots.first-in-first-out",
    level: "base",
    rule: fifo,
    title: "a debit takes the lot earned first, even if another one expires earlier",
    needs,
    run: Effect.fnUntraced(function* (probe) {
      const unit = Earned.primaryUnit(probe.world.program) as "points"
      const { early, first, late, member, second } = yield* twoLots(probe, unit, 0)
      const debit = probe.number(1, 99)
      yield* probe.ok("ledger.manual_adjustment", probe.manual(member, -debit, { unit }))
      const after = yield* expiring(probe, member, unit)
      const left = [`${first - debit} at ${late}`, `${second} at ${early}`].sort()
      probe.equal(after.exchange, "expiring balances", after.byInstant, left)
      yield* probe.ok("ledger.manual_adjustment", probe.manual(member, debit - first - 1, { unit }))
      const last = yield* expiring(probe, member, unit)
      probe.equal(last.exchange, "expiring balances", last.byInstant, [`${second - 1} at ${early}`])
    })
  },
  {
    id: "lots.restored",
    level: "base",
    rule: "contract/points.md *Reversals and lots*",
    title: "a reversal restores the lots that the redemption consumed, with their dates",
    needs: [...needs, "redemption.reserve", "redemption.capture", "redemption.reverse"],
    run: Effect.fnUntraced(function* (probe) {
      const reward = yield* reservable(probe)
      const unit = reward.cost.unit as "points"
      const { member } = yield* twoLots(probe, unit, reward.cost.amount)
      const before = yield* expiring(probe, member, unit)
      const order = yield* probe.order([{ subtotal: 1_000 }])
      const { member_id } = member
      const held = yield* probe.ok("redemption.reserve", {
        redemption_id: probe.id("redemption"),
        member_id,
        reward_id: reward.reward_id,
        order
      })
      const { reservation_id } = held.value.reservation
      yield* probe.ok("redemption.capture", { reservation_id, order_id: order.order_id })
      yield* probe.ok("redemption.reverse", { reservation_id, reason: "lotbook verify" })
      const after = yield* expiring(probe, member, unit)
      probe.equal(after.exchange, "expiring balances", after.byInstant, before.byInstant)
    })
  },
  {
    id: "lots.point-expiration",
    level: "strict",
    rule: "contract/points.md *Lots*",
    title: "earned points expire after point_expiration.days × 24 h, and are listed as expiring",
    needs: [...needs, "accrual.post"],
    run: Effect.fnUntraced(function* (probe) {
      const { accounts, point_expiration } = probe.world.program
      if (point_expiration === undefined) return yield* probe.skip("points of this programme do not expire")
      const unit = accounts.find((account) => account.unit === "points" || account.unit === "credits")?.unit
      if (unit === undefined) return yield* probe.skip("no account of points or credits")
      const member = yield* probe.member()
      const { exchange, value } = yield* probe.ok("ledger.manual_adjustment", probe.manual(member, 7, { unit }))
      const { expires_at, occurred_at } = value.entry
      const due = fromMillis(toMillis(occurred_at) + point_expiration.days * dayMs)
      probe.equal(exchange, "expires_at", expires_at, due)
      const after = yield* expiring(probe, member, unit)
      probe.equal(after.exchange, "expiring balances", after.byInstant, [`7 at ${due}`])
    })
  },
  {
    id: "lots.held",
    level: "strict",
    rule: "contract/points.md *Lots*",
    title: "points under an open hold do not expire before the hold ends, and expire at its end",
    needs: [...needs, "ledger.list", "redemption.reserve", "redemption.reverse"],
    run: Effect.fnUntraced(function* (probe) {
      if (probe.world.isSandbox) return yield* probe.skip("the host's clock is moved by hand")
      const { cost, reward_id } = yield* reservable(probe)
      const { unit } = cost
      const member = yield* probe.member()
      const { member_id } = member
      const now = yield* machineNow
      const expires_at = fromMillis(now + shortLifeMs)
      const credit = yield* probe.ok(
        "ledger.manual_adjustment",
        probe.manual(member, cost.amount, { unit, expires_at })
      )
      if (entriesOf(credit.value).length > 1) return yield* probe.skip(`a credit of ${unit} posts further entries here`)
      const order = yield* probe.order([{ subtotal: 1_000 }])
      const redemption_id = probe.id("redemption")
      const held = yield* probe.ok("redemption.reserve", { redemption_id, member_id, reward_id, order })
      const { reservation } = held.value
      if (toMillis(reservation.expires_at) < now + shortLifeMs + 1_000) {
        yield* probe.ok("redemption.reverse", { reservation_id: reservation.reservation_id, reason: "lotbook verify" })
        return yield* probe.skip("holds of this programme end too soon")
      }
      yield* Effect.sleep(shortLifeMs + pollEveryMs)
      const during = yield* probe.balance(member, unit)
      const { reservation_id } = reservation
      const reverse = { reservation_id, reason: "lotbook verify" }
      const answered = yield* probe.call("redemption.reverse", reverse)
      if (codeOf(answered) === "expired" && answered.receivedAt >= toMillis(reservation.expires_at))
        return yield* probe.skip("the hold ended before it could be looked at")
      probe.equal(held.exchange, `${unit} under the hold`, [during.amount, during.reserved], [cost.amount, cost.amount])
      const { exchange, value } = yield* probe.succeeded("redemption.reverse", answered)
      const entry = yield* poll(
        probe,
        member,
        ({ operation }) => operation === "expiration",
        (yield* machineNow) + dueWithinMs
      )
      probe.equal(exchange, "amount of the expiration", entry?.amount, -cost.amount)
      probe.equal(exchange, "its occurred_at, the hold's end,", entry?.occurred_at, value.reservation.reversed_at)
    })
  }
]
