import { limitNames } from "../../contract/protocol/Problem.ts"
import { useOwnAccount } from "./account.ts"
import { number } from "./format.ts"
import { staffStrings } from "./staffStrings.ts"

/** What the person may give, in words; none without limits, and none with a key. */
export const useOwnLimits = (): ReadonlyArray<string> => {
  const limits = useOwnAccount().data?.limits
  return limitNames.flatMap((one) => {
    const most = limits?.[one]
    return most === undefined ? [] : [staffStrings.limits.ownOf[one](number(most))]
  })
}
