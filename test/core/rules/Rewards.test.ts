/** Holds contract/redemptions.md *Funding*. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Funding } from "../../../src/contract/protocol/Program.ts"
import { expiresAt } from "../../../src/core/rules/Expiration.ts"
import { split } from "../../../src/core/rules/Funding.ts"
import { availability, valueOf } from "../../../src/core/rules/Rewards.ts"
import { program, usd } from "./Builders.ts"

const rules = program()
const reward = (id: string) => {
  const found = rules.rewards.get(id)
  if (found === undefined) throw new Error(`no reward ${id}`)
  return found
}

describe("Redemption: windows", () => {
  it.each([
    ["2026-05-31T23:59:59.999Z", "not_yet_available"],
    ["2026-06-01T00:00:00.000Z", "available"],
    ["2026-08-31T23:59:59.000Z", "available"],
    ["2026-08-31T23:59:59.001Z", "no_longer_available"]
  ])("both ends belong to the window: at %s it is %s", (at, expected) => {
    expect(availability(reward("off"), Date.parse(at))).toBe(expected)
  })

  it("a reward without a window is always available", () => {
    expect([0, Date.UTC(9999, 0)].map((at) => availability(reward("free"), at))).toEqual(["available", "available"])
  })
})

describe("Redemption: values", () => {
  it("a discount is worth its amount, a free item its greatest value, a custom effect nothing", () => {
    expect(["off", "free", "extra"].map((id) => valueOf(reward(id).effect))).toEqual([usd(101), usd(500), undefined])
  })
})

const party = (party_type: Funding["party_type"], party_id: string, share_bps: number): Funding => ({
  party_id,
  party_type,
  share_bps
})

const amounts = (shares: ReadonlyArray<Funding>, value: number) =>
  split(shares, usd(value)).map((one) => one.amount?.amount)

/** Shares that total 10,000, of parties that are all different. */
const anyShares = fc.uniqueArray(fc.integer({ min: 0, max: 10_000 }), { maxLength: 8 }).chain((cuts) => {
  const ends = [...cuts.toSorted((a, b) => a - b), 10_000]
  const shares = ends.map((end, index) => end - (ends[index - 1] ?? 0))
  const types = ["brand", "franchisee", "location", "merchant", "partner"] as const
  return fc
    .shuffledSubarray(
      shares.map((_, index) => index),
      { minLength: shares.length }
    )
    .map((order) => order.map((place, index) => party(types[place % 5] ?? "brand", `p${place}`, shares[index] ?? 0)))
})

describe("Redemption: funding", () => {
  it("what is left goes to the largest remainder", () => {
    expect(amounts([party("brand", "a", 3333), party("brand", "b", 3333), party("brand", "c", 3334)], 100)).toEqual([
      33, 33, 34
    ])
    expect(amounts([party("brand", "a", 7500), party("franchisee", "f", 2500)], 101)).toEqual([76, 25])
  })

  it("ties go by party type, then party id, and the order given is kept", () => {
    expect(amounts([party("franchisee", "a", 5000), party("brand", "z", 5000)], 101)).toEqual([50, 51])
    expect(amounts([party("brand", "b", 5000), party("brand", "a", 5000)], 1)).toEqual([0, 1])
    expect(amounts([party("brand", "a", 5000), party("brand", "B", 5000)], 1)).toEqual([0, 1])
  })

  it("without a value there are no amounts, given ones included", () => {
    const share = { ...party("brand", "a", 10_000), amount: usd(5) }
    expect(split([share], undefined)).toEqual([party("brand", "a", 10_000)])
  })

  it("carries the value's currency", () => {
    expect(split([party("brand", "a", 10_000)], { amount: 7, currency: "JPY" })).toEqual([
      { party_id: "a", party_type: "brand", share_bps: 10_000, amount: { amount: 7, currency: "JPY" } }
    ])
  })

  it("amounts sum to the value exactly, each less than 1 from its share, whatever order the shares come in", () => {
    fc.assert(
      fc.property(anyShares, fc.oneof(fc.nat(10_000), fc.maxSafeNat()), (shares, value) => {
        const parts = split(shares, usd(value))
        expect(parts.reduce((sum, part) => sum + BigInt(part.amount?.amount ?? -1), 0n)).toBe(BigInt(value))
        parts.forEach((part, index) => {
          expect(part.party_id).toBe(shares[index]?.party_id)
          const off = BigInt(part.amount?.amount ?? -1) * 10_000n - BigInt(value) * BigInt(part.share_bps)
          expect(off > -10_000n && off < 10_000n).toBe(true)
        })
        const turned = split(shares.toReversed(), usd(value))
        expect(turned.toReversed()).toEqual(parts)
      }),
      { numRuns: 500 }
    )
  })
})

describe("Lots: expiration", () => {
  const at = Date.parse("2026-03-01T12:34:56.789Z")

  it("is days × 24 h after earning, for points and credits alone", () => {
    expect(["points", "credits"].map((unit) => expiresAt(rules, unit, at))).toEqual([
      at + 365 * 86_400_000,
      at + 365 * 86_400_000
    ])
    expect(["stamps", "visits", "custom"].map((unit) => expiresAt(rules, unit, at))).toEqual([
      undefined,
      undefined,
      undefined
    ])
  })

  it("is never where the programme says nothing of it", () => {
    expect(
      expiresAt(
        program((p) => delete p["point_expiration"]),
        "points",
        at
      )
    ).toBeUndefined()
  })
})
