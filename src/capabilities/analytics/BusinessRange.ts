/** The business days of a question about restaurants (contract/engagement.md *Figures by restaurant*). Pure. */
import { Effect } from "effect"
import type { RestaurantsQuery } from "../../contract/platform/RestaurantFigures.ts"
import { defaultFigureDays, maxFigureDays } from "../../contract/platform/RestaurantFigures.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { dateAt, dayMs } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"

/** The first and the last business day, as UTC midnights, ms. */
export interface Range {
  readonly first: number
  readonly last: number
}

export const dateText = (date: number): string => fromMillis(date).slice(0, 10)

export const rangeOf = (
  { zone }: Program,
  { from, to }: Pick<RestaurantsQuery, "from" | "to">,
  now: number
): Effect.Effect<Range, Refused> => {
  const last = to === undefined ? dateAt(zone, now) : Date.parse(to)
  const first = from === undefined ? last - (defaultFigureDays - 1) * dayMs : Date.parse(from)
  if (first > last)
    return refuseFaults([
      { path: from === undefined ? "/to" : "/from", message: "must be before the end of the range" }
    ])
  if (last - first >= maxFigureDays * dayMs)
    return refuseFaults([{ path: "/from", ...said`must be at most ${maxFigureDays} days before the end of the range` }])
  return Effect.succeed({ first, last })
}
