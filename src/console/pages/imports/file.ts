/** Checks a CSV file before it is sent: its size, and what the service would refuse. */
import { Effect, Exit, Stream } from "effect"
import { Csv, Hex } from "effect/encoding"
import type { ImportColumn } from "../../../contract/platform/Imports.ts"
import { importColumns, maxRows } from "../../../contract/platform/Imports.ts"
import { maxBodyBytes } from "../../../contract/protocol/Protocol.ts"

/** Encodings in which spreadsheets save CSV, as `TextDecoder` names them. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252"

const separators = [",", ";", "\t"] as const
export type Separator = (typeof separators)[number]

export interface ImportFile {
  readonly name: string
  /** Bytes of the text. */
  readonly bytes: number
  /** The rows as the service reads them: UTF-8, separated by commas. */
  readonly text: string
  readonly encoding: Encoding
  readonly separator: Separator
  /** A hash of the content. The same file has the same key and is imported once. */
  readonly key: string
  readonly header: ReadonlyArray<string>
  /** The rows with text, each with its number in the file: the header is row 1. */
  readonly rows: ReadonlyArray<{ readonly row: number; readonly cells: ReadonlyArray<string> }>
}

/** The column of a file of failed rows that tells why they failed. It is not sent. */
export const reasonColumn = "import_error"

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export const csvOf = (rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  rows.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("")

export type FileFault =
  | { readonly kind: "tooLarge"; readonly bytes: number }
  | { readonly kind: "notText" | "empty" }
  | { readonly kind: "notCsv"; readonly line: number }
  | { readonly kind: "tooMany"; readonly rows: number }
  | { readonly kind: "unknown" | "repeated"; readonly columns: ReadonlyArray<string> }

const keyOf = async (content: ArrayBuffer): Promise<string> =>
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

const headerFault = (header: ReadonlyArray<string>): FileFault | undefined => {
  const unknown = header.filter((name) => !importColumns.some((known) => known === name))
  if (unknown.length > 0) return { kind: "unknown", columns: unknown }
  const repeated = header.filter((name, index) => header.indexOf(name) < index)
  return repeated.length > 0 ? { kind: "repeated", columns: repeated } : undefined
}

const cellsOf = (text: string, delimiter: Separator) =>
  Effect.runPromiseExit(
    Stream.make(text).pipe(
      Stream.pipeThroughChannel(Csv.decodeString({ delimiter })),
      Stream.runCollect,
      Effect.mapError(({ line }): FileFault => ({ kind: "notCsv", line }))
    )
  )

const isBlank = (cells: ReadonlyArray<string>): boolean => cells.every((cell) => cell.trim() === "")

/** The rows without the column of reasons. */
const withoutReasons = (all: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const place = all.find((cells) => !isBlank(cells))?.indexOf(reasonColumn) ?? -1
  return place < 0 ? all : all.map((cells) => cells.filter((_, index) => index !== place))
}

/** Reads a file, and writes it as the service reads it. */
export const readFile = async (file: File): Promise<ImportFile | FileFault> => {
  // UTF-16 has twice the bytes of UTF-8.
  if (file.size > 2 * maxBodyBytes) return { kind: "tooLarge", bytes: file.size }
  const content = await file.arrayBuffer()
  const found = textOf(content)
  if (found === undefined) return { kind: "notText" }
  const { encoding } = found
  const sizeOf = (text: string): number => new TextEncoder().encode(text).length
  if (sizeOf(found.text) > maxBodyBytes) return { kind: "tooLarge", bytes: sizeOf(found.text) }
  const separator = separatorOf(found.text)
  const cells = await cellsOf(found.text, separator)
  if (Exit.isFailure(cells)) {
    const fault = Exit.findErrorOption(cells)
    if (fault._tag === "Some") return fault.value
    throw new Error("reading text ends with rows or with a fault")
  }
  const all = withoutReasons(cells.value)
  const [first, ...rows] = all.flatMap((cells, index) => (isBlank(cells) ? [] : [{ row: index + 1, cells }]))
  const header = first?.cells ?? []
  const text = all === cells.value && separator === "," ? found.text : csvOf(all)
  const bytes = sizeOf(text)
  if (bytes > maxBodyBytes) return { kind: "tooLarge", bytes }
  const fault = headerFault(header)
  if (fault !== undefined) return fault
  if (rows.length === 0) return { kind: "empty" }
  if (rows.length > maxRows) return { kind: "tooMany", rows: rows.length }
  return { name: file.name, bytes, text, encoding, separator, key: await keyOf(content), header, rows }
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
