/** Files that this page sent, and their rows that failed: the service keeps no cells. */
import type { RowError } from "../../../contract/platform/Imports.ts"
import type { ImportFile } from "./file.ts"
import { csvOf, reasonColumn } from "./file.ts"

const files = new Map<string, ImportFile>()

/** Keeps a file until the page is loaded anew. */
export const keepFile = (import_id: string, file: ImportFile): void => {
  files.set(import_id, file)
}

/** The file of an import; undefined after a load of the page, or if another page sent it. */
export const keptFile = (import_id: string): ImportFile | undefined => files.get(import_id)

/** A file of the rows that failed: their numbers in the first file, their cells and why they failed. */
export const failedRows = (
  { header, rows }: ImportFile,
  errors: ReadonlyArray<RowError>,
  sentence: (error: RowError) => string
): string => {
  const failed = rows.flatMap(({ cells, row }) => {
    const reasons = errors.filter((error) => error.row === row).map(sentence)
    const filled = header.map((_, index) => cells[index] ?? "")
    return reasons.length === 0 ? [] : [[...filled, `${row}: ${reasons.join(" ")}`]]
  })
  // Excel takes a file without a byte order mark for one in the encoding of the machine.
  return `\uFEFF${csvOf([[...header, reasonColumn], ...failed])}`
}
