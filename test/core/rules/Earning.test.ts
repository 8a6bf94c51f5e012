/**
 * Holds contract/orders.md *Earning*, *Accounts of a programme*;
 * contract/operations.md *Accrual and adjustment of orders*.
 */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { EarnedAt } from "../../../src/core/rules/Earning.ts"
import { accruals, pointsFor } from "../../../src/core/rules/Earning.ts"
import { line, order, program, usd } from "./Builders.ts"

const rate = (amount: number, spend: number, multiplierBps = 10_000): EarnedAt => ({
  unit: "points",
  mode: "spend",
  amount,
  spend,
  multiplierBps
})

const anyRate = fc.record({
  unit: fc.constant("points" as const),
  mode: fc.constant("spend" as const),
  amount: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.maxSafeNat()),
  spend: fc.oneof(
    fc.integer({ min: 1, max: 1000 }),
    fc.maxSafeNat().map((n) => (n + 1 > n ? Math.max(1, n) : 1))
  ),
  multiplierBps: fc.integer({ min: 0, max: 1_000_000 })
})
const anySpend = fc.oneof(fc.integer({ min: 0, max: 1_000_000 }), fc.maxSafeNat())

describe("Earning: points", () => {
  it.each([
    [rate(10, 100), 1100, 110],
    [rate(10, 100), 1109, 110],
    [rate(10, 100, 12_000), 1100, 132],
    [rate(1, 3), 2, 0],
    [rate(1, 100, 15_000), 199, 2],
    [rate(10, 100), 0, 0]
  ])("⌊spend × amount × multiplier / (rate spend × 10,000)⌋: %j at %i is %i", (rule, spend, points) => {
    expect(pointsFor(rule, spend)).toBe(points)
  })

  it("are exact where doubles are not", () => {
    expect(pointsFor(rate(3, 7, 15_001), 9_000_000_000_001)).toBe(Number((9_000_000_000_001n * 3n * 15_001n) / 70_000n))
  })

  it("are the formula in unlimited integers, for any rule and spend", () => {
    fc.assert(
      fc.property(anyRate, anySpend, (rule, spend) => {
        const exact =
          (BigInt(spend) * BigInt(rule.amount) * BigInt(rule.multiplierBps)) / (BigInt(rule.spend) * 10_000n)
        const points = pointsFor(rule, spend)
        if (exact <= BigInt(Number.MAX_SAFE_INTEGER)) expect(BigInt(points)).toBe(exact)
        else expect(Number.isSafeInteger(points)).toBe(false)
      }),
      { numRuns: 2000 }
    )
  })

  it("grow with spend, and rounding once an order is never less than rounding twice", () => {
    fc.assert(
      fc.property(anyRate, fc.nat(1_000_000), fc.nat(1_000_000), (rule, first, second) => {
        const whole = pointsFor(rule, first + second)
        if (!Number.isSafeInteger(whole)) return
        expect(whole).toBeGreaterThanOrEqual(pointsFor(rule, first) + pointsFor(rule, second))
        expect(whole).toBeGreaterThanOrEqual(pointsFor(rule, first))
      })
    )
  })

  it("per order are ⌊amount × multiplier / 10,000⌋ whatever the spend", () => {
    const rule: EarnedAt = { unit: "stamps", mode: "per_order", amount: 3, multiplierBps: 15_000 }
    expect([0, 1, 1_000_000].map((spend) => pointsFor(rule, spend))).toEqual([4, 4, 4])
  })
})

