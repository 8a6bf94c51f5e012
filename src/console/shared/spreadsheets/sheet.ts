/** Cells of a sheet for Excel: days, times, numbers and money as such, and texts that are never formulas. Pure. */
import { isFormula } from "../../../contract/Csv.ts"
import { decimal, digitsOf } from "../format.ts"
import { clockAt } from "../zonedTime.ts"
import type { Cell } from "./csv.ts"

/** `format`: as Excel writes formats. A date is told by the clock of its zone, as if that were UTC. */
export type SheetCell =
  | { readonly value: string; readonly type: StringConstructor }
  | { readonly value: number; readonly type: NumberConstructor; readonly format: string }
  | { readonly value: Date; readonly type: DateConstructor; readonly format: string }

/** Most characters of a cell that Excel reads. */
const maxCellLength = 32_767

const textCell = (text: string): SheetCell => ({ value: text.slice(0, maxCellLength), type: String })

const numberCell = (value: number): SheetCell => ({
  value,
  type: Number,
  format: Number.isInteger(value) ? "#,##0" : "#,##0.00"
})

const moneyCell = (amount: { readonly amount: number; readonly currency: string }): SheetCell => {
  const digits = digitsOf(amount.currency)
  const decimals = digits === 0 ? "" : `.${"0".repeat(digits)}`
  return { value: decimal(amount), type: Number, format: `#,##0${decimals} "${amount.currency}"` }
}

const day = /^\d{4}-\d{2}-\d{2}$/
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/

/** Before it Excel has no dates. */
const firstDay = "1900-03-01"

/** A day or a time; undefined: the text is none. */
const dateCell = (text: string, zone: string): SheetCell | undefined => {
  if (text < firstDay) return undefined
  if (day.test(text)) {
    const at = Date.parse(`${text}T00:00:00Z`)
    return Number.isNaN(at) ? undefined : { value: new Date(at), type: Date, format: "yyyy-mm-dd" }
  }
  const at = instant.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at)
    ? undefined
    : { value: new Date(clockAt(zone, at)), type: Date, format: "yyyy-mm-dd hh:mm:ss" }
}

type Row = ReadonlyArray<SheetCell | undefined>

/** Figures of a page. Times are told in `zone`. */
export const figuresSheet = (rows: ReadonlyArray<ReadonlyArray<Cell>>, zone: string): ReadonlyArray<Row> =>
  rows.map((cells) =>
    cells.map((cell) => {
      if (cell === undefined || cell === "") return undefined
      if (typeof cell === "string") return dateCell(cell, zone) ?? textCell(cell)
      return typeof cell === "number" ? numberCell(cell) : moneyCell(cell)
    })
  )

/** Columns of the service's lists that are no text. All others stay as they are, as numbers of cards and telephones must. */
const numbers: ReadonlySet<string> = new Set(["amount"])
const isDate = (column: string): boolean => column === "at" || /_(?:at|date)$/.test(column)

/** A text as it was before it was kept from being a formula. */
const undefused = (text: string): string => (text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text)

const listCell = (column: string, text: string, zone: string): SheetCell | undefined => {
  if (text === "") return undefined
  if (numbers.has(column) && /^-?\d{1,15}$/.test(text)) return numberCell(Number(text))
  return (isDate(column) ? dateCell(text, zone) : undefined) ?? textCell(undefused(text))
}

/** A list of the service, as its CSV has it. Names of columns with times tell the zone. */
export const listSheet = (
  [header = [], ...rows]: ReadonlyArray<ReadonlyArray<string>>,
  zone: string
): ReadonlyArray<Row> => [
  header.map((column) => textCell(/_at$|^at$/.test(column) ? `${column} (${zone})` : column)),
  ...rows.map((cells) => cells.map((text, place) => listCell(header[place] ?? "", text, zone)))
]
