/** Why the service refuses is told in the catalogue's words (contract/transport.md *Problem codes*). */
import { assert, describe, it } from "@effect/vitest"
import { conflicts } from "../../../../src/capabilities/imports/ImportRows.ts"
import { detailStrings } from "../../../../src/console/shared/words/detailStrings.ts"
import { problemStrings, wholeProblems } from "../../../../src/console/shared/words/problemStrings.ts"
import { detailKey, detailText, refusalSentence } from "../../../../src/console/shared/words/refusals.ts"
import { problemStatus } from "../../../../src/contract/protocol/Problem.ts"
import type { Node } from "../../Sources.ts"
import { nodesIn, textOf } from "../../Sources.ts"

/** Folders that refuse what the console asks for. */
const folders = [
  "capabilities/asks",
  "capabilities/campaigns",
  "capabilities/finance",
  "capabilities/handovers",
  "capabilities/imports",
  "capabilities/members",
  "capabilities/operators",
  "capabilities/programs",
  "capabilities/segments",
  "capabilities/staff",
  "capabilities/webhooks",
  "core/account",
  "desk/surface"
]

/** Codes whose own text says all, and after which the service's sentence is not told. */
const isWhole = (code: string): boolean => [...wholeProblems].some((one) => one === code)

/** The sentence of a call such as `refuse("not_found", "There is …")`. */
const saidBy = (node: Node): ReadonlyArray<string> => {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return []
  const given = (node["arguments"] as ReadonlyArray<Node>).map(textOf)
  const at = given.findIndex((text) => text !== undefined && Object.hasOwn(problemStatus, text))
  const said = at < 0 ? undefined : given[at + 1]
  // A detail that begins with a JSON Pointer has faults, which are told instead.
  return said === undefined || !/^[A-Z\d]/.test(said) || said.startsWith("The request: ") || isWhole(given[at] ?? "")
    ? []
    : [said]
}

describe("the console's words for why the service refuses", () => {
  it("has every sentence of the parts that the console asks", () => {
    const details = folders.flatMap((folder) => nodesIn(folder)).flatMap(saidBy)
    assert.isAbove(new Set(details).size, 90)
    assert.deepStrictEqual(
      [...new Set(details)].filter((detail) => detailKey(detail) === undefined),
      []
    )
  })

  it("has every sentence about a row of an import", () => {
    for (const detail of Object.values(conflicts)) assert.strictEqual(detailKey(detail), detail)
  })

  it("tells the code's text first, then why, and what it does not know as the service says it", () => {
    assert.strictEqual(
      refusalSentence("conflict", "Another member has the identity."),
      `${problemStrings.conflict} ${detailStrings["Another member has the identity."]}`
    )
    assert.strictEqual(refusalSentence("overloaded", "Too many."), problemStrings.overloaded)
    assert.strictEqual(detailText("The moon is full."), "The moon is full.")
  })

  it("finds the most specific sentence", () => {
    assert.strictEqual(detailKey("Member mem_1 is closed permanently."), "Member {1} is closed permanently.")
    assert.strictEqual(detailKey("Member mem_1 is suspended."), "Member {1} is {2}.")
    assert.strictEqual(detailText("Programme a has no segment b."), "Programme a has no segment b.")
  })

  it("has a place in each text for all that differs", () => {
    for (const [key, told] of Object.entries(detailStrings))
      assert.sameMembers([...told.matchAll(/\{\d\}/g)].map(String), [...key.matchAll(/\{\d\}/g)].map(String), key)
  })
})
