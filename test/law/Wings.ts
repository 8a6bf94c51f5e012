/** The tables of `src/docs/how-it-works.md` *The folders*: which folder may import which. */
import * as fs from "node:fs"
import * as path from "node:path"

export const source = path.join(import.meta.dirname, "..", "..", "src")
export const document = fs.readFileSync(path.join(source, "docs", "how-it-works.md"), "utf8")
const section = /^## The folders\n([\s\S]*?)\n## /m.exec(document)?.[1] ?? ""

const namesOf = (text: string): ReadonlyArray<string> => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)

/** The second cells of a table's rows by the names in their first. */
const rowsOf = (head: string): ReadonlyMap<string, string> => {
  const [, rows = ""] = section.split(`\n| ${head} |`)
  const [table = ""] = rows.split("\n\n")
  return new Map(
    [...table.matchAll(/^\| `([^`]+)` \| ([^|]+) \|[^|]+\|$/gm)].map(([, name = "", cell = ""]) => [name, cell])
  )
}
export const wings = rowsOf("wing")
const apart = rowsOf("apart")

/** The wing `app` imports these beside the wings above it. */
const forProcesses = ["docs", "conformance"]

/** Folder under `src` → folders that it may import beside itself. The longest folder that a file is in counts. */
export const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries([
  ...[...wings].flatMap(([wing, cell], place): ReadonlyArray<readonly [string, ReadonlyArray<string>]> => {
    const above = [...wings.keys()].slice(0, place).concat(wing === "app" ? forProcesses : [])
    const steps = cell.split("→").map((step) => namesOf(step).map((room) => `${wing}/${room}`))
    if (steps.flat().length === 0) return [[wing, above]]
    return steps.flatMap((rooms, step) =>
      rooms.map((room) => [room, [...above, ...steps.slice(0, step).flat()]] as const)
    )
  }),
  ...[...apart].map(([folder, cell]) => [folder, namesOf(cell)] as const)
])
