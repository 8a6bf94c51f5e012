/** Restaurants beside the same days before: how revenue has changed, and why. Pure. */
import type { RestaurantFigures } from "../../contract/platform/RestaurantFigures.ts"

type Restaurant = RestaurantFigures["restaurants"][number]

/**
 * `guests`: more or fewer guests. `orders`: more or fewer orders of each guest, or at all where guests are not counted.
 * `average`: larger or smaller orders.
 */
export type Cause = "guests" | "orders" | "average"

export interface Compared {
  readonly location_id: string
  readonly name: string | undefined
  /** Undefined: it had neither order nor entry in these days. */
  readonly now: Restaurant | undefined
  readonly before: Restaurant | undefined
  readonly currency: string
  /** Revenue now, before, and the difference, minor units. */
  readonly revenue: number
  readonly revenueBefore: number
  readonly change: number
  /** Undefined: nothing has changed, or there is nothing to compare with. */
  readonly cause: Cause | undefined
}

interface Factors {
  readonly guests: number | undefined
  readonly orders: number
  readonly revenue: number
}

/** The factors whose product is the revenue. */
const factorsOf = ({ guests, orders, revenue }: Factors): ReadonlyArray<readonly [Cause, number]> => [
  ...(guests === undefined ? [] : [["guests", guests] as const]),
  ["orders", orders / (guests ?? 1)],
  ["average", revenue / orders]
]

/**
 * The cause that explains most of a change of revenue. The change is a sum of one part for each factor: its logarithm's
 * change, as a share of the revenue's (the logarithmic mean divisia index), so that no rest is left and no order of the
 * factors matters. Undefined: the revenue is the same, or one of them has none.
 */
export const causeOf = (now: Factors, before: Factors): Cause | undefined => {
  if (now.revenue === before.revenue || now.revenue <= 0 || before.revenue <= 0) return undefined
  const isCounted = [now, before].every(({ guests }) => guests !== undefined && guests > 0)
  const counted = (factors: Factors) => factorsOf(isCounted ? factors : { ...factors, guests: undefined })
  const was = counted(before)
  const direction = Math.sign(now.revenue - before.revenue)
  const parts = counted(now).map(([cause, value], place) => ({
    cause,
    part: direction * Math.log(value / (was[place]?.[1] ?? value))
  }))
  return parts.reduce((most, one) => (one.part > most.part ? one : most)).cause
}

const factors = (one: Restaurant | undefined): Factors => ({
  guests: one?.guests,
  orders: one?.orders ?? 0,
  revenue: one?.eligible_spend.amount ?? 0
})

/** The restaurants of both, the one that lost most first. */
export const compare = (
  now: Pick<RestaurantFigures, "restaurants">,
  before: Pick<RestaurantFigures, "restaurants">
): ReadonlyArray<Compared> => {
  const was = new Map(before.restaurants.map((one) => [one.location_id, one]))
  const is = new Map(now.restaurants.map((one) => [one.location_id, one]))
  return [...new Map([...was, ...is]).values()]
    .map(({ eligible_spend: { currency }, location_id, name }) => {
      const [one, other] = [is.get(location_id), was.get(location_id)]
      const [present, past] = [factors(one), factors(other)]
      return {
        location_id,
        name,
        now: one,
        before: other,
        currency,
        revenue: present.revenue,
        revenueBefore: past.revenue,
        change: present.revenue - past.revenue,
        cause: causeOf(present, past)
      }
    })
    .toSorted((one, other) => one.change - other.change || (one.location_id < other.location_id ? -1 : 1))
}
