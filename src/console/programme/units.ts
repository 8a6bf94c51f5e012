import { Schema } from "effect"
import { ProgramAccount } from "../../contract/protocol/Program.ts"
import type { Unit } from "../../contract/Values.ts"
import { labelOf } from "../shared/words/words.ts"
import type { Draft } from "./draft.ts"

export interface NamedUnit {
  readonly unit: Unit
  readonly name: string
}

export const isAccount = Schema.is(ProgramAccount)

/** The guests' name for an account's unit. */
export const unitName = ({ unit, unit_label }: ProgramAccount): string => unit_label || labelOf(unit)

/** The units of an edited programme's accounts that are complete. */
export const unitsOf = (draft: Draft): ReadonlyArray<NamedUnit> => {
  const drafted = draft["accounts"]
  const accounts: ReadonlyArray<unknown> = Array.isArray(drafted) ? drafted : []
  return accounts.filter(isAccount).map((account) => ({ unit: account.unit, name: unitName(account) }))
}