describe("Accounts: accruals", () => {
  const paid = order([line("a", 1050, { discount: usd(50) }), line("b", 500, { kind: "fee" })])

  it("one an account with a rule, the primary's first, then in the programme's order", () => {
    expect(accruals(program(), paid, 10_000)).toEqual({
      eligibleSpend: 1000,
      hasEarned: true,
      isKeptOut: false,
      lineSpends: [1000, 0],
      isElsewhere: false,
      accruals: [
        { unit: "points", points: 100, earnedAt: rate(10, 100) },
        {
          unit: "stamps",
          points: 1,
          earnedAt: { unit: "stamps", mode: "per_order", amount: 1, multiplierBps: 10_000 }
        },
        { unit: "credits", points: 50, earnedAt: { ...rate(5, 100), unit: "credits" } }
      ],
      ineligible: []
    })
  })

  it("the tier's multiplier goes to eligible accounts only", () => {
    const at = accruals(
      program((p) => (p["account_earning"][1].amount = 3)),
      paid,
      15_000
    )
    expect(at.accruals.map(({ earnedAt, points, unit }) => [unit, points, earnedAt.multiplierBps])).toEqual([
      ["points", 150, 15_000],
      ["stamps", 4, 15_000],
      ["credits", 50, 10_000]
    ])
  })

  it.each([
    ["an ineligible channel", order([line("a", 1000)], { channel: "kiosk" }), 1000],
    ["spend below the minimum", order([line("a", 99)]), 99]
  ])("%s earns 0 on every account, per order too, and keeps spend and rules", (_, given, spend) => {
    const earned = accruals(program(), given, 12_000)
    expect(earned.eligibleSpend).toBe(spend)
    expect(earned.accruals.map(({ points }) => points)).toEqual([0, 0, 0])
    expect(earned.accruals[0]?.earnedAt).toEqual(rate(10, 100, 12_000))
  })

  it.each([
    [["channel_not_eligible"], order([line("a", 1000)], { channel: "kiosk" })],
    [["below_minimum_spend"], order([line("a", 99)])],
    [["no_eligible_lines", "below_minimum_spend"], order([line("a", 500, { kind: "fee" })])],
    [
      ["channel_not_eligible", "no_eligible_lines", "below_minimum_spend"],
      order([line("a", 500, { kind: "fee" })], { channel: "kiosk" })
    ],
    [[], order([line("a", 1000)])]
  ])("says why an account that earns by spend earned nothing: %j", (reasons, given) => {
    expect(accruals(program(), given, 10_000).ineligible).toEqual(reasons)
  })

  it("says that points were rounded to nothing where only one account earned none", () => {
    const slow = program((p) => (p["account_earning"][0].spend = usd(100_000)))
    const earned = accruals(slow, order([line("a", 1000)]), 10_000)
    expect(earned.accruals.map(({ points }) => points)).toEqual([100, 1, 0])
    expect(earned.ineligible).toEqual(["rounded_to_zero"])
  })

  it("an order of no spend earns its per-order amount where there is no minimum", () => {
    const earned = accruals(
      program((p) => (p["earning"].minimum_eligible_spend = usd(0))),
      order([line("a", 0)]),
      10_000
    )
    expect(earned.accruals.map(({ points }) => points)).toEqual([0, 1, 0])
  })

  it.each([
    ["without account_earning", (p: Record<string, unknown>) => delete p["account_earning"]],
    ["with an empty one", (p: Record<string, unknown>) => (p["account_earning"] = [])]
  ])("%s the primary earns by earning.rate, at the multiplier", (_, change) => {
    expect(accruals(program(change), paid, 12_000).accruals).toEqual([
      { unit: "points", points: 120, earnedAt: rate(10, 100, 12_000) }
    ])
  })

  it("a primary that account_earning leaves out earns by earning.rate", () => {
    const without = program((p) => p["account_earning"].pop())
    expect(accruals(without, paid, 10_000).accruals.map(({ points, unit }) => [unit, points])).toEqual([
      ["points", 100],
      ["stamps", 1],
      ["credits", 50]
    ])
  })

  it("points past the safe integers are not passed off as exact", () => {
    const huge = order([line("a", Number.MAX_SAFE_INTEGER)])
    const rich = program((p) => {
      delete p["account_earning"]
      p["earning"].rate.amount = 1_000
    })
    expect(Number.isSafeInteger(accruals(rich, huge, 10_000).accruals[0]?.points)).toBe(false)
  })
})
