/**
 * Requests of Toast as its description has them, read without losing a digit, and refused with the place of a fault. Holds
 * contract/tills.md *Toast*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Wire from "../../../../src/capabilities/tills/toast/Wire.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (type: string | undefined, text: string) => Wire.read(type, bytes(text))

const readable = (type: Wire.TransactionType, text: string) => {
  const read = Wire.read(type, bytes(text))
  if (Result.isFailure(read)) throw new Error(JSON.stringify(read.failure))
  return read.success
}

const refused = (type: string | undefined, text: string) => {
  const outcome = read(type, text)
  if (Result.isSuccess(outcome)) throw new Error("was read")
  return { status: outcome.failure.status, at: outcome.failure.faults.map(({ path, message }) => `${path} ${message}`) }
}

const invalid = (...at: ReadonlyArray<string>) => ({ status: "ERROR_INVALID_INPUT_PROPERTIES", at })

describe("a request", () => {
  it("names its type, its transaction, its restaurant and its key in headers", () => {
    const names = ["Toast-Transaction-Type", "Toast-Transaction-GUID", "Toast-Restaurant-External-ID", "Authorization"]
    assert.deepStrictEqual(
      Object.values(Wire.headers),
      names.map((name) => name.toLowerCase())
    )
  })

  it("keeps the text of its numbers, whatever a binary number would make of it", () => {
    const text = `{"checkTransactionInformation":{"loyaltyIdentifier":"m1","check":{"guid":"c1","amount":0.30000000000000004,
      "taxAmount":1.10,"totalAmount":12345678901234567890.5,"selections":[
      {"guid":"s1","quantity":0.350,"price":1E+1,"modifiers":[{"guid":"s2","preDiscountPrice":-0.50}]}]}}}`
    const { body } = readable("LOYALTY_INQUIRE", text)
    if (!("checkTransactionInformation" in body)) throw new Error("another type")
    const { amount, selections, taxAmount, totalAmount } = body.checkTransactionInformation.check
    assert.deepStrictEqual([amount, taxAmount, totalAmount], ["0.30000000000000004", "1.10", "12345678901234567890.5"])
    assert.deepStrictEqual(selections, [
      { guid: "s1", quantity: "0.350", price: "1E+1", modifiers: [{ guid: "s2", preDiscountPrice: "-0.50" }] }
    ])
  })

  it("may have nulls and properties that nothing here knows, and no more than its transaction needs", () => {
    const text = `{"toastTransactionType":"LOYALTY_ACCRUE","more":{"a":[1]},"searchTransactionInformation":null,
      "checkTransactionInformation":{"loyaltyIdentifier":null,"redemptions":null,
      "check":{"guid":"c1","entityType":"Check","closedDate":null,"selections":[null,{"guid":"s1","item":{"guid":"i1","multiLocationId":100}}]}}}`
    assert.deepStrictEqual(readable("LOYALTY_ACCRUE", text), {
      type: "LOYALTY_ACCRUE",
      body: {
        toastTransactionType: "LOYALTY_ACCRUE",
        checkTransactionInformation: {
          check: { guid: "c1", selections: [{ guid: "s1", item: { guid: "i1", multiLocationId: "100" } }] }
        }
      }
    } as never)
  })

  it("that lacks what it needs is refused with the place", () => {
    const check = "/checkTransactionInformation"
    for (const [type, text, ...at] of [
      ["LOYALTY_ACCRUE", "{}", `${check} is required`],
      [
        "LOYALTY_ACCRUE",
        `{"checkTransactionInformation":{"check":{"selections":[]}}}`,
        `${check}/check/guid is required`
      ],
      [
        "LOYALTY_INQUIRE",
        `{"checkTransactionInformation":{"loyaltyIdentifier":" ","check":{"guid":"c","selections":[]}}}`,
        `${check}/loyaltyIdentifier must not be blank`
      ],
      [
        "LOYALTY_REDEEM",
        `{"checkTransactionInformation":{"loyaltyIdentifier":"m","check":{"guid":"c","selections":[]}}}`,
        `${check}/redemptions is required`
      ],
      [
        "LOYALTY_ACCRUE",
        `{"checkTransactionInformation":{"check":{"guid":"c","openedDate":"yesterday","selections":[{"guid":"s","modifiers":[{"guid":"t","tax":"much"}]}]}}}`,
        `${check}/check/openedDate must be a date with time and offset`,
        `${check}/check/selections/0/modifiers/0/tax must be a number of at most 20 digits before the point, 40 after it`
      ],
      [
        "LOYALTY_SEARCH",
        `{"searchTransactionInformation":{"searchCriteria":{"phone":""}}}`,
        "/searchTransactionInformation/searchCriteria must have firstName, lastName, email or phone"
      ],
      [
        "LOYALTY_SIGNUP",
        `{"signupTransactionInformation":{"phone":"5550100100","email":"a@example.com"}}`,
        "/signupTransactionInformation must have either phone or email"
      ],
      [
        "LOYALTY_SIGNUP",
        `{"signupTransactionInformation":{}}`,
        "/signupTransactionInformation must have either phone or email"
      ],
      [
        "LOYALTY_REVERSE",
        `{"reverseTransactionInformation":{}}`,
        "/reverseTransactionInformation/transactionId is required"
      ],
      ["LOYALTY_TRANSFER", "{}", "/transferTransactionInformation is required"],
      ["LOYALTY_ACCRUE", "[]", " must be an object"],
      ["LOYALTY_ACCRUE", "{", " is not JSON"],
      ["LOYALTY_ACCRUE", `{"a":1,"a":1}`, " has a name twice in one object"],
      ["LOYALTY_ACCRUE", "[".repeat(100), " nests too deep or has too many names"]
    ] as const)
      assert.deepStrictEqual(refused(type, text), invalid(...at), text)
    const latin = Wire.read("LOYALTY_ACCRUE", new Uint8Array([0x7b, 0xe9, 0x7d]))
    assert.isTrue(Result.isFailure(latin) && latin.failure.faults[0]?.message === "is not UTF-8")
  })

  it("of a type that is unknown, or another in the body than in the header, is refused as such", () => {
    const status = "ERROR_INVALID_TOAST_TRANSACTION_TYPE"
    assert.deepStrictEqual(refused("LOYALTY_GIFT", "{}"), { status, at: [] })
    assert.deepStrictEqual(refused(undefined, "{}"), { status, at: [] })
    assert.deepStrictEqual(refused("LOYALTY_ACCRUE", `{"toastTransactionType":"LOYALTY_REVERSE"}`), {
      status,
      at: ["/toastTransactionType must be LOYALTY_ACCRUE, as the header is"]
    })
  })

  it("has dates with offsets in either spelling", () => {
    for (const text of ["2026-07-14T12:30:00.000+0200", "2026-07-14T12:30:00+02:00", "2026-07-14T10:30:00Z"])
      assert.strictEqual(new Date(Wire.instantOf(text)).toISOString(), "2026-07-14T10:30:00.000Z", text)
    assert.isNaN(Wire.instantOf("2026-02-30"))
  })
})

it("an answer repeats a redemption with numbers for its texts", () => {
  const redemption = {
    identifier: "coffee",
    multiItemDiscountGuid: "d1",
    quantity: "1",
    itemApplication: [{ selectionIdentifier: "s1", amount: "2.50" }]
  }
  assert.deepStrictEqual(Wire.answered(redemption), {
    identifier: "coffee",
    multiItemDiscountGuid: "d1",
    quantity: 1,
    itemApplication: [{ selectionIdentifier: "s1", amount: 2.5 }]
  })
  assert.deepStrictEqual(Wire.answered({ identifier: "x", amount: "0.10" }), { identifier: "x", amount: 0.1 })
})
