/**
 * What reads show: the state with everything due by now already counted.
 * Nothing is posted; reads may run ahead of the posted entries.
 */
import type { Program } from "../program/Program.ts"
import { Draft } from "./Draft.ts"
import { mayBeDue } from "./Due.ts"
import * as Lots from "./Lots.ts"
import type { State } from "./State.ts"
import type { Unit } from "../contract/Values.ts"

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

/** Unspent lots that expire, by instant and unit, the earliest first. */
export const expiring = (state: State): ReadonlyArray<Expiring> => {
  const all: Array<Expiring> = []
  for (const account of state.units) {
    const sums = new Map<number, number>()
    for (const lot of Lots.toArray(account.lots)) {
      if (lot.expires !== undefined) sums.set(lot.expires, (sums.get(lot.expires) ?? 0) + lot.left)
    }
    for (const [at, amount] of sums) all.push({ unit: account.unit, amount, at })
  }
  return all.sort((a, b) => a.at - b.at)
}
