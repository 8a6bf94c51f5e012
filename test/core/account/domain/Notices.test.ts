/** contract/events.md *Warnings and tiers*: what an account tells at an instant at which no balance changes. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { AccountEvent } from "../../../../src/core/account/domain/AccountEvent.ts"
import * as Announced from "../../../../src/core/account/domain/Announced.ts"
import { nextDueAt } from "../../../../src/core/account/domain/Due.ts"
import type { PointsExpiring, TierChanged } from "../../../../src/core/account/domain/NoticeEvents.ts"
import type { Program } from "../../../../src/core/rules/Program.ts"
import { inForceAs } from "../../../../src/core/rules/Program.ts"
import { accrue, adjust, day, expire, manual, Scenario, start, status } from "./Scenario.ts"

const hour = 3_600_000
const demo = Testing.demoProgram
/** The demo's zone is New York. */
const newYear = Date.UTC(2027, 0, 1, 5)
/** Earned on 14 July at 10:00 UTC, so they expire on 14 July 2027 of New York. */
const expiry = start + 365 * day
const warned30 = Date.UTC(2027, 5, 14, 4)
const warned7 = Date.UTC(2027, 6, 7, 4)

const told = (events: ReadonlyArray<AccountEvent>) =>
  events.filter(
    (event): event is PointsExpiring | TierChanged => event.type === "points_expiring" || event.type === "tier_changed"
  )

/** `program` as a further version that was published at an instant. */
const published = (program: Program, at: number, before: Program = demo, tellsFrom = -Infinity): Program =>
  inForceAs(
    program,
    [before, program].map(({ file }, index) => ({
      publishedAt: index === 0 ? 0 : at,
      tierPolicy: file.tier_policy,
      promotions: (file.promotions ?? []).map(({ promotion_id }) => ({ id: promotion_id, every: undefined })),
      pointExpiration: file.point_expiration
    })),
    false,
    tellsFrom
  )

const without = (program: Program): Program => ({ ...program, warnings: [] })

/** Another `minimum` of the tier `regular`. */
const withMinimum = (minimum: number): Program => ({
  ...demo,
  tiers: demo.tiers.map((tier) => (tier.tier_id === "regular" ? { ...tier, minimum } : tier))
})

/** Wakes the member whenever it is due, until an instant. Everything that it told, with the hours from its instant. */
const live = (ada: Scenario, until: number): ReadonlyArray<PointsExpiring | TierChanged> => {
  const all: Array<PointsExpiring | TierChanged> = []
  for (;;) {
    const due = nextDueAt(ada.state, ada.program)
    if (due === null || due > until) return all
    ada.now = due
    const { events } = ada.when(expire)
    assert.isAbove(events.length, 0)
    for (const event of told(events)) {
      assert.isBelow(due - event.at, hour)
      all.push(event)
    }
  }
}

