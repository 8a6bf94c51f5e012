/**
 * Rules of dynamic segments (contract/engagement.md *Rules of segments*). Both spellings decode to one form:
 * an object of rules that must all match.
 */

import type { Result } from "effect"
import { Schema } from "effect"
import type { BodyFault } from "../Decode.ts"
import { isObject, strictDecoder } from "../Decode.ts"
import { told } from "../Said.ts"
import {
  AnyValue,
  bounded,
  ForeignId,
  field,
  Identifier,
  Integer,
  MemberStatus,
  maxTextLength,
  optional,
  Unit,
  whole
} from "../Values.ts"

/** Deepest nesting of combinators, with the rule inside them. */
export const maxRuleDepth = 10
/** Most conditions of a segment, with those of the segments that its rules refer to. */
export const maxConditions = 200
/** Longest period in a rule, days: a century. */
export const maxDays = 36_500
/** Longest window of a new rule about events or orders, days: what happened before, in 25 months, is not kept one by one. */
export const longestWindowDays = 760
/** Farthest birthday of a rule, days. */
export const maxBirthdayDays = 366
/** Most values in a list of a rule. */
const maxValues = 100

const days = (description: string) =>
  field(whole(1, maxDays, told`must be a whole number of days from 1 to ${maxDays}`), description)
const withinDays = (description: string) => Schema.optionalKey(days(description)).annotateKey({ description })
/** Most events or orders that a rule can ask for. */
export const maxCount = 1_000_000
const count = whole(1, maxCount, told`must be a whole number from ${1} to ${1000000}`)
const positive = whole(1, Number.MAX_SAFE_INTEGER, told`must be a whole number of at least ${1}`)
const notNegative = whole(0, Number.MAX_SAFE_INTEGER, told`must be a whole number of at least ${0}`)
const listOf = <S extends Schema.Top>(item: S, most = maxValues) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(most, { message: told`must have at most ${most} items` })
  )

const Name = bounded(1, maxTextLength)
const EventType = bounded(1, 128)
const ForeignText = bounded(0, maxTextLength)
const isText = Schema.is(ForeignText)

export type Scalar = string | number | boolean
const isScalar = (value: unknown): value is Scalar =>
  typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value)) || isText(value)
const scalarFault = told`must be a text of at most ${maxTextLength} characters, a number, true or false`

/** A text, a number, true or false. */
const ScalarValue = AnyValue.check(
  Schema.makeFilter((value) => isScalar(value) || scalarFault, {
    toJsonSchema: () => ({ type: ["string", "number", "boolean"] })
  })
)

/** Attributes by name: the member must have each with this value. */
const Attributes = AnyValue.check(
  Schema.makeFilter(
    (value) => {
      if (!isObject(value)) return "must be an object"
      const names = Object.keys(value)
      if (names.length === 0 || names.length > maxValues) return told`must have 1 to ${maxValues} attributes`
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
  type: field(EventType, "The type of the events."),
  minimum_count: optional(count, "Least number of events. Absent: 1."),
  within_days: withinDays(
    `Only events in the last \`within_days\` × 24 hours, at most ${longestWindowDays} days. Absent: all events that are kept, until now.`
  ),
  property: optional(Property, "Only events with this property."),
  minimum_value: optional(
    notNegative,
    "Only events with at least this value, in minor units of the programme's currency."
  )
})

const OrderRule = Schema.Struct({
  minimum_count: optional(count, "Least number of orders. Absent: 1."),
  minimum_spend: optional(
    notNegative,
    "Least eligible spend of these orders in total, net of refunds, in minor units."
  ),
  within_days: withinDays(
    `Only orders that accrued in the last \`within_days\` × 24 hours, at most ${longestWindowDays} days. Absent: all orders.`
  ),
  location_id: optional(ForeignId, "Only orders of this location.")
})

const BalanceRule = Schema.Struct({
  unit: optional(Unit, "Unit of the account. Absent: the primary account."),
  at_least: optional(Integer, "The posted balance is at least this."),
  at_most: optional(Integer, "The posted balance is at most this.")
})

const ConsentRule = Schema.Struct({
  purpose: field(bounded(1, 64), "The purpose of consent, such as `marketing`."),
  channel: optional(
    bounded(1, 64),
    "The channel. A channel without its own consent has the consent of the purpose. Absent: the purpose as a whole."
  )
})

const AttributeRule = Schema.Struct({
  name: field(Name, "The attribute's name."),
  equals: optional(ScalarValue, "The attribute has this value. Exactly one of `equals` and `in` is required."),
  in: optional(listOf(ScalarValue), "The attribute has one of these values.")
})

const ExpiringRule = Schema.Struct({
  unit: optional(Unit, "Unit of the account. Absent: the primary account."),
  amount: field(positive, "Least number of points that expire."),
  within_days: days("They expire in the next `within_days` × 24 hours.")
})

const ProfileRule = Schema.Struct({
  has_email: optional(Schema.Boolean, "True: the profile has an e-mail address. False: it has none."),
  has_phone: optional(Schema.Boolean, "True: the profile has a phone number. False: it has none."),
  marketing_consent: optional(Schema.Boolean, "True: the member consents to `marketing`. False: it does not."),
  attributes: optional(Attributes, "Other place of `attributes`.")
})

/** Depth of nested combinators in a value, counted up to one more than the bound. */
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

const tooDeep = told`must not be nested deeper than ${maxRuleDepth} levels`

const namesOf = (path: string): ReadonlyArray<string> =>
  path
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))

