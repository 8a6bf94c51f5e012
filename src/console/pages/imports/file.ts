/** Reads a CSV file and checks it before it is sent: its size, and what the service would refuse. */
import { Effect, Exit, Stream } from "effect"
import { Csv, Hex } from "effect/encoding"
import type { ImportColumn } from "../../../contract/platform/Imports.ts"
import { importColumns, maxRows } from "../../../contract/platform/Imports.ts"
import { maxBodyBytes } from "../../../contract/protocol/Protocol.ts"
import { importStrings } from "../../app/importStrings.ts"
import { dateOrders, isoDate } from "./dates.ts"
import type { OwnWords } from "./faults.ts"
import type { Cells, Choices } from "./mapping.ts"
import { cellsOf, isBlank, mapped, wordsOf } from "./mapping.ts"
import { areFormatted } from "./points.ts"

/** Encodings in which spreadsheets save CSV, as `TextDecoder` names them. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

const separators = [",", ";", "\t"] as const
export type Separator = (typeof separators)[number]

interface Sheet {
  readonly header: Cells
  /** The rows with text, each with its number in the file: the header is row 1. */
  readonly rows: ReadonlyArray<{ readonly row: number; readonly cells: Cells }>
}

interface ReadFile extends Sheet {
  readonly name: string
  /** Bytes of the text. */
  readonly bytes: number
  readonly encoding: Encoding
  readonly separator: Separator
}

/** A file with other columns than those of the template. */
export interface OwnFile extends ReadFile {
  readonly kind: "own"
  /** All rows, with the header and blank rows. */
  readonly all: ReadonlyArray<Cells>
}

export interface ImportFile extends ReadFile {
  readonly kind: "ready"
  /** The rows as the service reads them: UTF-8, separated by commas, with the columns of the template. */
  readonly text: string
  /** The cells of the text. */
  readonly sent: Sheet
  /** Undefined: the columns are those of the template. */
  readonly own: OwnWords | undefined
  /** A hash of what is imported. The same file, with the same choices, has the same key and is imported once. */
  readonly key: string
}

/** The column of a file of failed rows that tells why they failed. It is not sent. */
export const reasonColumn = "import_error"

