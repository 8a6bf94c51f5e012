/** How far the sums of finance are (contract/finance.md *Roll-forward*). */
import { Effect } from "effect"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { orUnavailable, refuse } from "../../desk/surface/Refusal.ts"
import type { Finance } from "../../reads/finance/Finance.ts"
import { lagMs } from "./Bounds.ts"

export const behind = (asOf: number): Effect.Effect<never, Refused> =>
  refuse(
    "invalid_state",
    `The sums of finance are counted up to ${fromMillis(asOf)}; they go on by themselves. Ask again later.`
  )

/** The instant up to which all records are counted. Refused if older records than that of `end` are not. Times in ms. */
export const countedUntil = Effect.fnUntraced(function* (
  finance: Finance["Service"],
  now: number,
  end: number
): Effect.fn.Return<number, Refused> {
  const asOf = yield* orUnavailable(finance.asOf)
  if (asOf !== undefined && asOf < Math.min(end, now - lagMs)) return yield* behind(asOf)
  return Math.min(asOf ?? now, now)
})
