/** Profiles that are sent of guests who are enrolled in the console (contract/guests.md *Joining*). */
import { assert, describe, it } from "@effect/vitest"
import { draftOf, empty, isEnough, profileOf } from "../../../src/console/guests/enrolling.ts"
import { guestStrings } from "../../../src/console/guests/guestStrings.ts"
import { guest as inGerman } from "../../../src/console/translations/de/guests.ts"
import { de } from "../../../src/guest/words/de.ts"
import { en } from "../../../src/guest/words/en.ts"

describe("a guest who is enrolled", () => {
  it("has a number of the programme's country without its country code", () => {
    assert.deepStrictEqual(profileOf({ ...empty, phone: "030 123-4567" }, "DE"), { phone: "+49301234567" })
    assert.deepStrictEqual(profileOf({ ...empty, phone: "(212) 555-0100" }, "US"), { phone: "+12125550100" })
    assert.deepStrictEqual(profileOf({ ...empty, phone: "030 1234567" }, undefined), { phone: "030 1234567" })
  })

  it("agrees to what was ticked, by addresses that are there, and answers nothing else", () => {
    const draft = { ...empty, email: " ann@example.org ", birth_date: "1990-04-05", granted: ["email", "sms"] as const }
    assert.deepStrictEqual(profileOf(draft, "DE"), {
      email: "ann@example.org",
      birth_date: "1990-04-05",
      consent: [{ purpose: "marketing", channel: "email", granted: true, source: "console" }]
    })
    assert.deepStrictEqual(profileOf({ ...draft, granted: [] }, "DE"), {
      email: "ann@example.org",
      birth_date: "1990-04-05"
    })
  })

  it("is asked for consent in the words of the guests' page", () => {
    assert.deepStrictEqual(guestStrings.offersBy, {
      email: en.consent("marketing", "email"),
      sms: en.consent("marketing", "sms")
    })
    assert.deepStrictEqual(inGerman.offersBy, {
      email: de.consent("marketing", "email"),
      sms: de.consent("marketing", "sms")
    })
  })

  it("needs something to be found by, which a birthday is not", () => {
    assert.isFalse(isEnough({ ...empty, birth_date: "1990-04-05" }))
    for (const name of ["display_name", "phone", "email", "card"] as const)
      assert.isTrue(isEnough({ ...empty, [name]: "x" }))
  })

  it("has what was searched for in vain in the field where it belongs", () => {
    assert.strictEqual(draftOf("Ann", "DE").display_name, "Ann")
    assert.strictEqual(draftOf("ann@example.org", "DE").email, "ann@example.org")
    assert.strictEqual(draftOf("030 1234567", "DE").phone, "030 1234567")
    assert.strictEqual(draftOf("+49 30 1234567", undefined).phone, "+49 30 1234567")
    // Without signs it may be a card's.
    assert.strictEqual(draftOf("2125550100", "US").card, "2125550100")
    assert.strictEqual(draftOf("card-4711", "DE").card, "card-4711")
  })
})
