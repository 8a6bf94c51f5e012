/**
 * The values that every resource is made of: identifiers, texts, times, money,
 * enumerations, free-form objects.
 *
 * Decoding checks and never transforms: a timestamp stays the text it came as,
 * so that a decoded request is the request. Sources: service.md "Shared
 * conventions", decisions.md §1 and §3.
 */
import { Schema } from "effect"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "./Protocol.ts"

/** Longest plain text such as a name or a path segment, characters. */
export const maxTextLength = 512
/** Deepest nesting of a free-form value. */
export const maxFreeFormDepth = 32

const isWellFormed = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

const bounded = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.isBetweenLength(minimum, maximum, { message: `must have ${minimum} to ${maximum} characters` }),
    Schema.makeFilter((text) => isWellFormed(text) || "must be well-formed Unicode without NUL")
  )

/** Opaque and stable within its owner: 1 to 128 characters, `^[A-Za-z0-9][A-Za-z0-9._:-]*$`. */
export const Identifier = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, {
    message: "must be an identifier: 1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or digit"
  })
).annotate({ identifier: "Identifier", description: "Opaque and stable within the owning system." })

/** A plain text of 1 to 512 characters. */
export const Text = bounded(1, maxTextLength)
/** Ids that other systems make and that are no identifiers by rule: 1 to 128 characters. */
export const ForeignId = bounded(1, 128)
/** An operator's reason, 1 to 255 characters. */
export const Reason = bounded(1, 255)
/** An identity's or an artifact's value, 1 to 512 characters. */
export const Value = bounded(1, 512)
export const IdempotencyKey = bounded(minIdempotencyKeyLength, maxIdempotencyKeyLength)
/** A ledger cursor, 1 to 512 characters. */
export const Cursor = bounded(1, 512)

/** A whole number of at most 2^53 − 1 in size. */
export const Integer = Schema.Int.check(
  Schema.makeFilter((value) => Number.isSafeInteger(value) || "must be a whole number between -(2^53 - 1) and 2^53 - 1")
)

const timestampPattern = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/
const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/

const isRealDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const isTimestamp = (text: string): boolean => {
  const match = timestampPattern.exec(text)
  if (match === null) return false
  const [, year, month, day, hour, minute, second, , offset = "Z"] = match
  if (!isRealDate(Number(year), Number(month), Number(day))) return false
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return false
  return offset.length === 1 || (Number(offset.slice(1, 3)) <= 23 && Number(offset.slice(4)) <= 59)
}

/** RFC 3339 with any offset in requests; UTC with milliseconds and `Z` in responses. */
export const Timestamp = Schema.String.check(
  Schema.makeFilter((text) => isTimestamp(text) || "must be a real RFC 3339 date-time such as 2026-07-14T10:00:00Z", {
    toJsonSchema: () => ({ format: "date-time" })
  })
)

/** A day of business, `YYYY-MM-DD`. */
export const BusinessDate = Schema.String.check(
  Schema.makeFilter((text) => {
    const match = datePattern.exec(text)
    return match !== null && isRealDate(Number(match[1]), Number(match[2]), Number(match[3])) ||
      "must be a real date, YYYY-MM-DD"
  }, { toJsonSchema: () => ({ format: "date" }) })
)

/** ms since 1970 of a checked timestamp; fractions beyond a millisecond are cut. */
export const toMillis = (timestamp: string): number =>
  Date.parse(timestamp.toUpperCase().replace(/(\.\d{3})\d+/, "$1"))

/** UTC with milliseconds and `Z`. */
export const fromMillis = (millis: number): string => new Date(millis).toISOString()

export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/, { message: "must be a currency code of three capital letters" })
)

/** Signed whole minor units of a currency. */
export const Money = Schema.Struct({ amount: Integer, currency: Currency }).annotate({
  identifier: "Money",
  description: "Signed whole minor units (cents) and an ISO 4217 code."
})
export type Money = typeof Money.Type

export const Unit = Schema.Literals(["points", "visits", "stamps", "credits", "custom"])
export type Unit = typeof Unit.Type
export const IdentityType = Schema.Literals(["loyalty_id", "token", "email_hash", "phone_hash", "external"])
export const MemberStatus = Schema.Literals(["active", "suspended", "closed"])
export const LedgerOperation = Schema.Literals(["accrual", "redemption", "reversal", "adjustment", "expiration", "manual"])
export const Classification = Schema.Literals(["bonus", "gift", "migration", "service_recovery", "correction"])
export const ReservationStatus = Schema.Literals(["reserved", "captured", "reversed", "expired"])
export const IssuedRewardStatus = Schema.Literals(["issued", "redeemed", "cancelled", "expired"])
export const Channel = Schema.Literals([
  "counter",
  "drive_thru",
  "kiosk",
  "web",
  "mobile",
  "pickup",
  "delivery",
  "catering",
  "third_party",
  "other"
])
export type Channel = typeof Channel.Type
export const OrderStatus = Schema.Literals(["open", "authorized", "paid", "partially_refunded", "refunded", "voided"])
export const LineKind = Schema.Literals(["item", "modifier", "fee"])
export type LineKind = typeof LineKind.Type
export const TenderType = Schema.Literals(["cash", "card", "gift_card", "loyalty", "third_party", "other"])
export const OrderAdjustmentType = Schema.Literals(["partial_refund", "full_refund", "void", "correction"])

/** Keys that programs have been tricked with; refused wherever keys are free. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"])

interface FreeFormFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: string
}

/** Faults of a free-form JSON value: forbidden keys, NUL, lone surrogates, numbers that are none, nesting too deep. */
const freeFormFaults = (root: unknown): ReadonlyArray<FreeFormFault> => {
  const faults: Array<FreeFormFault> = []
  const waiting: Array<{ readonly value: unknown; readonly path: ReadonlyArray<PropertyKey> }> = [{ value: root, path: [] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next
    if (typeof value === "string" && !isWellFormed(value)) faults.push({ path, issue: "must be well-formed Unicode without NUL" })
    if (typeof value !== "object" || value === null) continue
    if (path.length >= maxFreeFormDepth) {
      faults.push({ path, issue: `must not be nested deeper than ${maxFreeFormDepth} levels` })
      continue
    }
    for (const key of Object.keys(value)) {
      if (forbiddenKeys.has(key)) faults.push({ path: [...path, key], issue: "is not allowed as a key" })
      else if (!isWellFormed(key)) faults.push({ path: [...path, key], issue: "must be well-formed Unicode without NUL" })
      else waiting.push({ value: (value as Record<string, unknown>)[key], path: [...path, key] })
    }
  }
  return faults
}

/** Any JSON value. */
export const FreeJson = Schema.Unknown.check(
  Schema.makeFilter((value) => freeFormFaults(value), { toJsonSchema: () => ({}) })
).annotate({ description: "Any JSON value." })

/** A JSON object of the caller's own making; returned as it was stored. */
export const FreeForm = Schema.Unknown.check(
  Schema.makeFilter((value) =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? freeFormFaults(value) : "must be an object", {
    toJsonSchema: () => ({ type: "object", additionalProperties: true })
  })
).annotate({ description: "A free-form JSON object." })
