/** Values and their differences in words (contract/operators.md *Audit*: `changes` holds before and after). */
import { assert, describe, it } from "@effect/vitest"
import { amountOf, amountText, numberOf } from "../../../../src/console/shared/amounts.ts"
import { durationText } from "../../../../src/console/shared/form/duration.ts"
import { differences, itemDifferences, valueText } from "../../../../src/console/shared/words/values.ts"
import "../../../../src/console/shared/words/labels.ts"
import { labelOf, messageInWords, pathInWords } from "../../../../src/console/shared/words/words.ts"

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

  it("says a value that is chosen from a few by its label, and what has a name by that", () => {
    assert.strictEqual(said({ unit: "stamps", mode: "per_order" }), "Unit: Stamps, Mode: Per order")
    assert.strictEqual(said("stamps", "name"), "stamps")
    const nameOf = (field: string, id: string) =>
      field === "reward_id" && id === "free-bowl" ? "Free bowl" : undefined
    const card = { threshold: 10, reward_id: "free-bowl" }
    assert.strictEqual(valueText(card, "UTC", "", nameOf), "How many fill it: 10, Reward: Free bowl")
    assert.strictEqual(
      valueText({ ...card, reward_id: "gone" }, "UTC", "", nameOf),
      "How many fill it: 10, Reward id: gone"
    )
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
    assert.strictEqual(labelOf("minimum_eligible_spend"), "Least spend that earns")
    assert.strictEqual(pathInWords("/tiers/1/name", { tiers: [{ name: "Gold" }, { name: "" }] }), "Tiers › 2 › Name")
    const accounts = [{ unit: "points" }, { unit: "stamps" }, { unit: "visits", unit_label: "Trips" }]
    assert.strictEqual(pathInWords("/accounts/1/unit_label", { accounts }), "Accounts › Stamps › What guests call it")
    assert.strictEqual(pathInWords("/accounts/2", { accounts }), "Accounts › Trips")
    assert.strictEqual(messageInWords({ message: "needs add_per_item" }), "needs “Points an item”")
    assert.strictEqual(pathInWords("/tiers/0/constructor", { tiers: [{ name: "Gold" }] }), "Tiers › Gold › Constructor")
  })
})

describe("an amount that somebody types", () => {
  it("is what it says, however its thousands and decimals are marked, and none where that is not clear", () => {
    for (const typed of ["1234.5", "1,234.50", "1.234,50", "1 234,50", "1234,5", "1'234.50"])
      assert.strictEqual(amountOf(typed, 2), 123_450, typed)
    for (const typed of ["1,234", "1234", "1234.00"]) assert.strictEqual(amountOf(typed, 2), 123_400, typed)
    assert.strictEqual(amountOf("1.234", 3), 1_234)
    assert.strictEqual(amountOf("1,234", 3), 1_234_000)
    assert.strictEqual(amountOf("1,234", 0), 1_234)
    assert.strictEqual(amountOf("500,00", 2), 50_000)
    for (const typed of ["", "abc", "-1", "1.234", "1.2345", "12.505", "1,23,456", "12,34.5", "1 5", "5 USD", "1e3"])
      assert.isUndefined(amountOf(typed, 2), typed)
    assert.isUndefined(amountOf("1.5", 0))
    assert.strictEqual(amountText(123_450, 2), "1,234.50")
  })

  it("is another one where the comma is the mark before the decimals", () => {
    for (const typed of ["1.234", "1.234,00", "1 234", "1234"])
      assert.strictEqual(amountOf(typed, 2, ","), 123_400, typed)
    assert.strictEqual(amountOf("12,50", 2, ","), 1_250)
    assert.strictEqual(amountOf("12.505", 2, ","), 1_250_500)
    for (const typed of ["1,234", "12,505", "0.505", "1.23.456"]) assert.isUndefined(amountOf(typed, 2, ","), typed)
  })

  it("is a whole number only where no decimals are written, with a sign where one may be", () => {
    for (const [typed, decimal] of [
      ["1,000", "."],
      ["1.000", ","],
      [" 1000 ", "."]
    ] as const)
      assert.strictEqual(numberOf(typed, 0, false, decimal), 1_000, typed)
    for (const [typed, decimal] of [
      ["1.000", "."],
      ["1,000", ","],
      ["1.5", ","],
      ["1,5", "."],
      ["1e3", "."],
      ["-5", "."],
      ["9007199254740993", "."]
    ] as const)
      assert.isNaN(numberOf(typed, 0, false, decimal), typed)
    assert.strictEqual(numberOf("-5", 0, true), -5)
    assert.strictEqual(numberOf("\u22121,5", 1, true, ","), -1.5)
    assert.strictEqual(numberOf(" ", 0), "")
  })

  it("and a time in seconds is told in days, hours or minutes where it is a whole number of them", () => {
    assert.deepStrictEqual([5_184_000, 86_400, 5_400, 61].map(durationText), [
      "60 days",
      "1 day",
      "90 minutes",
      undefined
    ])
  })
})

describe("a change of a list of named items", () => {
  it("names what came, what went and what changed, not the whole list", () => {
    const [a, b, c] = ["a", "b", "c"].map((promotion_id) => ({
      promotion_id,
      name: `The ${promotion_id}`,
      effect: { add: 1 }
    }))
    assert.deepStrictEqual(itemDifferences([a, b], [{ ...a, effect: { add: 2 } }, c]), [
      { path: ["The a", "effect", "add"], before: 1, after: 2 },
      { path: ["The b"], before: b, after: undefined },
      { path: ["The c"], before: undefined, after: c }
    ])
    assert.deepStrictEqual(itemDifferences(undefined, [a]), [{ path: ["The a"], before: undefined, after: a }])
    assert.isUndefined(itemDifferences(["x"], ["y"]))
    assert.isUndefined(itemDifferences([a, b], [b, a]))
  })
})
