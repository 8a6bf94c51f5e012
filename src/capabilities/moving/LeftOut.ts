/** Sums what a move leaves out of its files where faults were waived, by the name of the fault (contract/moving.md *Left out*). */
import type { FaultName } from "./Faults.ts"

/** Rows that are left out, guests whose own row is or whose lots differ, and points by unit. */
interface Part {
  readonly rows?: number
  readonly guests?: number
  readonly points?: Readonly<Record<string, number>>
}

/** Notes something that is left out if the fault is waived. */
export type Leave = (name: FaultName, part: Part) => void

export interface Sums {
  readonly rows: number
  readonly guests: number
  /** As far as the rows tell them. */
  readonly points: ReadonlyMap<string, bigint>
  /** The part of `points` below zero. */
  readonly below: ReadonlyMap<string, bigint>
}

const nothing: Sums = { rows: 0, guests: 0, points: new Map(), below: new Map() }

/** Points of values by their units; those that tell no whole number are none. */
export const pointsOf = (
  lots: ReadonlyArray<{ readonly unit?: unknown; readonly amount?: unknown }>,
  primary: string
): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const { amount, unit = primary } of lots)
    if (Number.isSafeInteger(amount)) sums[String(unit)] = (sums[String(unit)] ?? 0) + Number(amount)
  return sums
}

export class LeftOut {
  readonly names = new Map<FaultName, Sums>()

  readonly leave: Leave = (name, { guests = 0, points = {}, rows = 0 }) => {
    const before = this.names.get(name) ?? nothing
    const sums = new Map(before.points)
    const below = new Map(before.below)
    for (const [unit, amount] of Object.entries(points))
      if (amount !== 0) sums.set(unit, (sums.get(unit) ?? 0n) + BigInt(amount))
    for (const [unit, amount] of Object.entries(points))
      if (amount < 0) below.set(unit, (below.get(unit) ?? 0n) + BigInt(amount))
    if (rows + guests + sums.size === 0) return
    this.names.set(name, { rows: before.rows + rows, guests: before.guests + guests, points: sums, below })
  }
}
