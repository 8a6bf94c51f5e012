/**
 * The lines of the roll-forward to which a record's ledger entries belong, and the lots that they changed
 * (contract/finance.md *Lines*). Pure. Each point of an entry has one line and one lot, so that a balance is the sum of all lines.
 */
import type { PointsLine } from "../../../contract/admin/Finance.ts"
import type { AccountEvent, OrderReceived } from "./AccountEvent.ts"
import { mergeReason } from "./AccountEvent.ts"
import { lotMade } from "./Evolve.ts"
import type { LotShare } from "./Lots.ts"
import * as Lots from "./Lots.ts"
import type { Accrual, Adjusting, Posted, ShownEntry } from "./Posted.ts"

export interface Movement {
  readonly entry: Posted
  readonly line: PointsLine
  /** Above 0: points were added to the lot. */
  readonly points: number
  /** Undefined: the points are in no lot, because the balance is below zero. */
  readonly lot: LotShare | undefined
}

type Part = readonly [line: PointsLine, points: number]

/** The moves of orders in a record: what arrived, and the orders that left. */
interface Moves {
  readonly received: ReadonlyArray<OrderReceived>
  readonly left: ReadonlySet<string>
}

const movesOf = (events: ReadonlyArray<AccountEvent>): Moves => ({
  received: events.filter((event) => event.type === "order_received"),
  left: new Set(events.flatMap((event) => (event.type === "order_adjusted" && event.moved ? [event.order] : [])))
})

/**
 * An order that was moved here brings what its former account lost. The rest had expired there: it returns, and expires here
 * at once.
 */
const receivedParts = ({ amount, order, unit }: Accrual, { received }: Moves): ReadonlyArray<Part> => {
  const taken = received.find((one) => one.order === order)?.taken.find(([of]) => of === unit)?.[1] ?? -amount
  return [
    ["moved", -taken],
    ["expired", amount + taken]
  ]
}

const accrualParts = (entry: Accrual, moves: Moves): ReadonlyArray<Part> => {
  if (entry.earned !== undefined) return receivedParts(entry, moves)
  const given = (entry.promotions ?? []).reduce((sum, { amount }) => sum + amount, 0)
  return [
    ["base", entry.amount - given],
    ["promotions", given]
  ]
}

const adjustmentLine = ({ amount, order, reason, reset }: Adjusting, { left }: Moves): PointsLine => {
  if (reset === true) return reason === mergeReason ? "moved" : "card_resets"
  if (order !== undefined && left.has(order)) return "moved"
  return amount < 0 ? "orders_down" : "orders_up"
}

const partsOf = (entry: Posted, moves: Moves): ReadonlyArray<Part> => {
  const { amount } = entry
  switch (entry.op) {
    case "accrual":
      return accrualParts(entry, moves)
    case "adjustment":
      return [[adjustmentLine(entry, moves), amount]]
    case "manual":
      return [[`${entry.classification}_${amount < 0 ? "debits" : "credits"}`, amount]]
    case "redemption":
      return [["redeemed", amount]]
    case "reversal":
      return [[entry.restores === undefined ? "given_back" : "expired", amount]]
    case "expiration":
      return [["expired", amount]]
  }
}

type Place = Pick<Movement, "lot" | "points">

/** The changes of lots by an entry. What is left of its amount changes a balance below zero, and comes first. */
const placesOf = (entry: Posted): ReadonlyArray<Place> => {
  const made = lotMade(entry)
  const added = [...(entry.back ?? []), ...(made === undefined ? [] : [made])]
  const taken = entry.taken ?? []
  const places: Array<Place> = [{ lot: undefined, points: entry.amount - Lots.sum(added) + Lots.sum(taken) }]
  for (const lot of taken) places.push({ lot, points: -lot[1] })
  for (const lot of added) places.push({ lot, points: lot[1] })
  return places
}

/** Gives the points of each place to the lines in their order; the last line has what is left. */
const combined = (entry: Posted, parts: ReadonlyArray<Part>): ReadonlyArray<Movement> => {
  const found: Array<Movement> = []
  let at = 0
  let rest = parts[0]![1]
  const next = () => {
    at++
    rest = parts[at]![1]
  }
  for (const { lot, points } of placesOf(entry)) {
    let left = points
    while (left !== 0) {
      while (rest === 0 && at < parts.length - 1) next()
      const part = at === parts.length - 1 ? left : Math.min(left, rest)
      found.push({ entry, line: parts[at]![0], points: part, lot })
      left -= part
      rest -= part
    }
  }
  return found
}

export const movements = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<Movement> => {
  const moves = movesOf(events)
  return events.flatMap((event) => (event.type === "posted" ? combined(event, partsOf(event, moves)) : []))
}

/** The place of the lots that an entry makes; undefined: the brand. A reversal's new lot belongs to no place. */
export const placeOf = (entry: ShownEntry): string | undefined =>
  entry.op === "accrual" || entry.op === "adjustment" || entry.op === "manual" ? entry.location : undefined
