/** The German translation has every text of the catalogue, in German. */
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { translation } from "../../src/console/translations/de.ts"
import { source } from "./Sources.ts"

/** Texts by their path, and functions. */
const textsIn = (value: unknown, at: string): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, one]) => textsIn(one, `${at} › ${name}`))
    : [[at, value]]

const english = async (): Promise<ReadonlyMap<string, unknown>> => {
  const files = fs
    .readdirSync(path.join(source, "console"), { recursive: true, encoding: "utf8" })
    .filter((file) => /[sS]trings\.ts$/.test(file))
  const parts = await Promise.all(
    files.map(async (file) =>
      Object.entries((await import(path.join(source, "console", file))) as Record<string, unknown>)
    )
  )
  return new Map(
    parts
      .flat()
      .filter(([name]) => /[sS]trings$/.test(name))
      .flatMap(([name, part]) => textsIn(part, name === "strings" ? "first" : name.replace("Strings", "")))
  )
}

/** Words that are the same in both languages. */
const same = new Set<unknown>([
  "Token",
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
    const german = new Map(Object.entries(translation).flatMap(([part, value]) => textsIn(value, part)))
    assert.sameMembers([...german.keys()], [...texts.keys()])
    const untranslated = [...texts].filter(
      ([at, text]) => typeof text === "string" && text === german.get(at) && !same.has(text)
    )
    assert.deepStrictEqual([...new Set(untranslated.map(([, text]) => text))], [])
    for (const [at, text] of texts) assert.deepStrictEqual(placesIn(german.get(at)), placesIn(text), at)
  })

  it("is written as German is: no English quotation marks, and no straight apostrophes", () => {
    for (const [at, text] of textsIn(translation, "")) {
      if (typeof text === "function") assert.notMatch(text.toString(), /“[^„]*”|’|\bthe\b/, at)
      else assert.notMatch(String(text), /”|\bthe\b|\bdu\b|\bdein/, at)
    }
  })
})
