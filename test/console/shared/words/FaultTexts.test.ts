/** Words of the service about refused values are told in the catalogue's words. */
import { assert, describe, it } from "@effect/vitest"
import { faultStrings } from "../../../../src/console/shared/words/faultStrings.ts"
import { faultText, isFault } from "../../../../src/console/shared/words/labels.ts"
import { messageInWords } from "../../../../src/console/shared/words/words.ts"
import { grouped, said } from "../../../../src/contract/Said.ts"
import * as ProgramFile from "../../../../src/core/rules/ProgramFile.ts"
import { isOfPages, nodesIn, textOf } from "../../Sources.ts"

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
    const messages = new Set([...messagesOf("contract"), ...messagesOf("core/rules")])
    // Kinds of values are joined with others.
    messages.delete("must be ")
    assert.isAbove(messages.size, 100)
    assert.deepStrictEqual(
      [...messages].filter((message) => !Object.hasOwn(faultStrings, message)),
      []
    )
  })

  it("has no message that the service does not give, but that of a share", () => {
    const given = new Set(nodesIn("", isOfPages).flatMap((node) => textOf(node) ?? []))
    assert.deepStrictEqual(
      Object.keys(faultStrings).filter((message) => !given.has(message)),
      ["must be {1} to {2}"]
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
    const faults = found._tag === "Failure" ? found.failure : []
    assert.isAbove(faults.length, 10)
    assert.deepStrictEqual(
      faults.filter((fault) => !isFault(fault)),
      []
    )
  })

  it("puts values where the catalogue's text has them, and tells what it does not know as it is", () => {
    assert.strictEqual(faultText(said`must have ${1} to ${5_120} characters`), "must have 1 to 5,120 characters")
    assert.strictEqual(faultText({ message: "must be a string" }), "must be a text")
    assert.strictEqual(faultText({ message: "has a fault of its own" }), "has a fault of its own")
  })

  it("speaks to people, of per cent and by the names on the form", () => {
    for (const told of Object.values(faultStrings))
      assert.notMatch(told, /2\^53|RFC|ISO|Unicode|NUL|\bAPI\b|string|array/)
    assert.strictEqual(
      messageInWords({ message: "must be a whole number between -(2^53 - 1) and 2^53 - 1" }),
      "must be a whole number of at most 15 digits"
    )
    assert.strictEqual(
      messageInWords(said`must be a whole number from ${0} to ${grouped(10_000)}`, true),
      "must be 0 to 100"
    )
    assert.strictEqual(
      messageInWords({ message: "needs `on`: say which lines are counted" }),
      "needs “Products”: say which lines are counted"
    )
  })
})
