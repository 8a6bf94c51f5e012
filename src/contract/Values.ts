/**
 * The values that every resource is made of: identifiers, texts, times, money, enumerations, free-form objects.
 *
 * Decoding checks and never transforms: a timestamp stays text, so that a decoded
 * request equals the request. Sources: contract/resources.md *Values*.
 */
import { Schema, SchemaTransformation } from "effect"
import { maxIdempotencyKeyLength, minIdempotencyKeyLength } from "./protocol/Protocol.ts"
import { told } from "./Said.ts"

/** A property with a description of its own, one sentence. */
export const field = <S extends Schema.Top>(schema: S, description: string): S["Rebuild"] =>
  schema.annotateKey({ description })

/** An optional property with a description of its own. */
export const optional = <S extends Schema.Top>(schema: S, description: string): Schema.optionalKey<S> =>
  Schema.optionalKey(schema).annotateKey({ description })

/** Longest plain text such as a name, an issuer or a tag, characters. */
export const maxTextLength = 512
/** Longest identifier, and longest id of another system. */
export const maxIdLength = 128
/** Longest reason that an operator or a till gives. */
export const maxReasonLength = 255
/** Longest value of an identity or an artifact, and longest ledger cursor. */
const maxValueLength = 512
/** Longest timestamp: room for a fraction of 30 digits. */
const maxTimestampLength = 64
/** Deepest nesting of a free-form value. */
export const maxFreeFormDepth = 32
/** Faults reported for one free-form value. */
const maxFreeFormFaults = 100

const isWellFormed = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

const notWellFormed = "must be well-formed Unicode without NUL"

/** Whether a well-formed text has `minimum` to `maximum` characters (code points, as JSON Schema counts them). */
const hasLength = (text: string, minimum: number, maximum: number): boolean => {
  const { length } = text
  if (length < minimum || length > maximum * 2) return false
  if (length >= minimum * 2 - 1 && length <= maximum) return true
  const characters = Array.from(text).length
  return characters >= minimum && characters <= maximum
}

/** Text of `minimum` to `maximum` characters that is well-formed Unicode without NUL. */
export const bounded = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) => {
        if (!isWellFormed(text)) return notWellFormed
        return hasLength(text, minimum, maximum) || told`must have ${minimum} to ${maximum} characters`
      },
      {
        toJsonSchema: () => ({ minLength: minimum, maxLength: maximum }),
        arbitraryConstraint: {
          minLength: minimum,
          maxLength: maximum,
          patterns: [{ source: `^[ -~]{${minimum},${Math.min(maximum, minimum + 32)}}$`, flags: "" }]
        }
      }
    )
  )

/** Text of `minimum` to `maximum` characters with at least one that is no white space. */
export const filled = (minimum: number, maximum: number) =>
  bounded(minimum, maximum).check(
    Schema.makeFilter((text) => /\S/.test(text) || "must not be blank", {
      toJsonSchema: () => ({ pattern: "\\S" }),
      arbitraryConstraint: {
        patterns: [{ source: `^[!-~]{${minimum},${Math.min(maximum, minimum + 32)}}$`, flags: "" }]
      }
    })
  )

/** Opaque and stable within its owner: 1 to 128 characters, `^[A-Za-z0-9][A-Za-z0-9._:-]*$`. */
export const Identifier = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/u, {
    message: "must be an identifier: 1 to 128 of A-Z a-z 0-9 . _ : -, the first a letter or digit"
  })
).annotate({
  identifier: "Identifier",
  title: "Identifier",
  description: "Opaque and stable within the owning system.",
  examples: ["member-001"]
})

/** Words of the operators' paths, which name no programme and no member (contract/operators.md *Routes*). */
export const reservedIds: ReadonlySet<string> = new Set(["evaluate", "merge", "publish", "validate"])

/** The identifier of something new whose id appears in the operators' paths. */
export const NewIdentifier = Identifier.check(
  Schema.makeFilter((id) => !reservedIds.has(id) || told`must not be ${id}, a word of the operators' API`, {
    toJsonSchema: () => ({ not: { enum: [...reservedIds] } })
  })
)

