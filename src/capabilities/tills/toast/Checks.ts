/** Facts of a check that all its transactions share: its guest, its order, its restaurant. */
import { Effect } from "effect"
import { hash } from "node:crypto"
import { maxIdLength } from "../../../contract/Values.ts"
import type { Resident } from "../../../core/account/Outcome.ts"
import type { Program } from "../../../core/rules/Program.ts"
import type { CheckFacts } from "../connections/CheckFacts.ts"
import type { KnownConnection } from "../connections/KnownConnections.ts"
import type { TillParts } from "../connections/TillParts.ts"
import { orderOf } from "./Order.ts"
import type { Check } from "./Wire.ts"
import { instantOf } from "./Wire.ts"

/** An id that follows from the vendor's ids. One that is too long is hashed. */
export const idOf = (...parts: ReadonlyArray<string>): string => {
  const id = ["toast", ...parts].join(":")
  return id.length <= maxIdLength ? id : `toast:${hash("sha256", id)}`
}

/** When a check was changed last, ms. */
export const modifiedAt = ({ closedDate, modifiedDate, openedDate, paidDate }: Check): number => {
  const date = modifiedDate ?? closedDate ?? paidDate ?? openedDate
  return date === undefined ? 0 : instantOf(date)
}

/** The restaurant of a transaction. */
export interface Place {
  readonly location: string
  readonly channel: KnownConnection["settings"]["channel"]
  readonly brand: string
  readonly merchant: string
}

/** The restaurant that the till names; undefined: the connection does not take it. */
export const placeOf = (
  { restaurants, settings, takesUnknown }: KnownConnection,
  restaurant: string | undefined
): Place | undefined => {
  const known = restaurant === undefined ? undefined : restaurants.get(restaurant)
  if (known === undefined && (!takesUnknown || restaurant === undefined || restaurant.length > maxIdLength))
    return undefined
  return {
    location: known?.location_id ?? restaurant ?? "",
    channel: known?.channel ?? settings.channel,
    brand: known?.brand_id ?? settings.brand_id,
    merchant: known?.merchant_id ?? settings.merchant_id
  }
}

/** The time zone of a restaurant. */
const zoneAt = ({ zones }: TillParts, { settings }: KnownConnection, { location }: Place) =>
  Effect.map(zones.of(location), (zone) => zone ?? settings.time_zone)

/** The order of a check for a guest: its number among the guests of the check, and its id. */
export const orderFor = (
  { accrued }: CheckFacts,
  check: string,
  member: string
): { readonly guest: number; readonly order: string } => {
  if (accrued !== undefined && (accrued.reversed !== true || accrued.member === member))
    return { guest: accrued.guest, order: accrued.order }
  const guest = (accrued?.guest ?? 0) + 1
  return { guest, order: guest === 1 ? idOf(check) : idOf(check, String(guest)) }
}

/** Everything that the order of a check is made of. */
export interface Sale {
  readonly connection: KnownConnection
  readonly program: Program
  readonly place: Place
  readonly check: Check
}

/** The check as an order of `/proto/v1`, or a sentence why it cannot be one. */
export const carriedFor = Effect.fnUntraced(function* (
  parts: TillParts,
  { check, connection, place, program }: Sale,
  order: string,
  status: "authorized" | "paid"
) {
  const zone = yield* zoneAt(parts, connection, place)
  return orderOf(check, {
    order_id: order,
    program_id: program.id,
    currency: program.currency,
    status,
    restaurant: {
      location_id: place.location,
      brand_id: place.brand,
      merchant_id: place.merchant,
      channel: place.channel,
      time_zone: zone
    }
  })
})

/** The guest of a transaction; undefined: nobody has the identifier, or the guest is gone. */
export const guestOf = (
  { accounts }: TillParts,
  program: string,
  identifier: string
): Effect.Effect<Resident | undefined | { readonly _tag: "Trouble" }> =>
  Effect.map(accounts.read(program, identifier), (found) => {
    if (found === undefined) return undefined
    if (found._tag !== "Resident") return { _tag: "Trouble" }
    return found.state.status === "closed" ? undefined : found
  })
