/** Converts the contract's rules to the model of the rule builder and back, and assigns faults to its items. Pure. */
import type { Rules } from "../../contract/platform/Rules.ts"
import type { Content, Group, Item, ScalarType, Typed } from "./segmentRules.ts"
import { condition, newGroup, noText, scalarTypes } from "./segmentRules.ts"

const typeOf = (value: unknown): ScalarType =>
  typeof value === "number" ? "number" : typeof value === "boolean" ? "flag" : "text"

const typed = (values: ReadonlyArray<unknown>): Typed => ({ type: typeOf(values[0]), values: values.map(String) })

/** A condition for each type of the values, because all values of a condition have one type in this model. */
const attribute = (name: string, values: ReadonlyArray<unknown>): Item => {
  const parts = scalarTypes
    .map((type) => values.filter((value) => typeOf(value) === type))
    .filter((some) => some.length > 0)
    .map((some) => condition({ about: "attribute", name, is: typed(some) }))
  const [only] = parts
  return only !== undefined && parts.length === 1 ? only : newGroup("any", parts)
}

const attributes = (values: unknown): ReadonlyArray<Item> =>
  Object.entries(values ?? {}).map(([name, value]) => attribute(name, [value]))

const negatedUnless = (holds: boolean, item: Item): Item => (holds ? item : newGroup("none", [item]))

const where = <A>(value: A | undefined, item: (value: A) => Item): ReadonlyArray<Item> =>
  value === undefined ? [] : [item(value)]

/** Rules inside a combinator. The contract has checked that they are rules. */
const inner = (value: unknown): Rules => value as Rules

const combined = ({ all, any, not }: Rules): ReadonlyArray<Item> => [
  ...where(all, (rules) =>
    newGroup(
      "all",
      rules.map((one) => itemOf(inner(one)))
    )
  ),
  ...where(any, (rules) =>
    newGroup(
      "any",
      rules.map((one) => itemOf(inner(one)))
    )
  ),
  ...where(not, (rules) => {
    const item = itemOf(inner(rules))
    return newGroup("none", item.kind === "group" && item.join === "any" ? item.items : [item])
  })
]

const ofMember = (rules: Rules): ReadonlyArray<Item> => [
  ...where(rules.status, (statuses) => condition({ about: "status", statuses })),
  ...where(rules.statuses, (statuses) => condition({ about: "status", statuses })),
  ...where(rules.tier, (tiers) => condition({ about: "tier", tiers })),
  ...where(rules.tier_ids, (tiers) => condition({ about: "tier", tiers })),
  ...where(rules.joined_within_days, (days) => condition({ about: "joined", days })),
  ...where(rules.birthday_within_days, (days) => condition({ about: "birthday", days })),
  ...where(rules.in_segment, (segment) => condition({ about: "segment", segment }))
]

const ofProfile = ({ attribute: one, attributes: some, consent, has, profile }: Rules): ReadonlyArray<Item> => [
  ...where(has, (field) => condition({ about: "has", field })),
  ...where(consent, ({ channel = "", purpose }) => condition({ about: "consent", purpose, channel })),
  ...where(one, ({ equals, in: among, name }) => attribute(name, among ?? [equals])),
  ...attributes(some),
  ...where(profile?.has_email, (holds) => negatedUnless(holds, condition({ about: "has", field: "email" }))),
  ...where(profile?.has_phone, (holds) => negatedUnless(holds, condition({ about: "has", field: "phone" }))),
  ...where(profile?.marketing_consent, (holds) =>
    negatedUnless(holds, condition({ about: "consent", purpose: "marketing", channel: "" }))
  ),
  ...attributes(profile?.attributes)
]

const ofPoints = ({ balance, expiring, minimum_available_balance }: Rules): ReadonlyArray<Item> => [
  ...where(balance, ({ at_least: atLeast, at_most: atMost, unit }) =>
    condition({ about: "balance", unit, atLeast, atMost })
  ),
  ...where(minimum_available_balance, (atLeast) => condition({ about: "available", atLeast })),
  ...where(expiring, ({ amount, unit, within_days: days }) => condition({ about: "expiring", unit, amount, days }))
]

const ofBehaviour = ({ event, inactive_days, order }: Rules): ReadonlyArray<Item> => [
  ...where(order, ({ location_id: location = "", minimum_count: count, minimum_spend: spend, within_days: days }) =>
    condition({ about: "order", count: count ?? 1, spend, days, location })
  ),
  ...where(inactive_days, (days) => condition({ about: "inactive", days, location: "" })),
  ...where(event, ({ minimum_count: count, minimum_value: value, property, type, within_days: days }) =>
    condition({
      about: "event",
      type,
      count: count ?? 1,
      days,
      property: property?.name ?? "",
      is: property === undefined ? noText : typed([property.equals]),
      value
    })
  )
]

/** Rules of members who have ordered at a location, but not in the last days. */
const lapsedAt = (location_id: string, within_days: number | undefined) => ({
  all: [{ order: { location_id } }, { not: { order: { within_days, location_id } } }]
})

/** True if two values have the same properties, in any order. */
const areSame = (one: unknown, other: unknown): boolean => {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return one === other
  const [names, others] = [Object.keys(one), Object.keys(other)]
  return (
    names.length === others.length &&
    names.every((name) => areSame(one[name as keyof typeof one], other[name as keyof typeof other]))
  )
}

