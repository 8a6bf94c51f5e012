/**
 * Normalizes the rules of segments: the contract has several spellings, a `Rule` is a
 * tree of combinators and conditions. Pure.
 */
import { Result } from "effect"
import type { Rules, Scalar } from "../../contract/platform/Rules.ts"
import { decodeRules, longestWindowDays } from "../../contract/platform/Rules.ts"
import type { MemberStatus, Unit } from "../../contract/Values.ts"

export type Condition =
  | { readonly type: "status"; readonly statuses: ReadonlyArray<MemberStatus> }
  | { readonly type: "tier"; readonly tiers: ReadonlyArray<string> }
  | {
      readonly type: "balance"
      /** Undefined: the primary account's unit. */
      readonly unit: Unit | undefined
      readonly figure: "posted" | "available"
      readonly atLeast: number | undefined
      readonly atMost: number | undefined
    }
  | { readonly type: "consent"; readonly purpose: string; readonly channel: string | undefined }
  | { readonly type: "has"; readonly field: "email" | "phone" | "birth_date" }
  | { readonly type: "attribute"; readonly name: string; readonly values: ReadonlyArray<Scalar> }
  | {
      readonly type: "event"
      readonly event: string
      readonly count: number
      readonly days: number | undefined
      readonly property: { readonly name: string; readonly equals: Scalar } | undefined
      /** Least value of each event, minor units. */
      readonly value: number | undefined
    }
  | {
      readonly type: "order"
      readonly count: number
      readonly spend: number | undefined
      readonly days: number | undefined
      readonly location: string | undefined
    }
  | { readonly type: "inactive"; readonly days: number }
  | { readonly type: "joined"; readonly days: number }
  | { readonly type: "birthday"; readonly days: number }
  | { readonly type: "expiring"; readonly unit: Unit | undefined; readonly amount: number; readonly days: number }
  | { readonly type: "segment"; readonly segment: string }

export type Rule =
  | { readonly type: "all" | "any"; readonly rules: ReadonlyArray<Rule> }
  | { readonly type: "not"; readonly rule: Rule }
  | Condition

/** A value to compare with. The contract has checked it. */
const scalar = (value: unknown): Scalar => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value
  throw new Error("a rule compares with a value that is not a text, number or boolean")
}

const negatedUnless = (holds: boolean, rule: Condition): Rule => (holds ? rule : { type: "not", rule })

const attributesOf = (attributes: unknown): ReadonlyArray<Condition> =>
  Object.entries(attributes ?? {}).map(([name, value]) => ({ type: "attribute", name, values: [scalar(value)] }))

const profileOf = (profile: Rules["profile"]): ReadonlyArray<Rule> => {
  if (profile === undefined) return []
  const { attributes, has_email, has_phone, marketing_consent } = profile
  const marketing: Condition = { type: "consent", purpose: "marketing", channel: undefined }
  return [
    ...(has_email === undefined ? [] : [negatedUnless(has_email, { type: "has", field: "email" })]),
    ...(has_phone === undefined ? [] : [negatedUnless(has_phone, { type: "has", field: "phone" })]),
    ...(marketing_consent === undefined ? [] : [negatedUnless(marketing_consent, marketing)]),
    ...attributesOf(attributes)
  ]
}

const balancesOf = ({ balance, minimum_available_balance }: Rules): ReadonlyArray<Condition> => [
  ...(balance === undefined
    ? []
    : [
        {
          type: "balance",
          unit: balance.unit,
          figure: "posted",
          atLeast: balance.at_least,
          atMost: balance.at_most
        } as const
      ]),
  ...(minimum_available_balance === undefined
    ? []
    : [
        {
          type: "balance",
          unit: undefined,
          figure: "available",
          atLeast: minimum_available_balance,
          atMost: undefined
        } as const
      ])
]

/** One rule if the value is given, else none. */
const where = <A>(value: A | undefined, rule: (value: A) => Rule): ReadonlyArray<Rule> =>
  value === undefined ? [] : [rule(value)]

/** Rules about what members do: events, orders, points that expire. */
const activityRules = ({ event, expiring, inactive_days, joined_within_days, order }: Rules): ReadonlyArray<Rule> => [
  ...where(event, ({ minimum_count, minimum_value, property, type, within_days }) => ({
    type: "event",
    event: type,
    count: minimum_count ?? 1,
    days: within_days,
    property: property === undefined ? undefined : { name: property.name, equals: scalar(property.equals) },
    value: minimum_value
  })),
  ...where(order, ({ location_id, minimum_count, minimum_spend, within_days }) => ({
    type: "order",
    count: minimum_count ?? 1,
    spend: minimum_spend,
    days: within_days,
    location: location_id
  })),
  ...where(inactive_days, (days) => ({ type: "inactive", days })),
  ...where(joined_within_days, (days) => ({ type: "joined", days })),
  ...where(expiring, ({ amount, unit, within_days }) => ({ type: "expiring", unit, amount, days: within_days }))
]

