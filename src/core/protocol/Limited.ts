/**
 * Tills that are limited to restaurants (contract/people.md *Limited to restaurants*): orders, adjustments and
 * reservations of these alone. Any guest may redeem anywhere. Callers without a limit pay nothing.
 */
import { Effect } from "effect"
import type { OperationId, RequestOf } from "../../contract/protocol/Operations.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import { Accounts } from "../account/Accounts.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import { refusal } from "../account/domain/Refusal.ts"
import type { Trouble } from "../account/Outcome.ts"
import type { Caller, Handler, Handlers } from "./Handler.ts"
import type { Restaurants } from "./Restaurants.ts"

/** The refusal of a location that is beyond the limit. `path`: JSON Pointer to what names it. */
const elsewhere = (path: string): Refusal =>
  refusal("forbidden", "The caller is limited to other restaurants.", [
    { path, message: "is not of a restaurant of the caller" }
  ])

/** The refusal of an order; undefined: it is within the limit. */
export const beyond = (
  restaurants: Restaurants | undefined,
  { business_date, scope }: Order,
  path = "/order/scope/location_id"
): Refusal | undefined =>
  restaurants === undefined || restaurants.has(scope.location_id, business_date) ? undefined : elsewhere(path)

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

const byOrder = ({ order }: { readonly order: Order }, restaurants: Restaurants) =>
  Effect.succeed(beyond(restaurants, order))

/** Refusal of an adjustment whose order is another restaurant's. One that has not accrued is refused as for all. */
export const ofOrder = (
  accounts: Accounts["Service"],
  restaurants: Restaurants,
  program: string,
  order: string,
  path: string
): Effect.Effect<Refusal | Trouble | undefined> =>
  Effect.map(accounts.orderPlace(program, order), (place) => {
    if (place === undefined || place._tag !== "Place") return place
    return restaurants.hasOrder(place) ? undefined : elsewhere(path)
  })

const ofReservation =
  (accounts: Accounts["Service"]) =>
  ({ reservation_id }: { readonly reservation_id: string }, restaurants: Restaurants) =>
    Effect.map(accounts.reservationPlace(reservation_id), (place): Refusal | Trouble | undefined => {
      if (place === undefined || place._tag !== "Place") return place
      return restaurants.hasAbout(place.location, place.at) ? undefined : elsewhere("/reservation_id")
    })

/** The handlers, held to the restaurants of the caller. The gate refuses such a caller all operations without a check. */
export const hold = (handlers: Handlers["Service"]): Effect.Effect<Handlers["Service"], never, Accounts> =>
  Effect.map(Accounts, (accounts) => ({
    ...handlers,
    "order.evaluate": checked(handlers["order.evaluate"], byOrder),
    "accrual.post": checked(handlers["accrual.post"], byOrder),
    "order.adjust": checked(handlers["order.adjust"], ({ adjustment, program_id }, restaurants) =>
      ofOrder(accounts, restaurants, program_id, adjustment.original_order_id, "/adjustment/original_order_id")
    ),
    "redemption.reserve": checked(handlers["redemption.reserve"], byOrder),
    "redemption.capture": checked(handlers["redemption.capture"], ofReservation(accounts)),
    "redemption.reverse": checked(handlers["redemption.reverse"], ofReservation(accounts))
  }))
