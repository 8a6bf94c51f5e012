/** Rules that hold after any sequence of commands: conservation, refusals without effect, replay. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import { decodeSnapshot, encodeSnapshot, SNAPSHOT_VERSION } from "../../../../src/core/account/Codec.ts"
import type { AccountEvent } from "../../../../src/core/account/domain/AccountEvent.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import { decide } from "../../../../src/core/account/domain/Decide.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import type { State } from "../../../../src/core/account/domain/State.ts"
import { available, initialState, plain, unitOf } from "../../../../src/core/account/domain/State.ts"
import { view } from "../../../../src/core/account/domain/View.ts"
import { makeClaimKey } from "../../../../src/core/journal/Hashing.ts"
import { accrue, adjust, fold, manual, placed, recalledFor, reservationOf, Scenario } from "./Scenario.ts"

const program = Testing.demoProgram
const claimKey = makeClaimKey("secret")
const money = (amount: number) => ({ amount, currency: "USD" })
const start = Date.UTC(2026, 6, 14)
const day = 86_400_000

interface Step {
  readonly wait: number
  readonly action: Action
}

const wait = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: day, max: 400 * day }))
const id = fc.integer({ min: 1, max: 5 })
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ n: fc.integer({ min: 1, max: 12 }), amount: fc.integer({ min: 0, max: 40_000 }) }).map(
    ({ amount, n }): Action => ({
      type: "accrue",
      order: Testing.order(`order-${n}`, amount)
    })
  ),
  fc
    .record({
      n: fc.integer({ min: 1, max: 12 }),
      delta: fc.integer({ min: -40_000, max: 5000 }),
      type: fc.constantFrom("partial_refund", "full_refund", "void", "correction")
    })
    .map(
      ({ delta, n, type }): Action => ({
        type: "adjust_order",
        adjustment: {
          adjustment_id: "adjustment",
          original_order_id: `order-${n}`,
          type,
          reason: "test",
          occurred_at: "2026-07-14T10:00:00Z",
          order_total_delta: money(delta),
          eligible_spend_delta: money(delta)
        }
      })
    ),
  fc
    .record({
      amount: fc.integer({ min: -2000, max: 2000 }),
      classification: fc.constantFrom("gift", "correction"),
      qualifies: fc.boolean()
    })
    .map(
      ({ amount, classification, qualifies }): Action => ({
        type: "adjust_manually",
        adjustment: "manual",
        amount: amount === 0 ? 1 : amount,
        classification,
        reason: "test",
        qualifies
      })
    ),
  fc.record({ n: id, reward: fc.constantFrom("one-off", "free-bowl", "unknown") }).map(
    ({ n, reward }): Action => ({
      type: "reserve",
      redemption: `red-${n}`,
      reward,
      order: Testing.order(`hold-${n}`, 500, { status: "open" })
    })
  ),
  id.map((n): Action => ({ type: "capture", reservation: `rsv-${n}`, order: `hold-${n}` })),
  id.map((n): Action => ({ type: "reverse", reservation: `rsv-${n}`, reason: "test" })),
  id.map(
    (n): Action => ({
      type: "issue_reward",
      issued: `wallet-${n}`,
      reward: "one-off",
      artifact: { type: "code", value: `wallet-${n}` }
    })
  ),
  fc
    .record({ n: id, m: id })
    .map(({ m, n }): Action => ({ type: "change_identities", add: [`card-${n}`], remove: [`card-${m}`] })),
  // Seldom closed: little is left to happen then.
  fc
    .integer({ min: 1, max: 10 })
    .map((n) => (n === 1 ? "closed" : n < 4 ? "suspended" : "active"))
    .map((status): Action => ({ type: "set_status", status, reason: "test" })),
  fc.constant<Action>({ type: "expire" })
)
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(fc.record({ wait, action }), { maxLength: 40 })

const conserved = (state: State, events: ReadonlyArray<AccountEvent>): void => {
  for (const account of state.units) {
    const entries = events.reduce(
      (sum, event) => (event.type === "posted" && event.unit === account.unit ? sum + event.amount : sum),
      0
    )
    assert.strictEqual(account.posted, entries, "sum of entries = balance")
    assert.strictEqual(
      Lots.total(account.lots),
      Math.max(0, account.posted),
      "sum of lots = the larger of 0 and the balance"
    )
    const held = state.reservations.reduce(
      (sum, hold) => (hold.status === "reserved" && hold.unit === account.unit ? sum + hold.cost : sum),
      0
    )
    assert.strictEqual(account.reserved, held, "reserved = open holds")
    assert.strictEqual(available(account), account.posted - account.reserved)
  }
}

/** Rules that hold of the member itself. */
const isMember = (state: State): void => {
  assert.isAbove(state.identities.length, 0, "a member has an identity")
  assert.strictEqual(new Set(state.identities).size, state.identities.length, "no identity twice")
  if (state.status !== "closed") return
  assert.isFalse(
    state.reservations.some(({ status }) => status === "reserved"),
    "a closed member holds nothing"
  )
  assert.isFalse(
    state.rewards.some(({ status }) => status === "issued"),
    "a closed member's wallet is empty"
  )
}

