/** Amounts that the person may still give or take, before something is done that counts. */
import type { LimitReached } from "../../contract/protocol/Problem.ts"
import { Note } from "./Note.tsx"
import { useOwnLimits } from "./ownLimits.ts"
import { staffStrings } from "./staffStrings.ts"

export const OwnLimits = ({
  names,
  program
}: {
  readonly program: string | undefined
  readonly names?: ReadonlyArray<LimitReached["name"]>
}) => {
  const limits = useOwnLimits(program, names)
  return limits.length === 0 ? undefined : <Note>{`${staffStrings.limits.own}: ${limits.join(", ")}`}</Note>
}
