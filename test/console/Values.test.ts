/** Values and their differences in words (contract/operators.md *Audit*: `changes` holds before and after). */
import { assert, describe, it } from "@effect/vitest"
import { differences, valueText } from "../../src/console/app/values.ts"
import { labelOf, pathInWords } from "../../src/console/app/words.ts"

const said = (value: unknown, name?: string) => valueText(value, "America/New_York", name)

describe("a value in words", () => {
  it("says shares as per cent, times by the programme's zone, and what is empty", () => {
    assert.strictEqual(said(7_500, "share_bps").replace(/\s/, ""), "75%")
    assert.include(said("2026-11-25T17:45:00.000Z"), "(America/New_York)")
    assert.strictEqual(said(true), "yes")
    assert.strictEqual(said([]), "nothing")
    assert.strictEqual(said(null), "absent")
    assert.include(said({ amount: 1250, currency: "USD" }), "12.50")
    assert.strictEqual(said({ tier_id: "vip", share_bps: 2_500 }).replace(/\s%/, "%"), "Tier id: vip, Share: 25%")
  })

  it("keeps an id that only looks like a number or a date", () => {
    assert.strictEqual(said("2026-11-25"), "2026-11-25")
    assert.strictEqual(said("0042"), "0042")
  })
})

describe("differences of two values", () => {
  it("names each part that is not the same, from the outside in", () => {
    assert.deepStrictEqual(
      differences({ status: "active", limit: { rewards: 1, amount: 2 } }, { status: "closed", limit: { rewards: 1 } }),
      [
        { path: ["status"], before: "active", after: "closed" },
        { path: ["limit", "amount"], before: 2, after: undefined }
      ]
    )
  })

  it("tells the parts of what was made or deleted, and compares lists and money as a whole", () => {
    assert.deepStrictEqual(differences(undefined, { name: "Till", scopes: ["admin:read"] }), [
      { path: ["name"], before: undefined, after: "Till" },
      { path: ["scopes"], before: undefined, after: ["admin:read"] }
    ])
    const cost = (amount: number) => ({ amount, currency: "USD" })
    assert.deepStrictEqual(differences({ cost: cost(1) }, { cost: cost(2) }), [
      { path: ["cost"], before: cost(1), after: cost(2) }
    ])
    assert.deepStrictEqual(differences("2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"), [
      { path: [], before: "2026-01-01T00:00:00.000Z", after: "2027-01-01T00:00:00.000Z" }
    ])
    assert.deepStrictEqual(differences({ a: [1] }, { a: [1] }), [])
  })
})

describe("a name in words", () => {
  it("says what a property of a promotion asks for, and the rest as it is spelled", () => {
    assert.strictEqual(labelOf("who"), "Guests")
    assert.strictEqual(labelOf("minimum_eligible_spend"), "Minimum eligible spend")
    assert.strictEqual(pathInWords("/tiers/0/constructor", { tiers: [{ name: "Gold" }] }), "Tiers › Gold › Constructor")
  })
})
