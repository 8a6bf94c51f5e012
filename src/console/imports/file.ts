/** Reads a CSV file and checks it before it is sent: its size, and what the service would refuse. */
import { Effect, Exit, Stream } from "effect"
import { Csv, Hex } from "effect/encoding"
import { csvLine } from "../../contract/Csv.ts"
import type { ImportColumn } from "../../contract/platform/Imports.ts"
import { importColumns, maxRows } from "../../contract/platform/Imports.ts"
import { maxBodyBytes } from "../../contract/protocol/Protocol.ts"
import type { Encoding, Separator } from "../../contract/TextFiles.ts"
import { isText, markedEncoding, separatorOf } from "../../contract/TextFiles.ts"
import { dateOrders, isoDate } from "../../contract/WrittenDates.ts"
import { areFormatted } from "../../contract/WrittenPoints.ts"
import type { OwnWords } from "./faults.ts"
import { isMember } from "./guesses.ts"
import { importStrings } from "./importStrings.ts"
import type { Cells, Choices } from "./mapping.ts"
import { cellsOf, headOf, isBlank, mapped, wordsOf } from "./mapping.ts"
import { maxFileBytes, maxFileRows, split } from "./parts.ts"

export interface Sheet {
  readonly header: Cells
  /** The rows with text, each with its number in the file: the header is row 1. */
  readonly rows: ReadonlyArray<{ readonly row: number; readonly cells: Cells }>
}

interface ReadFile extends Sheet {
  readonly name: string
  /** Bytes of the file as it is. */
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

/** Rows that are sent at a time: all rows of a small file. */
export interface Part {
  /** Rows as the service reads them: UTF-8, separated by commas, with the columns of the template. */
  readonly text: string
  readonly rows: number
  /** A hash of what is imported. The same rows, with the same choices, have the same key and are imported once. */
  readonly key: string
}

export interface ImportFile extends ReadFile {
  readonly kind: "ready"
  readonly parts: ReadonlyArray<Part>
  /** The cells as they are sent. */
  readonly sent: Sheet
  /** 1 if the file has no header, and one is sent: the service's numbers of rows are greater by it. */
  readonly shift: 0 | 1
  /** Undefined: the columns are those of the template. */
  readonly own: OwnWords | undefined
}

/** The column of a file of failed rows that tells why they failed. It is not sent. */
export const reasonColumn = "import_error"

export const csvOf = (rows: ReadonlyArray<Cells>, separator: Separator = ","): string =>
  rows.map((cells) => csvLine(cells, separator, /[",;\t\r\n]/)).join("")

export type FileFault =
  /** `rows`: undefined if there are too many bytes to count them. */
  | { readonly kind: "tooLarge"; readonly bytes: number; readonly rows: number | undefined }
  | { readonly kind: "notText" | "empty" }
  | { readonly kind: "notCsv"; readonly line: number }

const keyOf = async (content: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> =>
  `file-${Hex.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", content)))}`

const decoded = (content: ArrayBuffer, encoding: Encoding): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

/** A file's text with its encoding. Undefined if it is no text. */
const textOf = (content: ArrayBuffer): { readonly text: string; readonly encoding: Encoding } | undefined => {
  const marked = markedEncoding(new Uint8Array(content.slice(0, 2)))
  const tried: ReadonlyArray<Encoding> = marked === undefined ? ["utf-8", "windows-1252"] : [marked]
  for (const encoding of tried) {
    const text = decoded(content, encoding)
    if (text !== undefined) return isText(text) ? { text, encoding } : undefined
  }
  return undefined
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

/** The letters of a column, as spreadsheets have them. */
const lettersOf = (place: number): string =>
  `${place < 26 ? "" : lettersOf(Math.floor(place / 26) - 1)}${String.fromCharCode(65 + (place % 26))}`

/** The name of a column in the file, or its letters if it has none. */
export const columnName = (header: Cells, place: number): string =>
  header[place]?.trim() || importStrings.mapping.unnamed(lettersOf(place))

/** The columns and the rows of a file, whose first row is a header or a member. */
export const sheetAs = ({ all, header, rows }: OwnFile, hasHeader: boolean): Sheet =>
  hasHeader
    ? { header, rows }
    : {
        header: header.map((_, place) => columnName([], place)),
        rows: [{ row: headOf(all) + 1, cells: header }, ...rows]
      }

/** A text in parts that the service takes. `content`: what its key is made of, if it is one part. */
const partsOf = async (
  all: ReadonlyArray<Cells>,
  text: string,
  content: ArrayBuffer | Uint8Array<ArrayBuffer>
): Promise<ReadonlyArray<Part>> => {
  const { rows } = sheetOf(all)
  if (rows.length <= maxRows && sizeOf(text) <= maxBodyBytes)
    return [{ text, rows: rows.length, key: await keyOf(content) }]
  const lines = all.map((cells) => csvOf([cells]))
  return Promise.all(
    split(all, lines, maxBodyBytes).map(async (part) => ({
      ...part,
      key: await keyOf(new TextEncoder().encode(part.text))
    }))
  )
}

/** Reads a file. Writes it as the service reads it, if its columns are those of the template. */
export const readFile = async (file: File): Promise<ImportFile | OwnFile | FileFault> => {
  const tooLarge = (rows?: number): FileFault => ({ kind: "tooLarge", bytes: file.size, rows })
  // UTF-16 has twice the bytes of UTF-8.
  if (file.size > 2 * maxFileBytes) return tooLarge()
  const content = await file.arrayBuffer()
  const found = textOf(content)
  if (found === undefined) return { kind: "notText" }
  const { encoding } = found
  const separator = separatorOf(found.text)
  const cells = await parsed(found.text, separator)
  if (Exit.isFailure(cells)) {
    const fault = Exit.findErrorOption(cells)
    if (fault._tag === "Some") return fault.value
    throw new Error("reading text ends with rows or with a fault")
  }
  const all = withoutReasons(cells.value)
  const sheet = sheetOf(all)
  if (sheet.rows.length === 0 && !isMember(sheet.header)) return { kind: "empty" }
  if (sheet.rows.length > maxFileRows || sizeOf(found.text) > maxFileBytes) return tooLarge(sheet.rows.length)
  const read: ReadFile = { name: file.name, bytes: file.size, encoding, separator, ...sheet }
  if (!isOfTemplate(sheet.header) || isFormatted(sheet)) return { ...read, kind: "own", all }
  const text = all === cells.value && separator === "," ? found.text : csvOf(all)
  return { ...read, kind: "ready", parts: await partsOf(all, text, content), sent: sheet, shift: 0, own: undefined }
}

/** The file with the columns of the template. */
export const withChoices = async (file: OwnFile, choices: Choices): Promise<ImportFile> => {
  const { all, ...read } = file
  const { header, rows } = sheetAs(file, choices.hasHeader)
  const shift = choices.hasHeader ? 0 : 1
  const made = mapped(all, choices)
  const text = csvOf(made)
  const parts = await partsOf(made, text, new TextEncoder().encode(text))
  const sent = sheetOf(made)
  return {
    ...read,
    ...{ kind: "ready", header, rows, parts, shift },
    sent: { ...sent, rows: sent.rows.map(({ cells, row }) => ({ cells, row: row - shift })) },
    own: wordsOf(choices, (place) => columnName(header, place))
  }
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
