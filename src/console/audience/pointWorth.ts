/** Points in money, as the programme has it. */
import type { PointValue } from "../../contract/ProgramFile.ts"
import { worthOf } from "../../contract/Worth.ts"
import { useProgram } from "../shared/program.tsx"

/**
 * The worth of an amount of an account's points. Undefined: the programme sets none for it, or the session may not read the
 * programme. `unit` undefined: the primary account.
 */
export const usePointWorth = (unit: string | undefined): ((amount: number) => PointValue["worth"]) | undefined => {
  const program = useProgram().data?.program
  const primary = program?.accounts.find(({ is_primary }) => is_primary)?.unit
  const value = unit === undefined || unit === primary ? program?.point_value : undefined
  return value === undefined ? undefined : (amount) => worthOf(value, amount)
}
