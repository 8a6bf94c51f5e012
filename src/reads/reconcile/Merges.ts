/**
 * A merge is one record each of two accounts, and so is the move of an order. Each half is sound by itself; this
 * checks that both are there and say the same.
 */
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { Posted } from "../../core/account/domain/Posted.ts"

/** One account's record of a merge or a move. Plain data. */
export interface MergeHalf {
  readonly account: number
  readonly seq: number
  readonly side: "from" | "into"
  /** Both accounts, the record of the second one, and the points: the same on both sides. */
  readonly name: string
}

const pointsOf = (entries: ReadonlyArray<Posted>, sign: 1 | -1): string =>
  entries
    .map(({ amount, unit }) => `${unit} ${sign * amount || 0}`)
    .sort()
    .join(", ")

/** The moves that a record is part of: both records have the amounts that are taken back. */
const movesOf = (account: number, seq: number, events: ReadonlyArray<AccountEvent>): ReadonlyArray<MergeHalf> =>
  events.flatMap((event): ReadonlyArray<MergeHalf> => {
    if (event.type === "order_received") {
      const { account: from, order, seq: its, taken } = event
      const points = taken.map(([unit, amount]) => `${unit} ${amount}`).join(", ")
      return [{ account, seq, side: "into", name: `${from}/${its} order ${order} to ${account}/${seq}: ${points}` }]
    }
    if (event.type !== "order_adjusted" || event.moved === undefined) return []
    const { adjustment, moved, order } = event
    const points = events.flatMap((one) =>
      one.type === "posted" && one.op === "adjustment" && one.adjustment === adjustment
        ? [`${one.unit} ${one.amount}`]
        : []
    )
    const name = `${account}/${seq} order ${order} to ${moved.account}/${moved.seq}: ${points.join(", ")}`
    return [{ account, seq, side: "from", name }]
  })

/** The merges and moves that a record of an account is part of. */
export const halvesOf = (
  account: number,
  seq: number,
  events: ReadonlyArray<AccountEvent>
): ReadonlyArray<MergeHalf> => {
  const moves = movesOf(account, seq, events)
  if (moves.length > 0) return moves
  if (!events.some(({ type }) => type === "merged_in" || type === "merged_away")) return []
  const adjusted = events.flatMap((event) => (event.type === "posted" && event.op === "adjustment" ? [event] : []))
  return events.flatMap((event): ReadonlyArray<MergeHalf> => {
    if (event.type === "merged_away") {
      const points = pointsOf(adjusted, -1)
      return [{ account, seq, side: "from", name: `${account} into ${event.account}/${event.seq}: ${points}` }]
    }
    if (event.type !== "merged_in") return []
    const brought = new Set(event.entries.map(([, n]) => n))
    const entries = adjusted.filter(({ n }) => brought.has(n))
    return [{ account, seq, side: "into", name: `${event.account} into ${account}/${seq}: ${pointsOf(entries, 1)}` }]
  })
}

/** Records of a merge or a move without the matching record of the other account. */
export const unpaired = (
  halves: ReadonlyArray<MergeHalf>
): ReadonlyArray<{ readonly account: number; readonly row: string; readonly message: string }> => {
  const sides = { from: new Set<string>(), into: new Set<string>() }
  for (const { name, side } of halves) sides[side].add(name)
  return halves.flatMap(({ account, name, seq, side }) => {
    if (sides[side === "from" ? "into" : "from"].has(name)) return []
    const message = `says "${name}"; the other account does not`
    return [{ account, row: `seq ${seq}`, message }]
  })
}
