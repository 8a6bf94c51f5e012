/**
 * What reads show: the state with everything due by now already counted.
 * Nothing is posted; reads may run ahead of the posted entries.
 */
import type { Program } from "../../program/Program.ts"
import { Draft } from "./Draft.ts"
import { mayBeDue } from "./Due.ts"
import * as Lots from "./Lots.ts"
import type { State } from "./State.ts"
import type { Unit } from "../../contract/Values.ts"

/** The state as of `now`. */
export const view = (state: State, program: Program, now: number): State => {
  if (!mayBeDue(state, now)) return state
  const draft = new Draft(state, program, now)
  draft.settle()
  return draft.state
}

export interface Expiring {
  readonly unit: Unit
  readonly amount: number
  readonly at: number
}

/** An Expiring in the making. */
interface Sum extends Expiring {
  amount: number
}

/** The last of them, where it is of this unit and instant. */
const lastOf = (all: ReadonlyArray<Sum>, unit: Unit, at: number): Sum | undefined => {
  const last = all[all.length - 1]
  return last?.at === at && last.unit === unit ? last : undefined
}

/** Unspent lots that expire after `now`, by instant and unit, the earliest first: what holds keep past its instant is none. */
export const expiring = (state: State, now: number): ReadonlyArray<Expiring> => {
  const sums: Array<Sum> = []
  let isInOrder = true
  const add = (unit: Unit, amount: number, at: number): void => {
    const same = lastOf(sums, unit, at)
    if (same !== undefined) same.amount += amount
    else {
      isInOrder &&= sums.length === 0 || sums[sums.length - 1]!.at <= at
      sums.push({ unit, amount, at })
    }
  }
  for (const { lots, unit } of state.units) {
    Lots.each(lots, (_, amount, at) => {
      if (at !== Infinity && at > now) add(unit, amount, at)
    })
  }
  if (isInOrder) return sums
  // Units keep their order where they expire together.
  const sorted = sums.splice(0).sort((a, b) => a.at - b.at)
  for (const { amount, at, unit } of sorted) add(unit, amount, at)
  return sums
}
