/**
 * Sums over many members, and what each record adds to them. The feed's updates
 * and `journal verify` compute the sums with the same code.
 */
import type { AccountEvent, HoldEnded } from "../../core/account/domain/AccountEvent.ts"
import type { Accrual, Posted, ShownEntry } from "../../core/account/domain/Posted.ts"
import * as Bounds from "./Bounds.ts"
import type { Ended, Hold } from "./Holds.ts"
import * as Holds from "./Holds.ts"
import type { MemberRollup, UnitFigures } from "./Member.ts"
import type { Order } from "./OrderFigures.ts"
import { accruedIn } from "./OrderFigures.ts"

/** Start of the interval of length `span` that contains an instant, ms. */
const startOf = (at: number, span: number): number => Math.floor(at / span) * span

/** Start of the quarter of an hour that contains an instant, ms. */
export const quarterOf = (at: number): number => startOf(at, Bounds.quarterMs)

/** Amounts of the columns, by the table's key as one text. */
export type Sum = Map<string, Array<bigint>>

/** The location of things without a location, and of sums over all locations. */
export const everywhere = ""

/** Separates the values of a key. No text of the service contains it. */
const apart = "\u0000"

/** Every table of sums, with its key and its columns. */
export const tables = {
  rollup_members: { key: ["program_id", "status", "tier_period", "tier_id"], columns: ["members"] },
  rollup_points: { key: ["program_id", "unit"], columns: ["posted", "reserved"] },
  rollup_lots: { key: ["program_id", "unit", "quarter"], columns: ["amount"] },
  rollup_activity: {
    key: ["program_id", "unit", "location_id", "quarter"],
    columns: ["orders", "eligible_spend", "issued", "redeemed", "reversed", "expired", "adjusted", "closed"]
  },
  rollup_joined: { key: ["program_id", "quarter"], columns: ["members"] },
  rollup_sales: { key: ["program_id", "span", "start", "location_id"], columns: ["orders", "spend"] },
  rollup_rewards: {
    key: ["program_id", "span", "start", "location_id", "reward_id"],
    columns: ["reserved", "captured", "reversed", "expired", "issued", "redeemed"]
  },
  rollup_promotions: {
    key: ["program_id", "span", "start", "location_id", "promotion_id", "unit"],
    columns: ["uses", "points", "spend"]
  }
} as const
export type SumTable = keyof typeof tables
export const sumTables = Object.keys(tables) as ReadonlyArray<SumTable>

/** The columns of a table's key with their values. */
export const keyOf = (table: SumTable, name: string): Readonly<Record<string, string>> => {
  const values = name.split(apart)
  return Object.fromEntries(tables[table].key.map((column, place) => [column, values[place] ?? ""]))
}

/** The amounts that an entry adds: orders, eligible spend, issued, redeemed, reversed, expired, adjusted, closed. */
const activityOf = (event: Posted, isFirstOfOrder: boolean): ReadonlyArray<number> => {
  const { amount } = event
  switch (event.op) {
    case "accrual":
      // A moved order was issued where it accrued.
      if (event.earned !== undefined) return [0, 0, 0, 0, 0, 0, amount, 0]
      return [isFirstOfOrder ? 1 : 0, isFirstOfOrder ? (event.spend ?? 0) : 0, amount, 0, 0, 0, 0, 0]
    case "redemption":
      return [0, 0, 0, -amount, 0, 0, 0, 0]
    case "reversal":
      return event.restores === undefined ? [0, 0, 0, 0, amount, 0, 0, 0] : [0, 0, 0, 0, 0, -amount, 0, 0]
    case "expiration":
      return [0, 0, 0, 0, 0, -amount, 0, 0]
    case "adjustment":
    case "manual":
      return [0, 0, 0, 0, 0, 0, amount, 0]
  }
}

const reservedOnce = [1, 0, 0, 0, 0, 0]
const issuedOnce = [0, 0, 0, 0, 1, 0]

/** The amounts that the end of a hold adds: reserved, captured, reversed, expired, issued, redeemed. */
const endOf = (how: HoldEnded["type"], { isGift }: Hold): ReadonlyArray<number> => {
  switch (how) {
    case "captured":
      return [0, 1, 0, 0, 0, isGift ? 1 : 0]
    case "released":
    case "refunded":
      return [0, 0, 1, 0, 0, 0]
    case "hold_expired":
      return [0, 0, 0, 1, 0, 0]
  }
}

export class Sums {
  readonly rollup_members: Sum = new Map()
  readonly rollup_points: Sum = new Map()
  readonly rollup_lots: Sum = new Map()
  readonly rollup_activity: Sum = new Map()
  readonly rollup_joined: Sum = new Map()
  readonly rollup_sales: Sum = new Map()
  readonly rollup_rewards: Sum = new Map()
  readonly rollup_promotions: Sum = new Map()

