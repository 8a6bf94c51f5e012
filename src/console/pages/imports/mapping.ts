/** Converts a file with columns of its own into the columns of the template. Its rows keep their numbers. */
import type { ImportColumn } from "../../../contract/platform/Imports.ts"
import { importColumns } from "../../../contract/platform/Imports.ts"
import type { DateOrder } from "./dates.ts"
import { isoDate } from "./dates.ts"
import type { OwnWords } from "./faults.ts"
import type { Thousands } from "./points.ts"
import { haveSeparators, wholePoints } from "./points.ts"

export type Cells = ReadonlyArray<string>

/** What a column can be: one of the template, or a part of the name. */
export const fields = ["first_name", "last_name", ...importColumns] as const
export type Field = (typeof fields)[number]

export interface Choices {
  /** The field of each column of the file. Undefined: the column is left out. */
  readonly columns: ReadonlyArray<Field | undefined>
  /** The type of card numbers in a file without a column of types. */
  readonly cardType: string
  readonly dateOrder: DateOrder
  /** The calling code for numbers without one, such as `+49`. Empty: they stay as they are. */
  readonly callingCode: string
  /** The separator of thousands in points. Undefined: nobody has said, and the cells do not tell. */
  readonly thousands: Thousands | undefined
  readonly consent: { readonly yes: ReadonlyArray<string>; readonly no: ReadonlyArray<string> }
}

/** Fields whose cells are converted. The cells of all others are sent as they are. */
export const converted: ReadonlySet<Field> = new Set([
  "first_name",
  "last_name",
  "phone",
  "birth_date",
  "marketing_consent",
  "opening_balance"
])

export type ChoiceFault =
  | { readonly kind: "twice"; readonly field: Field }
  | { readonly kind: "twoNames" | "nobody" | "cardType" | "noCard" | "callingCode" | "thousands" }

const callingCode = /^(?:\+[1-9]\d{0,2})?$/

/** The first reason why rows with these choices would be refused, or would mean what nobody has said. */
export const choiceFault = (choices: Choices, rows: ReadonlyArray<Cells>): ChoiceFault | undefined => {
  const { callingCode: code, cardType, columns } = choices
  const has = (field: Field): boolean => columns.includes(field)
  const twice = columns.find((field, index) => field !== undefined && columns.indexOf(field) < index)
  if (twice !== undefined) return { kind: "twice", field: twice }
  if (has("display_name") && (has("first_name") || has("last_name"))) return { kind: "twoNames" }
  if (!has("member_id") && !has("external_id") && !has("identity_value")) return { kind: "nobody" }
  if (!has("identity_value") && (has("identity_type") || has("identity_issuer"))) return { kind: "noCard" }
  if (has("identity_value") && !has("identity_type") && cardType === "") return { kind: "cardType" }
  if (has("phone") && !callingCode.test(code)) return { kind: "callingCode" }
  const points = cellsOf(rows, columns.indexOf("opening_balance"))
  return choices.thousands === undefined && haveSeparators(points) ? { kind: "thousands" } : undefined
}

/** The apostrophe that an export puts before a text which a spreadsheet would take for a formula. */
const formulaGuard = /^'(?=[=+\-@])/

/** Digits of national numbers in countries where they begin with no 0 that is dropped, by calling code. */
const nationalDigits: Readonly<Record<string, number>> = {
  "+1": 10,
  "+30": 10,
  "+34": 9,
  "+351": 9,
  "+39": 10,
  "+420": 9,
  "+45": 8,
  "+47": 8,
  "+48": 9
}

/** The number in the form of E.164. A text that is no telephone number stays as it is. */
export const telephone = (cell: string, code: string): string => {
  const written = cell.trim().replace(formulaGuard, "")
  // "+49 (0)30" has the 0 only for calls within the country.
  const digits = written.replace(/^((?:\+|00)\d{1,3}\s*)\(0\)/, "$1").replaceAll(/[\s()./\u2010-\u2015-]/g, "")
  if (!/^\+?\d{4,}$/.test(digits)) return cell
  if (digits.startsWith("+")) return digits
  if (digits.startsWith("00")) return `+${digits.slice(2)}`
  if (code === "") return cell
  if (digits.length === nationalDigits[code] && !digits.startsWith("0")) return `${code}${digits}`
  if (!digits.startsWith("0")) return cell
  // Italian numbers keep their 0.
  return code === "+39" ? `${code}${digits}` : `${code}${digits.slice(1)}`
}

