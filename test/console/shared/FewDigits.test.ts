/** Searches that are too short to find a telephone or a card. */
import { assert, describe, it } from "@effect/vitest"
import { isFewDigits } from "../../../src/console/shared/choosers/fewDigits.ts"

describe("a search by digits", () => {
  it("needs four of them", () => {
    for (const few of ["1", "158", " 158 "]) assert.isTrue(isFewDigits(few), few)
    for (const enough of ["", "0158", "Ada", "A12"]) assert.isFalse(isFewDigits(enough), enough)
  })
})
