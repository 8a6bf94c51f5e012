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
import type { FileKind, SaidMapping, Target } from "./Mapping.ts"
import { targetOf } from "./Mapping.ts"
import type { DateForm } from "./WrittenTimes.ts"
import { birthDateIn, DateMarks, instantIn } from "./WrittenTimes.ts"

/** How the cells of a file are written. */
export interface Form extends DateForm {
  readonly kind: FileKind
  readonly targets: ReadonlyMap<string, Target>
  readonly thousands: Thousands | undefined
  readonly callingCode: string | undefined
  readonly primary: Unit
  readonly encoding: Encoding | undefined
  readonly separator: Separator | undefined
  readonly marks: DateMarks
  /** Words of cells by column, and what they stand for. */
  readonly values: NonNullable<SaidMapping["values"]>
}

export const formOf = (mapping: SaidMapping, program: Program): Form => ({
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
  separator: mapping.separator,
  marks: new DateMarks(),
  values: mapping.values ?? {}
})

interface Wrong {
  readonly name: FaultName
  readonly detail: string
}

interface CellFault extends Wrong {
  readonly column: string
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

/** Fields without which a guest moves, by the fault of their values. */
const optional: ReadonlyMap<string, FaultName> = new Map([
  ["email", "invalid_email"],
  ["phone", "invalid_phone"],
  ["birth_date", "invalid_birth_date"],
  ...["card", "identity_value", "identity_type", "identity_issuer", "identities"].map(
    (field) => [field, "invalid_card"] as const
  ),
  ...["display_name", "joined_at", "attributes", "attribute"].map((field) => [field, "invalid_profile"] as const),
  ...["lifetime", "period_sum", "orders", "last_earned_at", "tier_id", "tier_until"].map(
    (field) => [field, "invalid_standing"] as const
  ),
  ...["marketing_consent", "consent_source", "consents"].map((field) => [field, "invalid_consent"] as const)
])

/** The fault of a value that cannot be read. A guest moves without what is optional, where it was waived. */
export const faultOf = (kind: FileKind, field: string): FaultName => {
  if (kind === "consents" && !field.endsWith("_id")) return "invalid_consent"
  return (kind === "guests" ? optional.get(field) : undefined) ?? "invalid"
}

const shortenedOf = (kind: FileKind, field: string): FaultName => {
  const fault = faultOf(kind, field)
  return fault === "invalid_card" ? "shortened_card" : fault === "invalid" ? "shortened" : fault
}

/** A value, a fault, or both: a value that can be read in two ways. */
type Converted = Wrong | { readonly value: unknown; readonly fault?: Wrong }

const invalid = (detail: string): Converted => ({ name: "invalid", detail })
const unsaid = (detail: string): Converted => ({ name: "unsaid", detail })

const dateUnsaid = "Is it day or month first? The mapping's dates must be DMY or MDY."

/** A date that was read, with a fault if the file writes its other dates otherwise. */
const readDate = (value: string, text: string, { marks }: Form): Converted =>
  marks.isAmbiguous(text)
    ? {
        value,
        fault: {
          name: "ambiguous_date",
          detail: "Is it day or month first? The file writes its first date with other marks."
        }
      }
    : { value }

const instant = (text: string, form: Form, end: boolean): Converted => {
  const read = instantIn(text, form, end)
  if (read === "unsaid") return unsaid(dateUnsaid)
  if (read === "invalid") return invalid("It must be a date, or a date and a time.")
  return readDate(fromMillis(read.at), text, form)
}

const points = (text: string, { thousands }: Form): Converted => {
  if (thousands === undefined && haveSeparators([text]))
    return unsaid("Do points have thousands after a dot or a comma? The mapping's thousands must say it.")
  const whole = wholePoints(text, thousands)
  return /^-?\d+$/.test(whole) ? { value: Number(whole) } : invalid("It must be a whole number.")
}

const birthDate = (text: string, form: Form): Converted => {
  const read = birthDateIn(text, form.order)
  if (read === "unsaid") return unsaid(dateUnsaid)
  return read === "invalid" ? invalid("It must be a date.") : readDate(read, text, form)
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
  if (isId.has(field) && shortened.test(text))
    return { name: shortenedOf(form.kind, field), detail: "It has lost digits." }
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

/** The fault of a cell by the name of its field's. */
const named = (fault: Wrong, kind: FileKind, field: string): Wrong =>
  fault.name === "invalid" ? { ...fault, name: faultOf(kind, field) } : fault

/** The cell, or what the mapping says that its word stands for. */
const wordOf = ({ values }: Form, column: string, cell: unknown): unknown => {
  if (typeof cell !== "string" || !Object.hasOwn(values, column)) return cell
  const words = values[column]
  const word = cell.trim()
  return words !== undefined && Object.hasOwn(words, word) ? words[word] : cell
}

/** A consent without a channel is one to every channel: a word that stands for nothing must not widen it. */
const everyChannel = "The mapping has no channel for this word; without one the consent would be to every channel."

const isWidened = (target: Target | undefined, cell: unknown, written: unknown): boolean =>
  target?.field === "channel" && cell === null && typeof written === "string"

/** Reads a row. Empty cells are absent. */
export const said = ({ cells, names }: Row, form: Form): Said => {
  let value: Readonly<Record<string, unknown>> = {}
  const faults: Array<CellFault> = []
  for (const [index, column] of names.entries()) {
    const target = form.targets.get(column)
    const cell = wordOf(form, column, cells[index])
    if (isWidened(target, cell, cells[index])) faults.push({ name: "invalid_consent", detail: everyChannel, column })
    if (target === undefined || cell === undefined || cell === null) continue
    if (typeof cell === "string" && cell.trim() === "") continue
    const read = converted(target.field, cell, form)
    const fault = "value" in read ? read.fault : named(read, form.kind, target.field)
    if (fault !== undefined) faults.push({ ...fault, column })
    if ("value" in read) value = put(value, target, read.value, form.primary)
  }
  return { value, faults }
}
