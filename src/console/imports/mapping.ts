/** Converts a file with columns of its own into the columns of the template. Its rows keep their numbers. */

import type { Field } from "../../contract/ColumnNames.ts"
import { phoneIn } from "../../contract/Phones.ts"
import type { ImportColumn } from "../../contract/platform/Imports.ts"
import type { DateOrder } from "../../contract/WrittenDates.ts"
import { isoDate } from "../../contract/WrittenDates.ts"
import type { Thousands } from "../../contract/WrittenPoints.ts"
import { haveSeparators, wholePoints } from "../../contract/WrittenPoints.ts"
import type { OwnWords } from "./faults.ts"

export type Cells = ReadonlyArray<string>

export interface Choices {
  /** False if the first row with text is a member. */
  readonly hasHeader: boolean
  /** The field of each column of the file. Undefined: the column is left out. */
  readonly columns: ReadonlyArray<Field | undefined>
  /** The name of each column's attribute, if it is one. */
  readonly attributes: Cells
  /** True if members without a column of their own names are named by their e-mail addresses. */
  readonly isNamedByEmail: boolean
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
  "opening_balance",
  "attribute"
])

export type ChoiceFault =
  | { readonly kind: "twice"; readonly field: Field }
  | { readonly kind: "twoNames" | "nobody" | "cardType" | "noCard" | "callingCode" | "thousands" }
  | { readonly kind: "noAttribute" | "sameAttribute" | "twoAttributes" }

const callingCode = /^(?:\+[1-9]\d{0,2})?$/

/** True if no column names the members. Their e-mail addresses can. */
export const lacksNames = ({ columns }: Choices): boolean =>
  !(["member_id", "external_id", "identity_value"] as const).some((field) => columns.includes(field))

/** The name of the attribute that a column is; undefined: it is none. */
const attributeAt = ({ attributes, columns }: Choices, place: number): string | undefined =>
  columns[place] === "attribute" ? (attributes[place] ?? "").trim() : undefined

const attributeFault = (choices: Choices): ChoiceFault | undefined => {
  const names = choices.columns.flatMap((_, place) => attributeAt(choices, place) ?? [])
  if (names.includes("")) return { kind: "noAttribute" }
  if (new Set(names).size < names.length) return { kind: "sameAttribute" }
  return names.length > 0 && choices.columns.includes("attributes_json") ? { kind: "twoAttributes" } : undefined
}

/** The first reason why rows with these choices would be refused, or would mean what nobody has said. */
export const choiceFault = (choices: Choices, rows: ReadonlyArray<Cells>): ChoiceFault | undefined => {
  const { callingCode: code, cardType, columns } = choices
  const has = (field: Field): boolean => columns.includes(field)
  const isOnce = (field: Field | undefined) => field !== undefined && field !== "attribute"
  const twice = columns.find((field, index) => isOnce(field) && columns.indexOf(field) < index)
  if (twice !== undefined) return { kind: "twice", field: twice }
  if (has("display_name") && (has("first_name") || has("last_name"))) return { kind: "twoNames" }
  if (lacksNames(choices) && !(choices.isNamedByEmail && has("email"))) return { kind: "nobody" }
  if (!has("identity_value") && (has("identity_type") || has("identity_issuer"))) return { kind: "noCard" }
  if (has("identity_value") && !has("identity_type") && cardType === "") return { kind: "cardType" }
  const attribute = attributeFault(choices)
  if (attribute !== undefined) return attribute
  if (has("phone") && !callingCode.test(code)) return { kind: "callingCode" }
  const points = cellsOf(rows, columns.indexOf("opening_balance"))
  return choices.thousands === undefined && haveSeparators(points) ? { kind: "thousands" } : undefined
}

/** The apostrophe that an export puts before a text which a spreadsheet would take for a formula. */
const formulaGuard = /^'(?=[=+\-@])/

