/** Files for Excel. Imported when somebody wants one: its library is as large as a page. */
import writeExcel from "write-excel-file/browser"
import type { SheetCell } from "./sheet.ts"

/** Rows that decide how wide columns are. */
const measuredRows = 200
/** Widths of columns, characters. */
const width = { least: 8, most: 60 } as const

const lengthOf = (cell: SheetCell | undefined): number =>
  cell === undefined ? 0 : "format" in cell ? Math.max(12, cell.format.length) : cell.value.length

const columnsOf = (rows: ReadonlyArray<ReadonlyArray<SheetCell | undefined>>) =>
  (rows[0] ?? []).map((_, column) => {
    const longest = rows.slice(0, measuredRows).reduce((most, row) => Math.max(most, lengthOf(row[column])), 0)
    return { width: Math.min(Math.max(longest + 2, width.least), width.most) }
  })

/** A file with one sheet, whose first row stays in sight. */
export const excelOf = (rows: ReadonlyArray<ReadonlyArray<SheetCell | undefined>>): Promise<Blob> => {
  const [header = [], ...others] = rows
  const bold = header.map((cell) => (cell === undefined ? undefined : { ...cell, fontWeight: "bold" as const }))
  return writeExcel([bold, ...others.map((row) => [...row])], {
    columns: columnsOf(rows),
    stickyRowsCount: 1
  }).toBlob()
}
