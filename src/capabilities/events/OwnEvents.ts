/** Events at some restaurants, and the places of readers that are limited to them (contract/events.md *Feed*). */
import { Effect } from "effect"
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import { refusedBy } from "../../desk/surface/Refusal.ts"
import type * as Sealed from "../../desk/surface/Sealed.ts"
import type { PlacedEvent } from "../../reads/feed/EventFeed.ts"

/** The restaurant of an event; undefined: it is of none. */
const locationOf = ({ data }: FeedEvent): string | undefined => {
  if ("location_id" in data && data.location_id !== undefined) return data.location_id
  if ("reservation" in data) return data.reservation.location_id
  return "entries" in data ? data.entries?.find(({ location_id }) => location_id !== undefined)?.location_id : undefined
}

/** The day of an event in the programme's zone. */
const dayOf = (programs: Programs["Service"], { programid, time }: FeedEvent): string =>
  fromMillis(dateAt(programs.get(programid)?.zone ?? "UTC", toMillis(time))).slice(0, 10)

/** The order whose day decides, of an event that does not tell it: adjustments, and accruals of older records, which may have moved. */
const orderOf = ({ data }: FeedEvent): string | undefined =>
  "order_id" in data && !("business_date" in data && data.business_date !== undefined) ? data.order_id : undefined

/** Tells events at a location, or of a caller's restaurants; undefined: all are wanted. Where an order decides, `own` does. */
export const at = (
  programs: Programs["Service"],
  restaurants: Restaurants | undefined,
  location: string | undefined
): ((event: FeedEvent) => boolean) | undefined => {
  if (restaurants === undefined && location === undefined) return undefined
  return (event) => {
    const there = locationOf(event)
    if (there === undefined || (location !== undefined && there !== location)) return false
    return restaurants === undefined || mayBeOwn(programs, restaurants, there, event)
  }
}

const mayBeOwn = (
  programs: Programs["Service"],
  restaurants: Restaurants,
  location: string,
  event: FeedEvent
): boolean => {
  const { data } = event
  if (orderOf(event) !== undefined) return restaurants.spans.has(location)
  if ("reservation" in data) return restaurants.hasAbout(location, toMillis(data.reservation.created_at))
  if ("business_date" in data && data.business_date !== undefined) return restaurants.has(location, data.business_date)
  return restaurants.has(location, dayOf(programs, event))
}

/** Those of a caller's restaurants, of events that `at` tells: what does not tell its order's day has the one that is looked up. */
export const own = (
  { orderPlace }: Pick<Accounts["Service"], "orderPlace">,
  restaurants: Restaurants | undefined,
  events: ReadonlyArray<PlacedEvent>
): Effect.Effect<ReadonlyArray<PlacedEvent>, Refused> => {
  if (restaurants === undefined) return Effect.succeed(events)
  return Effect.filter(events, ({ event }) => {
    const order = orderOf(event)
    if (order === undefined || restaurants.hasAlways(locationOf(event) ?? "")) return Effect.succeed(true)
    return Effect.flatMap(orderPlace(event.programid, order), (place) => {
      if (place === undefined) return Effect.succeed(false)
      return place._tag === "Place" ? Effect.succeed(restaurants.hasOrder(place)) : Effect.fail(refusedBy(place))
    })
  })
}

/** Places of readers that are limited. */
export const place: Sealed.PlaceKind = { of: "place of the feed", length: 52 }