/** The number in the form of E.164. A text that is no telephone number stays as it is. */
export const telephone = (cell: string, code: string): string =>
  phoneIn(cell.trim().replace(formulaGuard, ""), code === "" ? undefined : code) ?? cell

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

/** The attributes of a row. A column whose cells are all numbers has numbers, as rules of segments compare them. */
const attributesOf = (choices: Choices, rows: ReadonlyArray<Cells>): ReadonlyArray<Target> => {
  const known = choices.columns.flatMap((_, place) => {
    const name = attributeAt(choices, place)
    if (name === undefined) return []
    const isNumber = cellsOf(rows, place).every((cell) =>
      /^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,6})?|)$/.test(cell.trim())
    )
    return [{ name, place, isNumber }]
  })
  const cell = (cells: Cells): string => {
    const values = known.flatMap(({ isNumber, name, place }) => {
      const value = cells[place]?.trim() ?? ""
      return value === "" ? [] : [[name, isNumber ? Number(value) : value] as const]
    })
    return values.length === 0 ? "" : JSON.stringify(Object.fromEntries(values))
  }
  return known.length === 0 ? [] : [{ name: "attributes_json", from: known.map(({ place }) => place), cell }]
}

/** The e-mail address as the id of another system. Its letters are small: nobody tells addresses apart by them. */
const namedByEmail = (choices: Choices): ReadonlyArray<Target> => {
  const place = choices.columns.indexOf("email")
  if (!choices.isNamedByEmail || place < 0 || !lacksNames(choices)) return []
  const cell = (cells: Cells): string => (cells[place] ?? "").trim().replace(formulaGuard, "").toLowerCase()
  return [{ name: "external_id", from: [place], cell }]
}

const targetsOf = (choices: Choices, rows: ReadonlyArray<Cells>): ReadonlyArray<Target> => {
  const { cardType, columns } = choices
  const first = columns.findIndex(isName)
  const mapped = columns.flatMap((field, place) => {
    if (field === undefined || field === "attribute") return []
    if (field === "first_name" || field === "last_name") return place === first ? [joinedName(choices)] : []
    return [targetOf(field, place, choices)]
  })
  const targets = [...mapped, ...attributesOf(choices, rows), ...namedByEmail(choices)]
  const card = columns.indexOf("identity_value")
  if (card < 0 || columns.includes("identity_type")) return targets
  const typeOf = (cells: Cells): string => ((cells[card] ?? "").trim() === "" ? "" : cardType)
  return [...targets, { name: "identity_type", from: [card], cell: typeOf }]
}

/** The place of the header in a file. */
export const headOf = (all: ReadonlyArray<Cells>): number => all.findIndex((cells) => !isBlank(cells))

/**
 * The rows with the columns of the template, and with a header in any case. `all` has the header and blank rows, which
 * count as the service counts. A row with too few or too many cells is sent with its own cells, so that the service
 * refuses it.
 */
export const mapped = (all: ReadonlyArray<Cells>, choices: Choices): ReadonlyArray<Cells> => {
  const head = choices.hasHeader ? headOf(all) : -1
  const targets = targetsOf(
    choices,
    all.filter((_, place) => place !== head)
  )
  const names = targets.map(({ name }) => name)
  const rows = all.map((cells, index) => {
    if (isBlank(cells)) return [""]
    if (index === head) return names
    if (cells.length === choices.columns.length) return targets.map(({ cell }) => cell(cells))
    return cells.length === targets.length ? [...cells, ""] : cells
  })
  return choices.hasHeader ? rows : [names, ...rows]
}

/** Names in the file of the columns that are sent. `nameOf`: the name of a column by its place. */
export const wordsOf = (choices: Choices, nameOf: (place: number) => string): OwnWords => ({
  dateOrder: choices.dateOrder,
  labels: Object.fromEntries(targetsOf(choices, []).map(({ from, name }) => [name, from.map(nameOf).join(" + ")]))
})
