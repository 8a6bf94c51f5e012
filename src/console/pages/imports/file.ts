/** Checks a CSV file before it is sent: its size, and what the service would refuse. */
import { Effect, Exit, Stream } from "effect"
import { Csv, Hex } from "effect/encoding"
import type { ImportColumn } from "../../../contract/platform/Imports.ts"
import { importColumns, maxRows } from "../../../contract/platform/Imports.ts"
import { maxBodyBytes } from "../../../contract/protocol/Protocol.ts"

export interface ImportFile {
  readonly name: string
  readonly bytes: number
  readonly text: string
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
  | { readonly kind: "notText" | "empty" | "semicolons" }
  | { readonly kind: "notCsv"; readonly line: number }
  | { readonly kind: "tooMany"; readonly rows: number }
  | { readonly kind: "unknown" | "repeated"; readonly columns: ReadonlyArray<string> }

const keyOf = async (content: ArrayBuffer): Promise<string> =>
  `file-${Hex.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", content)))}`

/** A file's text. Undefined if it is not UTF-8. */
const textOf = (content: ArrayBuffer): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

const headerFault = (header: ReadonlyArray<string>): FileFault | undefined => {
  const unknown = header.filter((name) => !importColumns.some((known) => known === name))
  if (header.length === 1 && header[0]?.includes(";") === true) return { kind: "semicolons" }
  if (unknown.length > 0) return { kind: "unknown", columns: unknown }
  const repeated = header.filter((name, index) => header.indexOf(name) < index)
  return repeated.length > 0 ? { kind: "repeated", columns: repeated } : undefined
}

const cellsOf = (text: string) =>
  Effect.runPromiseExit(
    Stream.make(text).pipe(
      Stream.pipeThroughChannel(Csv.decodeString()),
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

/** Reads a file as the service will read it. */
export const readFile = async (file: File): Promise<ImportFile | FileFault> => {
  if (file.size > maxBodyBytes) return { kind: "tooLarge", bytes: file.size }
  const content = await file.arrayBuffer()
  const text = textOf(content)
  if (text === undefined) return { kind: "notText" }
  const cells = await cellsOf(text)
  if (Exit.isFailure(cells)) {
    const fault = Exit.findErrorOption(cells)
    if (fault._tag === "Some") return fault.value
    throw new Error("reading text ends with rows or with a fault")
  }
  const all = withoutReasons(cells.value)
  const [first, ...rows] = all.flatMap((cells, index) => (isBlank(cells) ? [] : [{ row: index + 1, cells }]))
  const header = first?.cells ?? []
  const fault = headerFault(header)
  if (fault !== undefined) return fault
  if (rows.length === 0) return { kind: "empty" }
  if (rows.length > maxRows) return { kind: "tooMany", rows: rows.length }
  return {
    name: file.name,
    bytes: file.size,
    text: all === cells.value ? text : csvOf(all),
    key: await keyOf(content),
    header,
    rows
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
