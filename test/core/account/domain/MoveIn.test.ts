/** Guests of another provider, as the account decides. Holds contract/moving.md *What is posted*. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { ProgramFile } from "../../../../src/contract/ProgramFile.ts"
import type { Action, MoveIn } from "../../../../src/core/account/domain/Action.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import * as Metrics from "../../../../src/core/account/domain/Metrics.ts"
import { fitting } from "../../../../src/core/account/domain/MoveIn.ts"
import { unitOf } from "../../../../src/core/account/domain/State.ts"
import { expiring } from "../../../../src/core/account/domain/View.ts"
import * as Rows from "../../../../src/core/account/Rows.ts"
import * as Ladder from "../../../../src/reads/rollups/Ladder.ts"
import { advance, figuresOf, unitsOf, unitsText } from "../../../../src/reads/rollups/Member.ts"
import { accrue, capture, day, entries, expire, manual, reserve, Scenario, start } from "./Scenario.ts"

const { promotions: _, ...demo } = Testing.demoProgram.file
const plain = Testing.programOf(demo)

const moved = (more: Partial<MoveIn>): Action => ({
  type: "move_in",
  identities: [],
  points: [],
  counters: [],
  orders: 0,
  rewards: [],
  changesProfile: false,
  ...more
})

const points = (amount: number, earned: number, expires?: number | null) => ({
  adjustment: "move:1",
  unit: "points" as const,
  amount,
  earned,
  ...(expires === undefined ? undefined : { expires })
})

const lotsOf = ({ state }: Scenario) => Lots.toArray(unitOf(state, "points").lots)
const tierOf = ({ now, program, state }: Scenario) => Metrics.tierOf(state, program, now)?.tier_id
const listedTierOf = ({ now, program, state }: Scenario) =>
  Ladder.tierAt(program, now, Ladder.keyOf(Ladder.ladderOf(program), figuresOf(state)))
const isIn = (scenario: Scenario, tier: string): void =>
  assert.deepStrictEqual([tierOf(scenario), listedTierOf(scenario)], [tier, tier])

describe("points that are moved in", () => {
  it("are posted now as a migration, keep their dates, and the oldest are spent first", () => {
    const ada = new Scenario(plain).given(manual(50))
    const [old, newer] = [start - 100 * day, start - 10 * day]
    const { events } = ada.when(moved({ points: [points(100, newer), points(60, old, start + 5 * day)] }))
    assert.deepStrictEqual(
      entries(events).map((entry) => [
        entry.op,
        entry.amount,
        entry.at,
        "classification" in entry && entry.classification
      ]),
      [
        ["manual", 100, start, "migration"],
        ["manual", 60, start, "migration"]
      ]
    )
    // By the programme's rule from the day they were earned, where nothing else is said.
    assert.deepStrictEqual(
      lotsOf(ada).map(([, left, expires, earned]) => [left, expires, earned]),
      [
        [60, start + 5 * day, old],
        [100, newer + 365 * day, newer],
        [50, start + 365 * day, start]
      ]
    )
    ada.given(reserve(1), capture(1))
    assert.deepStrictEqual(
      lotsOf(ada).map(([, left]) => left),
      [60, 50]
    )
  })

  it("expire at their own dates, and are told of before", () => {
    const ada = new Scenario(plain).given(moved({ points: [points(60, start - 100 * day, start + 40 * day)] }))
    assert.deepStrictEqual(expiring(ada.state, ada.now), [{ unit: "points", amount: 60, at: start + 40 * day }])
    const { events } = ada.wait(41 * day).when(expire)
    assert.deepStrictEqual(
      events.map(({ type }) => type).filter((type) => type !== "posted"),
      ["points_expiring", "points_expiring"]
    )
    assert.strictEqual(unitOf(ada.state, "points").posted, 0)
  })

  it("never expire if the files say so, and are refused once they have expired", () => {
    const ada = new Scenario(plain).given(moved({ points: [points(60, start - 900 * day, null)] }))
    assert.deepStrictEqual(lotsOf(ada), [[1, 60, null, start - 900 * day]])
    const late = ada.decide(moved({ points: [points(60, start - 366 * day)] }))
    assert.strictEqual(late._tag === "Refusal" && late.code, "expired")
  })

  it("end with the account after inactivity, which began when the guest last earned", () => {
    const idle = Testing.programOf({
      ...demo,
      point_expiration: { type: "after_inactivity", days: 100, warning_days: [] }
    })
    const ada = new Scenario(idle).given(
      moved({ points: [points(60, start - 300 * day)], lastEarned: start - 40 * day })
    )
    assert.deepStrictEqual(expiring(ada.state, ada.now), [{ unit: "points", amount: 60, at: start + 60 * day }])
    assert.strictEqual(unitOf(ada.wait(61 * day).given(expire).state, "points").posted, 0)
  })

  it("end by the latest day on which a lot was earned where nobody says when the guest last earned", () => {
    const idle = Testing.programOf({
      ...demo,
      point_expiration: { type: "after_inactivity", days: 100, warning_days: [] }
    })
    const ada = new Scenario(idle).given(
      moved({ points: [points(60, start - 40 * day), points(30, start - 300 * day)] })
    )
    const ends = start + 60 * day
    assert.strictEqual(ada.state.idle, ends)
    // No later move renews them: neither an addition of an older day nor a correction.
    const lots = [{ account: 1, n: 1 }]
    ada.wait(10 * day).given(moved({ points: [points(5, start - 50 * day)] }))
    ada.given(moved({ points: [{ ...points(20, start - 40 * day), lots }] }))
    ada.given(moved({ points: [{ adjustment: "move:1", unit: "points", amount: -10, lots }] }), moved({ orders: 1 }))
    assert.strictEqual(ada.state.idle, ends)
    assert.deepStrictEqual(expiring(ada.state, ada.now), [{ unit: "points", amount: 105, at: ends }])
    ada.given(moved({ points: [points(5, start + 2 * day)] }))
    assert.strictEqual(ada.state.idle, start + 102 * day)
  })

  it("count for no metric and fill no stamp card", () => {
    const cards = Testing.programOf({
      ...demo,
      stamp_card: { unit: "points", threshold: 10, reward_id: "one-off", resets: false }
    } as ProgramFile)
    const ada = new Scenario(cards).given(moved({ points: [points(95, start - day)] }))
    const { credited, lifetime, qualified } = unitOf(ada.state, "points")
    assert.deepStrictEqual([credited, lifetime, qualified, ada.state.rewards.length], [0, 0, 0, 0])
    ada.given(manual(10))
    assert.strictEqual(ada.state.rewards.length, 1)
  })

  it("fill a hole first, and only the rest is a lot", () => {
    const ada = new Scenario(plain).given(manual(-30, { classification: "correction" }))
    ada.given(moved({ points: [points(100, start - day)] }))
    assert.deepStrictEqual(
      lotsOf(ada).map(([, left]) => left),
      [70]
    )
    assert.strictEqual(unitOf(ada.state, "points").posted, 70)
  })
})

describe("a correction", () => {
  const take = (amount: number, n: number, account = 1) => ({
    ...{ adjustment: "move:1", unit: "points" as const, amount: -amount },
    lots: [{ account, n }]
  })
  const left = (scenario: Scenario) => lotsOf(scenario).map(([n, points]) => [n, points])
  const guest = () =>
    new Scenario(plain).given(
      moved({ points: [points(100, start - 9 * day), points(60, start - 5 * day), points(40, start - day)] })
    )
  const fits = ({ now, state }: Scenario, ...all: ReadonlyArray<ReturnType<typeof take>>) =>
    fitting(state, all, now).map(({ amount }) => 0 - amount)

  it("takes points of its own lot alone, and what is not left of it is a conflict", () => {
    const ada = guest().given(moved({ points: [take(50, 2)] }))
    assert.deepStrictEqual(left(ada), [
      [1, 100],
      [2, 10],
      [3, 40]
    ])
    ada.refuses(moved({ points: [take(11, 2)] }), "conflict")
    assert.deepStrictEqual(fits(ada, take(11, 2), take(11, 3)), [10, 11])
    ada.given(moved({ points: [take(10, 2)] }))
    ada.refuses(moved({ points: [take(1, 2)] }), "conflict")
    assert.deepStrictEqual(unitOf(ada.state, "points").posted, 140)
  })

  it("takes no points that a hold needs, so that the balance never goes below zero", () => {
    const ada = guest().given(reserve(1))
    const [posted, held] = ada.balance()
    assert.deepStrictEqual([posted, held], [200, 100])
    assert.deepStrictEqual(fits(ada, take(100, 1), take(60, 2)), [100, 0])
    ada.refuses(moved({ points: [take(100, 1), take(60, 2)] }), "conflict")
    ada.given(moved({ points: [take(100, 1)] }), capture(1))
    assert.deepStrictEqual(ada.balance(), [0, 0])
  })

  it("finds its lot after a merge, and takes nothing of one that has expired", () => {
    const bob = new Scenario(plain, "bob", 2).given(moved({ points: [points(30, start - 7 * day, start + day)] }))
    const ada = guest()
    ada.merge(bob)
    ada.given(moved({ points: [take(20, 1, 2)] }))
    assert.deepStrictEqual(
      left(ada).map(([, points]) => points),
      [100, 10, 60, 40]
    )
    assert.deepStrictEqual(fits(ada.wait(2 * day), take(10, 1, 2)), [0])
  })
})

describe("standing that is moved in", () => {
  it("counts in lifetime and the present tier period, once, and nobody is told of the tier", () => {
    const ada = new Scenario(plain)
    const { events } = ada.when(
      moved({ points: [points(100, start - day)], counters: [["points", 9000, 600]], orders: 12 })
    )
    assert.deepStrictEqual(
      events.filter(({ type }) => type === "tier_changed"),
      []
    )
    const { lifetime, posted, qualified } = unitOf(ada.state, "points")
    assert.deepStrictEqual([posted, lifetime, qualified, ada.state.orders], [100, 9000, 600, 12])
    isIn(ada, "regular")
    ada.given(accrue("1", 10_000))
    assert.strictEqual(unitOf(ada.state, "points").lifetime, 9000 + 1200)
    assert.deepStrictEqual(ada.state.orders, 13)
  })

  it("keeps the tier of its sum through the following period, where the programme keeps tiers so long", () => {
    const period = { type: "annual", starts_month: 1, starts_day: 1, time_zone: "UTC" } as const
    const metric_id = demo.tier_policy?.metric_id ?? ""
    const lasting = Testing.programOf({
      ...demo,
      tier_policy: { metric_id, period, retention: "following_period" }
    })
    const ada = new Scenario(lasting).given(moved({ counters: [["points", 9000, 1600]] }))
    for (const [instant, tier] of [
      ["2026-12-31T23:59:59Z", "vip"],
      ["2027-12-31T23:59:59Z", "vip"],
      ["2028-01-01T00:00:00Z", "starter"]
    ] as const) {
      ada.now = Date.parse(instant)
      isIn(ada, tier)
    }
  })

  it("makes no order the first one here", () => {
    const firstOf = (scenario: Scenario) =>
      entries(scenario.when(accrue("1", 1000)).events).flatMap((entry) => (entry.op === "accrual" ? [entry.first] : []))
    assert.deepStrictEqual(firstOf(new Scenario(plain)), [true])
    assert.deepStrictEqual(firstOf(new Scenario(plain).given(moved({ orders: 1 }))), [false])
  })

  it("promises a tier until a date: it is at least that one, and ends by itself", () => {
    const until = start + 20 * day
    const ada = new Scenario(plain).given(moved({ tier: { id: "regular", until } }))
    isIn(ada, "regular")
    ada.now = until - 1
    isIn(ada, "regular")
    ada.given(accrue("1", 20_000))
    isIn(ada, "vip")
    const bob = new Scenario(plain).given(moved({ tier: { id: "vip", until } }))
    bob.now = until
    isIn(bob, "starter")
    const { events } = bob.when(expire)
    assert.deepStrictEqual(events, [
      { type: "tier_changed", at: until, from: "vip", to: "starter", amount: 0, places: [2, 0] }
    ])
  })

  it("lasts to the end of the tier period where no date is given", () => {
    const ada = new Scenario(plain).given(moved({ tier: { id: "vip" } }))
    assert.deepStrictEqual(ada.state.promised, { tier: "vip", until: Date.parse("2027-01-01T05:00:00Z") })
  })

  it("is kept by a merge, the higher of two promises", () => {
    const until = start + 20 * day
    for (const [from, into, kept] of [
      ["vip", "regular", "vip"],
      ["regular", "vip", "vip"]
    ] as const) {
      const bob = new Scenario(plain, "bob", 2).given(moved({ tier: { id: from, until } }))
      const ada = new Scenario(plain).given(moved({ tier: { id: into, until } }))
      ada.merge(bob)
      isIn(ada, kept)
    }
    const bob = new Scenario(plain, "bob", 2).given(moved({ tier: { id: "vip", until } }))
    const ada = new Scenario(plain)
    ada.merge(bob)
    isIn(ada, "vip")
  })
})

it("rewards and identities come with the record, and a reward expires at its own date", () => {
  const ada = new Scenario(plain)
  const rewards = [{ issued: "r1", reward: "one-off", code: "AAA", at: start - 9 * day, expires: start + day }]
  const { events } = ada.when(moved({ identities: ["card"], rewards }))
  assert.deepStrictEqual(
    events.map(({ type }) => type),
    ["identity_added", "reward_received", "moved_in"]
  )
  assert.deepStrictEqual(ada.state.identities, ["ada's", "card"])
  assert.deepStrictEqual(
    ada.state.rewards.map(({ at, status }) => [at, status]),
    [[start - 9 * day, "issued"]]
  )
  ada.wait(2 * day).given(expire)
  assert.deepStrictEqual(
    ada.state.rewards.map(({ status }) => status),
    ["expired"]
  )
})

it("a new guest is one record: enrolled where it was, since it joined there", () => {
  const { counters, identities, orders, rewards } = moved({}) as MoveIn
  const moves = { counters, identities, orders, rewards, points: [points(5, start - day)] }
  const ada = new Scenario(plain)
  const joined = start - 700 * day
  const decision = ada.decide({
    ...{ type: "enroll", program: plain.id, member: "eve", identity: "eve's", via: "move_in", joined },
    moves
  })
  if (decision._tag !== "Decided") throw new Error("not decided")
  assert.deepStrictEqual(
    decision.events.map(({ type }) => type),
    ["enrolled", "posted", "moved_in"]
  )
  assert.strictEqual(decision.state.joined, joined)
})

it("the rollups fold a move in as the account does, and store a promised tier", () => {
  for (const lastEarned of [undefined, start - 40 * day, start + day]) {
    const ada = new Scenario(
      Testing.programOf({ ...demo, point_expiration: { type: "after_inactivity", days: 100, warning_days: [] } })
    )
      .given(manual(5))
      .wait(2 * day)
    const before = figuresOf(ada.state)
    const tier = { id: "vip", until: start + 20 * day }
    const { events, state } = ada.when(
      moved({ points: [points(60, start - day)], counters: [["points", 900, 600]], tier, lastEarned })
    )
    const record = { account: 1, seq: state.seq, balances: Rows.balances(state) }
    const figures = advance(before, record, events)
    assert.deepStrictEqual(figures, figuresOf(state))
    const { idle, lastPeriod, promised, units } = figures
    assert.deepStrictEqual(unitsOf(unitsText(figures)), { idle, lastPeriod, promised, units })
  }
})
