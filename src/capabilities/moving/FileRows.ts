/** Reads the rows of a file: CSV, or a JSON object in each line (contract/moving.md *Files*). In bounded memory. */
import { Effect, Stream } from "effect"
import { Csv } from "effect/encoding"
import { isObject } from "../../contract/Decode.ts"
import { hasRepeatedName, namesIn } from "../../contract/RepeatedNames.ts"
import type { Encoding, Separator } from "../../contract/TextFiles.ts"
import { separatorOf } from "../../contract/TextFiles.ts"
import * as Bounds from "./Bounds.ts"
import { FileText, UnreadableFile } from "./FileText.ts"

/** A row with its columns, or why it cannot be read. */
export interface Row {
  /** Number of the row in a spreadsheet, or of the line of JSON. */
  readonly row: number
  readonly names: ReadonlyArray<string>
  /** Texts of CSV; of JSON any value. */
  readonly cells: ReadonlyArray<unknown>
  readonly fault?: string
}

export interface Opened {
  readonly format: "csv" | "json"
  readonly separator: Separator
  /** Rows by the chunk. Blank ones are left out. */
  readonly rows: Stream.Stream<ReadonlyArray<Row>, UnreadableFile>
  /** False if the file, once it is read, does not end with a line end. */
  readonly isEnded: () => boolean
}

interface Form {
  readonly encoding?: Encoding | undefined
  readonly separator?: Separator | undefined
}

const isBlank = (cells: ReadonlyArray<string>): boolean => cells.every((cell) => cell.trim() === "")

const asUnreadable = (cause: unknown): UnreadableFile =>
  cause instanceof UnreadableFile
    ? cause
    : new UnreadableFile({ detail: cause instanceof Error && "code" in cause ? String(cause.code) : String(cause) })

/** The first text of a file, then all of it. */
const peeked = (text: AsyncGenerator<string>) =>
  Effect.map(Effect.tryPromise({ try: () => text.next(), catch: asUnreadable }), (first) => {
    const begin = first.done === true ? "" : first.value
    const all = Stream.concat(Stream.make(begin), Stream.fromAsyncIterable(text, asUnreadable))
    return { begin, all }
  })

/** Names of columns. A second column of a name, and one without a name, have their number. */
const namesOf = (header: ReadonlyArray<string>): ReadonlyArray<string> =>
  header.map((cell, index) => {
    const name = cell.trim()
    const isOwn = name !== "" && header.findIndex((other) => other.trim() === name) === index
    return isOwn ? name : `${name}#${index + 1}`
  })

const uneven = (cells: number, names: number): string => `It has ${cells} cells; the header has ${names}.`

const csvRows = (text: Stream.Stream<string, UnreadableFile>, delimiter: Separator): Opened["rows"] => {
  let names: ReadonlyArray<string> | undefined
  let row = 0
  const rowOf = (cells: ReadonlyArray<string>): ReadonlyArray<Row> => {
    row++
    if (isBlank(cells)) return []
    if (names === undefined) {
      names = namesOf(cells)
      return []
    }
    const fault = cells.length === names.length ? undefined : { fault: uneven(cells.length, names.length) }
    return [{ row, names, cells, ...fault }]
  }
  return text.pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter, maxRecordSize: Bounds.lineBytes })),
    Stream.mapArray((all) => [all.flatMap(rowOf)] as const),
    Stream.catchTag("CsvError", ({ record }) =>
      Stream.fail(new UnreadableFile({ detail: `It is no CSV from row ${record} on: a quotation mark has no other.` }))
    )
  )
}

const unread = (row: number, fault: string): Row => ({ row, names: [], cells: [], fault })

/** Reads a line of JSON. */
const jsonRow = (line: string, row: number): Row => {
  const names = namesIn(Buffer.from(line))
  if (typeof names !== "number") return unread(row, "It nests too deep, or has too many names.")
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return unread(row, "It is no JSON.")
  }
  if (!isObject(json)) return unread(row, "It is no object.")
  if (hasRepeatedName(names, json)) return unread(row, "It has a name twice in one object.")
  return { row, names: Object.keys(json), cells: Object.values(json) }
}

const jsonRows = (text: Stream.Stream<string, UnreadableFile>): Opened["rows"] => {
  let row = 0
  const rowOf = (line: string): ReadonlyArray<Row> => {
    row++
    return line.trim() === "" ? [] : [jsonRow(line, row)]
  }
  return text.pipe(
    Stream.splitLines,
    Stream.mapArray((lines) => [lines.flatMap(rowOf)] as const)
  )
}

/** Opens a file. Its first lines tell whether it is JSON, and its separator. */
export const open = (file: string, { encoding, separator }: Form): Effect.Effect<Opened, UnreadableFile> =>
  Effect.gen(function* () {
    const reader = new FileText(file, encoding)
    const { all, begin } = yield* peeked(reader.read())
    const format = begin.trimStart().startsWith("{") ? "json" : "csv"
    const delimiter = separator ?? separatorOf(begin)
    return {
      format,
      separator: delimiter,
      rows: format === "json" ? jsonRows(all) : csvRows(all, delimiter),
      isEnded: () => reader.isEnded
    }
  })
