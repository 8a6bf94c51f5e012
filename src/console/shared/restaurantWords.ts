import type { GivenLimits } from "../../contract/RestaurantLimits.ts"
import { limitNames, limitsIn } from "../../contract/RestaurantLimits.ts"
import { staffStrings } from "./staffStrings.ts"

/** Limits to restaurants in words; undefined: there are none. */
export const restaurantWords = (of: GivenLimits): string | undefined => {
  const limits = limitsIn(of)
  if (limits === undefined) return undefined
  return staffStrings.restaurants.limitedTo(limitNames.flatMap((name) => limits[name] ?? []).join(", "))
}
