/**
 * Rules of dynamic segments as they are sent (platform.md *Rules*). Both spellings
 * decode to one form: an object of rules that must all hold.
 */
import { Schema } from "effect"
import type { Result } from "effect"
import type { BodyFault } from "../Decode.ts"
import { isObject, strictDecoder } from "../Decode.ts"
import {
  AnyValue,
  bounded,
  field,
  Identifier,
  Integer,
  maxTextLength,
  MemberStatus,
  optional,
  Unit,
  whole
} from "../Values.ts"

/** Deepest nesting: combinators and the rule within them. */
export const maxRuleDepth = 10
/** Most conditions of a segment, with those of the segments that its rules name. */
export const maxConditions = 200
/** Longest time of a rule, days: a century. */
const maxDays = 36_500
/** Most values of a list within a rule. */
const maxValues = 100

const days = (description: string) =>
  field(whole(1, maxDays, `must be a whole number of days from 1 to ${maxDays}`), description)
const withinDays = (description: string) => Schema.optionalKey(days(description)).annotateKey({ description })
const count = whole(1, 1_000_000, "must be a whole number from 1 to 1000000")
const positive = whole(1, Number.MAX_SAFE_INTEGER, "must be a whole number of at least 1")
const notNegative = whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number of at least 0")
const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(maxValues, { message: `must have at most ${maxValues} items` })
  )

const Name = bounded(1, maxTextLength)
const EventType = bounded(1, 128)
const ForeignText = bounded(0, maxTextLength)
const isText = Schema.is(ForeignText)

export type Scalar = string | number | boolean
const isScalar = (value: unknown): value is Scalar =>
  typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) || isText(value)
const scalarFault = `must be a text of at most ${maxTextLength} characters, a number, true or false`

/** A text, a number, true or false. */
const ScalarValue = AnyValue.check(
  Schema.makeFilter((value) => isScalar(value) || scalarFault, {
    toJsonSchema: () => ({ type: ["string", "number", "boolean"] })
  })
)

/** Attributes by name: each must be there with this value. */
const Attributes = AnyValue.check(
  Schema.makeFilter(
    (value) => {
      if (!isObject(value)) return "must be an object"
      const names = Object.keys(value)
      if (names.length === 0 || names.length > maxValues) return `must have 1 to ${maxValues} attributes`
      return names.flatMap((name) => {
        if (!isText(name) || name === "") return [{ path: [name], issue: "is not allowed as a name" }]
        return isScalar(value[name]) ? [] : [{ path: [name], issue: scalarFault }]
      })
    },
    { toJsonSchema: () => ({ type: "object", additionalProperties: { type: ["string", "number", "boolean"] } }) }
  )
)

const Property = Schema.Struct({
  name: field(Name, "The property's name."),
  equals: field(ScalarValue, "Its value.")
})

const EventRule = Schema.Struct({
  type: field(EventType, "The events' type."),
  minimum_count: optional(count, "So many of them or more; absent: one."),
  within_days: withinDays("Only those of so many times 24 hours until now; absent: all until now."),
  property: optional(Property, "Only those with this property."),
  minimum_value: optional(
    notNegative,
    "Only those worth so much or more each, minor units of the programme's currency."
  )
})

const OrderRule = Schema.Struct({
  minimum_count: optional(count, "So many orders or more; absent: one."),
  minimum_spend: optional(notNegative, "Their eligible spend net of refunds together, minor units, or more."),
  within_days: withinDays("Only orders that accrued within so many times 24 hours until now; absent: all."),
  location_id: optional(Name, "Only orders of this location.")
})

const BalanceRule = Schema.Struct({
  unit: optional(Unit, "The unit; absent: that of the primary account."),
  at_least: optional(Integer, "The posted balance is at least this."),
  at_most: optional(Integer, "The posted balance is at most this.")
})

const ConsentRule = Schema.Struct({
  purpose: field(bounded(1, 64), "What the member agreed to, such as `marketing`."),
  channel: optional(bounded(1, 64), "By this channel; without consent of its own a channel has that of the purpose.")
})

const AttributeRule = Schema.Struct({
  name: field(Name, "The attribute's name."),
  equals: optional(ScalarValue, "It has this value; either this or `in`."),
  in: optional(listOf(ScalarValue), "It has one of these values.")
})

const ExpiringRule = Schema.Struct({
  unit: optional(Unit, "The unit; absent: that of the primary account."),
  amount: field(positive, "So many points or more expire."),
  within_days: days("Within so many times 24 hours from now on.")
})

