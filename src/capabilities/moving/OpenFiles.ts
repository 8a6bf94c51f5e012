/** Opens the files of a move with their mappings, reads their rows, and tells faults of columns and of whole files. */
import { Effect, Stream } from "effect"
import * as path from "node:path"
import type { Fault, Report } from "./Faults.ts"
import type { Opened, Row } from "./FileRows.ts"
import * as FileRows from "./FileRows.ts"
import type { FileMapping, Mapping, SaidMapping } from "./Mapping.ts"
import { kindsOfFile } from "./Mapping.ts"
import * as Sample from "./Sample.ts"

interface OpenFile {
  readonly name: string
  readonly opened: Opened
  readonly mapping: SaidMapping
}

/** A column by its number: where a file has no header, its name is a guest's. */
const unknownColumns = ({ columns }: FileMapping, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name, index) =>
    Object.hasOwn(columns, name) ? [] : [`The mapping does not say what column ${index + 1} is.`]
  )

/** Columns that the mapping does not know, and those of the mapping that the file lacks. */
const columnFaults = (mapping: FileMapping, names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...unknownColumns(mapping, names),
  ...Object.keys(mapping.columns).flatMap((name) => (names.includes(name) ? [] : [`The file has no column ${name}.`]))
]

/** Tells columns that the mapping does not know, each once. Objects of JSON may each have others. */
const columnsTeller = ({ mapping, name, opened }: OpenFile, report: Report) => {
  const told = new Set<string>()
  let known: ReadonlyArray<string> = []
  return ({ names }: Row): void => {
    if (names === known || names.length === 0) return
    const faults = opened.format === "csv" ? columnFaults(mapping, names) : unknownColumns(mapping, names)
    known = names
    for (const detail of faults)
      if (!told.has(detail)) report({ file: name, row: 0, column: "", name: "unmapped", detail })
    for (const detail of faults) told.add(detail)
  }
}

/** Reads all rows of a file once, and tells what is wrong with the file. */
export const eachRow = Effect.fnUntraced(function* (file: OpenFile, report: Report, take: (row: Row) => void) {
  const { name, opened } = file
  const tellColumns = columnsTeller(file, report)
  let last = 0
  const fault = (known: Pick<Fault, "name" | "detail" | "row">) => report({ file: name, column: "", ...known })
  yield* Stream.runForEach(opened.rows, (rows) =>
    Effect.sync(() => {
      for (const row of rows) {
        tellColumns(row)
        take(row)
        last = row.row
      }
    })
  ).pipe(
    Effect.catchTag("UnreadableFile", ({ detail }) =>
      Effect.sync(() => fault({ name: "unreadable", row: last + 1, detail }))
    )
  )
  if (!opened.isEnded()) fault({ name: "cut_short", row: last, detail: "The file does not end with a line end." })
})

const kinds = `${kindsOfFile.slice(0, -1).join(", ")} or ${kindsOfFile.at(-1)}`

/** Opens a file with its mapping; undefined: a fault tells why it cannot be read. */
export const openFile = Effect.fnUntraced(function* (file: string, mapping: Mapping | undefined, report: Report) {
  const name = path.basename(file)
  const tell = (fault: Pick<Fault, "name" | "detail">): undefined =>
    void report({ file: name, row: 0, column: "", ...fault })
  const known = mapping?.files.find((one) => one.file === name)
  if (mapping !== undefined && known === undefined)
    return tell({ name: "unmapped", detail: "The mapping does not name the file." })
  const holds = known?.holds
  if (holds === null)
    return tell({ name: "unsaid", detail: `What does it hold? The mapping's holds must be ${kinds}.` })
  return yield* Effect.gen(function* () {
    const opened = yield* FileRows.open(file, known ?? {})
    const mapping = known === undefined || holds === undefined ? yield* Sample.named(file) : { ...known, holds }
    return { name, opened, mapping } satisfies OpenFile
  }).pipe(Effect.catchTag("UnreadableFile", ({ detail }) => Effect.sync(() => tell({ name: "unreadable", detail }))))
})
