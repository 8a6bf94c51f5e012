import type { LimitReached } from "../../contract/protocol/Problem.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { useOwnAccount } from "./account.ts"
import { number } from "./format.ts"
import { staffStrings } from "./staffStrings.ts"

const countOf = { points_per_day: "points", rewards_per_day: "rewards", orders_moved_per_day: "orders_moved" } as const

/**
 * The person's limits, in words; none without limits, and none with a key. `program`: with what is left of today
 * there. `names`: of these limits alone.
 */
export const useOwnLimits = (
  program?: string,
  names: ReadonlyArray<LimitReached["name"]> = limitNames
): ReadonlyArray<string> => {
  const account = useOwnAccount().data
  const given = account?.given_today?.find((one) => one.program_id === program)
  return names.flatMap((one) => {
    const most = account?.limits?.[one]
    if (most === undefined) return []
    const words = staffStrings.limits.ownOf[one](number(most))
    if (program === undefined || one === "points_per_action") return [words]
    return [staffStrings.limits.left(words, number(Math.max(0, most - (given?.[countOf[one]] ?? 0))))]
  })
}

/** How much the person may still give of a limit today; undefined: as much as there is. */
export const useLeftToday = (program: string, name: keyof typeof countOf): number | undefined => {
  const account = useOwnAccount().data
  const most = account?.limits?.[name]
  const given = account?.given_today?.find(({ program_id }) => program_id === program)
  return most === undefined ? undefined : Math.max(0, most - (given?.[countOf[name]] ?? 0))
}
