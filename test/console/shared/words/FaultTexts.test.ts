/** Words of the service about refused values are told in the catalogue's words. */
import { assert, describe, it } from "@effect/vitest"
import { faultStrings } from "../../../../src/console/shared/words/faultStrings.ts"
import { faultKey, faultText } from "../../../../src/console/shared/words/labels.ts"
import { messageInWords } from "../../../../src/console/shared/words/words.ts"
import * as ProgramFile from "../../../../src/core/rules/ProgramFile.ts"
import { nodesIn, textOf } from "../../Sources.ts"

/** The last resort of the catalogue: a fixed value that the service wants. */
const fixed = "must be {1}"

const begins =
  /^(?:must (?:be|have|not|name|equal|add|stay|keep)|needs|is (?:required|allowed|not (?:allowed|a known)))\b/

/** Every message about a value in the sources of a folder. */
const messagesOf = (folder: string): ReadonlyArray<string> =>
  nodesIn(folder, (file) => file === "OpenApi.ts").flatMap((node) => {
    const text = textOf(node)
    return text !== undefined && begins.test(text) ? [text] : []
  })

describe("the console's words for refused values", () => {
  it("has every message of the contract and of the rules of a programme", () => {
    const messages = [...new Set([...messagesOf("contract"), ...messagesOf("core/rules")])].filter(
      // A fixed value has no words of its own, and a kind of value is joined with others.
      (message) => message !== "must be 7" && message !== "must be "
    )
    assert.isAbove(messages.length, 100)
    assert.deepStrictEqual(
      messages.filter((message) => [undefined, fixed].includes(faultKey(message))),
      []
    )
  })

  it("has what the service finds in a programme that is wrong throughout", () => {
    const found = ProgramFile.validateDraft({
      program_id: "publish",
      name: "",
      currency: "dollars",
      accounts: [],
      rewards: [{ reward_id: "one two", name: 7, image_url: "gyoza.jpg" }],
      tiers: [{ minimum: 1.5, earn_multiplier_bps: -1 }],
      point_expiration: { type: "never" },
      unknown: true
    })
    const messages = found._tag === "Failure" ? found.failure.map(({ message }) => message) : []
    assert.isAbove(messages.length, 10)
    assert.deepStrictEqual(
      messages.filter((message) => faultKey(message) === undefined),
      []
    )
  })

  it("puts values where the catalogue's text has them, and tells what it does not know as it is", () => {
    assert.strictEqual(faultText("must have 1 to 512 characters"), "must have 1 to 512 characters")
    assert.strictEqual(faultText("must be EUR, the programme's currency"), "must be EUR, the programme's currency")
    assert.strictEqual(faultKey("must be EUR, the programme's currency"), "must be {1}, the programme's currency")
    assert.strictEqual(faultKey("must be 0 on the lowest tier"), "must be 0 on the lowest tier")
    assert.strictEqual(faultText("has a fault of its own"), "has a fault of its own")
  })

  it("speaks to people, of per cent and by the names on the form", () => {
    for (const told of Object.values(faultStrings))
      assert.notMatch(told, /2\^53|RFC|ISO|Unicode|NUL|\bAPI\b|string|array/)
    assert.strictEqual(
      messageInWords("must be a whole number between -(2^53 - 1) and 2^53 - 1"),
      "must be a whole number of at most 15 digits"
    )
    assert.strictEqual(messageInWords("must be a whole number from 0 to 10,000", true), "must be 0 to 100")
    assert.strictEqual(
      messageInWords("needs `on`: say which lines are counted"),
      "needs “Products”: say which lines are counted"
    )
  })
})