const quoted = (cell: string): string => (/[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export const csvOf = (rows: ReadonlyArray<Cells>, separator: Separator = ","): string =>
  rows.map((cells) => `${cells.map(quoted).join(separator)}\r\n`).join("")

export type FileFault =
  | { readonly kind: "tooLarge"; readonly bytes: number }
  | { readonly kind: "notText" | "empty" }
  | { readonly kind: "notCsv"; readonly line: number }
  | { readonly kind: "tooMany"; readonly rows: number }

const keyOf = async (content: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> =>
  `file-${Hex.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", content)))}`

const decoded = (content: ArrayBuffer, encoding: Encoding): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

/** Every sequence of bytes is text in Windows-1252; what is no text, such as a workbook, has control characters. */
const isText = (text: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell what is no text
  !/[\u0000-\u0008\u000e-\u001f]/.test(text)

/** A file's text with its encoding. Undefined if it is no text. */
const textOf = (content: ArrayBuffer): { readonly text: string; readonly encoding: Encoding } | undefined => {
  const [first, second] = new Uint8Array(content)
  const marked: ReadonlyArray<Encoding> =
    first === 0xff && second === 0xfe ? ["utf-16le"] : first === 0xfe && second === 0xff ? ["utf-16be"] : []
  const tried: ReadonlyArray<Encoding> = marked.length > 0 ? marked : ["utf-8", "windows-1252"]
  for (const encoding of tried) {
    const text = decoded(content, encoding)
    if (text !== undefined) return isText(text) ? { text, encoding } : undefined
  }
  return undefined
}

/** The separator that the first line with text has most often, outside quotation marks. */
const separatorOf = (text: string): Separator => {
  const line = /^.*\S.*$/m.exec(text)?.[0].replaceAll(/"[^"]*"/g, "") ?? ""
  const times = (separator: Separator): number => line.split(separator).length
  return separators.reduce((most, one) => (times(one) > times(most) ? one : most))
}

/** True if the columns are of the template, each at most once. */
const isOfTemplate = (header: Cells): boolean =>
  header.every((name, index) => importColumns.some((known) => known === name) && header.indexOf(name) === index)

const parsed = (text: string, delimiter: Separator) =>
  Effect.runPromiseExit(
    Stream.make(text).pipe(
      Stream.pipeThroughChannel(Csv.decodeString({ delimiter })),
      Stream.runCollect,
      Effect.mapError(({ line }): FileFault => ({ kind: "notCsv", line }))
    )
  )

/** The rows without the column of reasons. */
const withoutReasons = (all: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const place = all.find((cells) => !isBlank(cells))?.indexOf(reasonColumn) ?? -1
  return place < 0 ? all : all.map((cells) => cells.filter((_, index) => index !== place))
}

const sizeOf = (text: string): number => new TextEncoder().encode(text).length

const sheetOf = (all: ReadonlyArray<Cells>): Sheet => {
  const [first, ...rows] = all.flatMap((cells, index) => (isBlank(cells) ? [] : [{ row: index + 1, cells }]))
  return { header: first?.cells ?? [], rows }
}

/** True if cells of the columns of the template are not written as the service reads them. */
const isFormatted = ({ header, rows }: Sheet): boolean => {
  const column = (name: ImportColumn): Cells =>
    cellsOf(
      rows.map(({ cells }) => cells),
      header.indexOf(name)
    )
  return (
    areFormatted(column("opening_balance")) ||
    column("birth_date").some((cell) => dateOrders.some((order) => isoDate(cell, order) !== cell))
  )
}

/** The name of a column in the file, or its place if it has none. */
export const columnName = (header: Cells, place: number): string =>
  header[place]?.trim() || importStrings.mapping.unnamed(place + 1)

/** Reads a file. Writes it as the service reads it, if its columns are those of the template. */
export const readFile = async (file: File): Promise<ImportFile | OwnFile | FileFault> => {
  // UTF-16 has twice the bytes of UTF-8.
  if (file.size > 2 * maxBodyBytes) return { kind: "tooLarge", bytes: file.size }
  const content = await file.arrayBuffer()
  const found = textOf(content)
  if (found === undefined) return { kind: "notText" }
  const { encoding } = found
  if (sizeOf(found.text) > maxBodyBytes) return { kind: "tooLarge", bytes: sizeOf(found.text) }
  const separator = separatorOf(found.text)
  const cells = await parsed(found.text, separator)
  if (Exit.isFailure(cells)) {
    const fault = Exit.findErrorOption(cells)
    if (fault._tag === "Some") return fault.value
    throw new Error("reading text ends with rows or with a fault")
  }
  const all = withoutReasons(cells.value)
  const sheet = sheetOf(all)
  const text = all === cells.value && separator === "," ? found.text : csvOf(all)
  const bytes = sizeOf(text)
  if (bytes > maxBodyBytes) return { kind: "tooLarge", bytes }
  if (sheet.rows.length === 0) return { kind: "empty" }
  if (sheet.rows.length > maxRows) return { kind: "tooMany", rows: sheet.rows.length }
  const read: ReadFile = { name: file.name, bytes, encoding, separator, ...sheet }
  if (!isOfTemplate(sheet.header) || isFormatted(sheet)) return { ...read, kind: "own", all }
  return { ...read, kind: "ready", text, sent: sheet, own: undefined, key: await keyOf(content) }
}

/** The file with the columns of the template. */
export const withChoices = async (file: OwnFile, choices: Choices): Promise<ImportFile | FileFault> => {
  const { all, ...read } = file
  const rows = mapped(all, choices)
  const text = csvOf(rows)
  const content = new TextEncoder().encode(text)
  if (content.length > maxBodyBytes) return { kind: "tooLarge", bytes: content.length }
  const own = wordsOf(choices, (place) => columnName(file.header, place))
  return { ...read, kind: "ready", text, sent: sheetOf(rows), own, key: await keyOf(content) }
}

const example: Readonly<Record<ImportColumn, string>> = {
  member_id: "guest-1001",
  external_id: "crm-1001",
  display_name: "Ada Martin",
  email: "ada.martin@example.com",
  phone: "+493012345678",
  birth_date: "1990-12-10",
  marketing_consent: "true",
  consent_source: "newsletter",
  attributes_json: JSON.stringify({ favourite: "espresso" }),
  identity_type: "loyalty_id",
  identity_value: "card-1001",
  identity_issuer: "own cards",
  opening_balance: "100"
}

/** A file with all columns and one row. */
export const template: string = Effect.runSync(
  Stream.make(example).pipe(
    Stream.pipeThroughChannel(Csv.encodeString({ columns: importColumns, headers: true })),
    Stream.mkString
  )
)
