/** Events at some restaurants, and the places of readers that are limited to them (contract/events.md *Feed*). */
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"

/** The restaurant of an event; undefined: it is of none. */
const locationOf = ({ data }: FeedEvent): string | undefined => {
  if ("location_id" in data && data.location_id !== undefined) return data.location_id
  if ("reservation" in data) return data.reservation.location_id
  return "entries" in data ? data.entries?.find(({ location_id }) => location_id !== undefined)?.location_id : undefined
}

/** The day that decides whose an event is: the order's, or that of the event in the programme's zone. */
const dayOf = (programs: Programs["Service"], { data, programid, time }: FeedEvent): string =>
  ("business_date" in data ? data.business_date : undefined) ??
  fromMillis(dateAt(programs.get(programid)?.zone ?? "UTC", toMillis(time))).slice(0, 10)

/** Tells events at a location, or of restaurants of a caller on its days; undefined: all are wanted. */
export const at = (
  programs: Programs["Service"],
  restaurants: Restaurants | undefined,
  location: string | undefined
): ((event: FeedEvent) => boolean) | undefined => {
  if (restaurants === undefined && location === undefined) return undefined
  return (event) => {
    const there = locationOf(event)
    if (there === undefined || (location !== undefined && there !== location)) return false
    return restaurants === undefined || restaurants.has(there, dayOf(programs, event))
  }
}

const owner = "place of the feed"
const mark = "s"
/** Longest text of a place: all are sealed at one length, which tells nothing. */
const length = 52

/** A place without what it tells of other restaurants' guests and of how much there is. */
export const sealed = (claimKey: ClaimKey, place: string): string =>
  `${mark}${Sealed.seal(claimKey, owner, place.padEnd(length)).toString("base64url")}`

/** The text of a sealed place, and any other text as it is. */
export const opened = (claimKey: ClaimKey, text: string): string => {
  if (!text.startsWith(mark)) return text
  const place = Sealed.opened(claimKey, owner, Buffer.from(text.slice(mark.length), "base64url"))
  return place?.trimEnd() ?? text
}
