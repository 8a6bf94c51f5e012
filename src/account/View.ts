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

/** Adds up what expires at the same instant and stands side by side. */
const merged = (all: ReadonlyArray<Expiring>): ReadonlyArray<Expiring> => {
  const sums: Array<Expiring> = []
  for (const one of all) {
    const last = sums.at(-1)
    if (last === undefined || last.at !== one.at || last.unit !== one.unit) sums.push(one)
    else sums[sums.length - 1] = { ...last, amount: last.amount + one.amount }
  }
  return sums
}

/** Unspent lots that expire, by instant and unit, the earliest first. */
export const expiring = (state: State): ReadonlyArray<Expiring> => {
  const all: Array<Expiring> = []
  let isInOrder = true
  for (const { lots, unit } of state.units) {
    Lots.each(lots, (_, amount, at) => {
      if (at === Infinity) return
      isInOrder &&= all.length === 0 || all[all.length - 1]!.at <= at
      all.push({ unit, amount, at })
    })
  }
  // Units keep their order where they expire together.
  return merged(isInOrder ? all : all.sort((a, b) => a.at - b.at))
}
