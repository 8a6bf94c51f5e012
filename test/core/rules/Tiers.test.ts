/** Holds contract/points.md *Tier progress*. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { multiplierBps, progress, tierOf } from "../../../src/core/rules/Tiers.ts"
import { program } from "./Builders.ts"

const ladder = program()
const flat = program((p) => {
  p["tiers"] = []
})

describe("Metrics and tiers", () => {
  it.each([
    [-5, "base"],
    [0, "base"],
    [699, "base"],
    [700, "gold"],
    [10_000, "gold"]
  ])("the tier is the highest whose minimum is reached: %i is %s", (amount, tier) => {
    expect(tierOf(ladder, amount)?.tier_id).toBe(tier)
  })

  it("a tier without a multiplier multiplies by one, and so does no tier", () => {
    expect([multiplierBps(tierOf(ladder, 0)), multiplierBps(tierOf(ladder, 700)), multiplierBps(undefined)]).toEqual([
      10_000, 15_000, 10_000
    ])
  })

  it("progress runs from the current minimum to the next one's, rounded down", () => {
    expect(progress(ladder, 333)).toEqual({
      current_tier_id: "base",
      qualification_metric_id: "year",
      current_amount: 333,
      progress_bps: 4757,
      is_top_tier: false,
      next_tier_id: "gold",
      remaining_to_next: 367
    })
  })

  it("on top it is 10,000, and nothing is said of a next tier", () => {
    expect(progress(ladder, 700)).toEqual({
      current_tier_id: "gold",
      qualification_metric_id: "year",
      current_amount: 700,
      progress_bps: 10_000,
      is_top_tier: true
    })
  })

  it("a negative metric counts as 0", () => {
    expect(progress(ladder, -1)).toEqual(progress(ladder, 0))
    expect(progress(ladder, -1)).toMatchObject({ current_amount: 0, progress_bps: 0, remaining_to_next: 700 })
  })

  it("counts from the current tier's own minimum", () => {
    const three = program((p) => p["tiers"].push({ ...p["tiers"][0], tier_id: "top", minimum: 1700 }))
    expect(progress(three, 950)).toMatchObject({ current_tier_id: "gold", progress_bps: 2500, remaining_to_next: 750 })
  })

  it("without tiers there is no tier and no progress", () => {
    expect([tierOf(flat, 5), progress(flat, 5)]).toEqual([undefined, undefined])
  })

  it("is exact for any ladder and amount, and 10,000 only on top", () => {
    const amount = fc.maxSafeInteger()
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (value, minimum) => {
        const two = program((p) => (p["tiers"][0].minimum = minimum))
        const at = progress(two, value)
        const reached = Math.max(0, value)
        expect(at?.is_top_tier).toBe(reached >= minimum)
        expect(at?.progress_bps).toBe(
          reached >= minimum ? 10_000 : Number((BigInt(reached) * 10_000n) / BigInt(minimum))
        )
        expect((at?.progress_bps ?? 0) < 10_000).toBe(reached < minimum)
        expect(at?.remaining_to_next).toBe(reached >= minimum ? undefined : minimum - reached)
      })
    )
  })
})
