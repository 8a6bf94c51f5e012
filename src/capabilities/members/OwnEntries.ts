/** Entries of a member at some restaurants (contract/people.md *Limited to restaurants*). */
import { Effect } from "effect"
import { fromMillis } from "../../contract/Values.ts"
import type { LedgerReads } from "../../core/journal/LedgerReads.ts"
import type { JournalUnavailable, LedgerRow } from "../../core/journal/Records.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import type { Restaurants } from "../../core/protocol/Restaurants.ts"
import { dateAt } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Bounds from "./Bounds.ts"

type IsShown = (row: LedgerRow) => boolean

/** The day that decides whose an entry is: the order's, or that of the entry in the programme's zone. */
const dayOf = ({ zone }: Program, { businessDate, occurredAt }: LedgerRow): string =>
  businessDate ?? fromMillis(dateAt(zone, occurredAt)).slice(0, 10)

/** Tells entries at restaurants of a caller, on its days; without limits at any. `location`: at this one alone. */
export const at =
  (program: Program, restaurants: Restaurants | undefined, location?: string): IsShown =>
  (row) =>
    row.locationId !== undefined &&
    (location === undefined || row.locationId === location) &&
    (restaurants === undefined || restaurants.has(row.locationId, dayOf(program, row)))

/** At most `limit` entries after a place that are shown. Reads a member's entries by their key, at most `guestPages` pages. */
export const page = Effect.fnUntraced(function* (
  ledger: LedgerReads["ledger"],
  asked: MemberLedger.EntriesRead,
  isShown: IsShown,
  after: string | undefined,
  limit: number
): Effect.fn.Return<ReadonlyArray<MemberLedger.Entry>, JournalUnavailable> {
  const found: Array<MemberLedger.Entry> = []
  let place = after
  for (let pages = 0; pages < Bounds.guestPages; pages++) {
    const some = yield* MemberLedger.page(ledger, asked, place, Bounds.guestPage)
    found.push(...some.filter(({ row }) => isShown(row)))
    const last = some.at(-1)
    if (found.length >= limit || some.length < Bounds.guestPage || last === undefined) break
    place = MemberLedger.placeOf(last)
  }
  return found.slice(0, limit)
})