/** True if a number has no country: neither a plus nor 00 before it. */
export const hasNationalNumbers = (cells: Cells): boolean => cells.some((cell) => /^\s*\(?(?!00)\d/.test(cell))

/** A word in both lists says nothing, and stays as it is. */
const consentOf = (cell: string, { no, yes }: Choices["consent"]): string => {
  const isOneOf = (words: ReadonlyArray<string>): boolean =>
    words.some((word) => word.toLowerCase() === cell.trim().toLowerCase())
  const [isYes, isNo] = [isOneOf(yes), isOneOf(no)]
  return isYes === isNo ? cell : isYes ? "true" : "false"
}

/** The words that say neither yes nor no. */
export const unknownWords = (cells: Cells, consent: Choices["consent"]): Cells => [
  ...new Set(cells.map((cell) => cell.trim()).filter((cell) => !/^(?:true|false|)$/i.test(consentOf(cell, consent))))
]

/** The cells of a column that has cells. */
export const cellsOf = (rows: ReadonlyArray<Cells>, column: number): Cells => rows.map((cells) => cells[column] ?? "")

export const isBlank = (cells: Cells): boolean => cells.every((cell) => cell.trim() === "")

const isName = (field: Field | undefined): boolean => field === "first_name" || field === "last_name"

/** A column of the result: its name, and its cell in a row of the file. */
interface Target {
  readonly name: ImportColumn
  /** The columns of the file that it is made of. */
  readonly from: ReadonlyArray<number>
  readonly cell: (cells: Cells) => string
}

/** The parts of a name, the first name first wherever its column is. */
const joinedName = ({ columns }: Choices): Target => {
  const places = (["first_name", "last_name"] as const).map((part) => columns.indexOf(part))
  const partsOf = (cells: Cells) => places.map((place) => cells[place]?.trim() ?? "").filter((part) => part !== "")
  const from = places.filter((place) => place >= 0)
  return { name: "display_name", from, cell: (cells) => partsOf(cells).join(" ") }
}

const targetOf = (field: ImportColumn, place: number, choices: Choices): Target => {
  const convert = (cell: string): string => {
    switch (field) {
      case "birth_date":
        return isoDate(cell, choices.dateOrder)
      case "phone":
        return telephone(cell, choices.callingCode)
      case "marketing_consent":
        return consentOf(cell, choices.consent)
      case "opening_balance":
        return wholePoints(cell, choices.thousands)
      default:
        return cell
    }
  }
  return { name: field, from: [place], cell: (cells) => convert(cells[place] ?? "") }
}

const targetsOf = (choices: Choices): ReadonlyArray<Target> => {
  const { cardType, columns } = choices
  const first = columns.findIndex(isName)
  const targets = columns.flatMap((field, place) => {
    if (field === undefined) return []
    if (field === "first_name" || field === "last_name") return place === first ? [joinedName(choices)] : []
    return [targetOf(field, place, choices)]
  })
  const card = columns.indexOf("identity_value")
  if (card < 0 || columns.includes("identity_type")) return targets
  const typeOf = (cells: Cells): string => ((cells[card] ?? "").trim() === "" ? "" : cardType)
  return [...targets, { name: "identity_type", from: [card], cell: typeOf }]
}

/**
 * The rows with the columns of the template. `all` has the header and blank rows, which count as the service counts.
 * A row with too few or too many cells is sent with its own cells, so that the service refuses it.
 */
export const mapped = (all: ReadonlyArray<Cells>, choices: Choices): ReadonlyArray<Cells> => {
  const head = all.findIndex((cells) => !isBlank(cells))
  const targets = targetsOf(choices)
  return all.map((cells, index) => {
    if (isBlank(cells)) return [""]
    if (index === head) return targets.map(({ name }) => name)
    if (cells.length === choices.columns.length) return targets.map(({ cell }) => cell(cells))
    return cells.length === targets.length ? [...cells, ""] : cells
  })
}

/** What the columns that are sent are called in the file. `nameOf`: the name of a column by its place. */
export const wordsOf = (choices: Choices, nameOf: (place: number) => string): OwnWords => ({
  dateOrder: choices.dateOrder,
  labels: Object.fromEntries(targetsOf(choices).map(({ from, name }) => [name, from.map(nameOf).join(" + ")]))
})
