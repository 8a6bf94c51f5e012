/** When promotions run, as the console shows it: contract/programmes.md *Promotions*. */
import { assert, describe, it } from "@effect/vitest"
import { localAt, spansWithin, stateAt } from "../../../src/console/programme/promotionTimes.ts"
import type { Promotion } from "../../../src/contract/Promotions.ts"

const zone = "Europe/Berlin"
const at = (local: string) => Date.parse(`${local}Z`)
const shown = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const promotion = (more: Partial<Promotion>): Promotion => ({
  promotion_id: "one",
  name: "One",
  effect: { add: 1 },
  ...more
})
/** 23 November 2026 is a Monday. */
const week = { start: at("2026-11-23T00:00"), end: at("2026-11-30T00:00") }
const spans = (more: Partial<Promotion>) =>
  spansWithin(promotion(more), zone, week).map(({ end, start }) => [shown(start), shown(end)])

describe("the times of a promotion", () => {
  it("are the windows of its week, also past midnight, of the days they begin on", () => {
    const when: Promotion["when"] = { weekly: [{ days: ["sun", "tue"], from: "22:00", until: "02:00" }] }
    assert.deepStrictEqual(spans({ when }), [
      // Begun on the Sunday before.
      ["2026-11-23T00:00", "2026-11-23T02:00"],
      ["2026-11-24T22:00", "2026-11-25T02:00"],
      ["2026-11-29T22:00", "2026-11-30T00:00"]
    ])
    assert.deepStrictEqual(spans({ when: { ...when, dates: ["2026-11-24"] } }), [
      ["2026-11-24T22:00", "2026-11-25T02:00"]
    ])
    assert.deepStrictEqual(spans({ when: { ...when, from: "2026-11-23", until: "2026-11-24" } }), [
      ["2026-11-24T22:00", "2026-11-25T02:00"]
    ])
  })

  it("lie between from and until, where a date counts whole and a timestamp is an instant", () => {
    assert.deepStrictEqual(spans({}), [["2026-11-23T00:00", "2026-11-30T00:00"]])
    assert.deepStrictEqual(spans({ when: { from: "2026-11-24T12:00:00Z", until: "2026-11-25" } }), [
      ["2026-11-24T13:00", "2026-11-26T00:00"]
    ])
    assert.deepStrictEqual(spans({ when: { until: "2026-11-01" } }), [])
    assert.deepStrictEqual(spans({ enabled: false }), [])
  })
})

describe("the state of a promotion", () => {
  const now = at("2026-11-24T12:00")
  const state = (more: Partial<Promotion>) => stateAt(promotion(more), zone, now)
  const weekly: NonNullable<Promotion["when"]>["weekly"] = [{ days: ["tue"], from: "11:00", until: "13:00" }]

  it("is what holds now, else the next beginning", () => {
    assert.deepStrictEqual(state({}), { is: "running" })
    assert.deepStrictEqual(state({ when: { weekly } }), { is: "running", until: at("2026-11-24T13:00") })
    assert.deepStrictEqual(stateAt(promotion({ when: { weekly } }), zone, at("2026-11-24T13:00")), {
      is: "next",
      from: at("2026-12-01T11:00")
    })
    assert.deepStrictEqual(state({ when: { from: "2028-01-01" } }), { is: "next", from: at("2028-01-01T00:00") })
  })

  it("is over after its end, and off if it is switched off", () => {
    assert.deepStrictEqual(state({ when: { until: "2026-11-23" } }), { is: "over" })
    assert.deepStrictEqual(state({ when: { dates: ["2026-11-23"] } }), { is: "over" })
    assert.deepStrictEqual(state({ enabled: false }), { is: "off" })
  })
})

it("local times are those of the zone", () => {
  assert.strictEqual(shown(localAt(Date.parse("2026-11-24T12:00:00Z"), zone)), "2026-11-24T13:00")
})
