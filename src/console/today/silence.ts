/** When a restaurant has fallen silent. Pure. */
import type { Location } from "../../contract/admin/Locations.ts"
import { clockAt } from "../shared/zonedTime.ts"

const dayMs = 86_400_000

/** The day of the week of an instant, 1 for Monday to 7 for Sunday. */
const weekdayAt = (zone: string, at: number): number => new Date(clockAt(zone, at)).getUTCDay() || 7

/**
 * Days since the last order, of 24 hours, without those that end on a day of the week on which the place is closed;
 * undefined: none, or no order is known. `now`: the service's time, ms. `zone`: of a place that names none.
 */
export const silentDays = (
  {
    last_order_at: at,
    last_order_on: on,
    order_weekdays: open,
    time_zone
  }: Pick<Location, "last_order_at" | "last_order_on" | "order_weekdays" | "time_zone">,
  now: number,
  zone: string
): number | undefined => {
  if (at === undefined && on === undefined) return undefined
  const last = Date.parse(at ?? `${on}T23:59:59Z`)
  const ends = Array.from({ length: Math.max(0, Math.floor((now - last) / dayMs)) }, (_, n) => last + (n + 1) * dayMs)
  const days = open === undefined ? ends : ends.filter((end) => open.includes(weekdayAt(time_zone ?? zone, end)))
  return days.length > 0 ? days.length : undefined
}
