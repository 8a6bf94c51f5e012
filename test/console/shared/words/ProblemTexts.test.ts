/** Every code that a person at the console may meet has a text (contract/transport.md *Problem codes*). */
import { assert, describe, it } from "@effect/vitest"
import { problemStrings } from "../../../../src/console/shared/words/problemStrings.ts"
import { problemStatus } from "../../../../src/contract/protocol/Problem.ts"

describe("the console's texts of refusals", () => {
  it("has one for every code but that of the sign-in, which is told before they are there", () => {
    assert.sameMembers(
      Object.keys(problemStrings),
      Object.keys(problemStatus).filter((code) => code !== "unauthorized")
    )
  })

  it("speaks to people: whole sentences, without the words of programs", () => {
    for (const told of Object.values(problemStrings)) {
      assert.match(told, /^[A-Z].*\.$/)
      assert.notMatch(told, /[_`]|\b(?:cursor|header|HTTP|idempotency|JSON|key|payload|request|token)s?\b/)
    }
  })
})
