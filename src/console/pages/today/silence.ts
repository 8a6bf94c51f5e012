/** When a restaurant has fallen silent. Pure. */
import type { Location } from "../../app/locations.ts"

const dayMs = 86_400_000

/** Whole days since the last order, if there was one and it is a day ago or more. `now`: the service's time, ms. */
export const silentDays = (
  { last_order_at: at, last_order_on: on }: Pick<Location, "last_order_at" | "last_order_on">,
  now: number
): number | undefined => {
  if (at === undefined && on === undefined) return undefined
  const days = Math.floor((now - Date.parse(at ?? `${on}T23:59:59Z`)) / dayMs)
  return days >= 1 ? days : undefined
}
