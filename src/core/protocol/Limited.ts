/**
 * Tills that are limited to restaurants (contract/people.md *Limited to restaurants*): orders, adjustments and
 * reservations of these alone. Any guest may redeem anywhere. Callers without a limit pay nothing.
 */
import { Effect } from "effect"
import { serviceTime } from "../../base/time/Times.ts"
import type { OperationId, RequestOf } from "../../contract/protocol/Operations.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import { Accounts } from "../account/Accounts.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import { refusal } from "../account/domain/Refusal.ts"
import type { Trouble } from "../account/Outcome.ts"
import type { Place } from "../account/Places.ts"
import type { Caller, Handler, Handlers } from "./Handler.ts"
import { type KeptPlace, KeptPlaces } from "./KeptPlaces.ts"
import type { Restaurants } from "./Restaurants.ts"

/** The refusal of a location that is beyond the limit. `path`: JSON Pointer to what names it. */
export const elsewhere = (path: string): Refusal =>
  refusal("forbidden", "The caller is limited to other restaurants.", [
    { path, message: "is not of a restaurant of the caller" }
  ])

/** The refusal of a new order's id that another restaurant's order has. It does not say whose. */
export const taken = refusal(
  "forbidden",
  "An order of this id is at a restaurant that is not the caller's. Order ids must be unique in the programme: put the restaurant's id before them.",
  [{ path: "/order/order_id", message: "is the id of an order at a restaurant that is not the caller's" }]
)

const otherLocation = elsewhere("/order/scope/location_id")
const otherOrder = elsewhere("/adjustment/original_order_id")

/** `refused`, if an order is beyond the limit. */
export const beyond = (
  restaurants: Restaurants | undefined,
  { business_date, scope }: Order,
  refused = otherLocation
): Refusal | undefined =>
  restaurants === undefined || restaurants.has(scope.location_id, business_date) ? undefined : refused

/** The refusal of a new order. The location must be the caller's now, too: the business day is what the till says. */
export const beyondNow = (restaurants: Restaurants | undefined, order: Order, now: number): Refusal | undefined =>
  restaurants === undefined || restaurants.hasLately(order.scope.location_id, now)
    ? beyond(restaurants, order)
    : otherLocation

type Check<Id extends OperationId> = (
  request: RequestOf<Id>,
  restaurants: Restaurants
) => Effect.Effect<Refusal | Trouble | undefined>

const checked =
  <Id extends OperationId>(handle: Handler<Id>, check: Check<Id>): Handler<Id> =>
  (request, caller: Caller) => {
    const { restaurants } = caller
    if (restaurants === undefined) return handle(request, caller)
    return Effect.flatMap(check(request, restaurants), (refused) =>
      refused === undefined ? handle(request, caller) : Effect.succeed(refused)
    )
  }

const byOrder =
  (now: () => number) =>
  ({ order }: { readonly order: Order }, restaurants: Restaurants) =>
    Effect.sync(() => beyondNow(restaurants, order, now()))

/** `refused`, if an order has accrued beyond the limit. */
export const ofPlace = (
  restaurants: Restaurants,
  place: Place | Trouble,
  refused: Refusal
): Refusal | Trouble | undefined => {
  if (place._tag !== "Place") return place
  return restaurants.hasOrder(place) ? undefined : refused
}

/** `refused`, if an order has accrued at another restaurant, or nowhere: what there is elsewhere cannot be asked for. */
const ofOrder = (
  accounts: Accounts["Service"],
  restaurants: Restaurants,
  program: string,
  order: string,
  refused: Refusal
): Effect.Effect<Refusal | Trouble | undefined> =>
  Effect.map(accounts.orderPlace(program, order), (place) =>
    place === undefined ? refused : ofPlace(restaurants, place, refused)
  )

/** Refusal of an accrual under the id of an order that is kept elsewhere, unless the id has accrued at the caller's. */
const byKept = (accounts: Accounts["Service"], keptPlace: KeptPlace) =>
  Effect.fnUntraced(function* (
    { order_id, scope: { program_id } }: Order,
    restaurants: Restaurants
  ): Effect.fn.Return<Refusal | Trouble | undefined> {
    const kept = yield* keptPlace(program_id, order_id)
    if (kept === undefined || "_tag" in kept) return kept
    if (beyond(restaurants, kept) === undefined) return undefined
    return yield* ofOrder(accounts, restaurants, program_id, order_id, taken)
  })

const ofReservation =
  (accounts: Accounts["Service"]) =>
  ({ reservation_id }: { readonly reservation_id: string }, restaurants: Restaurants) =>
    Effect.map(accounts.reservationPlace(reservation_id), (place): Refusal | Trouble | undefined => {
      if (place !== undefined && place._tag !== "Place") return place
      return place !== undefined && restaurants.hasAbout(place.location, place.at)
        ? undefined
        : elsewhere("/reservation_id")
    })

/** The handlers, held to the restaurants of the caller. The gate refuses such a caller all operations without a check. */
export const hold = (handlers: Handlers["Service"]): Effect.Effect<Handlers["Service"], never, Accounts> =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { now } = yield* serviceTime
    const ofKept = byKept(accounts, yield* KeptPlaces)
    return {
      ...handlers,
      "order.evaluate": checked(handlers["order.evaluate"], byOrder(now)),
      "accrual.post": checked(handlers["accrual.post"], ({ order }, restaurants) => {
        const refused = beyondNow(restaurants, order, now())
        return refused === undefined ? ofKept(order, restaurants) : Effect.succeed(refused)
      }),
      "order.adjust": checked(handlers["order.adjust"], ({ adjustment, program_id }, restaurants) =>
        ofOrder(accounts, restaurants, program_id, adjustment.original_order_id, otherOrder)
      ),
      "redemption.reserve": checked(handlers["redemption.reserve"], byOrder(now)),
      "redemption.capture": checked(handlers["redemption.capture"], ofReservation(accounts)),
      "redemption.reverse": checked(handlers["redemption.reverse"], ofReservation(accounts))
    }
  })