interface Run {
  readonly state: State
  readonly records: ReadonlyArray<{ readonly seq: number; readonly events: ReadonlyArray<AccountEvent> }>
  readonly now: number
}

const textOf = (state: State): string => JSON.stringify(plain(state))

/** Steps that may be done once only, as claims see to it in the service. */
const onceOf = (action: Action): string | undefined =>
  action.type === "reserve"
    ? action.redemption
    : action.type === "accrue"
      ? action.order.order_id
      : action.type === "issue_reward"
        ? action.issued
        : undefined

/** Carries the steps out. */
const play = (all: ReadonlyArray<Step>): Run => {
  let now = start
  const enrolled: AccountEvent = { type: "enrolled", at: now, program: program.id, member: "ada", identity: "ada's" }
  let state = fold(initialState, { seq: 1, events: [enrolled] })
  const records: Array<{ seq: number; events: ReadonlyArray<AccountEvent> }> = [{ seq: 1, events: [enrolled] }]
  const done = new Set<string>()
  for (const { action, wait } of all) {
    now += wait
    const once = onceOf(action)
    if (once !== undefined && done.has(once)) continue
    const before = textOf(state)
    const recalled = recalledFor(state, action, { account: 1, records, merged: [] })
    const decision = decide(state, placed(action, now), { now, program, recalled, ...reservationOf(action) })
    assert.strictEqual(textOf(state), before, "deciding changes nothing by itself")
    if (decision._tag !== "Decided") continue
    if (once !== undefined) done.add(once)
    records.push({ seq: state.seq + 1, events: decision.events })
    if (state.status === "closed") assert.strictEqual(decision.state.status, "closed", "a closed member stays closed")
    state = decision.state
    isMember(state)
    conserved(
      state,
      records.flatMap(({ events }) => events)
    )
    const times = decision.events.map((event) => event.at)
    assert.deepStrictEqual(
      times,
      times.toSorted((a, b) => a - b),
      "time never runs backwards"
    )
  }
  return { state, records, now }
}

