/** The records' events of a member's entries: what the ledger's rows alone do not tell. */
import { Effect } from "effect"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { Posted } from "../../core/account/domain/Posted.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import type * as MemberLedger from "../../core/protocol/MemberLedger.ts"

type Entry = MemberLedger.Entry

/** Events of the records of entries, by account and number. */
export type Posts = ReadonlyMap<string, ReadonlyArray<AccountEvent>>

/** The events of the records of entries; without those that are archived. */
export const eventsOf = Effect.fnUntraced(function* (
  journal: Journal["Service"],
  entries: ReadonlyArray<Entry>
): Effect.fn.Return<Posts, JournalUnavailable> {
  const found = new Map<string, ReadonlyArray<AccountEvent>>()
  for (const [account, own] of Map.groupBy(entries, ({ owner }) => owner.account)) {
    const numbers = own.map(({ row }) => row.n)
    const records = yield* Effect.catch(journal.recordsOf(account, numbers), (error) =>
      error.archived === undefined ? Effect.fail(error) : Effect.succeed([])
    )
    for (const record of records) {
      const events = decodeEvents(record)
      for (const event of events) if (event.type === "posted") found.set(`${account}/${event.n}`, events)
    }
  }
  return found
})

/** The events of an entry's record; none where it is archived. */
export const besides = (events: Posts, { owner, row }: Entry): ReadonlyArray<AccountEvent> =>
  events.get(`${owner.account}/${row.n}`) ?? []

/** The event of an entry; undefined where its record is archived. */
export const postedOf = (events: Posts, entry: Entry): Posted | undefined =>
  besides(events, entry).find((event): event is Posted => event.type === "posted" && event.n === entry.row.n)

/** The names of promotions that gave some of an entry's points. */
export const promotionsOf = (posted: Posted | undefined): ReadonlyArray<string> | undefined => {
  if (posted?.op !== "accrual") return undefined
  const names = (posted.promotions ?? []).flatMap(({ amount, name }) => (amount > 0 ? [name] : []))
  return names.length === 0 ? undefined : names
}
