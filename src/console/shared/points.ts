/** Amounts of accounts in words, such as `1 point` and `250 Punkte`. */
import { number } from "./format.ts"
import { strings } from "./strings.ts"

interface Balance {
  readonly amount: number
  readonly unit: string
  /** The account's name. Absent: its unit's. */
  readonly unit_label?: string
}

export const pointsOf = ({ amount, unit, unit_label = unit }: Balance): string =>
  `${number(amount)} ${strings.values.unitOf(amount, unit_label)}`
