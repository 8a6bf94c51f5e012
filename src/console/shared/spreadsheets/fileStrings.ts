/** Every English text about files for spreadsheets. */
import { texts } from "../texts.ts"

export const fileStrings = texts("file", {
  csv: "CSV",
  csvOf: (title: string) => `CSV: ${title}`,
  excel: "Excel",
  excelOf: (title: string) => `Excel: ${title}`,
  local: "CSV with semicolons",
  localFile: "semicolons",
  localOf: (title: string) => `CSV with semicolons: ${title}`,
  /** In a file's name. */
  days: (from: string, to: string) => `${from} to ${to}`,
  tooMany: (most: string) => `A file for Excel has at most ${most} rows. Take the CSV.`
})
