/** The limits of tokens and people to restaurants, as they are set and stored (contract/people.md *Limited to restaurants*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { optional, texts } from "../../base/database/Values.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Refused } from "../../contract/Refused.ts"
import {
  type GivenLimits,
  limitNames,
  limitsIn,
  narrowed,
  type RestaurantLimits
} from "../../contract/RestaurantLimits.ts"
import { beyond, beyondNow } from "../../core/protocol/Limited.ts"
import type { RequestCaller } from "../access/CurrentCaller.ts"
import * as OlderNodes from "./OlderNodes.ts"
import { refuse, refusedBy } from "./Refusal.ts"

const ids = optional(Schema.Array(Schema.String))

/** The columns of a row with limits. */
export const columns = { location_ids: ids, franchisee_ids: ids, brand_ids: ids }

/** Values of `location_ids`, `franchisee_ids`, `brand_ids`. */
export const parameters = (limits: RestaurantLimits) =>
  limitNames.map((name) => (limits[name] === undefined ? PgTypes.text(null) : texts(limits[name])))

/**
 * The limits of what a caller of the limits `own` makes: at least these. `restaurants`: those of the caller now. A location that is
 * none of these is refused: it would come into reach on the day on which it becomes the caller's.
 */
export const within = (
  own: GivenLimits | undefined,
  asked: RestaurantLimits,
  { restaurants }: Pick<RequestCaller, "restaurants">
): Effect.Effect<RestaurantLimits, Refused> => {
  const isWithin = (name: (typeof limitNames)[number], id: string): boolean =>
    own?.[name]?.includes(id) ??
    (own === undefined || name !== "location_ids" || restaurants === undefined || restaurants.spans.has(id))
  const beyond = limitNames.flatMap((name) =>
    (asked[name] ?? []).flatMap((id, index) =>
      isWithin(name, id) ? [] : [{ path: `/${name}/${index}`, message: "is beyond the limit of who asks" }]
    )
  )
  return beyond.length > 0
    ? refuse("forbidden", "Nobody reaches further with a token than they do.", beyond)
    : Effect.succeed(narrowed(own, asked))
}

/** An older version stops reading keys at a person, a limit or a token with one of them: what is revoked would stay good there. */
const newRoles: ReadonlySet<string> = new Set(["finance", "franchisee"])
const newScopes: ReadonlySet<string> = new Set(["finance:read", "finance:close"])

interface Stored extends RestaurantLimits {
  readonly role?: string | undefined
  readonly scopes?: ReadonlyArray<string> | undefined
}

const isUnknownToOlder = (stored: Stored): boolean =>
  limitsIn(stored) !== undefined ||
  (stored.role !== undefined && newRoles.has(stored.role)) ||
  stored.scopes?.some((scope) => newScopes.has(scope)) === true

/**
 * Before limits, a role or scopes are stored that older versions do not know: none starts from now on, and none runs.
 */
export const barOlder = (pool: Pool, stored: Stored): Effect.Effect<void, Refused> =>
  isUnknownToOlder(stored)
    ? OlderNodes.bar(pool, "limits to restaurants, and no roles finance and franchisee")
    : Effect.void

/** True if a location is the caller's on every day from `from` to the one before `until`; all are of a caller without limits. */
export const hasAll = (
  { restaurants }: Pick<RequestCaller, "restaurants">,
  location: string | undefined,
  from: string,
  until: string
): boolean => restaurants === undefined || (location !== undefined && restaurants.hasAll(location, from, until))

/** A location on some business days: UTC midnights, ms; `high` is excluded. */
export interface Place {
  readonly location: string
  readonly low: number
  readonly high: number
}

/** Refuses a location that is asked for and never the caller's. */
export const mustHave = (
  { restaurants }: Pick<RequestCaller, "restaurants">,
  location: string | undefined
): Effect.Effect<void, Refused> =>
  restaurants === undefined || location === undefined || restaurants.spans.has(location)
    ? Effect.void
    : refuse("forbidden", "The caller is limited to other restaurants.", [
        { path: "/location_id", message: "is not of a restaurant of the caller" }
      ])

/**
 * The places that a question of business days is about. Undefined: all. `location`: the only one that is asked for; refused
 * if it is never the caller's.
 */
export const placesOf = (
  { restaurants }: Pick<RequestCaller, "restaurants">,
  location: string | undefined,
  low: number,
  high: number
): Effect.Effect<ReadonlyArray<Place> | undefined, Refused> => {
  if (restaurants === undefined) return Effect.succeed(location === undefined ? undefined : [{ location, low, high }])
  const days = (text: string | undefined, other: number) =>
    text === undefined || text === "" ? other : Date.parse(text)
  return Effect.as(
    mustHave({ restaurants }, location),
    [...restaurants.spans].flatMap(([id, spans]) =>
      location !== undefined && location !== id
        ? []
        : spans
            .map(({ from, until }) => ({
              location: id,
              low: Math.max(low, days(from, low)),
              high: Math.min(high, days(until, high))
            }))
            .filter((place) => place.low < place.high)
    )
  )
}

/** Refuses an order to keep, or to take back, at a restaurant that is not the caller's, on its day and about now, ms. */
export const mustReach = (
  { restaurants }: Pick<RequestCaller, "restaurants">,
  order: Order,
  now: number
): Effect.Effect<void, Refused> => {
  const isTakenBack = order.status === "voided" || order.status === "refunded"
  const refused = isTakenBack ? beyond(restaurants, order) : beyondNow(restaurants, order, now)
  return refused === undefined ? Effect.void : Effect.fail(refusedBy(refused))
}
