/**
 * Sums over many members: what records add to them, exactly and in any number.
 * The same sums are kept by the feed and counted anew by `journal verify`.
 */
import type { Event, Posted } from "../account/domain/Event.ts"
import { lotMade } from "../account/domain/Evolve.ts"
import * as Bounds from "./Bounds.ts"
import type { MemberRollup, UnitFigures } from "./Member.ts"

/** Start of the quarter of an hour that an instant falls into, ms. */
export const quarterOf = (at: number): number => Math.floor(at / Bounds.quarterMs) * Bounds.quarterMs

/** Columns that are added up, by the table's key as one text. */
export type Sum = Map<string, Array<bigint>>

/** Parts the values of a key; no text of the service holds it. */
const apart = "\u0000"

/** Every table of sums, with its key and its columns. */
export const tables = {
  rollup_members: { key: ["program_id", "status", "tier_period", "tier_id"], columns: ["members"] },
  rollup_points: { key: ["program_id", "unit"], columns: ["posted", "reserved"] },
  rollup_lots: { key: ["program_id", "unit", "quarter"], columns: ["amount"] },
  rollup_activity: {
    key: ["program_id", "unit", "quarter"],
    columns: ["orders", "eligible_spend", "issued", "redeemed", "expired", "adjusted"]
  }
} as const
export type SumTable = keyof typeof tables
export const sumTables = Object.keys(tables) as ReadonlyArray<SumTable>

/** The columns of a table's key with their values. */
export const keyOf = (table: SumTable, name: string): Readonly<Record<string, string>> => {
  const values = name.split(apart)
  return Object.fromEntries(tables[table].key.map((column, place) => [column, values[place] ?? ""]))
}

/** What an entry counts as: orders, eligible spend, issued, redeemed, expired, adjusted. */
const activityOf = (event: Posted, isFirstOfOrder: boolean): ReadonlyArray<number> => {
  const { amount, op, spend = 0 } = event
  switch (op) {
    case "accrual":
      return [isFirstOfOrder ? 1 : 0, isFirstOfOrder ? spend : 0, amount, 0, 0, 0]
    case "redemption":
    case "reversal":
      return [0, 0, 0, -amount, 0, 0]
    case "expiration":
      return [0, 0, 0, 0, -amount, 0]
    case "adjustment":
    case "manual":
      return [0, 0, 0, 0, 0, amount]
  }
}

export class Sums {
  readonly rollup_members: Sum = new Map()
  readonly rollup_points: Sum = new Map()
  readonly rollup_lots: Sum = new Map()
  readonly rollup_activity: Sum = new Map()

  add(table: SumTable, key: ReadonlyArray<string | number>, amounts: ReadonlyArray<number | bigint>): void {
    const name = key.join(apart)
    const sums = this[table].get(name)
    if (sums === undefined) this[table].set(name, amounts.map(BigInt))
    else for (let place = 0; place < amounts.length; place++) sums[place]! += BigInt(amounts[place]!)
  }

  /** Counts a member once, or with −1 once less. */
  member({ program, status, tier }: Pick<MemberRollup, "program" | "status" | "tier">, times: 1 | -1): void {
    this.add("rollup_members", [program, status, tier.period, tier.tier], [times])
  }

  points(program: string, { posted, reserved, unit }: UnitFigures, times: 1 | -1): void {
    this.add("rollup_points", [program, unit], [times * posted, times * reserved])
  }

  lot(program: string, unit: string, expires: number | null | undefined, points: number): void {
    if (expires === null || expires === undefined || expires === Infinity) return
    this.add("rollup_lots", [program, unit, quarterOf(expires)], [points])
  }

  /** What a record's events do to lots. */
  lots(program: string, events: ReadonlyArray<Event>): void {
    for (const event of events) {
      if (event.type !== "posted") continue
      for (const [, points, expires] of event.taken ?? []) this.lot(program, event.unit, expires, -points)
      for (const [, points, expires] of event.back ?? []) this.lot(program, event.unit, expires, points)
      const made = lotMade(event)
      if (made !== undefined) this.lot(program, event.unit, made[2], made[1])
    }
  }

  /** What a record's entries come to, at their own instants. */
  activity(program: string, events: ReadonlyArray<Event>): void {
    let isFirstOfOrder = true
    for (const event of events) {
      if (event.type !== "posted") continue
      const amounts = activityOf(event, isFirstOfOrder)
      if (event.op === "accrual") isFirstOfOrder = false
      this.add("rollup_activity", [program, event.unit, quarterOf(event.at)], amounts)
    }
  }

  /** Adds other sums. */
  merge(others: PlainSums): void {
    for (const table of sumTables) for (const [name, amounts] of others[table]) this.add(table, [name], amounts)
  }

  /** The rows of a table that are not 0 throughout. */
  rows(table: SumTable): ReadonlyArray<Readonly<Record<string, string>>> {
    return [...this[table]].flatMap(([name, amounts]) => {
      if (amounts.every((amount) => amount === 0n)) return []
      // As text: a sum may be larger than JSON's exact numbers.
      const sums = tables[table].columns.map((column, place) => [column, String(amounts[place])])
      return [{ ...keyOf(table, name), ...Object.fromEntries(sums) }]
    })
  }
}

/** Sums as plain data, from one thread to another. */
export type PlainSums = Readonly<Record<SumTable, Sum>>