/** Where and for how many days members have not ordered, if that is all that the rules say. */
export const lapsedOf = (rules: Rules): { readonly location: string; readonly days: number } | undefined => {
  const [came, stays] = (rules.all ?? []) as ReadonlyArray<Rules>
  const location = came?.order?.location_id
  const days = (stays?.not as Rules | undefined)?.order?.within_days
  if (location === undefined || days === undefined) return undefined
  return areSame(rules, lapsedAt(location, days)) ? { location, days } : undefined
}

const itemOf = (rules: Rules): Item => {
  const lapsed = lapsedOf(rules)
  if (lapsed !== undefined) return condition({ about: "inactive", ...lapsed })
  const items = [...combined(rules), ...ofMember(rules), ...ofProfile(rules), ...ofPoints(rules), ...ofBehaviour(rules)]
  const [only] = items
  return only !== undefined && items.length === 1 ? only : newGroup("all", items)
}

/** Converts rules in any spelling to a group. */
export const groupOf = (rules: Rules): Group => {
  const item = itemOf(rules)
  return item.kind === "group" ? item : newGroup("all", [item])
}

const present = <A>(name: string, value: A | undefined) =>
  value === undefined || value === "" ? {} : { [name]: value }

const scalarOf = (type: ScalarType, value: string): unknown => {
  if (type === "number") return Number(value)
  return type === "flag" ? value === "true" : value
}

const valuesOf = ({ type, values }: Typed): ReadonlyArray<unknown> => values.map((value) => scalarOf(type, value))

const valueRule = (name: string, is: Typed): unknown => {
  const values = valuesOf(is)
  return values.length === 1 ? { name, equals: values[0] } : { name, in: values }
}

/** The contract's rule of a condition. */
const ruleOf = (content: Content): Readonly<Record<string, unknown>> => {
  switch (content.about) {
    case "status":
      return { status: content.statuses }
    case "tier":
      return { tier: content.tiers }
    case "joined":
      return { joined_within_days: content.days }
    case "birthday":
      return { birthday_within_days: content.days }
    case "segment":
      return { in_segment: content.segment }
    case "has":
      return { has: content.field }
    case "consent":
      return { consent: { purpose: content.purpose, ...present("channel", content.channel) } }
    case "attribute":
      return { attribute: valueRule(content.name, content.is) }
    case "balance":
      return {
        balance: {
          ...present("unit", content.unit),
          ...present("at_least", content.atLeast),
          ...present("at_most", content.atMost)
        }
      }
    case "available":
      return { minimum_available_balance: content.atLeast }
    case "expiring":
      return { expiring: { ...present("unit", content.unit), amount: content.amount, within_days: content.days } }
    case "order":
      return {
        order: {
          ...present("minimum_count", content.count),
          ...present("minimum_spend", content.spend),
          ...present("within_days", content.days),
          ...present("location_id", content.location)
        }
      }
    case "inactive":
      return content.location === "" ? { inactive_days: content.days } : lapsedAt(content.location, content.days)
    case "event":
      return {
        event: {
          type: content.type,
          ...present("minimum_count", content.count),
          ...present("within_days", content.days),
          ...(content.property === "" ? {} : { property: { name: content.property, equals: valuesOf(content.is)[0] } }),
          ...present("minimum_value", content.value)
        }
      }
  }
}

export interface Written {
  /** The contract's rules; incomplete if a condition is. */
  readonly rules: Readonly<Record<string, unknown>>
  /** JSON Pointers into `rules`, by id of the item. */
  readonly places: ReadonlyMap<string, string>
}

const writtenAt = (item: Item, place: string, places: Map<string, string>): Readonly<Record<string, unknown>> => {
  places.set(item.id, place)
  if (item.kind === "condition") return ruleOf(item.content)
  const { items, join } = item
  if (join !== "none") return { [join]: items.map((one, index) => writtenAt(one, `${place}/${join}/${index}`, places)) }
  const [only] = items
  if (only !== undefined && items.length === 1) return { not: writtenAt(only, `${place}/not`, places) }
  return { not: { any: items.map((one, index) => writtenAt(one, `${place}/not/any/${index}`, places)) } }
}

export const write = (group: Group): Written => {
  const places = new Map<string, string>()
  return { rules: writtenAt(group, "", places), places }
}

/** The contract's rules of an item by itself. */
export const partOf = (item: Item): Written["rules"] => writtenAt(item, "", new Map())

export interface Fault {
  readonly path: string
  readonly message: string
}

/** Assigns faults to items: each to the innermost item that contains its path. */
export const faultsByItem = (
  places: Written["places"],
  faults: ReadonlyArray<Fault>
): ReadonlyMap<string, ReadonlyArray<Fault>> => {
  const innermostFirst = [...places].toSorted(([, a], [, b]) => b.length - a.length)
  const byItem = new Map<string, ReadonlyArray<Fault>>()
  for (const { message, path } of faults) {
    const [id, place] = innermostFirst.find(([, at]) => path === at || path.startsWith(`${at}/`)) ?? []
    if (id === undefined || place === undefined) continue
    byItem.set(id, [...(byItem.get(id) ?? []), { path: path.slice(place.length), message }])
  }
  return byItem
}
