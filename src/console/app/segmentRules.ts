/**
 * The model of the rule builder: groups of conditions, each with an id. A condition may
 * be incomplete. Converts the contract's rules to the model and back. Pure.
 */
import type { Rules } from "../../contract/platform/Rules.ts"
import type { MemberStatus, Unit } from "../../contract/Values.ts"

export const joins = ["all", "any", "none"] as const
export type Join = (typeof joins)[number]

export const scalarTypes = ["text", "number", "flag"] as const
export type ScalarType = (typeof scalarTypes)[number]

/** Entered values, and the type in which they are sent. */
export interface Typed {
  readonly type: ScalarType
  readonly values: ReadonlyArray<string>
}

/** The content of a condition. An undefined or empty part is not filled in, or is optional. */
export type Said =
  | { readonly about: "status"; readonly statuses: ReadonlyArray<MemberStatus> }
  | { readonly about: "tier"; readonly tiers: ReadonlyArray<string> }
  | { readonly about: "joined"; readonly days: number | undefined }
  | { readonly about: "birthday"; readonly days: number | undefined }
  | { readonly about: "segment"; readonly segment: string }
  | { readonly about: "has"; readonly field: "email" | "phone" | "birth_date" }
  | { readonly about: "consent"; readonly purpose: string; readonly channel: string }
  | { readonly about: "attribute"; readonly name: string; readonly is: Typed }
  | {
      readonly about: "balance"
      readonly unit: Unit | undefined
      readonly atLeast: number | undefined
      readonly atMost: number | undefined
    }
  | { readonly about: "available"; readonly atLeast: number | undefined }
  | {
      readonly about: "expiring"
      readonly unit: Unit | undefined
      readonly amount: number | undefined
      readonly days: number | undefined
    }
  | {
      readonly about: "order"
      readonly count: number | undefined
      readonly spend: number | undefined
      readonly days: number | undefined
      readonly location: string
    }
  | { readonly about: "inactive"; readonly days: number | undefined }
  | {
      readonly about: "event"
      readonly type: string
      readonly count: number | undefined
      readonly days: number | undefined
      readonly property: string
      readonly is: Typed
      readonly value: number | undefined
    }

export type About = Said["about"]
export type SaidOf<A extends About> = Extract<Said, { readonly about: A }>

export interface Condition {
  readonly kind: "condition"
  readonly id: string
  readonly said: Said
}

export interface Group {
  readonly kind: "group"
  readonly id: string
  readonly join: Join
  readonly items: ReadonlyArray<Item>
}

export type Item = Condition | Group

/** The kinds of conditions, grouped by subject. */
export const abouts = {
  member: ["tier", "status", "joined", "birthday", "segment"],
  profile: ["has", "consent", "attribute"],
  points: ["balance", "available", "expiring"],
  behaviour: ["order", "inactive", "event"]
} as const satisfies Readonly<Record<string, ReadonlyArray<About>>>

const noText: Typed = { type: "text", values: [] }

const blanks: { readonly [A in About]: SaidOf<A> } = {
  status: { about: "status", statuses: ["active"] },
  tier: { about: "tier", tiers: [] },
  joined: { about: "joined", days: 30 },
  birthday: { about: "birthday", days: 7 },
  segment: { about: "segment", segment: "" },
  has: { about: "has", field: "email" },
  consent: { about: "consent", purpose: "marketing", channel: "" },
  attribute: { about: "attribute", name: "", is: noText },
  balance: { about: "balance", unit: undefined, atLeast: undefined, atMost: undefined },
  available: { about: "available", atLeast: undefined },
  expiring: { about: "expiring", unit: undefined, amount: 1, days: 30 },
  order: { about: "order", count: 1, spend: undefined, days: 90, location: "" },
  inactive: { about: "inactive", days: 45 },
  event: { about: "event", type: "", count: 1, days: undefined, property: "", is: noText, value: undefined }
}

const newId = (): string => crypto.randomUUID()

const condition = (said: Said): Condition => ({ kind: "condition", id: newId(), said })

export const newCondition = (about: About): Condition => condition(blanks[about])

