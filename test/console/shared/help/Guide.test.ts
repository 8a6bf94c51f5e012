/** The guide that the console's help shows: every section is there, and names what the console has (docs/console.md). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { helpStrings } from "../../../../src/console/shared/help/helpStrings.ts"
import { help as inGerman } from "../../../../src/console/translations/de/help.ts"
import * as Guides from "../../../../src/docs/Guides.ts"
import { english, german } from "../../Catalogue.ts"

const all = Guides.all()

const guideAt = (path: string) => {
  const found = all.find((one) => one.path === path)
  assert.isDefined(found, path)
  return found!
}

/** Texts of the guide in emphasis, which are names of the console. */
const namesIn = (markdown: string): ReadonlyArray<string> =>
  [...markdown.matchAll(/(?<!\*)\*{1,2}([^*\n]+(?:\n[^*\n]+)?)\*{1,2}(?!\*)/g)].map(([, name = ""]) =>
    name.replaceAll("\n", " ")
  )

describe("the guide of the console", () => {
  it("has a section for each place that opens one, in each language, and no other", () => {
    for (const { guide, sections } of [helpStrings, inGerman]) {
      const anchors = [...guideAt(guide).html.matchAll(/<h2 id="([^"]+)"/g)].map(([, anchor]) => anchor)
      assert.sameMembers(Object.values(sections), anchors, guide)
    }
  })

  it.effect("calls pages and buttons as the console does", () =>
    Effect.gen(function* () {
      const texts = yield* Effect.promise(english)
      const valuesOf = (catalogue: ReadonlyMap<string, unknown>) =>
        new Set([...catalogue.values()].filter((text) => typeof text === "string"))
      for (const [guide, known] of [
        [helpStrings.guide, valuesOf(texts)],
        [inGerman.guide, valuesOf(german())]
      ] as const)
        assert.deepStrictEqual(
          namesIn(guideAt(guide).text).filter((name) => !known.has(name) && !["?", "mueller"].includes(name)),
          [],
          guide
        )
    })
  )
})
