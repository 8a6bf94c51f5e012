/** The results of `lotbook move-in` as lines and as JSON, where sums are text: they may be beyond what JSON carries exactly. */
import type { Absent } from "../../capabilities/moving/Absent.ts"
import type { FaultName } from "../../capabilities/moving/Faults.ts"
import type { Erased } from "../../capabilities/moving/Figures.ts"
import type { Sums } from "../../capabilities/moving/LeftOut.ts"
import type { OrdersBefore } from "../../capabilities/moving/OrdersBefore.ts"
import type { Planned } from "../../capabilities/moving/Plan.ts"
import type { Reconciled } from "../../capabilities/moving/Reconciliation.ts"
import { movedBefore, ordersBefore } from "../../capabilities/moving/Reconciliation.ts"
import type { Ran } from "../../capabilities/moving/Run.ts"
import { faultLines, number } from "./MoveInFlags.ts"

/** Sums of what is left out, by the name of the fault. */
export type LeftOutNames = ReadonlyMap<FaultName, Sums>

const leftOutLines = (names: LeftOutNames, title: string): ReadonlyArray<string> =>
  names.size === 0
    ? []
    : [
        title,
        ...[...names].map(([name, { below, guests, points, rows }]) => {
          const sums = [...points].map(([unit, amount]) => {
            const minus = below.get(unit) ?? 0n
            return minus === 0n || minus === amount
              ? `, ${number(amount)} ${unit}`
              : `, ${number(amount - minus)} and ${number(minus)} ${unit}`
          })
          return `  ${name}: ${number(rows)} rows, ${number(guests)} guests${sums.join("")}`
        })
      ]

const textsOf = (sums: ReadonlyMap<string, bigint>) =>
  Object.fromEntries([...sums].map(([unit, amount]) => [unit, String(amount)]))

const leftOutJson = (names: LeftOutNames) =>
  Object.fromEntries(
    [...names].map(([name, { below, guests, points, rows }]) => [
      name,
      { rows, guests, points: textsOf(points), ...(below.size === 0 ? undefined : { below_zero: textsOf(below) }) }
    ])
  )

const waivedTitle = "left out by waiver:"

/** Orders here from before the move. Empty: there are none. */
export const beforeLines = ({ guests, units }: OrdersBefore): ReadonlyArray<string> =>
  guests === 0
    ? []
    : [
        `orders before the move: ${number(guests)} guests of the files earned or spent here before their points came`,
        ...[...units].map(([unit, { earned, spent }]) => `  ${unit}: ${number(earned)} earned, ${number(spent)} spent`),
        "  What the files have of these orders, too, is there twice. reconcile lists the guests: see Parallel weeks in the guide."
      ]

const beforeJson = ({ guests, units }: OrdersBefore) => ({
  guests,
  units: [...units].map(([unit, { earned, spent }]) => ({ unit, earned: String(earned), spent: String(spent) }))
})

/** Guests of earlier moves who are not in the files. Empty: there are none. */
export const absentLines = ({ guests, units }: Absent): ReadonlyArray<string> => {
  const points = [...units].map(([unit, amount]) => `${number(amount)} ${unit}`).join(" and ")
  return guests === 0 ? [] : [`${number(guests)} guests of earlier moves, with ${points}, are not in these files`]
}

const absentJson = ({ guests, units }: Absent) => ({
  guests,
  units: [...units].map(([unit, amount]) => ({ unit, amount: String(amount) }))
})

/** Points of guests whom no file brings back. Empty: there are none. */
const erasedLines = ({ guests, units }: Erased): ReadonlyArray<string> => {
  const points = [...units].map(([unit, amount]) => `, ${number(amount)} ${unit}`).join("")
  return guests === 0 ? [] : [`erased since: ${number(guests)} guests of the files${points}`]
}

const erasedJson = ({ units }: Erased) => [...units].map(([unit, amount]) => ({ unit, amount: String(amount) }))

const outcomesOf = ({ differences, outcomes }: Planned["figures"]): string =>
  [
    ...Object.entries(outcomes).map(([outcome, count]) => `${number(count)} ${outcome}`),
    `${number(differences)} lots that differ`
  ].join(", ")

/** A plan with its faults by name, and guests of earlier moves who are not in its files. */
interface PlannedWith {
  readonly planned: Planned
  readonly counts: ReadonlyMap<FaultName, number>
  readonly missing: Absent
}