describe("tier.changed", () => {
  it("is told with the command that brings the member up, after its entries", () => {
    const ada = new Scenario()
    const { events } = ada.when(accrue("1", 5000))
    assert.deepStrictEqual(told(events), [
      { type: "tier_changed", at: start, from: "starter", to: "regular", amount: 500, places: [0, 1] }
    ])
    assert.deepStrictEqual(
      Announced.announcements(events).map(({ name }) => name),
      ["order.accrued", "tier.changed"]
    )
    assert.strictEqual(ada.state.tier, "regular")
    assert.strictEqual(ada.state.announced, 3)
  })

  it("is told with the refund that brings it down, once", () => {
    const ada = new Scenario().given(accrue("1", 5000))
    assert.deepStrictEqual(told(ada.when(adjust("1", "partial_refund", -1000)).events), [
      { type: "tier_changed", at: start, from: "regular", to: "starter", amount: 400, places: [1, 0] }
    ])
    assert.deepStrictEqual(told(ada.when(accrue("2", 500)).events), [])
  })

  it("is told by a merge, at the member that remains alone", () => {
    const [ada, bob] = [new Scenario().given(accrue("1", 3000)), new Scenario(demo, "bob", 2).given(accrue("2", 3000))]
    const { from, into } = ada.merge(bob)
    assert.deepStrictEqual(told(from.events), [])
    assert.deepStrictEqual(
      told(into.events).map((event) => event.type === "tier_changed" && [event.from, event.to, event.amount]),
      [["starter", "regular", 600]]
    )
  })

  it("of a new period is told at its start, spread over an hour, by a record of its own", () => {
    const ada = new Scenario(without(demo)).given(accrue("1", 5000))
    const due = nextDueAt(ada.state, ada.program) ?? 0
    assert.isAtLeast(due, newYear)
    assert.isBelow(due, newYear + hour)
    assert.deepStrictEqual(live(ada, newYear + day), [
      { type: "tier_changed", at: newYear, from: "regular", to: "starter", amount: 0, places: [1, 0] }
    ])
    assert.strictEqual(nextDueAt(ada.state, ada.program), expiry)
  })

  it("of a new period is told before what the first command of the period brings", () => {
    const ada = new Scenario(without(demo)).given(accrue("1", 5000))
    ada.now = newYear + 1
    assert.deepStrictEqual(
      told(ada.when(accrue("2", 16_000)).events).map(
        (event) => event.type === "tier_changed" && [event.at, event.from, event.to]
      ),
      [
        [newYear, "regular", "starter"],
        [newYear + 1, "starter", "vip"]
      ]
    )
  })

  it("different members fall due at different times of the hour", () => {
    const due = Array.from({ length: 200 }, (_, n) =>
      nextDueAt(new Scenario(without(demo), `guest-${n}`).given(accrue("1", 5000)).state, without(demo))
    )
    assert.isAbove(new Set(due.map((at) => Math.floor(((at ?? 0) - newYear) / (hour / 10)))).size, 9)
  })

  it("of a new version of the programme is told from its publication on", () => {
    const ada = new Scenario(without(demo)).given(accrue("1", 4000))
    assert.strictEqual(nextDueAt(ada.state, ada.program), expiry)
    ada.under(without(published(withMinimum(300), start + day)))
    assert.deepStrictEqual(live(ada, start + 2 * day), [
      { type: "tier_changed", at: start + day, from: "starter", to: "regular", amount: 400, places: [0, 1] }
    ])
  })

  it("is not told of a closed member", () => {
    const ada = new Scenario(without(demo)).given(accrue("1", 5000), status("closed"))
    assert.deepStrictEqual(live(ada, newYear + day), [])
  })

  it("an account of older software tells what changes from the upgrade on, and nothing before", () => {
    const older = (upgrade: number) => {
      const ada = new Scenario(without(published(demo, start, demo, upgrade))).given(accrue("1", 5000))
      ada.state = { ...ada.state, tier: undefined }
      return ada
    }
    assert.deepStrictEqual(
      live(older(newYear - day), newYear + day).map((event) => event.at),
      [newYear]
    )
    assert.deepStrictEqual(live(older(newYear + 1), newYear + day), [])
    const silent = older(start + day)
    silent.now += 2 * day
    const { events, state } = silent.when(accrue("2", 500))
    assert.deepStrictEqual(told(events), [{ type: "tier_changed", at: silent.now, to: "regular", amount: 560 }])
    assert.strictEqual(Announced.count(events), 1)
    assert.strictEqual(state.tier, "regular")
    const rising = older(start + day)
    rising.now += 2 * day
    assert.deepStrictEqual(
      told(rising.when(accrue("2", 10_000)).events).map((event) => event.type === "tier_changed" && event.from),
      ["regular"]
    )
  })
})

