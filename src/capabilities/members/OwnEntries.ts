/** Entries of a member at some restaurants (contract/people.md *Limited to restaurants*). */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import type { Trouble } from "../../core/account/Outcome.ts"
import type { Place } from "../../core/account/Places.ts"
import type { LedgerReads } from "../../core/journal/LedgerReads.ts"
import type { LedgerRow } from "../../core/journal/Records.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { orUnavailable, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"

type Places = Pick<Accounts["Service"], "orderPlace" | "reservationPlace">

/** The entries of a page that are shown. */
type Shown = (entries: ReadonlyArray<MemberLedger.Entry>) => Effect.Effect<ReadonlyArray<MemberLedger.Entry>, Refused>

const placeAt = (read: Effect.Effect<Place | undefined | Trouble>): Effect.Effect<Place | undefined, Refused> =>
  Effect.flatMap(read, (place) =>
    place === undefined || place._tag === "Place" ? Effect.succeed(place) : Effect.fail(refusedBy(place))
  )

/**
 * Tells whether an entry is of a caller's restaurants: by its reservation, by the day of its order, else by its own day in the
 * programme's zone.
 */
const isOwn = Effect.fnUntraced(function* (
  places: Places,
  { id, zone }: Program,
  restaurants: Restaurants,
  { businessDate, locationId: location = "", occurredAt: at, operation, orderId, reservationId }: LedgerRow
): Effect.fn.Return<boolean, Refused> {
  if (!restaurants.spans.has(location) || restaurants.hasAlways(location)) return restaurants.spans.has(location)
  if (reservationId !== undefined) {
    const made = yield* placeAt(places.reservationPlace(reservationId))
    return made !== undefined && restaurants.hasAbout(made.location, made.at)
  }
  if (operation === "accrual" && businessDate !== undefined) return restaurants.has(location, businessDate)
  if (orderId !== undefined) {
    const order = yield* placeAt(places.orderPlace(id, orderId))
    return order !== undefined && restaurants.hasOrder(order)
  }
  return restaurants.has(location, fromMillis(dateAt(zone, at)).slice(0, 10))
})

/** Finds entries at restaurants of a caller, on its days; without limits at any. `location`: at this one alone. */
export const at =
  (places: Places, program: Program, restaurants: Restaurants | undefined, location?: string): Shown =>
  (entries) => {
    const there = entries.filter(
      ({ row: { locationId } }) => locationId !== undefined && (location === undefined || locationId === location)
    )
    if (restaurants === undefined) return Effect.succeed(there)
    return Effect.filter(there, ({ row }) => isOwn(places, program, restaurants, row), {
      concurrency: Bounds.placesAtOnce
    })
  }

export interface Found {
  readonly entries: ReadonlyArray<MemberLedger.Entry>
  /** How far was read (`placeOf`), if more may follow; undefined: these are the last ones. */
  readonly reached: string | undefined
}

/** At most `limit` entries after a place that are shown. Reads a member's entries by their key, at most `guestPages` pages. */
export const page = Effect.fnUntraced(function* (
  ledger: LedgerReads["ledger"],
  asked: MemberLedger.EntriesRead,
  shown: Shown,
  after: string | undefined,
  limit: number
): Effect.fn.Return<Found, Refused> {
  const found: Array<MemberLedger.Entry> = []
  let reached = after
  for (let pages = 0; pages < Bounds.guestPages && found.length < limit; pages++) {
    const some = yield* orUnavailable(MemberLedger.page(ledger, asked, reached, Bounds.guestPage))
    found.push(...(yield* shown(some)))
    const last = some.at(-1)
    reached = last === undefined || some.length < Bounds.guestPage ? undefined : MemberLedger.placeOf(last)
    if (reached === undefined) break
  }
  return { entries: found.slice(0, limit), reached }
})
