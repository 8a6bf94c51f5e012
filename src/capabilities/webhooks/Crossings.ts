/**
 * Events for a connector's `thresholds`: a balance reached an amount, or fell below it (contract/events.md
 * *Thresholds*). Pure. It follows from the event that moved the balance, and is made again from its id.
 */
import type { Threshold } from "../../contract/platform/Connectors.ts"
import { crossedType } from "../../contract/platform/EventTypes.ts"
import type { CrossedEvent, FeedEvent } from "../../contract/platform/FeedEvents.ts"
import type { Unit } from "../../contract/Values.ts"
import type { PlacedEvent } from "../../reads/feed/EventFeed.ts"

const idOf = (cause: string, { amount, unit }: Threshold): string => `${cause}-${unit}-${amount}`

const crossedId = /^(.+?-[0-9]+)-([a-z]+)-(-?[0-9]+)$/

/** The threshold of an id; undefined: it is that of an event of the feed. */
export const thresholdOf = (id: string): Threshold | undefined => {
  const [, , unit, amount] = crossedId.exec(id) ?? []
  return unit === undefined ? undefined : { unit: unit as Unit, amount: Number(amount) }
}

interface Move {
  readonly before: number
  readonly after: number
}

const movesOf = ({ data }: FeedEvent, amounts: Map<Unit, number>): ReadonlyMap<Unit, Move> => {
  const moves = new Map<Unit, Move>()
  for (const { amount, unit } of "entries" in data ? (data.entries ?? []) : []) {
    const { after, before } = moves.get(unit) ?? { before: amounts.get(unit) ?? 0, after: amounts.get(unit) ?? 0 }
    moves.set(unit, { before: before - amount, after })
  }
  return moves
}

const crossingsOf = (
  { sequence: _, ...cause }: FeedEvent,
  moves: ReadonlyMap<Unit, Move>,
  thresholds: ReadonlyArray<Threshold>
): ReadonlyArray<CrossedEvent> => {
  const crossed = thresholds.flatMap((threshold) => {
    const { after, before } = moves.get(threshold.unit) ?? { before: 0, after: 0 }
    const { amount } = threshold
    return before < amount === after < amount ? [] : [{ threshold, direction: after < before ? "down" : "up" } as const]
  })
  // As the balance passes them.
  const inOrder = crossed.toSorted((a, b) => {
    const up = a.threshold.amount - b.threshold.amount
    return a.direction === "up" ? up : -up
  })
  const { balances, member_id, program_id } = cause.data
  return inOrder.map(({ direction, threshold }) => ({
    ...cause,
    id: idOf(cause.id, threshold),
    type: crossedType,
    data: { program_id, member_id, balances, unit: threshold.unit, threshold: threshold.amount, direction }
  }))
}

/** Thresholds that each event of a page crosses. Requires: the page has all later events of each one's record. */
export const ofPage = (
  events: ReadonlyArray<PlacedEvent>,
  thresholds: ReadonlyArray<Threshold>
): ReadonlyMap<string, ReadonlyArray<CrossedEvent>> => {
  const crossings = new Map<string, ReadonlyArray<CrossedEvent>>()
  if (thresholds.length === 0) return crossings
  // An event tells the balances after the whole record: those between are worked back from its last event.
  let amounts = new Map<Unit, number>()
  for (const { event, place } of events.toReversed()) {
    const isLastOfRecord = place.skipped === 0
    if (isLastOfRecord) amounts = new Map(event.data.balances.map(({ amount, unit }) => [unit, amount]))
    const moves = movesOf(event, amounts)
    for (const [unit, { before }] of moves) amounts.set(unit, before)
    crossings.set(event.id, crossingsOf(event, moves, thresholds))
  }
  return crossings
}
