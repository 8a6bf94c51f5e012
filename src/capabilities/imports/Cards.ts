/** The stamp cards that the rows of an import fill, within the limits of a person (contract/operators.md *Limits*). */
import { Effect } from "effect"
import type { ImportRow } from "../../contract/platform/Imports.ts"
import { isCreated } from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type * as Given from "../../desk/surface/Given.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import * as Foresight from "./Foresight.ts"
import type { Cards } from "./ImportRows.ts"

/**
 * Counts the cards that a row fills with what its member has: the import has counted those that the opening balance fills
 * alone. Undefined: its caller has no limits, or it fills none.
 */
export const cardsOf = (
  given: Effect.Success<typeof Given.make>,
  id: string,
  { row, value }: { readonly row: number; readonly value: ImportRow },
  caller: RequestCaller,
  program: Program
): Cards | undefined => {
  if (caller.kind !== "user" || program.stampCard?.unit !== program.primaryUnit) return undefined
  const gift = { program, id: ["import row", id, String(row)], ...nothing }
  return {
    counted: Foresight.openings([value], program).rewards,
    within: (rewards, work) =>
      Effect.provideService(
        given.within({ ...gift, rewards }, ({ record }) => ({ isNew: isCreated(record) }), work),
        CurrentCaller,
        caller
      )
  }
}
