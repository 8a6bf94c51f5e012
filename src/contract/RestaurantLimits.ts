/** Limits of tokens and people to restaurants (contract/people.md *Limited to restaurants*). Pure data. */
import { Schema } from "effect"
import { optional, RecordedId } from "./Values.ts"

const recorded = Schema.Array(RecordedId)

export const limitWords = {
  location_ids: "The restaurants that it is limited to; absent: all.",
  franchisee_ids:
    "The franchisees whose restaurants it is limited to, for the days on which they are theirs; absent: all.",
  brand_ids: "The brands whose restaurants it is limited to, for the days on which they have them; absent: all."
}

/** As answers tell them. */
export const toldLimits = {
  location_ids: optional(recorded, limitWords.location_ids),
  franchisee_ids: optional(recorded, limitWords.franchisee_ids),
  brand_ids: optional(recorded, limitWords.brand_ids)
}

export const limitNames = ["location_ids", "franchisee_ids", "brand_ids"] as const
type LimitName = (typeof limitNames)[number]

/** Absent: no limit of this kind. */
export type RestaurantLimits = { readonly [Name in LimitName]?: ReadonlyArray<string> | undefined }

/** The same without kinds that are undefined. */
export type GivenLimits = { readonly [Name in LimitName]?: ReadonlyArray<string> }

/** The limits alone of what has them, without those that are absent; undefined: it is limited to no restaurants. */
export const limitsIn = (of: RestaurantLimits): GivenLimits | undefined => {
  const found = limitNames.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]] as const]))
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/** True if limits reach nothing beyond others; `outer` undefined: there are no others. */
export const isWithinLimits = (outer: RestaurantLimits | undefined, inner: RestaurantLimits): boolean =>
  limitNames.every((name) => outer?.[name] === undefined || inner[name]?.every((id) => outer[name]?.includes(id)))

/** Asked changes of limits. Null: no limit of this kind; absent: unchanged. */
export type LimitChanges = { readonly [Name in LimitName]?: ReadonlyArray<string> | null | undefined }

/** True if a change names a kind of limits. */
export const namesLimits = (asked: LimitChanges): boolean => limitNames.some((name) => asked[name] !== undefined)

/** Limits after a change. */
export const changed = (before: RestaurantLimits, asked: LimitChanges): RestaurantLimits =>
  Object.fromEntries(
    limitNames.map((name) => [name, asked[name] === undefined ? before[name] : (asked[name] ?? undefined)])
  )

/** Asked limits, with those of the issuer for kinds that are not asked for. */
export const narrowed = (issuer: GivenLimits | undefined, asked: RestaurantLimits): GivenLimits => ({
  ...issuer,
  ...limitsIn(asked)
})

/** The part of limits that is within others. A kind without an id left matches no restaurant. */
export const intersected = (outer: GivenLimits, own: RestaurantLimits): RestaurantLimits =>
  Object.fromEntries(
    limitNames.map((name) => [
      name,
      outer[name] === undefined ? own[name] : (own[name]?.filter((id) => outer[name]?.includes(id)) ?? outer[name])
    ])
  )
