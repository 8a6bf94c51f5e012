/** What points are worth in money, as the programme has it. */
import { money } from "./format.ts"
import { useProgram } from "./program.tsx"
import { worthOf } from "./worth.ts"

/**
 * The worth of an amount of an account's points, as text. Undefined: the programme sets none for it, or the session may
 * not read the programme. `unit` undefined: the primary account.
 */
export const usePointWorth = (unit: string | undefined): ((amount: number) => string) | undefined => {
  const program = useProgram().data?.program
  const primary = program?.accounts.find(({ is_primary }) => is_primary)?.unit
  const value = unit === undefined || unit === primary ? program?.point_value : undefined
  return value === undefined ? undefined : (amount) => money(worthOf(value, amount))
}
