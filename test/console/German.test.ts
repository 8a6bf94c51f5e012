/** The German translation has every text of the catalogue, in German. */
import { assert, describe, it } from "@effect/vitest"
import { english, german } from "./Catalogue.ts"

/** Words that are the same in both languages. */
const same = new Set<unknown>([
  "Token",
  "Bonus",
  "Person",
  "Name",
  "Segment",
  "Status",
  "Minimum",
  "Links",
  "Import",
  "Restaurant",
  "Version",
  "Web",
  "Catering",
  "Partner",
  "Logo",
  "UTF-8",
  "UTF-16",
  "Code:",
  "Text",
  "–",
  "SMS",
  "CSV",
  "Excel",
  "Details",
  "idempotency_conflict",
  "Browser",
  "Passkeys",
  "Lotbook",
  "Toast",
  "SHA-256"
])

const placesIn = (text: unknown): ReadonlyArray<string> => [...String(text).matchAll(/\{\d\}/g)].map(String).toSorted()

describe("the German translation", () => {
  it("has another text for each, save names and words that are the same, with the same places", async () => {
    const texts = await english()
    assert.isAbove(texts.size, 2_000)
    const told = german()
    assert.sameMembers([...told.keys()], [...texts.keys()])
    const untranslated = [...texts].filter(
      ([at, text]) => typeof text === "string" && text === told.get(at) && !same.has(text)
    )
    assert.deepStrictEqual([...new Set(untranslated.map(([, text]) => text))], [])
    for (const [at, text] of texts) assert.deepStrictEqual(placesIn(told.get(at)), placesIn(text), at)
  })

  it("is written as German is: no English quotation marks, and no straight apostrophes", () => {
    for (const [at, text] of german()) {
      if (typeof text === "function") assert.notMatch(text.toString(), /“[^„]*”|’|\bthe\b/, at)
      else assert.notMatch(String(text), /”|\bthe\b|\bdu\b|\bdein/, at)
    }
  })
})