/** Plain texts of 1 to 512 characters; the second one is not blank. */
export const Text = bounded(1, maxTextLength)
export const FilledText = filled(1, maxTextLength)
/** Ids of other systems, which need not be identifiers: 1 to 128 characters. */
export const ForeignId = filled(1, maxIdLength).annotate({
  identifier: "ForeignId",
  title: "Id of another system",
  description: "An id in the spelling of its own system.",
  examples: ["order-1001"]
})
/** A `ForeignId` in an answer: as it was recorded, also before blank ones were refused. */
export const RecordedId = bounded(1, maxIdLength)
/** Reasons of 1 to 255 characters; the second one, of operators' commands, is not blank. */
export const Reason = bounded(1, maxReasonLength)
export const FilledReason = filled(1, maxReasonLength)
/** An artifact's value, or a filter, 1 to 512 characters. */
export const Value = bounded(1, maxValueLength)
/** The value of an identity, 1 to 512 characters, not blank. */
export const IdentityValue = filled(1, maxValueLength)
export const IdempotencyKey = filled(minIdempotencyKeyLength, maxIdempotencyKeyLength).annotate({
  description: "One key per business action: a retry with the same key returns the first result.",
  examples: ["pos7-2026-07-14-0001"]
})
/** A ledger cursor, 1 to 512 characters. */
export const Cursor = bounded(1, maxValueLength).annotate({ description: "Opaque; a `next_cursor` of the same list." })

/** A whole number of at most 2^53 − 1 in size: what JSON carries exactly. */
export const Integer = Schema.Number.check(
  Schema.isInt({ message: "must be a whole number between -(2^53 - 1) and 2^53 - 1" })
)

/** A whole number from `minimum` to `maximum`. */
export const whole = (minimum: number, maximum: number, message: string) =>
  Schema.Number.check(Schema.isInt({ message }), Schema.isBetween({ minimum, maximum }, { message }))

/** Largest total of an order in minor units, and largest single credit (contract/orders.md *Orders that add up*). */
export const maxAmount = 10_000_000_000

/**
 * A sum over many members. Exact up to 2^53 − 1, which takes 900,000 entries or orders of `maxAmount`; beyond, the
 * nearest number that JSON carries, not a fixed maximum.
 */
export const Sum = Schema.Finite.check(
  Schema.makeFilter((value: number) => Number.isInteger(value) || "must be a whole number", {
    toJsonSchema: () => ({ type: "integer" })
  })
)

/** Parts of one that a quantity is counted in: it has at most 6 decimals. */
export const quantityScale = 1_000_000n

const quantityPattern = /^\d+\.\d{1,6}$/

/** A checked quantity in millionths, exactly: the number's own decimal digits. */
export const toMicros = (quantity: number): bigint => {
  const [whole = "0", decimals = ""] = String(quantity).split(".")
  return BigInt(whole + decimals.padEnd(6, "0"))
}

const quantityMessage = "must be a number above 0 with at most 6 decimals"

/** How many, or how much, of a product: above 0, with at most 6 decimals (contract/resources.md *Values*). */
export const Quantity = Schema.Number.check(
  Schema.isFinite({ message: quantityMessage }),
  Schema.makeFilter((value) => Number.isSafeInteger(value) || quantityPattern.test(String(value)) || quantityMessage, {
    toJsonSchema: () => ({}),
    arbitraryConstraint: { number: "integer" }
  }),
  Schema.isBetween({ minimum: 0.000_001, maximum: Number.MAX_SAFE_INTEGER }, { message: quantityMessage })
)

const timestampPattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/
const datePattern = /^\d{4}-\d{2}-\d{2}$/
/** The first instant of the year 1, ms (contract/resources.md *Values*: timestamps lie in the years 1 to 9999). */
const earliestInstant = Date.parse("0001-01-01T00:00:00.000Z")
/** The last instant that a timestamp can represent, ms. */
export const latestInstant = Date.UTC(10_000, 0, 1) - 1

const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The number of two digits in a text. */
const twoDigits = (text: string, at: number): number => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * zero
const zero = "0".charCodeAt(0)

export const isRealDate = (text: string): boolean => {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

export const isTimestamp = (text: string): boolean => {
  const { length } = text
  if (length > maxTimestampLength || !timestampPattern.test(text) || !isRealDate(text)) return false
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return false
  if (text.endsWith("Z") || text.endsWith("z")) return true
  if (twoDigits(text, length - 5) > 23 || twoDigits(text, length - 2) > 59) return false
  // Only an offset can move an instant outside the years 1 to 9999.
  const millis = toMillis(text)
  return millis >= earliestInstant && millis <= latestInstant
}

/**
 * RFC 3339 with any offset in requests; UTC with milliseconds and `Z` in
 * responses. Seconds go to 59: leap seconds do not exist on the clock that orders
 * everything. In UTC the year is between 1 and 9999.
 */
export const Timestamp = Schema.String.check(
  Schema.makeFilter((text) => isTimestamp(text) || "must be a real RFC 3339 date-time such as 2026-07-14T10:00:00Z", {
    toJsonSchema: () => ({ format: "date-time" }),
    arbitraryConstraint: {
      patterns: [
        {
          source:
            "^20[0-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]0[0-9]:[03]0)$",
          flags: ""
        }
      ]
    }
  })
).annotate({
  identifier: "Timestamp",
  title: "Timestamp",
  description: "RFC 3339 with any offset in requests; UTC, milliseconds and Z in responses.",
  examples: ["2026-07-14T10:00:00.000Z"]
})

/** A day of business, `YYYY-MM-DD`. */
export const BusinessDate = Schema.String.check(
  Schema.makeFilter((text) => (datePattern.test(text) && isRealDate(text)) || "must be a real date, YYYY-MM-DD", {
    toJsonSchema: () => ({ format: "date" }),
    arbitraryConstraint: { patterns: [{ source: "^20[0-9][0-9]-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])$", flags: "" }] }
  })
).annotate({ identifier: "BusinessDate", title: "Business date", examples: ["2026-07-14"] })

/** ms since 1970 of a checked timestamp; fractions of a millisecond are dropped. */
export const toMillis = (timestamp: string): number => Date.parse(timestamp.toUpperCase().replace(/(\.\d{3})\d+/, "$1"))

const dayMs = 86_400_000

const padded = (count: number, digits: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, value) => String(value).padStart(digits, "0"))
const upTo60 = padded(60, 2)
const upTo1000 = padded(1_000, 3)

