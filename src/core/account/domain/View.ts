/**
 * The state that reads show: everything due by now is applied, and nothing is
 * posted. So a read may be ahead of the posted entries.
 */

import type { Unit } from "../../../contract/Values.ts"
import type { Program } from "../../rules/Program.ts"
import { Draft } from "./Draft.ts"
import { mayBeDue } from "./Due.ts"
import * as Lots from "./Lots.ts"
import type { State } from "./State.ts"

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

/** An `Expiring` whose amount is still being summed. */
interface Sum extends Expiring {
  amount: number
}

/** The last sum, if it has this unit and instant. */
const lastOf = (all: ReadonlyArray<Sum>, unit: Unit, at: number): Sum | undefined => {
  const last = all[all.length - 1]
  return last?.at === at && last.unit === unit ? last : undefined
}

/** Unspent points that expire after `now`, by instant and unit, the earliest first. Without expired points that holds still keep. */
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
    const addLot = (_: number, amount: number, at: number) => {
      if (at !== Infinity && at > now) add(unit, amount, at)
    }
    Lots.each(lots, addLot, state.idle)
  }
  if (isInOrder) return sums
  // A stable sort: at the same instant, units keep their order.
  const sorted = sums.splice(0).sort((a, b) => a.at - b.at)
  for (const { amount, at, unit } of sorted) add(unit, amount, at)
  return sums
}
