/**
 * A merge is one record each of two accounts. Each half is sound by itself; this
 * checks that both are there and move the same points.
 */
import type { Event, Posted } from "../account/domain/Event.ts"

/** One account's record of a merge. Plain data. */
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

/** The merges that a record of an account is part of. */
export const halvesOf = (account: number, seq: number, events: ReadonlyArray<Event>): ReadonlyArray<MergeHalf> => {
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

/** Records of a merge without the matching record of the other account. */
export const unpaired = (
  halves: ReadonlyArray<MergeHalf>
): ReadonlyArray<{ readonly account: number; readonly row: string; readonly message: string }> => {
  const sides = { from: new Set<string>(), into: new Set<string>() }
  for (const { name, side } of halves) sides[side].add(name)
  return halves.flatMap(({ account, name, seq, side }) => {
    if (sides[side === "from" ? "into" : "from"].has(name)) return []
    const message = `says that account ${name} was merged; the other account does not`
    return [{ account, row: `seq ${seq}`, message }]
  })
}
