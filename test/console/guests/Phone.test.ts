/** Telephone numbers are taken as guests say them and clerks write them. */
import { assert, describe, it } from "@effect/vitest"
import { phoneIn } from "../../../src/console/guests/phone.ts"

describe("a telephone number", () => {
  it.each([
    ["+49 30 998877", "+4930998877"],
    ["+49 (0)30 99 88-77", "+4930998877"],
    ["0049 30/998877", "+4930998877"],
    ["+1 (212) 555\u20130100", "+12125550100"],
    [" +1.212.555.0100 ", "+12125550100"]
  ])("%s is %s", (text, phone) => {
    assert.strictEqual(phoneIn(text, undefined), phone)
  })

  it.each(["030 998877", "ask him", "+49 30 CALL", ""])("%s stays, so that the service names what it lacks", (text) => {
    assert.strictEqual(phoneIn(text, undefined), text)
  })

  it("needs no country code within the programme's country", () => {
    assert.strictEqual(phoneIn("030 998877", "DE"), "+4930998877")
    assert.strictEqual(phoneIn("+1 212 555 0100", "DE"), "+12125550100")
    assert.strictEqual(phoneIn("ask him", "DE"), "ask him")
  })
})