/** A small cache of formatted days, indexed by the day's number: responses mostly name today and a few expiry days. */
const keptDays = 64
const daysKept = new Int32Array(keptDays)
const dayTexts: Array<string> = Array.from({ length: keptDays }, () => "1970-01-01T")

/** A small cache of formatted instants: one response repeats the same instant several times. */
const keptInstants = 64
const instantsKept = new Float64Array(keptInstants).fill(Number.NaN)
const instantTexts: Array<string> = Array.from({ length: keptInstants }, () => "")

/** UTC with milliseconds and `Z`. */
export const fromMillis = (millis: number): string => {
  const place = millis & (keptInstants - 1)
  if (millis !== instantsKept[place]) {
    instantTexts[place] = textOf(millis)
    instantsKept[place] = millis
  }
  return instantTexts[place]!
}

/** Formats the day once for all its instants: an account may show many. */
const textOf = (millis: number): string => {
  const day = Math.floor(millis / dayMs)
  const place = day & (keptDays - 1)
  if (day !== daysKept[place]) {
    dayTexts[place] = new Date(day * dayMs).toISOString().slice(0, -"00:00:00.000Z".length)
    daysKept[place] = day
  }
  const ofDay = Math.floor(millis) - day * dayMs
  const seconds = Math.floor(ofDay / 1_000)
  const minutes = Math.floor(seconds / 60)
  const time = `${upTo60[Math.floor(minutes / 60)]}:${upTo60[minutes % 60]}:${upTo60[seconds % 60]}`
  return `${dayTexts[place]}${time}.${upTo1000[ofDay - seconds * 1_000]}Z`
}

export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, { message: "must be a currency code of three capital letters" })
)

/** Signed whole minor units of a currency. */
export const Money = Schema.Struct({
  amount: field(Integer, "Whole minor units of the currency, such as cents; negative only if the property allows it."),
  currency: field(Currency, "Three capital letters, such as `USD`.")
}).annotate({
  identifier: "Money",
  title: "Money",
  description: "Signed whole minor units (cents) and a currency code of three capital letters.",
  examples: [{ amount: 1188, currency: "USD" }]
})
export type Money = typeof Money.Type

/** A sum of money over many members. */
export const MoneySum = Schema.Struct({
  amount: field(Sum, "Whole minor units of the currency, such as cents."),
  currency: field(Currency, "Three capital letters, such as `USD`.")
}).annotate({ identifier: "MoneySum", description: "A sum of money over many orders, in whole minor units (cents)." })

