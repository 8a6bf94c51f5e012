/** Amounts owed to guests and costs of rewards, as figures of a range. Pure. */

import type { PointValue } from "../../contract/ProgramFile.ts"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import type { Unit } from "../../contract/Values.ts"
import { worthOf } from "../../contract/Worth.ts"
import { rangeStrings } from "../shared/figures/rangeStrings.ts"
import { calendarDay, money, number } from "../shared/format.ts"
import type { Amount, Cell } from "../shared/spreadsheets/csv.ts"
import { strings } from "../shared/strings.ts"

/** A figure of a panel. */
interface OwedFigure {
  readonly label: string
  readonly value: string
  readonly unit?: string
  readonly cells: ReadonlyArray<Cell>
  readonly hint: string
}

type Loyalty = Analytics["loyalty"]

const countOf = (owed: Loyalty["owed"]): number | undefined => owed?.rewards.reduce((all, { count }) => all + count, 0)

/** A day that was not recorded says so, in a file too. */
const toldIn = (analytics: Analytics | undefined, value: number | Amount | undefined): Cell =>
  analytics === undefined ? undefined : (value ?? rangeStrings.notRecorded)

/** Money, and the number of wallet rewards. `before` undefined: it is not there yet. */
export const owedFigures = (
  now: Analytics,
  before: Analytics | undefined,
  currency: string
): ReadonlyArray<OwedFigure> => {
  const { owed } = now.loyalty
  const both = [now, before]
  const count = countOf(owed)
  const hint =
    owed === undefined
      ? rangeStrings.notRecordedHint
      : owed.day === undefined
        ? strings.today.now
        : rangeStrings.atEndOf(calendarDay(owed.day))
  return [
    {
      label: rangeStrings.liability,
      value: owed?.worth === undefined ? rangeStrings.notRecorded : money(owed.worth),
      unit: currency,
      cells: both.map((one) => toldIn(one, one?.loyalty.owed?.worth)),
      hint
    },
    {
      label: rangeStrings.inWallets,
      value: count === undefined ? rangeStrings.notRecorded : number(count),
      cells: both.map((one) => toldIn(one, countOf(one?.loyalty.owed))),
      hint
    }
  ]
}

/** Points redeemed, less those given back, and the wallet rewards used that cost their guests nothing. */
export const costOf = (value: PointValue, unit: Unit, { ledger_by_bucket, rewards }: Loyalty): PointValue["worth"] => {
  const points = ledger_by_bucket.reduce((all, one) => (one.unit === unit ? all + one.redeemed - one.reversed : all), 0)
  const { amount, currency } = worthOf(value, points)
  return { amount: rewards.reduce((all, one) => all + one.redeemed_worth.amount, amount), currency }
}
