/** Reads the cells of a row as values of the contract, by the mapping of its file. Pure. No fault quotes a cell. */
import { no, yes } from "../../contract/ColumnNames.ts"
import { callingCodeOf, phoneIn } from "../../contract/Phones.ts"
import type { Encoding, Separator } from "../../contract/TextFiles.ts"
import type { Unit } from "../../contract/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Thousands } from "../../contract/WrittenPoints.ts"
import { haveSeparators, wholePoints } from "../../contract/WrittenPoints.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { FaultName } from "./Faults.ts"
import type { Row } from "./FileRows.ts"
import type { FileKind, FileMapping, Target } from "./Mapping.ts"
import { targetOf } from "./Mapping.ts"
import type { DateForm } from "./WrittenTimes.ts"
import { birthDateIn, instantIn } from "./WrittenTimes.ts"

/** How the cells of a file are written. */
export interface Form extends DateForm {
  readonly kind: FileKind
  readonly targets: ReadonlyMap<string, Target>
  readonly thousands: Thousands | undefined
  readonly callingCode: string | undefined
  readonly primary: Unit
  readonly encoding: Encoding | undefined
  readonly separator: Separator | undefined
}

export const formOf = (mapping: FileMapping, program: Program): Form => ({
  kind: mapping.holds,
  targets: new Map(
    Object.entries(mapping.columns).flatMap(([column, field]) => {
      const target = field === null ? undefined : targetOf(mapping.holds, field)
      return target === undefined ? [] : [[column, target] as const]
    })
  ),
  order: mapping.dates ?? undefined,
  zone: mapping.zone ?? program.zone,
  thousands: mapping.thousands ?? undefined,
  callingCode: mapping.calling_code ?? callingCodeOf(program.file.country),
  primary: program.primaryUnit,
  encoding: mapping.encoding,
  separator: mapping.separator
})

interface CellFault {
  readonly name: FaultName
  readonly column: string
  readonly detail: string
}

/** The properties that a row tells, not yet checked against the contract. */
export interface Said {
  readonly value: Readonly<Record<string, unknown>>
  readonly faults: ReadonlyArray<CellFault>
}

/** A number to which a spreadsheet has shortened a longer one, such as 4.93E+15. */
const shortened = /^\d(?:[.,]\d+)?E\+\d+$/i
const isId: ReadonlySet<string> = new Set([
  "member_id",
  "external_id",
  "identity_value",
  "card",
  "phone",
  "code",
  "order_id"
])
const isInstant: ReadonlySet<string> = new Set([
  "joined_at",
  "earned_at",
  "last_earned_at",
  "issued_at",
  "recorded_at",
  "at"
])
const isEnd: ReadonlySet<string> = new Set(["expires_at", "tier_until"])
const isNumber: ReadonlySet<string> = new Set(["balance", "amount", "lifetime", "period_sum", "orders", "points"])
const isJson: ReadonlySet<string> = new Set(["attributes", "identities", "lots", "rewards", "consents"])
const isByUnit: ReadonlySet<string> = new Set(["balance", "lifetime", "period_sum"])
const isBoolean: ReadonlySet<string> = new Set(["granted", "marketing_consent"])

type Converted = { readonly value: unknown } | { readonly name: FaultName; readonly detail: string }

const invalid = (detail: string): Converted => ({ name: "invalid", detail })
const unsaid = (detail: string): Converted => ({ name: "unsaid", detail })

const dateUnsaid = "Is it day or month first? The mapping's dates must be DMY or MDY."

const instant = (text: string, form: Form, end: boolean): Converted => {
  const read = instantIn(text, form, end)
  if (read === "unsaid") return unsaid(dateUnsaid)
  return read === "invalid" ? invalid("It must be a date, or a date and a time.") : { value: fromMillis(read.at) }
}

const points = (text: string, { thousands }: Form): Converted => {
  if (thousands === undefined && haveSeparators([text]))
    return unsaid("Do points have thousands after a dot or a comma? The mapping's thousands must say it.")
  const whole = wholePoints(text, thousands)
  return /^-?\d+$/.test(whole) ? { value: Number(whole) } : invalid("It must be a whole number.")
}

const birthDate = (text: string, { order }: Form): Converted => {
  const read = birthDateIn(text, order)
  if (read === "unsaid") return unsaid(dateUnsaid)
  return read === "invalid" ? invalid("It must be a date.") : { value: read }
}

const phone = (text: string, { callingCode }: Form): Converted => {
  const read = phoneIn(text, callingCode)
  if (read !== undefined) return { value: read }
  return callingCode === undefined && phoneIn(text, "+49") !== undefined
    ? { name: "phone_without_country", detail: "The number has no country." }
    : invalid("It must be a telephone number.")
}

const json = (text: string): Converted => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return invalid("It must be JSON.")
  }
}

const boolean = (text: string): Converted => {
  const word = text.toLowerCase()
  const [isYes, isNo] = [yes.includes(word), no.includes(word)]
  return isYes === isNo ? invalid("It must be yes or no.") : { value: isYes }
}

/** The apostrophe that an export puts before a text which a spreadsheet would take for a formula. */
const formulaGuard = /^'(?=[=+\-@\t\r])/

const converted = (field: string, cell: unknown, form: Form): Converted => {
  if (typeof cell !== "string")
    return isId.has(field) && typeof cell === "number"
      ? invalid("It must be in quotation marks: numbers lose digits.")
      : { value: cell }
  const text = cell.trim().replace(formulaGuard, "")
  if (isId.has(field) && shortened.test(text)) return { name: "shortened", detail: "It has lost digits." }
  if (field === "expires_at" && /^never$/i.test(text)) return { value: null }
  if (isInstant.has(field)) return instant(text, form, false)
  if (isEnd.has(field)) return instant(text, form, true)
  if (isNumber.has(field)) return points(text, form)
  if (isJson.has(field)) return json(text)
  if (isBoolean.has(field)) return boolean(text)
  if (field === "birth_date") return birthDate(text, form)
  return field === "phone" ? phone(text, form) : { value: text }
}

/** Adds what a column tells to a value: all of `balance:stamps` and others like it are in `balance`. */
const put = (value: Readonly<Record<string, unknown>>, target: Target, told: unknown, primary: Unit) => {
  const { field, identity, name, unit = primary } = target
  if (identity !== undefined) {
    const { cards = [] } = value
    return { ...value, cards: [...(cards as ReadonlyArray<unknown>), { ...identity, value: told }] }
  }
  const within = name ?? (isByUnit.has(field) ? unit : undefined)
  return {
    ...value,
    [field]: within === undefined ? told : { ...(value[field] as object | undefined), [within]: told }
  }
}

/** Reads a row. Empty cells are absent. */
export const said = ({ cells, names }: Row, form: Form): Said => {
  let value: Readonly<Record<string, unknown>> = {}
  const faults: Array<CellFault> = []
  for (const [index, column] of names.entries()) {
    const target = form.targets.get(column)
    const cell = cells[index]
    if (target === undefined || cell === undefined || cell === null) continue
    if (typeof cell === "string" && cell.trim() === "") continue
    const read = converted(target.field, cell, form)
    if ("value" in read) value = put(value, target, read.value, form.primary)
    else faults.push({ ...read, column })
  }
  return { value, faults }
}
