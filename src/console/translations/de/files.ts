import type { Translation } from "../../app/Translation.ts"

export const file: Translation["file"] = {
  csv: "CSV",
  csvOf: (title) => `CSV: ${title}`,
  excel: "Excel",
  excelOf: (title) => `Excel: ${title}`,
  local: "CSV mit Semikolon",
  localFile: "semikolon",
  localOf: (title) => `CSV mit Semikolon: ${title}`,
  days: (from, to) => `${from} bis ${to}`,
  tooMany: (most) => `Eine Datei für Excel hat höchstens ${most} Zeilen. Nehmen Sie CSV.`
}
