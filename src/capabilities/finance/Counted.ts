/** How far the sums of finance are (contract/finance.md *Roll-forward*). */
import { Effect } from "effect"
import { isStanding, type ServiceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { orUnavailable, refuse } from "../../desk/surface/Refusal.ts"
import type { Finance } from "../../reads/finance/Finance.ts"
import { lagMs } from "./Bounds.ts"

export const behind = (asOf: number): Effect.Effect<never, Refused> =>
  refuse(
    "invalid_state",
    said`The sums of finance are counted up to ${fromMillis(asOf)}; they go on by themselves. Ask again later. Where the next records are archived, they need the folder on the nodes, lotbook journal restore, or lotbook journal rebuild --from.`
  )

/**
 * The instant up to which all records are counted. Refused if one before `end` is not that is older than a minute; in a sandbox,
 * where no time passes, if any is not. Times in ms.
 */
export const countedUntil = Effect.fnUntraced(function* (
  finance: Finance["Service"],
  time: ServiceTime,
  end: number
): Effect.fn.Return<number, Refused> {
  const asOf = yield* orUnavailable(finance.asOf)
  const now = time.now()
  const needed = isStanding(time) ? Infinity : Math.min(end - 1, now - lagMs)
  if (asOf !== undefined && asOf < needed) return yield* behind(asOf)
  return Math.min(asOf ?? now, now)
})