export const Unit = Schema.Literals(["points", "visits", "stamps", "credits", "custom"])
export type Unit = typeof Unit.Type
export const IdentityType = Schema.Literals(["loyalty_id", "token", "email_hash", "phone_hash", "external"])
export type IdentityType = typeof IdentityType.Type
/** Identity types whose value is a SHA-256 in lower-case hex. */
export const hashTypes: ReadonlySet<IdentityType> = new Set(["email_hash", "phone_hash"])
export const MemberStatus = Schema.Literals(["active", "suspended", "closed"])
export type MemberStatus = typeof MemberStatus.Type
export const LedgerOperation = Schema.Literals([
  "accrual",
  "redemption",
  "reversal",
  "adjustment",
  "expiration",
  "manual"
])
export type LedgerOperation = typeof LedgerOperation.Type
export const Classification = Schema.Literals(["bonus", "gift", "migration", "service_recovery", "correction"])
export type Classification = typeof Classification.Type
export const ReservationStatus = Schema.Literals(["reserved", "captured", "reversed", "expired"])
export type ReservationStatus = typeof ReservationStatus.Type
export const IssuedRewardStatus = Schema.Literals(["issued", "redeemed", "cancelled", "expired"])
export type IssuedRewardStatus = typeof IssuedRewardStatus.Type
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
export type OrderStatus = typeof OrderStatus.Type
export const LineKind = Schema.Literals(["item", "modifier", "fee"])
export type LineKind = typeof LineKind.Type
export const TenderType = Schema.Literals(["cash", "card", "gift_card", "loyalty", "third_party", "other"])
export type TenderType = typeof TenderType.Type
export const OrderAdjustmentType = Schema.Literals(["partial_refund", "full_refund", "void", "correction"])
export type OrderAdjustmentType = typeof OrderAdjustmentType.Type
/** Why a `spend` account earned nothing on an order, in the order in which they are answered. */
export const IneligibleReason = Schema.Literals([
  "already_accrued",
  "channel_not_eligible",
  "no_eligible_lines",
  "below_minimum_spend",
  "rounded_to_zero",
  "limit_reached"
])
export type IneligibleReason = typeof IneligibleReason.Type
/** Why a member could not reserve a reward now (contract/operations.md *Evaluation*). */
export const UnavailableReason = Schema.Literals([
  "member_not_active",
  "program_retired",
  "not_yet_available",
  "no_longer_available",
  "no_matching_item",
  "limit_reached",
  "below_minimum_points",
  "insufficient_balance"
])
export type UnavailableReason = typeof UnavailableReason.Type

/** Keys with a special meaning in JavaScript; rejected in free-form objects. */
const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"])

interface FreeFormFault {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: string
}

/** Booleans, null and finite numbers have no faults. */
const mayHaveFaults = (value: unknown): boolean =>
  typeof value === "number" ? !Number.isFinite(value) : typeof value !== "boolean" && value !== null

/**
 * Collects the faults of a free-form JSON value: forbidden keys, NUL, lone
 * surrogates, numbers such as 1e400, nesting too deep. Recursion ends at
 * `maxFreeFormDepth`.
 */
const collectFreeFormFaults = (
  value: unknown,
  path: ReadonlyArray<PropertyKey>,
  faults: Array<FreeFormFault>
): void => {
  if (typeof value === "string" && !isWellFormed(value)) faults.push({ path, issue: notWellFormed })
  if (typeof value === "number" && !Number.isFinite(value))
    faults.push({ path, issue: "must be a number that fits a double" })
  if (typeof value !== "object" || value === null || faults.length >= maxFreeFormFaults) return
  if (path.length >= maxFreeFormDepth) {
    faults.push({ path, issue: told`must not be nested deeper than ${maxFreeFormDepth} levels` })
    return
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && faults.length < maxFreeFormFaults; index++) {
      if (mayHaveFaults(value[index])) collectFreeFormFaults(value[index], [...path, index], faults)
    }
    return
  }
  const object = value as Readonly<Record<string, unknown>>
  for (const key of Object.keys(object)) {
    if (faults.length >= maxFreeFormFaults) return
    if (forbiddenKeys.has(key)) faults.push({ path: [...path, key], issue: "is not allowed as a key" })
    else if (!isWellFormed(key)) faults.push({ path: [...path, key], issue: notWellFormed })
    else if (mayHaveFaults(object[key])) collectFreeFormFaults(object[key], [...path, key], faults)
  }
}

const freeFormFaults = (root: unknown): ReadonlyArray<FreeFormFault> => {
  const faults: Array<FreeFormFault> = []
  collectFreeFormFaults(root, [], faults)
  return faults
}

/**
 * Any value of a parsed body. Its filters alone refuse it: the JSON codec of
 * `Schema.Unknown` would refuse 1e400, and a whole list with it, without naming its place.
 */
export const AnyValue = Schema.declare((_: unknown): _ is unknown => true, {
  toCodecJson: () => undefined,
  toCodecArbitrary: () =>
    Schema.link<unknown>()(Schema.Json, SchemaTransformation.passthroughSubtype<unknown, Schema.Json>())
})

/** Any JSON value. */
export const FreeJson = AnyValue.check(
  Schema.makeFilter((value) => freeFormFaults(value), { toJsonSchema: () => ({}) })
).annotate({ identifier: "AnyJson", title: "Any JSON", description: "Any JSON value." })

/** A free-form JSON object of the caller; returned as stored. */
export const FreeForm = AnyValue.check(
  Schema.makeFilter(
    (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? freeFormFaults(value)
        : "must be an object",
    { toJsonSchema: () => ({ type: "object", additionalProperties: true }) }
  )
).annotate({
  identifier: "FreeForm",
  title: "Free-form object",
  description: "A free-form JSON object of the caller."
})
