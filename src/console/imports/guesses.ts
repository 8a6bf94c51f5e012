/** Guesses which field a column of a file is, and how its cells are written. */
import type { Field } from "../../contract/ColumnNames.ts"
import { fieldNamed, no, ofAttribute, yes } from "../../contract/ColumnNames.ts"
import { dateOrders, guessDateOrder, isoDate } from "../../contract/WrittenDates.ts"
import { guessThousands } from "../../contract/WrittenPoints.ts"
import type { Cells, Choices } from "./mapping.ts"
import { cellsOf } from "./mapping.ts"

/** Patterns of cells that are of one field alone. Dates and words of consent can be about anything. */
const patterns: ReadonlyArray<readonly [Field, RegExp]> = [
  ["email", /^[^\s@]+@[^\s@]+\.[^\s@]+$/],
  ["phone", /^(?:\+|00)[\d\s()./-]{7,}$/]
]

const fieldByCells = (cells: Cells): Field | undefined => {
  const written = cells.map((cell) => cell.trim()).filter((cell) => cell !== "")
  const most = (pattern: RegExp) => written.filter((cell) => pattern.test(cell)).length > written.length / 2
  return patterns.find(([, pattern]) => most(pattern))?.[0]
}

/** True if a first row is a member rather than the names of columns: some cell is a date, a number or an address. */
export const isMember = (first: Cells): boolean =>
  !first.some((cell) => fieldNamed(cell) !== undefined) &&
  first.some(
    (cell) =>
      /^\+?\d[\d\s()./,-]*$/.test(cell.trim()) ||
      patterns.some(([, pattern]) => pattern.test(cell.trim())) ||
      dateOrders.some((order) => isoDate(cell, order) !== cell)
  )

/** A field for each column, each at most once: by the column's name, otherwise by its cells. */
export const guessColumns = (header: Cells, rows: ReadonlyArray<Cells>): Choices["columns"] => {
  const byName = header.map(fieldNamed)
  const hasNames = byName.includes("first_name") || byName.includes("last_name")
  const named = byName.map((field, index) =>
    (field !== "attribute" && byName.indexOf(field) < index) || (field === "display_name" && hasNames)
      ? undefined
      : field
  )
  const taken = new Set(named)
  return named.map((field, column) => {
    if (field !== undefined || byName[column] !== undefined) return field
    const found = fieldByCells(cellsOf(rows, column))
    if (found === undefined || taken.has(found)) return undefined
    taken.add(found)
    return found
  })
}

/** The choices for a file before anybody changed them. */
export const guessChoices = (header: Cells, rows: ReadonlyArray<Cells>, hasHeader = true): Choices => {
  const columns = guessColumns(header, rows)
  return {
    hasHeader,
    columns,
    attributes: header.map((name) => name.trim().replace(ofAttribute, "")),
    isNamedByEmail: false,
    cardType: "loyalty_id",
    dateOrder: guessDateOrder(cellsOf(rows, columns.indexOf("birth_date"))).order,
    callingCode: "",
    thousands: guessThousands(cellsOf(rows, columns.indexOf("opening_balance"))),
    consent: { yes, no }
  }
}