export const plannedLines = (
  { counts, missing, planned: { before, figures, leftOut, rows } }: PlannedWith,
  faults: string
): ReadonlyArray<string> => [
  `rows: ${number(rows.guests)} of guests, ${number(rows.lots)} of lots, ${number(rows.rewards)} of rewards, ${number(rows.consents)} of consents`,
  `guests: ${number(figures.guests)}, of whom ${number(figures.members)} are members already`,
  `a run: ${outcomesOf(figures)}`,
  `rewards: ${number(figures.rewards)}`,
  `consents: ${number(figures.consents)}`,
  `promised tiers: ${number(figures.tiers)}`,
  ...figures
    .units()
    .flatMap(({ amount, lots, months, unit }) => [
      `${unit}: ${number(amount)} in ${number(lots)} lots`,
      ...months.map(([month, sum]) => `  ${month}: ${number(sum)}`)
    ]),
  ...erasedLines(figures.erased),
  ...beforeLines(before),
  ...absentLines(missing),
  ...faultLines(counts, faults),
  ...leftOutLines(leftOut, "left out if these are waived:")
]

export const plannedJson = ({ counts, missing, planned: { before, figures, leftOut, rows } }: PlannedWith) => ({
  rows,
  guests: figures.guests,
  members: figures.members,
  outcomes: figures.outcomes,
  differences: figures.differences,
  rewards: figures.rewards,
  consents: figures.consents,
  promised_tiers: figures.tiers,
  units: figures.units().map(({ amount, lots, months, unit }) => ({
    unit,
    amount: String(amount),
    lots,
    expiring: months.map(([month, sum]) => ({ month, amount: String(sum) }))
  })),
  erased_points: erasedJson(figures.erased),
  orders_before: beforeJson(before),
  moved_before: absentJson(missing),
  faults: Object.fromEntries(counts),
  left_out: leftOutJson(leftOut)
})

/** The result of a run, with what its waivers left out and the orders from before it. */
interface RanWith {
  readonly ran: Ran
  readonly erased: Erased
  readonly missing: Absent
  readonly leftOut: LeftOutNames
  readonly before: OrdersBefore
}

export const ranLines = ({ before, erased, leftOut, missing, ran }: RanWith, left: string): ReadonlyArray<string> => [
  ...Object.entries(ran.outcomes).map(([outcome, count]) => `${outcome}: ${number(count)}`),
  `lots: ${number(ran.posted)}`,
  ...leftOutLines(leftOut, waivedTitle),
  ...erasedLines(erased),
  ...beforeLines(before),
  ...absentLines(missing),
  ...(ran.differences > 0 || ran.outcomes.refused !== undefined
    ? [`differences: ${number(ran.differences)}; what is left is listed in ${left}`]
    : [])
]

export const ranJson = ({ before, erased, leftOut, missing, ran }: RanWith) => ({
  ...ran,
  left_out: leftOutJson(leftOut),
  erased_points: erasedJson(erased),
  orders_before: beforeJson(before),
  moved_before: absentJson(missing)
})

interface ReconciledWith {
  readonly reconciled: Reconciled
  readonly erased: Erased
  readonly leftOut: LeftOutNames
}

const kindLines = (kinds: Reconciled["kinds"], left: string): ReadonlyArray<string> =>
  kinds.size === 0
    ? ["no differences"]
    : [
        `differences, listed in ${left}:`,
        ...[...kinds].map(([kind, count]) => `  ${kind}: ${number(count)}`),
        ...(kinds.has(ordersBefore)
          ? [`Take these orders back here; where the files do not have their points, --waive ${ordersBefore}.`]
          : []),
        ...(kinds.has(movedBefore)
          ? [
              `Compare the files with the other system; where it does not have these guests any more, --waive ${movedBefore}.`
            ]
          : [])
      ]

export const reconciledLines = (
  { erased, leftOut, reconciled }: ReconciledWith,
  left: string
): ReadonlyArray<string> => [
  `guests: ${number(reconciled.guests)}, and ${number(reconciled.erased)} who were erased since`,
  ...[...reconciled.units].flatMap(([unit, { balance, ...parts }]) => [
    `${unit}: ${number(balance)}`,
    ...Object.entries(parts).map(([name, sum]) => `  ${name}: ${number(sum)}`)
  ]),
  ...leftOutLines(leftOut, waivedTitle),
  ...erasedLines(erased),
  ...beforeLines(reconciled.before),
  ...absentLines(reconciled.absent),
  ...kindLines(reconciled.kinds, left)
]

export const reconciledJson = ({
  erased,
  leftOut,
  reconciled: { absent, before, erased: gone, guests, kinds, units }
}: ReconciledWith) => ({
  guests,
  erased: gone,
  differences: Object.fromEntries(kinds),
  units: [...units].map(([unit, sums]) => ({
    unit,
    ...Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, String(sum)]))
  })),
  left_out: leftOutJson(leftOut),
  erased_points: erasedJson(erased),
  orders_before: beforeJson(before),
  moved_before: absentJson(absent)
})