/** Rules about what members are: status, tier, balance, profile. */
const memberRules = (rules: Rules): ReadonlyArray<Rule> => [
  ...where(rules.status, (statuses) => ({ type: "status", statuses })),
  ...where(rules.statuses, (statuses) => ({ type: "status", statuses })),
  ...where(rules.tier, (tiers) => ({ type: "tier", tiers })),
  ...where(rules.tier_ids, (tiers) => ({ type: "tier", tiers })),
  ...balancesOf(rules),
  ...where(rules.consent, ({ channel, purpose }) => ({ type: "consent", purpose, channel })),
  ...where(rules.has, (field) => ({ type: "has", field })),
  ...where(rules.attribute, ({ equals, in: some, name }) => ({
    type: "attribute",
    name,
    values: (some ?? [equals]).map(scalar)
  })),
  ...attributesOf(rules.attributes),
  ...profileOf(rules.profile),
  ...where(rules.birthday_within_days, (days) => ({ type: "birthday", days })),
  ...where(rules.in_segment, (segment) => ({ type: "segment", segment }))
]

/** The rules inside a combinator. They decode, because the whole did. */
const decoded = (rules: unknown): Rules => Result.getOrThrow(decodeRules(rules))

const inner = (rules: unknown): Rule => ruleOf(decoded(rules))

/** The rule of a rules object: all of its properties must hold. */
export const ruleOf = (rules: Rules): Rule => {
  const { all, any, not } = rules
  const parts: ReadonlyArray<Rule> = [
    ...(all ?? []).map(inner),
    ...where(any, (some) => ({ type: "any", rules: some.map(inner) })),
    ...where(not, (one) => ({ type: "not", rule: inner(one) })),
    ...memberRules(rules),
    ...activityRules(rules)
  ]
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { type: "all", rules: parts }
}

/** Every condition of a rule, in order. */
export const conditionsOf = (rule: Rule): ReadonlyArray<Condition> => {
  switch (rule.type) {
    case "all":
    case "any":
      return rule.rules.flatMap(conditionsOf)
    case "not":
      return conditionsOf(rule.rule)
    default:
      return [rule]
  }
}

/** A tier, account or segment that rules refer to. */
export interface Reference {
  /** JSON Pointer below the rules. */
  readonly path: string
  readonly kind: "tier" | "unit" | "segment"
  readonly id: string
}

/** JSON Pointers, below the rules, to windows that are longer than new rules may have. */
export const longWindowsOf = (rules: Rules, at = ""): ReadonlyArray<string> => {
  const { all = [], any = [], event, not, order } = rules
  const within = (name: string, parts: ReadonlyArray<unknown>) =>
    parts.flatMap((part, place) => longWindowsOf(decoded(part), `${at}/${name}/${place}`))
  const own = (name: string, days: number | undefined) =>
    days !== undefined && days > longestWindowDays ? [`${at}/${name}/within_days`] : []
  return [
    ...within("all", all),
    ...within("any", any),
    ...(not === undefined ? [] : longWindowsOf(decoded(not), `${at}/not`)),
    ...own("event", event?.within_days),
    ...own("order", order?.within_days)
  ]
}

/** Everything of the programme that rules refer to, with its place. */
export const placesOf = (rules: Rules, at = ""): ReadonlyArray<Reference> => {
  const { all = [], any = [], balance, expiring, in_segment, not, tier = [], tier_ids = [] } = rules
  const within = (name: string, parts: ReadonlyArray<unknown>) =>
    parts.flatMap((part, place) => placesOf(decoded(part), `${at}/${name}/${place}`))
  const tiers = (name: string, ids: ReadonlyArray<string>) =>
    ids.map((id, place): Reference => ({ path: `${at}/${name}/${place}`, kind: "tier", id }))
  const one = (name: string, kind: Reference["kind"], id: string | undefined): ReadonlyArray<Reference> =>
    id === undefined ? [] : [{ path: `${at}/${name}`, kind, id }]
  return [
    ...within("all", all),
    ...within("any", any),
    ...(not === undefined ? [] : placesOf(decoded(not), `${at}/not`)),
    ...tiers("tier", tier),
    ...tiers("tier_ids", tier_ids),
    ...one("balance/unit", "unit", balance?.unit),
    ...one("expiring/unit", "unit", expiring?.unit),
    ...one("in_segment", "segment", in_segment)
  ]
}

/** Ids of the segments that a rule refers to, each once. */
export const referencesOf = (rule: Rule): ReadonlyArray<string> => [
  ...new Set(conditionsOf(rule).flatMap((one) => (one.type === "segment" ? [one.segment] : [])))
]