  add(table: SumTable, key: ReadonlyArray<string | number>, amounts: ReadonlyArray<number | bigint>): void {
    const name = key.join(apart)
    const sums = this[table].get(name)
    if (sums === undefined) this[table].set(name, amounts.map(BigInt))
    else
      for (let place = 0; place < amounts.length; place++)
        if (amounts[place] !== 0) sums[place]! += BigInt(amounts[place]!)
  }

  /** Adds a member, or removes it with `times` −1. */
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

  /** Adds a record's entries, each at its own time. */
  activity(program: string, events: ReadonlyArray<AccountEvent>): void {
    let isFirstOfOrder = true
    for (const event of events) {
      if (event.type !== "posted") continue
      const amounts = activityOf(event, isFirstOfOrder)
      if (event.op === "accrual") isFirstOfOrder = false
      const quarter = quarterOf(event.at)
      this.add("rollup_activity", [program, event.unit, everywhere, quarter], amounts)
      const { location }: ShownEntry = event
      if (location !== undefined) this.add("rollup_activity", [program, event.unit, location, quarter], amounts)
    }
  }

  /** Adds the member that a record enrols, unless it was one of another provider, and the order that accrues in it, if any. */
  beginnings(program: string, events: ReadonlyArray<AccountEvent>): void {
    for (const event of events)
      if (event.type === "enrolled" && event.via !== "move_in")
        this.add("rollup_joined", [program, quarterOf(event.at)], [1])
    const order = accruedIn(program, events)
    if (order === undefined) return
    this.sales(order, 1, order.accrued)
    for (const event of events) if (event.type === "posted" && event.op === "accrual") this.promotions(order, event)
  }

  /** Adds what promotions gave with an entry of an order that accrues. */
  private promotions({ accrued, at, location = everywhere, program }: Order, { promotions = [], unit }: Accrual): void {
    for (const span of Bounds.spansMs)
      for (const { amount, id } of promotions)
        this.add("rollup_promotions", [program, span, startOf(at, span), location, id, unit], [1, amount, accrued])
  }

  /** Adds orders and spend at the location, time of accrual and business day of an order. */
  sales({ at, business, location = everywhere, program }: Order, orders: number, spend: number): void {
    this.add("rollup_sales", [program, Bounds.businessSpan, business, location], [orders, spend])
    for (const span of Bounds.spansMs)
      this.add("rollup_sales", [program, span, startOf(at, span), location], [orders, spend])
  }

  /** Adds an order that does not count any more. */
  closed({ at, location, program }: Order): void {
    const amounts = [0, 0, 0, 0, 0, 0, 0, 1]
    for (const place of location === undefined ? [everywhere] : [everywhere, location])
      this.add("rollup_activity", [program, "points", place, quarterOf(at)], amounts)
  }

  /** Adds a record's events of rewards. Returns the ends of holds that are not in `holds`. */
  rewards(
    program: string,
    events: ReadonlyArray<AccountEvent>,
    holds: ReadonlyMap<string, Hold>
  ): ReadonlyArray<Ended> {
    const unknown: Array<Ended> = []
    for (const event of events) {
      if (event.type === "reserved") this.reward(program, event.at, Holds.holdOf(event), reservedOnce)
      else if (event.type === "reward_issued")
        this.reward(program, event.at, { reward: event.reward, location: everywhere }, issuedOnce)
      else if (Holds.isEnd(event)) {
        const ended = { program, at: event.at, reservation: event.reservation, how: event.type }
        if (!this.ended(ended, holds)) unknown.push(ended)
      }
    }
    return unknown
  }

  /** Adds the end of a hold. False if the hold is not in `holds`. */
  ended({ at, how, program, reservation }: Ended, holds: ReadonlyMap<string, Hold>): boolean {
    const hold = holds.get(reservation)
    if (hold !== undefined) this.reward(program, at, hold, endOf(how, hold))
    return hold !== undefined
  }

  private reward(
    program: string,
    at: number,
    { location, reward }: Pick<Hold, "location" | "reward">,
    amounts: ReadonlyArray<number>
  ): void {
    for (const span of Bounds.spansMs)
      this.add("rollup_rewards", [program, span, startOf(at, span), location, reward], amounts)
  }

  /** The rows of a table, without rows whose amounts are all 0. */
  rows(table: SumTable): ReadonlyArray<Readonly<Record<string, string>>> {
    return [...this[table]].flatMap(([name, amounts]) => {
      if (amounts.every((amount) => amount === 0n)) return []
      // As text: a sum may be larger than JSON's exact numbers.
      const sums = tables[table].columns.map((column, place) => [column, String(amounts[place])])
      return [{ ...keyOf(table, name), ...Object.fromEntries(sums) }]
    })
  }
}

/** The sums of each table, by key. */
export type PlainSums = Readonly<Record<SumTable, Sum>>
