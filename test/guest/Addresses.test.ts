/** Holds contract/guests.md *Codes to telephones*: an example is a number that the programme takes. */
import { assert, it } from "@effect/vitest"
import { isOfCountry, phoneIn } from "../../src/contract/Phones.ts"
import { exampleIn } from "../../src/guest/addresses.ts"

it("an example is a number of its country, or tells how its numbers begin", () => {
  for (const country of ["AU", "CA", "DE", "FR", "GB", "US"]) {
    const number = phoneIn(exampleIn(country) ?? "", undefined)
    assert.isTrue(isOfCountry(number ?? "", country), country)
  }
  assert.deepStrictEqual([exampleIn("IT"), exampleIn("XX"), exampleIn("")], ["+39 …", undefined, undefined])
})