describe("points.expiring", () => {
  const warning = (at: number, days: number, amount: number, first = expiry) =>
    ({ type: "points_expiring", at, unit: "points", amount, first, days }) as const

  it("is not given in a rehearsal; after it, from its end on", () => {
    const rehearsed = Testing.programOf({ ...demo.file, rehearsal: true })
    const ada = new Scenario(rehearsed).given(manual(150))
    ada.now = warned30 + day
    assert.deepStrictEqual(told(ada.when(expire).events), [])
    const versions = [true, false].map((rehearsal, index) => ({
      publishedAt: index === 0 ? 0 : ada.now,
      pointExpiration: demo.file.point_expiration,
      rehearsal
    }))
    assert.deepStrictEqual(
      inForceAs(demo, versions, false).warnings.map(({ from }) => from),
      [ada.now, ada.now]
    )
    assert.deepStrictEqual([...inForceAs(demo, versions, false).rehearsals], [1])
    assert.strictEqual(inForceAs(rehearsed, versions.slice(0, 1), false).warnings[0]?.from, Infinity)
  })

  it("is told once for each warning day and date, of what is left then", () => {
    const ada = new Scenario().given(accrue("1", 1000)).wait(hour).given(accrue("2", 1000)).wait(day)
    ada.given(accrue("3", 1000), manual(-50))
    assert.deepStrictEqual(live(ada, expiry + 2 * day), [
      warning(warned30, 30, 150),
      warning(warned30 + day, 30, 100, expiry + hour + day),
      warning(warned7, 7, 150),
      warning(warned7 + day, 7, 100, expiry + hour + day)
    ])
  })

  it("is told by a command before the account is woken, and then no more", () => {
    const ada = new Scenario().given(accrue("1", 1000))
    ada.now = warned30 + 1
    assert.deepStrictEqual(told(ada.when(manual(5)).events), [warning(warned30, 30, 100)])
    assert.deepStrictEqual(live(ada, warned7 - 1), [])
  })

  it("is told for what the service slept through, in the order of time", () => {
    const ada = new Scenario().given(accrue("1", 1000))
    ada.now = expiry + day
    const { events } = ada.when(expire)
    assert.deepStrictEqual(
      events.map(({ at, type }) => [type, at]),
      [
        ["points_expiring", warned30],
        ["points_expiring", warned7],
        ["posted", expiry]
      ]
    )
  })

  it("is not told of points that are spent, nor of an instant that is past when they come", () => {
    const ada = new Scenario().given(accrue("1", 1000), manual(-100))
    assert.strictEqual(nextDueAt(ada.state, demo), null)
    const bob = new Scenario().given(manual(70, { expires: start + 20 * day }))
    assert.deepStrictEqual(
      live(bob, start + 30 * day).map((event) => event.type === "points_expiring" && event.days),
      [7]
    )
  })

  it("a warning of a new version is given from its publication on, and outlasts further versions that have it", () => {
    const before: Program = {
      ...demo,
      file: { ...demo.file, point_expiration: { type: "after_earned", days: 365, warning_days: [7] } }
    }
    const publishedLate = published(demo, warned30 + 1, before)
    const ada = new Scenario(publishedLate).given(accrue("1", 1000))
    assert.deepStrictEqual(
      live(ada, expiry - 1).map((event) => event.type === "points_expiring" && event.days),
      [7]
    )
    const bob = new Scenario(published(demo, warned30 + 1, demo)).given(accrue("1", 1000))
    assert.deepStrictEqual(
      live(bob, expiry - 1).map((event) => event.type === "points_expiring" && event.days),
      [30, 7]
    )
  })

  it("tells the account's date where points end together, and that of later activity anew", () => {
    const { point_expiration: _, ...file } = demo.file
    const idle = Testing.programOf({
      ...file,
      point_expiration: { type: "after_inactivity", days: 20, warning_days: [7] }
    })
    const ada = new Scenario(idle).given(accrue("1", 1000))
    const firstDate = live(ada, start + 14 * day).map(
      (event) => event.type === "points_expiring" && [event.amount, event.first]
    )
    assert.deepStrictEqual(firstDate, [[100, start + 20 * day]])
    ada.now = start + 15 * day
    ada.given(accrue("2", 1000))
    assert.deepStrictEqual(
      live(ada, start + 40 * day).map((event) => event.type === "points_expiring" && [event.amount, event.first]),
      [[200, start + 35 * day]]
    )
  })

  it("units of one date and both days of one instant are told one by one", () => {
    const both: Program = {
      ...demo,
      warnings: [
        { days: 7, from: -Infinity },
        { days: 8, from: -Infinity }
      ]
    }
    const ada = new Scenario(both).given(accrue("1", 1000)).wait(day).given(accrue("2", 1000))
    assert.deepStrictEqual(
      live(ada, expiry - 1).map((event) => [event.at, event.type === "points_expiring" && event.days]),
      [
        [warned7 - day, 8],
        [warned7, 7],
        [warned7, 8],
        [warned7 + day, 7]
      ]
    )
  })
})
