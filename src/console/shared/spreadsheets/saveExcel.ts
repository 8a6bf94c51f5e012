/** Saves a file for Excel. */
import { Worded } from "../client.ts"
import { number } from "../format.ts"
import { fileStrings } from "./fileStrings.ts"
import { saveFile } from "./saveFile.ts"
import type { SheetCell } from "./sheet.ts"

/** Rows of a file at most: a browser makes it in memory within seconds. */
const mostRows = 200_000

const excelType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

export const saveExcel = async (
  name: string,
  rows: ReadonlyArray<ReadonlyArray<SheetCell | undefined>>
): Promise<void> => {
  if (rows.length > mostRows) throw new Worded(fileStrings.tooMany(number(mostRows)))
  const { excelOf } = await import("./excel.ts")
  saveFile(name, await excelOf(rows), excelType)
}