const ProfileRule = Schema.Struct({
  has_email: optional(Schema.Boolean, "Whether there is an e-mail address."),
  has_phone: optional(Schema.Boolean, "Whether there is a phone number."),
  marketing_consent: optional(Schema.Boolean, "Whether there is consent to `marketing`."),
  attributes: optional(Attributes, "The same as `attributes` beside it.")
})

/** How deep combinators are nested below a value, counted up to one more than the bound. */
const depthOf = (value: unknown): number => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; ; depth++) {
    if (level.length === 0 || depth > maxRuleDepth) return depth
    level = level.flatMap((one): ReadonlyArray<unknown> => {
      if (!isObject(one)) return []
      return [one["all"], one["any"], one["not"]].flatMap((part) => (part === undefined ? [] : [part].flat()))
    })
  }
}

const tooDeep = `must not be nested deeper than ${maxRuleDepth} levels`

const namesOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Rules within a combinator: the same object again. */
const Inner = AnyValue.check(
  Schema.makeFilter(
    (value) => {
      if (!isObject(value)) return "must be an object"
      // Before anything goes into it: a megabyte of brackets is deeper than a stack.
      if (depthOf(value) >= maxRuleDepth) return tooDeep
      const decoded = decodeRules(value)
      return decoded._tag === "Success"
        ? true
        : decoded.failure.map(({ message, path }) => ({ path: namesOf(path), issue: message }))
    },
    {
      toJsonSchema: () => ({
        type: "object",
        description: `Rules as in \`rules\`, at most ${maxRuleDepth} levels deep.`,
        additionalProperties: true
      })
    }
  )
)

const isEmpty = (rules: object): boolean => Object.keys(rules).length === 0

export const Rules = Schema.Struct({
  all: optional(listOf(Inner), "All of these hold."),
  any: optional(listOf(Inner), "At least one of these holds."),
  not: optional(Inner, "These do not hold."),
  status: optional(listOf(MemberStatus), "The member's status is one of these. Closed members match this rule alone."),
  tier: optional(listOf(Identifier), "The member's tier is one of these."),
  balance: optional(BalanceRule, "The posted balance lies within bounds."),
  consent: optional(ConsentRule, "The member has agreed to something."),
  has: optional(Schema.Literals(["email", "phone", "birth_date"]), "The profile has this."),
  attribute: optional(AttributeRule, "An attribute of the member has one of some values."),
  event: optional(EventRule, "Events were recorded for the member."),
  order: optional(OrderRule, "The member's orders accrued."),
  inactive_days: Schema.optionalKey(days("")).annotateKey({
    description: "No order for so many times 24 hours, and a member for as long."
  }),
  joined_within_days: withinDays("Enrolled within so many times 24 hours until now."),
  birthday_within_days: optional(
    whole(0, 366, "must be a whole number from 0 to 366"),
    "A birthday today or within so many days, by the calendar of the tier policy's zone, else UTC."
  ),
  expiring: optional(ExpiringRule, "Points of the member expire soon."),
  in_segment: optional(Identifier, "The member is in this segment of the programme."),
  statuses: optional(listOf(MemberStatus), "The same as `status`."),
  tier_ids: optional(listOf(Identifier), "The same as `tier`."),
  minimum_available_balance: optional(
    Integer,
    "The available balance of the primary account (posted less reserved) is at least this."
  ),
  attributes: optional(Attributes, "Each of these attributes has this value."),
  profile: optional(ProfileRule, "What the profile has.")
})
  .check(
    Schema.makeFilter((rules) => !isEmpty(rules) || "must have at least one rule"),
    Schema.makeFilter(({ attribute, balance }) =>
      (attribute === undefined || (attribute.equals === undefined) !== (attribute.in === undefined)
        ? []
        : [{ path: ["attribute"], issue: "must have either `equals` or `in`" }]
      ).concat(
        balance === undefined || balance.at_least !== undefined || balance.at_most !== undefined
          ? []
          : [{ path: ["balance"], issue: "must have `at_least` or `at_most`" }]
      )
    ),
    Schema.makeFilter(({ profile }) =>
      profile === undefined || !isEmpty(profile) ? [] : [{ path: ["profile"], issue: "must have at least one rule" }]
    )
  )
  .annotate({ identifier: "Rules", description: "Rules that all hold for the members of a segment." })
export type Rules = typeof Rules.Type

/** Decodes rules, with every fault of theirs. */
export const decodeRules = (rules: unknown): Result.Result<Rules, ReadonlyArray<BodyFault>> => {
  decoder ??= strictDecoder(Rules)
  return decoder(rules)
}
let decoder: ((rules: unknown) => Result.Result<Rules, ReadonlyArray<BodyFault>>) | undefined
