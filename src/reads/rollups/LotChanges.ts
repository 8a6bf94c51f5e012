/** Changes of lots by a record's events. */
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import { lotMade } from "../../core/account/domain/Evolve.ts"
import { withAccount } from "../../core/rules/Expiration.ts"

/** A change of the points in lots. */
export interface LotChange {
  readonly unit: string
  /** ms, or `withAccount`; null: never. */
  readonly expires: number | null
  readonly points: number
}

/** The changes that a record's events make in lots. */
export const lotChanges = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<LotChange> => {
  const changes: Array<LotChange> = []
  for (const event of events) {
    if (event.type !== "posted" && event.type !== "lots_dated") continue
    const { unit } = event
    if (event.type === "lots_dated") {
      for (const [, points, expires] of event.lots)
        changes.push({ unit, expires: withAccount, points: -points }, { unit, expires, points })
      continue
    }
    for (const [, points, expires] of event.taken ?? []) changes.push({ unit, expires, points: -points })
    for (const [, points, expires] of event.back ?? []) changes.push({ unit, expires, points })
    const made = lotMade(event)
    if (made !== undefined) changes.push({ unit, expires: made[2], points: made[1] })
  }
  return changes
}
