/** Files that this page sent, and their rows that failed: the service keeps no cells. */
import type { RepeatedRows, RowError } from "../../contract/platform/Imports.ts"
import { sentence } from "./faults.ts"
import type { ImportFile } from "./file.ts"
import { csvOf, reasonColumn } from "./file.ts"

interface Kept {
  readonly file: ImportFile
  readonly repeated: ReadonlyArray<RepeatedRows>
}

const files = new Map<string, Kept>()

/** Keeps a file, and which of its rows have one member, until the page is loaded anew. */
export const keepFile = (import_id: string, kept: Kept): void => {
  files.set(import_id, kept)
}

/** The file of an import; undefined after a load of the page, or if another page sent it. */
export const keptFile = (import_id: string): Kept | undefined => files.get(import_id)

/**
 * A file of the rows that failed, separated as the file was: their numbers in the file, their cells and why they failed.
 */
export const failedRows = ({ header, own, rows, separator }: ImportFile, errors: ReadonlyArray<RowError>): string => {
  const errorsOf = Map.groupBy(errors, ({ row }) => row)
  const failed = rows.flatMap(({ cells, row }) => {
    const reasons = errorsOf.get(row)?.map((error) => sentence(error, own)) ?? []
    const filled = header.map((_, index) => cells[index] ?? "")
    return reasons.length === 0 ? [] : [[...filled, `${row}: ${reasons.join(" ")}`]]
  })
  // Excel takes a file without a byte order mark for one in the encoding of the machine.
  return `\uFEFF${csvOf([[...header, reasonColumn], ...failed], separator)}`
}
