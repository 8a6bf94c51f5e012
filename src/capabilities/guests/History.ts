/**
 * The history of a guest's points, newest first, in parts that the page puts into words (contract/guests.md *History*).
 */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8s, rowsOf, texts } from "../../base/database/Values.ts"
import type { HistoryEntry, HistoryKind, HistoryPage } from "../../contract/guest/Shown.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { Posted } from "../../core/account/domain/Posted.ts"
import type { JournalUnavailable, LedgerRow } from "../../core/journal/Records.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import { present } from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import { reservedAt } from "../../reads/feed/ReservedAt.ts"
import type { Posts } from "../members/EntryEvents.ts"
import { besides, eventsOf, postedOf, promotionsOf } from "../members/EntryEvents.ts"
import * as LedgerRequests from "../members/LedgerRequests.ts"
import { kindOfRow } from "../members/ShownEntries.ts"
import * as Locations from "../operators/Locations.ts"
import { type Parts, see, type Who } from "./Parts.ts"

type Entry = MemberLedger.Entry

const kindOf = (row: LedgerRow, posted: Posted | undefined, events: ReadonlyArray<AccountEvent>): HistoryKind => {
  if (posted === undefined) return kindOfRow(row)
  const cause = LedgerRequests.causeOf(posted, events)
  if (cause === "order_moved") return "moved"
  if (cause === "correction") return "corrected"
  return cause === "refund" || cause === "void" ? "refunded" : kindOfRow(row)
}

/** The wallet reward that an entry paid, or whose cost it returned. */
const walletOf = (posted: Posted | undefined): string | undefined =>
  posted !== undefined && "wallet" in posted ? posted.wallet : undefined

const issuedRows = rowsOf(Schema.Struct({ issued: Schema.String, reward: Schema.String }))

/** The rewards of wallets that entries of their accounts are about. */
const issuedOf = (query: Query, wallets: ReadonlyArray<{ readonly account: number; readonly issued: string }>) =>
  wallets.length === 0
    ? Effect.succeed([])
    : issuedRows(
        query(
          `SELECT issued_reward_id AS issued, reward_id AS reward FROM issued_rewards
            WHERE (account, issued_reward_id) IN (SELECT * FROM unnest($1::bigint[], $2::text[]))`,
          [int8s(wallets.map(({ account }) => account)), texts(wallets.map(({ issued }) => issued))]
        )
      )

/** The rewards of entries, by reservation and by wallet reward. */
const rewardsOf = Effect.fnUntraced(function* ({ people }: Parts, entries: ReadonlyArray<Entry>, events: Posts) {
  const found = new Map<string, string>()
  const holds = [...new Set(entries.flatMap(({ row }) => row.reservationId ?? []))]
  for (const { reservation, reward } of yield* reservedAt(people.query, holds)) found.set(reservation, reward)
  for (const record of events.values())
    for (const event of record) if (event.type === "reward_issued") found.set(event.issued, event.reward)
  // The record of a cancellation names the wallet reward alone.
  const others = entries.flatMap((entry) => {
    const issued = walletOf(postedOf(events, entry))
    return issued === undefined || found.has(issued) ? [] : [{ account: entry.owner.account, issued }]
  })
  for (const { issued, reward } of yield* issuedOf(people.query, others)) found.set(issued, reward)
  return found
})

const shown = Effect.fnUntraced(function* (parts: Parts, program: Program, entries: ReadonlyArray<Entry>) {
  const events = yield* orUnavailable(eventsOf(parts.journal, entries))
  const rewards = yield* rewardsOf(parts, entries, events)
  const places = [...new Set(entries.flatMap(({ row }) => row.locationId ?? []))]
  const names = yield* Locations.namesOf(parts.people.query, places)
  return entries.map((entry): HistoryEntry => {
    const { row } = entry
    const posted = postedOf(events, entry)
    const reward = rewards.get(row.reservationId ?? walletOf(posted) ?? "")
    return present<HistoryEntry>({
      at: fromMillis(row.occurredAt),
      kind: kindOf(row, posted, besides(events, entry)),
      points: row.amount,
      unit: row.unit,
      location: row.locationId === undefined ? undefined : names.get(row.locationId),
      reward: reward === undefined ? undefined : program.rewards.get(reward)?.name,
      promotions: promotionsOf(posted)
    })
  })
})

/** As many entries as lie before the first archived one, at most `limit`. */
const upToArchive = Effect.fnUntraced(function* (
  read: (limit: number) => Effect.Effect<ReadonlyArray<Entry>, JournalUnavailable>,
  limit: number
) {
  let [some, all]: [ReadonlyArray<Entry>, number] = [[], limit]
  // Which entries are archived only a read tells: the largest page without any is found by halves.
  while (all - some.length > 1) {
    const half = Math.floor((some.length + all) / 2)
    const found = yield* Effect.catch(read(half), (error) =>
      error.archived === undefined ? Effect.fail(error) : Effect.succeed(undefined)
    )
    if (found === undefined) all = half
    else if (found.length < half) return found
    else some = found
  }
  return some
})

/** A page of the guest's history. */
export const page = Effect.fnUntraced(function* (parts: Parts, who: Who, query: PageQuery) {
  const { journal } = parts
  const { program } = who
  const { resident } = yield* see(parts, who)
  const bound = ["guest history", resident.account]
  const page = yield* pageOf(journal.claimKey, bound, query)
  const asked = MemberLedger.asked(resident, program, undefined, {})
  if (asked === undefined) return { entries: [] }
  const read = (limit: number) => MemberLedger.page(journal.ledger, asked, page.after, limit)
  const found = yield* orUnavailable(
    Effect.catch(
      Effect.map(read(page.limit + 1), (rows) => ({ rows, isArchived: false })),
      (error) =>
        error.archived === undefined
          ? Effect.fail(error)
          : Effect.map(upToArchive(read, page.limit + 1), (rows) => ({ rows, isArchived: true }))
    )
  )
  const { next_cursor, rows } = paged(journal.claimKey, bound, page, found.rows, MemberLedger.placeOf)
  return present<HistoryPage>({
    entries: yield* shown(parts, program, rows),
    next_cursor,
    archived: found.isArchived ? true : undefined
  })
})
