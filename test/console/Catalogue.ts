/** Texts of the catalogue by their path, in English and in German. */
import * as fs from "node:fs"
import * as path from "node:path"
import { translation } from "../../src/console/translations/de.ts"
import { source } from "./Sources.ts"

type Texts = ReadonlyMap<string, unknown>

/** Texts by their path, and functions. */
const textsIn = (value: unknown, at: string): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, one]) => textsIn(one, `${at} › ${name}`))
    : [[at, value]]

export const english = async (): Promise<Texts> => {
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

export const german = (): Texts => new Map(Object.entries(translation).flatMap(([part, value]) => textsIn(value, part)))