/** Rules inside a combinator: the same form again. */
const Inner: typeof AnyValue = AnyValue.check(
  Schema.makeFilter(
    (value) => {
      if (!isObject(value)) return "must be an object"
      // Checked before any recursion: a megabyte of brackets would overflow the stack.
      if (depthOf(value) >= maxRuleDepth) return tooDeep
      const decoded = decodeRules(value)
      return decoded._tag === "Success"
        ? true
        : decoded.failure.map(({ message, path }) => ({ path: namesOf(path), issue: message }))
    },
    { toJsonSchema: () => ({}) }
  )
).annotate({ identifier: "NestedRules" })

const isEmpty = (rules: object): boolean => Object.keys(rules).length === 0

export const Rules = Schema.Struct({
  all: optional(listOf(Inner, maxConditions), "All of these rules match."),
  any: optional(listOf(Inner, maxConditions), "At least one of these rules matches."),
  not: optional(Inner, "These rules do not match."),
  status: optional(listOf(MemberStatus), "The member's status is one of these. Closed members match only this rule."),
  tier: optional(listOf(Identifier), "The member's tier is one of these."),
  balance: optional(BalanceRule, "The posted balance is within bounds."),
  consent: optional(ConsentRule, "The member consents to a purpose."),
  has: optional(Schema.Literals(["email", "phone", "birth_date"]), "The profile has this field."),
  attribute: optional(AttributeRule, "An attribute of the member has a value."),
  event: optional(EventRule, "The member has events."),
  order: optional(OrderRule, "The member has orders that accrued."),
  inactive_days: Schema.optionalKey(days("")).annotateKey({
    description: "The member was enrolled at least this number of days (× 24 hours) ago, and has no order in this time."
  }),
  joined_within_days: withinDays("The member was enrolled at most this number of days (× 24 hours) ago."),
  birthday_within_days: optional(
    whole(0, maxBirthdayDays, told`must be a whole number from ${0} to ${maxBirthdayDays}`),
    "The member has its birthday today or in the next days, in the time zone of the tier policy, or in UTC without one."
  ),
  expiring: optional(ExpiringRule, "The member has points that expire soon."),
  in_segment: optional(Identifier, "The member is in this segment of the programme."),
  statuses: optional(listOf(MemberStatus), "Other name of `status`."),
  tier_ids: optional(listOf(Identifier), "Other name of `tier`."),
  minimum_available_balance: optional(
    Integer,
    "The available balance of the primary account (posted less reserved) is at least this."
  ),
  attributes: optional(Attributes, "The member has each of these attributes with this value."),
  profile: optional(ProfileRule, "Conditions on the profile.")
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
  .annotate({ identifier: "Rules", description: "Rules that the members of a segment match. All of them must match." })
export type Rules = typeof Rules.Type

/** Decodes rules. Fails with every fault. */
export const decodeRules = (rules: unknown): Result.Result<Rules, ReadonlyArray<BodyFault>> => {
  decoder ??= strictDecoder(Rules)
  return decoder(rules)
}
let decoder: ((rules: unknown) => Result.Result<Rules, ReadonlyArray<BodyFault>>) | undefined