describe("any sequence of commands", () => {
  it("Balances, Lots: entries, balances, lots and holds agree after every decision", () => {
    fc.assert(
      fc.property(steps, (all) => void play(all)),
      { numRuns: 500 }
    )
  })

  it("replaying the events gives the live state, and so does a snapshot", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const { records, state } = play(all)
        const replayed = records.reduce(fold, initialState)
        assert.strictEqual(textOf({ ...replayed, seq: state.seq, at: state.at }), textOf(state))
        const restored = decodeSnapshot(claimKey, SNAPSHOT_VERSION, encodeSnapshot(claimKey, state, "hash"))
        assert.strictEqual(restored === undefined ? undefined : textOf(restored.state), textOf(state))
      }),
      { numRuns: 300 }
    )
  })

  it("Lots: a view counts exactly what the next decision posts", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 400 * day }), (all, later) => {
        const { now, state } = play(all)
        const decision = decide(state, { type: "expire" }, { now: now + later, program })
        assert.strictEqual(decision._tag, "Decided")
        if (decision._tag !== "Decided") return
        const shown = view(state, program, now + later)
        assert.deepStrictEqual(shown.units, decision.state.units)
        assert.deepStrictEqual(shown.reservations, decision.state.reservations)
      }),
      { numRuns: 300 }
    )
  })

  it("Adjusting an order: a full refund leaves the balance from before the order, if none of its points were spent", () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 40_000 }), (all, amount) => {
        const { now, state } = play(all)
        fc.pre(state.status === "active")
        const order = Testing.order("fresh-order", amount, Testing.placedAt(now))
        const settled = view(state, program, now)
        const earned = decide(state, { type: "accrue", order }, { now, program })
        assert.strictEqual(earned._tag, "Decided")
        if (earned._tag !== "Decided") return
        const refund: Action = {
          type: "adjust_order",
          adjustment: {
            adjustment_id: "refund",
            original_order_id: "fresh-order",
            type: "full_refund",
            reason: "test",
            occurred_at: "2026-07-14T10:00:00Z",
            order_total_delta: money(-amount),
            eligible_spend_delta: money(-amount)
          }
        }
        const recalled = recalledFor(earned.state, refund, {
          account: 1,
          records: [{ seq: earned.state.seq, events: earned.events }],
          merged: []
        })
        const refunded = decide(earned.state, refund, { now, program, recalled })
        assert.strictEqual(refunded._tag, "Decided")
        if (refunded._tag !== "Decided") return
        const before = unitOf(settled, "points")
        const after = unitOf(refunded.state, "points")
        assert.deepStrictEqual(
          [after.posted, after.reserved, after.lifetime, after.qualified],
          [
            before.posted,
            before.reserved,
            before.lifetime,
            state.period === refunded.state.period ? before.qualified : 0
          ]
        )
      }),
      { numRuns: 300 }
    )
  })
})

describe("any sequence of commands on a stamp card", () => {
  const stamps = Testing.programOf(
    JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "..", "..", "rules", "program.stamps.json"), "utf8"))
  )
  const order = fc.integer({ min: 1, max: 40 })
  const stampAction: fc.Arbitrary<Action> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({ order, amount: fc.integer({ min: 200, max: 900 }) })
        .map(({ amount, order }) => accrue(`${order}`, amount, {}, "coffee-stamps"))
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          order,
          type: fc.constantFrom("partial_refund", "full_refund", "void"),
          delta: fc.integer({ min: -400, max: 0 })
        })
        .map(({ delta, order, type }) => adjust(`${order}`, type, delta))
    },
    {
      weight: 2,
      arbitrary: fc
        .record({ order, delta: fc.integer({ min: -400, max: 400 }) })
        .map(({ delta, order }) => adjust(`${order}`, "correction", delta))
    },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: -15, max: 25 })
        .map((amount) => manual(amount || 1, { classification: "correction" }))
    }
  )

  it("Stamp cards: as many are filled as the stamps credited less those clawed back ever filled", () => {
    fc.assert(
      fc.property(fc.array(stampAction, { maxLength: 60 }), (actions) => {
        const ada = new Scenario(stamps)
        const done = new Set<string>()
        let [net, most] = [0, 0]
        for (const action of actions) {
          const once = onceOf(action)
          if (once !== undefined && done.has(once)) continue
          const decision = ada.decide(action)
          if (decision._tag !== "Decided") continue
          if (once !== undefined) done.add(once)
          ada.given(action)
          for (const event of decision.events)
            if (event.type === "posted" && event.unit === "stamps" && event.reason !== "stamp card filled")
              net += event.amount
          most = Math.max(most, Math.floor(net / 10))
          assert.strictEqual(ada.state.cards, most)
          assert.strictEqual(ada.state.issued, most)
          assert.strictEqual(ada.balance("stamps")[0], net - 10 * most)
        }
        assert.deepStrictEqual(plain(ada.replayed), plain(ada.state))
      }),
      { numRuns: 300 }
    )
  })
})
