/** Why the service refuses is told in the catalogue's words (contract/transport.md *Problem codes*). */
import { assert, describe, it } from "@effect/vitest"
import { conflicts } from "../../../../src/capabilities/imports/ImportRows.ts"
import { detailStrings } from "../../../../src/console/shared/words/detailStrings.ts"
import { problemStrings, wholeProblems } from "../../../../src/console/shared/words/problemStrings.ts"
import { detailText, refusalSentence } from "../../../../src/console/shared/words/refusals.ts"
import { problemStatus } from "../../../../src/contract/protocol/Problem.ts"
import { said } from "../../../../src/contract/Said.ts"
import type { Node } from "../../Sources.ts"
import { isLoose, isNode, isOfPages, nodesIn, textOf } from "../../Sources.ts"

/** Folders that refuse what the console asks for. */
const folders = [
  "capabilities/asks",
  "capabilities/campaigns",
  "capabilities/finance",
  "capabilities/handovers",
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

/** The sentences of a call such as `refuse("not_found", "There is …")`. With faults, these are told instead. */
const saidBy = (node: Node): ReadonlyArray<Node> => {
  if (node.type !== "CallExpression" && node.type !== "NewExpression") return []
  const given = node["arguments"] as ReadonlyArray<Node>
  const at = given.findIndex((one) => Object.hasOwn(problemStatus, textOf(one) ?? ""))
  const [code, sentence, faults] = at < 0 ? [] : given.slice(at)
  if (
    code === undefined ||
    sentence === undefined ||
    textOf(sentence) === "" ||
    faults !== undefined ||
    isWhole(textOf(code) ?? "")
  )
    return []
  return sentence.type === "ConditionalExpression"
    ? [sentence["consequent"], sentence["alternate"]].filter(isNode)
    : [sentence]
}

const sentences = folders.flatMap((folder) => nodesIn(folder)).flatMap(saidBy)

describe("the console's words for why the service refuses", () => {
  it("has every sentence of the parts that the console asks", () => {
    const details = new Set(sentences.flatMap((one) => textOf(one) ?? []))
    assert.isAbove(details.size, 90)
    assert.deepStrictEqual(
      [...details].filter((detail) => !Object.hasOwn(detailStrings, detail)),
      []
    )
  })

  it("has their templates: none has values that are only a part of its text", () => {
    assert.deepStrictEqual(sentences.filter(isLoose), [])
  })

  it("has no sentence that the service does not say", () => {
    const said = new Set(nodesIn("", isOfPages).flatMap((node) => textOf(node) ?? []))
    assert.deepStrictEqual(
      Object.keys(detailStrings).filter((detail) => !said.has(detail)),
      []
    )
  })

  it("has every sentence about a row of an import", () => {
    for (const detail of Object.values(conflicts)) assert.property(detailStrings, detail)
  })

  it("tells the code's text first, then why, and what it does not know as the service says it", () => {
    assert.strictEqual(
      refusalSentence("conflict", { detail: "Another member has the identity." }),
      `${problemStrings.conflict} ${detailStrings["Another member has the identity."]}`
    )
    assert.strictEqual(refusalSentence("overloaded", { detail: "Too many." }), problemStrings.overloaded)
    const early = said`${"2026-09"} can be closed from ${"2026-10-01T00:01"} (${"America/New_York"}).`
    assert.strictEqual(
      detailText({ detail: early.message, template: early.template }).replaceAll(/\s/g, " "),
      "September 2026 can be closed from Oct 1, 2026, 12:01 AM (America/New_York)."
    )
    assert.strictEqual(detailText({ detail: "The moon is full." }), "The moon is full.")
  })

  it("puts the values into the text: words of the service in its own, numbers as people write them", () => {
    const { message: detail, template } = said`Reward ${"bowl"} costs ${3715} ${"custom"}; ${12} are available.`
    assert.strictEqual(detail, "Reward bowl costs 3715 custom; 12 are available.")
    assert.strictEqual(detailText({ detail, template }), "Reward bowl costs 3,715 custom units; 12 are available.")
  })

  it("has a place in each text for all that differs", () => {
    for (const [key, told] of Object.entries(detailStrings))
      assert.sameMembers([...told.matchAll(/\{\d\}/g)].map(String), [...key.matchAll(/\{\d\}/g)].map(String), key)
  })
})
