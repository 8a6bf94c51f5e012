/** When promotions hold, and the checks of their parts: contract/programmes.md *Promotions*, *Checks of a file*. */

import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { isWithin } from "../../../src/core/rules/Occasions.ts"
import { validate } from "../../../src/core/rules/ProgramFile.ts"
import type { Json } from "./Builders.ts"
import { file, program, usd } from "./Builders.ts"

const promotion = (more: Json = {}): Json => ({ promotion_id: "p", name: "P", effect: { add: 1 }, ...more })

/** Whether a promotion with this `when` holds at an instant, in Berlin. */
const holds = (when: Json, at: string): boolean => {
  const { promotions, zone } = program((json) => {
    json["time_zone"] = "Europe/Berlin"
    json["promotions"] = [promotion({ when })]
  })
  return isWithin(promotions.all[0]!, zone, Date.parse(at))
}

const weekly = (days: ReadonlyArray<string>, from: string, until: string): Json => ({ weekly: [{ days, from, until }] })

describe("when", () => {
  it("a window of the week is in local time, its end excluded", () => {
    const happy = weekly(["tue", "fri"], "15:00", "17:00")
    // Tuesday 14 July 2026; Berlin is two hours ahead of UTC.
    expect(holds(happy, "2026-07-14T12:59:59.999Z")).toBe(false)
    expect(holds(happy, "2026-07-14T13:00:00Z")).toBe(true)
    expect(holds(happy, "2026-07-14T14:59:59.999Z")).toBe(true)
    expect(holds(happy, "2026-07-14T15:00:00Z")).toBe(false)
    expect(holds(happy, "2026-07-15T13:00:00Z")).toBe(false)
    expect(holds(weekly(["tue"], "00:00", "24:00"), "2026-07-14T21:59:59Z")).toBe(true)
    expect(holds(weekly(["tue"], "00:00", "24:00"), "2026-07-14T22:00:00Z")).toBe(false)
  })

  it("one past midnight belongs to the day it began on, also for dates", () => {
    const night = weekly(["tue"], "22:00", "02:00")
    expect(holds(night, "2026-07-14T21:00:00Z")).toBe(true)
    expect(holds(night, "2026-07-14T23:59:59Z")).toBe(true)
    expect(holds(night, "2026-07-15T00:00:00Z")).toBe(false)
    // Tuesday 01:00: the window of Monday, which is none of its days.
    expect(holds(night, "2026-07-13T23:00:00Z")).toBe(false)
    expect(holds({ ...night, dates: ["2026-07-14"] }, "2026-07-14T23:00:00Z")).toBe(true)
    expect(holds({ ...night, dates: ["2026-07-15"] }, "2026-07-14T23:00:00Z")).toBe(false)
  })

  it("one past midnight belongs to the day it began on for a from and until that are dates; others cut", () => {
    const nights = (more: Json) => ({ ...weekly(["mon", "tue"], "22:00", "02:00"), ...more })
    // In Berlin: Tuesday at 01:00, and Wednesday at 01:00.
    const [monday, tuesday] = ["2026-07-13T23:00:00Z", "2026-07-14T23:00:00Z"]
    const both = (more: Json) => [holds(nights(more), monday), holds(nights(more), tuesday)]
    expect(both({})).toEqual([true, true])
    expect(both({ until: "2026-07-14" })).toEqual([true, true])
    expect(both({ until: "2026-07-13" })).toEqual([true, false])
    expect(both({ from: "2026-07-14" })).toEqual([false, true])
    expect(both({ from: "2026-07-13", until: "2026-07-13" })).toEqual([true, false])
    expect(both({ until: "2026-07-15T00:00" })).toEqual([true, false])
    expect(both({ until: "2026-07-14T22:00:00Z" })).toEqual([true, false])
    expect(both({ from: "2026-07-14T00:00" })).toEqual([true, true])
    // Clocks go back in the night to Sunday, 25 October 2026: 02:30 comes twice.
    const twice = { ...weekly(["sat"], "22:00", "02:45"), until: "2026-10-24" }
    expect(["00:30", "01:30", "01:45"].map((at) => holds(twice, `2026-10-25T${at}:00Z`))).toEqual([true, true, false])
  })

  it("dates are local days", () => {
    expect(holds({ dates: ["2026-12-24"] }, "2026-12-23T22:59:59Z")).toBe(false)
    expect(holds({ dates: ["2026-12-24"] }, "2026-12-23T23:00:00Z")).toBe(true)
    expect(holds({ dates: ["2026-12-24"] }, "2026-12-24T23:00:00Z")).toBe(false)
  })

  it.each([
    [
      "timestamps",
      "2026-11-01T10:00:00+01:00",
      "2026-11-30T10:00:00+01:00",
      "2026-11-01T09:00:00Z",
      "2026-11-30T09:00:00Z"
    ],
    ["local times", "2026-11-01T10:00", "2026-11-30T10:00", "2026-11-01T09:00:00Z", "2026-11-30T09:00:00Z"],
    ["dates, the last one whole", "2026-11-01", "2026-11-30", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"]
  ])("from and until are %s", (_, from, until, first, end) => {
    const justBefore = (at: string) => new Date(Date.parse(at) - 1).toISOString()
    expect([justBefore(first), first, justBefore(end), end].map((at) => holds({ from, until }, at))).toEqual([
      false,
      true,
      true,
      false
    ])
  })

  it("a local time that clocks skip or that comes twice is judged by the instant", () => {
    // Sunday 29 March 2026: from 02:00 to 03:00. Sunday 25 October 2026: 02:00 to 03:00 comes twice.
    const skipped = weekly(["sun"], "02:00", "03:00")
    expect(holds(skipped, "2026-03-29T00:59:59Z")).toBe(false)
    expect(holds(skipped, "2026-03-29T01:00:00Z")).toBe(false)
    expect(holds(weekly(["sun"], "02:30", "04:00"), "2026-03-29T01:00:00Z")).toBe(true)
    expect(holds(skipped, "2026-10-25T00:30:00Z")).toBe(true)
    expect(holds(skipped, "2026-10-25T01:30:00Z")).toBe(true)
    expect(holds(skipped, "2026-10-25T02:00:00Z")).toBe(false)
    expect(holds({ from: "2026-03-29T02:30" }, "2026-03-29T00:59:59.999Z")).toBe(false)
    expect(holds({ from: "2026-03-29T02:30" }, "2026-03-29T01:00:00Z")).toBe(true)
  })
})

describe("checks", () => {
  const pathsOf = (...promotions: ReadonlyArray<Json>): ReadonlyArray<string> => {
    const validated = validate({ ...file(), promotions })
    return Result.isSuccess(validated) ? [] : validated.failure.map(({ path }) => path)
  }

  it.each<[string, Json, ReadonlyArray<string>]>([
    ["nothing is wrong", {}, []],
    ["no effect", { effect: {} }, ["/promotions/0/effect"]],
    ["two effects", { effect: { add: 1, multiply_bps: 20_000 } }, ["/promotions/0/effect"]],
    ["a factor of one", { effect: { multiply_bps: 10_000 } }, ["/promotions/0/effect/multiply_bps"]],
    ["an elevenfold factor", { effect: { multiply_bps: 110_000 } }, ["/promotions/0/effect/multiply_bps"]],
    [
      "a factor on an account without a rate",
      { effect: { multiply_bps: 20_000, unit: "stamps" } },
      ["/promotions/0/effect/multiply_bps"]
    ],
    ["a unit without an account", { effect: { add: 1, unit: "visits" } }, ["/promotions/0/effect/unit"]],
    ["an amount of 0", { effect: { add: 0 } }, ["/promotions/0/effect/add"]],
    ["items of all lines", { effect: { add_per_item: 1 } }, []],
    [
      "a multiplied factor",
      { effect: { multiply_bps: 20_000, multiplier_eligible: true } },
      ["/promotions/0/effect/multiplier_eligible"]
    ],
    [
      "an end before the beginning",
      { when: { from: "2026-11-02", until: "2026-11-01" } },
      ["/promotions/0/when/until"]
    ],
    ["no time at all", { when: weekly(["mon"], "15:00", "15:00") }, ["/promotions/0/when/weekly/0/until"]],
    [
      "a time of no clock",
      { when: weekly(["mon"], "25:00", "26:00") },
      ["/promotions/0/when/weekly/0/from", "/promotions/0/when/weekly/0/until"]
    ],
    ["a day twice", { when: weekly(["mon", "mon"], "15:00", "16:00") }, ["/promotions/0/when/weekly/0/days/1"]],
    ["a date that is none", { when: { dates: ["2026-02-30"] } }, ["/promotions/0/when/dates/0"]],
    ["a from that is none", { when: { from: "tomorrow" } }, ["/promotions/0/when/from"]],
    ["no lines", { on: {} }, ["/promotions/0/on"]],
    ["another currency", { minimum_spend: { amount: 1, currency: "EUR" } }, ["/promotions/0/minimum_spend/currency"]],
    ["an unknown tier", { who: { tier_ids: ["silver"] } }, ["/promotions/0/who/tier_ids/0"]],
    ["a count of 0", { limits: { per_member: { count: 0, every: "day" } } }, ["/promotions/0/limits/per_member/count"]],
    ["a misspelt part", { wen: {} }, ["/promotions/0/wen"]]
  ])("%s", (_, more, paths) => expect(pathsOf(promotion(more))).toEqual(paths))

  it("ids are unique, and there are at most 100", () => {
    expect(pathsOf(promotion(), promotion())).toEqual(["/promotions/1/promotion_id"])
    const many = Array.from({ length: 101 }, (__, index) => promotion({ promotion_id: `p${index}` }))
    expect(pathsOf(...many)).toEqual(["/promotions"])
    expect(pathsOf(...many.slice(1))).toEqual([])
  })

  it("a malformed part hides no fault of another part", () => {
    const many = { effect: { multiply_bps: 5 }, who: { tier_ids: ["silver"] }, when: { dates: ["2026-02-30"] } }
    expect(pathsOf(promotion(many), promotion({ promotion_id: "q", effect: { add: 0 } })).toSorted()).toEqual([
      "/promotions/0/effect/multiply_bps",
      "/promotions/0/when/dates/0",
      "/promotions/0/who/tier_ids/0",
      "/promotions/1/effect/add"
    ])
    expect(pathsOf(promotion({ effect: { add_per_item: 1 }, on: { products: [] } }))).toEqual([
      "/promotions/0/on/products"
    ])
  })

  it.each<[string, Json]>([
    ["late_order_hours", { late_order_hours: 745 }],
    ["points_per_order", { points_per_order: 0 }],
    ["orders_per_member_and_day", { orders_per_member_and_day: 0 }],
    ["order_total/amount", { order_total: usd(0) }]
  ])("limits: %s", (path, limits) => {
    const validated = validate({ ...file(), limits })
    expect(Result.isFailure(validated) && validated.failure.map((fault) => fault.path)).toEqual([`/limits/${path}`])
  })

  it("programs/get tells nothing of promotions and limits", () => {
    const { definition } = program((json) => {
      json["promotions"] = [promotion()]
      json["stacking"] = "all"
      json["limits"] = { points_per_order: 10 }
    })
    for (const name of ["promotions", "stacking", "limits"]) expect(definition).not.toHaveProperty(name)
  })
})
