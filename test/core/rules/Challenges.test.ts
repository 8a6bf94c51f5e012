/** The checks of challenges: contract/programmes.md *Checks of a file*, *Challenges*. */

import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { validate } from "../../../src/core/rules/ProgramFile.ts"
import type { Json } from "./Builders.ts"
import { file } from "./Builders.ts"

const challenge = (more: Json = {}): Json => ({
  challenge_id: "c",
  name: "C",
  count: { orders: 3 },
  gives: { reward_id: "free" },
  ...more
})

const pathsOf = (...challenges: ReadonlyArray<Json>): ReadonlyArray<string> => {
  const validated = validate({ ...file(), challenges })
  return Result.isSuccess(validated) ? [] : validated.failure.map(({ path }) => path)
}

describe("a challenge", () => {
  it.each<[string, Json, ReadonlyArray<string>]>([
    ["nothing is wrong", {}, []],
    ["counts nothing", { count: {} }, ["/challenges/0/count"]],
    ["counts two things", { count: { orders: 1, days: 1 }, every: "week" }, ["/challenges/0/count"]],
    ["counts 0 orders", { count: { orders: 0 } }, ["/challenges/0/count/orders"]],
    ["counts days of a year", { count: { days: 3 }, every: "year" }, ["/challenges/0/every"]],
    ["counts days of no time", { count: { days: 3 } }, ["/challenges/0/every"]],
    ["counts 8 days of a week", { count: { days: 8 }, every: "week" }, ["/challenges/0/count/days"]],
    ["counts 31 days of a month", { count: { days: 31 }, every: "month" }, []],
    ["counts 26 weeks", { count: { weeks_in_a_row: 26 } }, []],
    ["counts 27 weeks", { count: { weeks_in_a_row: 27 } }, ["/challenges/0/count/weeks_in_a_row"]],
    ["counts weeks of a month", { count: { weeks_in_a_row: 2 }, every: "month" }, ["/challenges/0/every"]],
    ["counts items of all lines", { count: { items: 3 } }, ["/challenges/0/on"]],
    ["gives no reward of the programme", { gives: { reward_id: "none" } }, ["/challenges/0/gives/reward_id"]],
    [
      "gives for no time",
      { gives: { reward_id: "free", expires_in_seconds: 0 } },
      ["/challenges/0/gives/expires_in_seconds"]
    ],
    [
      "has an end before its beginning",
      { when: { from: "2026-11-02", until: "2026-11-01" } },
      ["/challenges/0/when/until"]
    ],
    [
      "has another currency",
      { minimum_spend: { amount: 1, currency: "EUR" } },
      ["/challenges/0/minimum_spend/currency"]
    ],
    ["has a misspelt part", { repeats: true }, ["/challenges/0/repeats"]]
  ])("%s", (_, more, paths) => expect(pathsOf(challenge(more))).toEqual(paths))

  it("hides no fault of another part by a malformed one", () => {
    const many = { count: { orders: 0 }, when: { dates: ["2026-02-30"] }, gives: { reward_id: "none" } }
    expect(pathsOf(challenge(many)).toSorted()).toEqual([
      "/challenges/0/count/orders",
      "/challenges/0/gives/reward_id",
      "/challenges/0/when/dates/0"
    ])
    expect(pathsOf(challenge({ count: { days: 3 }, every: "day" }))).toEqual(["/challenges/0/every"])
    expect(pathsOf(challenge({ count: { items: 3 }, on: { products: [] } }))).toEqual(["/challenges/0/on/products"])
  })

  it("has an id of its own, and there are at most 10", () => {
    expect(pathsOf(challenge(), challenge())).toEqual(["/challenges/1/challenge_id"])
    const many = Array.from({ length: 11 }, (_, index) => challenge({ challenge_id: `c${index}` }))
    expect(pathsOf(...many)).toEqual(["/challenges"])
    expect(pathsOf(...many.slice(1))).toEqual([])
  })
})
