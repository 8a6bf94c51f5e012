/**
 * The model of the rule builder: groups of conditions, each with an id. A condition may
 * be incomplete. `segmentWire` converts it to the contract's rules and back. Pure.
 */
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
export type Content =
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
  /** With a location: the member has ordered there, but not in these days. */
  | { readonly about: "inactive"; readonly days: number | undefined; readonly location: string }
  | {
      readonly about: "event"
      readonly type: string
      readonly count: number | undefined
      readonly days: number | undefined
      readonly property: string
      readonly is: Typed
      readonly value: number | undefined
    }

export type About = Content["about"]
export type ContentOf<A extends About> = Extract<Content, { readonly about: A }>

export interface Condition {
  readonly kind: "condition"
  readonly id: string
  readonly content: Content
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

export const noText: Typed = { type: "text", values: [] }

const blanks: { readonly [A in About]: ContentOf<A> } = {
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
  inactive: { about: "inactive", days: 45, location: "" },
  event: { about: "event", type: "", count: 1, days: undefined, property: "", is: noText, value: undefined }
}

const newId = (): string => crypto.randomUUID()

/** A condition with this content. */
export const condition = (content: Content): Condition => ({ kind: "condition", id: newId(), content })

export const newCondition = (about: About): Condition => condition(blanks[about])

export const newGroup = (join: Join, items: ReadonlyArray<Item> = []): Group => ({
  kind: "group",
  id: newId(),
  join,
  items
})

/** The missing part of an incomplete item; a key in `strings`. */
type Missing =
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

const missingOf = (content: Content): Missing | undefined => {
  switch (content.about) {
    case "status":
      return content.statuses.length === 0 ? "status" : undefined
    case "tier":
      return content.tiers.length === 0 ? "tier" : undefined
    case "joined":
    case "birthday":
    case "inactive":
      return content.days === undefined ? "days" : undefined
    case "segment":
      return content.segment === "" ? "segment" : undefined
    case "has":
      return undefined
    case "consent":
      return content.purpose === "" ? "purpose" : undefined
    case "attribute":
      return content.name === "" ? "name" : missingValue(content.is)
    case "balance":
      return content.atLeast === undefined && content.atMost === undefined ? "bound" : undefined
    case "available":
      return content.atLeast === undefined ? "amount" : undefined
    case "expiring":
      if (content.amount === undefined) return "amount"
      return content.days === undefined ? "days" : undefined
    case "order":
      return undefined
    case "event":
      if (content.type === "") return "type"
      return content.property === "" ? undefined : missingValue(content.is)
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
  const missing = missingOf(item.content)
  return missing === undefined ? [] : [{ id: item.id, about: item.content.about, missing }]
}

/** Ids of the segments that the rules refer to. */
export const segmentsIn = (item: Item): ReadonlyArray<string> => {
  if (item.kind === "group") return item.items.flatMap(segmentsIn)
  return item.content.about === "segment" && item.content.segment !== "" ? [item.content.segment] : []
}
