/** Every request that Toast's description allows is read, and answers are valid by it. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { numberOf, partsOf } from "../../../../src/capabilities/tills/Decimals.ts"
import * as Wire from "../../../../src/capabilities/tills/toast/Wire.ts"
import * as Published from "./Published.ts"

it("a request of any type is read as the description has it", () => {
  assert.deepStrictEqual([...Published.requests.keys()].toSorted(), [...Wire.transactionTypes].toSorted())
  for (const [type, schema] of Published.requests)
    fc.assert(
      fc.property(Published.arbitrary(schema), (request) => {
        const text = JSON.stringify(request)
        const read = Wire.read(type, new TextEncoder().encode(text))
        assert.isTrue(Result.isSuccess(read), `${type} ${text} ${JSON.stringify(read)}`)
      }),
      { seed: 1, numRuns: 30 }
    )
})

it("answers are valid by the description", () => {
  const account: Wire.AccountInfo = {
    identifier: "m-1",
    firstName: "Ada",
    lastName: "L.",
    phone: "…12",
    pointsBalance: "120"
  }
  const offer: Wire.Offer = {
    identifier: "coffee",
    name: "Free coffee",
    applicable: true,
    selectionType: "ITEM",
    amount: numberOf(350, 2),
    itemApplication: [{ selectionIdentifier: "s1", amount: numberOf(350, 2) }],
    quantity: 1,
    expiration: [{ date: "2026-08-01T00:00:00.000Z", quantity: 1 }],
    description: "x".repeat(Wire.maxOfferText)
  }
  const redemption = Wire.answered({ identifier: "coffee", selectionGuid: "s1", amount: "3.50", quantity: "1" })
  const checkResponse: Wire.CheckResponse = {
    accountInfo: account,
    offers: [offer],
    appliedRedemptions: [redemption],
    rejectedRedemptions: [{ redemption, message: "The reward is gone." }],
    userMessage: "You will earn 12 points.",
    redemptionLimit: { maxRedemptions: 1 }
  }
  const refusal: Wire.TransactionStatus = "ERROR_ACCOUNT_INVALID"
  const answers: ReadonlyArray<Wire.Answer> = [
    { transactionStatus: "ACCEPT", searchResponse: { accounts: [account] } },
    { transactionStatus: "ACCEPT", signupResponse: { loyaltyIdentifier: "m-1" } },
    { transactionStatus: "ACCEPT", checkResponse },
    { transactionStatus: refusal }
  ]
  for (const answer of answers) assert.doesNotThrow(() => Published.checkAnswer(JSON.parse(JSON.stringify(answer))))
  assert.throws(() => Published.checkAnswer({ transactionStatus: "ACCEPT", points: 1 }))
  assert.throws(() => Published.checkAnswer({ transactionStatus: "ERROR", points: 1 }))
})

it("decimals are exact: 0.1 + 0.2, exponents, halves away from 0, three decimals", () => {
  assert.strictEqual(partsOf("0.1", 2) + partsOf("0.2", 2), partsOf("0.3", 2))
  for (const [text, places, parts] of [
    ["2.99", 2, 299n],
    ["1E+1", 2, 1000n],
    ["1.5e-2", 2, 2n],
    ["0.005", 2, 1n],
    ["-0.005", 2, -1n],
    ["0.0049999999999999999999", 2, 0n],
    ["1.005", 3, 1005n],
    ["1200", 0, 1200n],
    ["12345678901234567890.5", 0, 12345678901234567891n]
  ] as const)
    assert.strictEqual(partsOf(text, places), parts, text)
  assert.deepStrictEqual(
    [numberOf(350, 2), numberOf(1005, 3), numberOf(1200, 0), numberOf(-1, 2)],
    [3.5, 1.005, 1200, -0.01]
  )
})