export const newGroup = (join: Join, items: ReadonlyArray<Item> = []): Group => ({
  kind: "group",
  id: newId(),
  join,
  items
})

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
  ...where(inactive_days, (days) => condition({ about: "inactive", days })),
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

const itemOf = (rules: Rules): Item => {
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
const ruleOf = (said: Said): Readonly<Record<string, unknown>> => {
  switch (said.about) {
    case "status":
      return { status: said.statuses }
    case "tier":
      return { tier: said.tiers }
    case "joined":
      return { joined_within_days: said.days }
    case "birthday":
      return { birthday_within_days: said.days }
    case "segment":
      return { in_segment: said.segment }
    case "has":
      return { has: said.field }
    case "consent":
      return { consent: { purpose: said.purpose, ...present("channel", said.channel) } }
    case "attribute":
      return { attribute: valueRule(said.name, said.is) }
    case "balance":
      return {
        balance: {
          ...present("unit", said.unit),
          ...present("at_least", said.atLeast),
          ...present("at_most", said.atMost)
        }
      }
    case "available":
      return { minimum_available_balance: said.atLeast }
    case "expiring":
      return { expiring: { ...present("unit", said.unit), amount: said.amount, within_days: said.days } }
    case "order":
      return {
        order: {
          ...present("minimum_count", said.count),
          ...present("minimum_spend", said.spend),
          ...present("within_days", said.days),
          ...present("location_id", said.location)
        }
      }
    case "inactive":
      return { inactive_days: said.days }
    case "event":
      return {
        event: {
          type: said.type,
          ...present("minimum_count", said.count),
          ...present("within_days", said.days),
          ...(said.property === "" ? {} : { property: { name: said.property, equals: valuesOf(said.is)[0] } }),
          ...present("minimum_value", said.value)
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
  if (item.kind === "condition") return ruleOf(item.said)
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

/** The missing part of an incomplete item; a key in `strings`. */
export type Missing =
  | "group"
  | "tier"
  | "status"
  | "segment"
  | "days"
  | "name"
  | "value"
  | "number"
  | "purpose"
  | "bound"
  | "type"
  | "amount"

const missingValue = ({ type, values }: Typed): Missing | undefined => {
  if (values.length === 0 || (type !== "text" && values.some((value) => value === ""))) return "value"
  return type === "number" && values.some((value) => !Number.isFinite(Number(value))) ? "number" : undefined
}

const missingOf = (said: Said): Missing | undefined => {
  switch (said.about) {
    case "status":
      return said.statuses.length === 0 ? "status" : undefined
    case "tier":
      return said.tiers.length === 0 ? "tier" : undefined
    case "joined":
    case "birthday":
    case "inactive":
      return said.days === undefined ? "days" : undefined
    case "segment":
      return said.segment === "" ? "segment" : undefined
    case "has":
      return undefined
    case "consent":
      return said.purpose === "" ? "purpose" : undefined
    case "attribute":
      return said.name === "" ? "name" : missingValue(said.is)
    case "balance":
      return said.atLeast === undefined && said.atMost === undefined ? "bound" : undefined
    case "available":
      return said.atLeast === undefined ? "amount" : undefined
    case "expiring":
      if (said.amount === undefined) return "amount"
      return said.days === undefined ? "days" : undefined
    case "order":
      return undefined
    case "event":
      if (said.type === "") return "type"
      return said.property === "" ? undefined : missingValue(said.is)
  }
}

export interface Incomplete {
  readonly id: string
  /** The kind of the condition; absent for a group. */
  readonly about?: About
  readonly missing: Missing
}

/** All incomplete items, in the order of the page. */
export const incomplete = (item: Item): ReadonlyArray<Incomplete> => {
  if (item.kind === "group")
    return item.items.length === 0 ? [{ id: item.id, missing: "group" }] : item.items.flatMap(incomplete)
  const missing = missingOf(item.said)
  return missing === undefined ? [] : [{ id: item.id, about: item.said.about, missing }]
}

/** Ids of the segments that the rules refer to. */
export const segmentsIn = (item: Item): ReadonlyArray<string> => {
  if (item.kind === "group") return item.items.flatMap(segmentsIn)
  return item.said.about === "segment" && item.said.segment !== "" ? [item.said.segment] : []
}
