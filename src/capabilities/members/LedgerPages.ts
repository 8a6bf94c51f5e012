/** The list of a member's ledger entries and its file (contract/operators.md *One member*). */
import { Effect } from "effect"
import type { LedgerFilters, LedgerPage } from "../../contract/admin/MemberLedger.ts"
import type { Refused } from "../../contract/Refused.ts"
import { toMillis } from "../../contract/Values.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import * as Render from "../../core/protocol/Render.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { csvPage } from "../../desk/surface/Bounds.ts"
import * as Csv from "../../desk/surface/Csv.ts"
import * as Limited from "../../desk/surface/Limited.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as LedgerRequests from "./LedgerRequests.ts"
import type { Named, Parts, Seen } from "./OneMember.ts"
import { see } from "./OneMember.ts"
import * as OwnEntries from "./OwnEntries.ts"
import * as RestaurantGuest from "./RestaurantGuest.ts"
import { csvColumns, csvRow, shownEntry } from "./ShownEntries.ts"

type LedgerQuery = typeof LedgerFilters.Type & PageQuery

/** The entries that match these filters. Undefined if the account in the filter is not the member's. */
const ledgerAsked = (
  { program, resident }: Seen,
  { account_id, occurred_from, occurred_until, operations }: typeof LedgerFilters.Type
): MemberLedger.EntriesRead | undefined =>
  MemberLedger.asked(resident, program, account_id, {
    operations: operations?.split(","),
    occurredFrom: occurred_from === undefined ? undefined : toMillis(occurred_from),
    occurredUntil: occurred_until === undefined ? undefined : toMillis(occurred_until)
  })

/** Reads at most `limit` entries after a place. */
type Read = (after: string | undefined, limit: number) => Effect.Effect<OwnEntries.Found, Refused>

/** The reader of the entries that match these filters and that the caller may see; undefined: there are none. */
const entriesRead = Effect.fnUntraced(function* (
  { accounts, journal: { ledger } }: Parts,
  seen: Seen,
  filters: typeof LedgerFilters.Type
): Effect.fn.Return<Read | undefined, Refused, CurrentCaller> {
  const caller = yield* CurrentCaller
  yield* Limited.mustHave(caller, filters.location_id)
  const asked = ledgerAsked(seen, filters)
  if (asked === undefined) return undefined
  if (caller.restaurants !== undefined || filters.location_id !== undefined) {
    const shown = OwnEntries.at(accounts, seen.program, caller.restaurants, filters.location_id)
    return (after, limit) => OwnEntries.page(ledger, asked, shown, after, limit)
  }
  return (after, limit) =>
    Effect.map(orUnavailable(MemberLedger.page(ledger, asked, after, limit)), (entries) => ({
      entries,
      reached: undefined
    }))
})

/**
 * The member; for a limited caller the remaining one of a merged member. Before it is looked for, such a caller must see it: whom
 * it may not see it cannot tell from nobody.
 */
const shown = Effect.fnUntraced(function* (parts: Parts, named: Named) {
  const program = yield* Visible.known(parts.programs, named.program_id)
  const remaining = yield* RestaurantGuest.mustSee(parts, program, named.member_id, undefined)
  return yield* see(parts, { ...named, member_id: remaining ?? named.member_id })
})

/** Balances count what happened at other restaurants. */
const withoutBalance = (posting: LedgerRequests.Posting): LedgerRequests.Posting => ({ ...posting, balance: undefined })

const place = { of: "place of the ledger", length: 40 }

export const ledger = Effect.fnUntraced(function* (
  parts: Parts,
  named: Named,
  { cursor, limit, ...filters }: LedgerQuery
): Effect.fn.Return<typeof LedgerPage.Type, Refused, CurrentCaller> {
  const { journal } = parts
  const { restaurants } = yield* CurrentCaller
  const seen = yield* shown(parts, named)
  const read = yield* entriesRead(parts, seen, filters)
  const bound = ["member ledger", seen.resident.account, filters, restaurants?.limits]
  const page = yield* pageOf(journal.claimKey, bound, { cursor, limit })
  if (read === undefined) return { entries: [] }
  const after = page.after === undefined ? undefined : Sealed.openedPlace(journal.claimKey, place, page.after)
  const { entries, reached } = yield* read(after, page.limit + 1)
  // It is the place of another restaurant's entry.
  const onward = reached === undefined ? undefined : Sealed.sealedPlace(journal.claimKey, place, reached)
  const { next_cursor, rows } = paged(journal.claimKey, bound, page, entries, MemberLedger.placeOf, onward)
  const postings = yield* orUnavailable(LedgerRequests.of(journal, rows, seen.program.currency))
  const told = restaurants === undefined ? postings : postings.map(withoutBalance)
  return Render.present<typeof LedgerPage.Type>({
    entries: rows.map(({ owner, row }, index) => ({ ...shownEntry(owner, row), ...told[index]! })),
    next_cursor
  })
})

/** Streams all entries as CSV, one page at a time. */
export const ledgerCsv = Effect.fnUntraced(function* (parts: Parts, named: Named, filters: typeof LedgerFilters.Type) {
  const entries = yield* entriesRead(parts, yield* shown(parts, named), filters)
  const read = (after: string | undefined): Effect.Effect<Csv.CsvPage<string>, Refused> => {
    if (entries === undefined) return Effect.succeed({ rows: [], next: undefined })
    return Effect.map(entries(after, csvPage), ({ entries: found, reached }) => {
      const last = found.at(-1)
      return {
        rows: found.map(({ owner, row }) => csvRow(shownEntry(owner, row))),
        next: found.length < csvPage || last === undefined ? reached : MemberLedger.placeOf(last)
      }
    })
  }
  return yield* Csv.response(`ledger-${named.member_id}`, csvColumns, read)
})
