/** The callers and requests that posted ledger entries, for the operators' ledger. */
import { Effect } from "effect"
import { decodeEvents } from "../account/Codec.ts"
import type { EntryRequest } from "../contract/admin/Members.ts"
import type { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable, StoredRecord } from "../journal/Records.ts"
import type * as MemberLedger from "../protocol/MemberLedger.ts"

/** Absent for entries that the service posted by itself, such as expirations. */
export interface Posting {
  readonly actor?: string | undefined
  readonly request?: typeof EntryRequest.Type | undefined
}

const requestOf = (origin: string | undefined): Posting["request"] => {
  if (origin === undefined) return undefined
  const [request_id = "", system, instance] = origin.split(" ")
  return { request_id, ...(system === undefined ? {} : { source: { system, ...(instance && { instance }) } }) }
}

const postingsIn = (record: StoredRecord): ReadonlyArray<readonly [number, Posting]> => {
  const posting = { actor: record.actor, request: requestOf(record.origin) }
  return decodeEvents(record).flatMap((event) => (event.type === "posted" ? [[event.n, posting] as const] : []))
}

/** The postings of entries, in their order. */
export const of = Effect.fnUntraced(function* (
  journal: Journal["Service"],
  entries: ReadonlyArray<MemberLedger.Entry>
): Effect.fn.Return<ReadonlyArray<Posting | undefined>, JournalUnavailable> {
  const found = new Map<number, ReadonlyMap<number, Posting>>()
  for (const [account, own] of Map.groupBy(entries, ({ owner }) => owner.account)) {
    const records = yield* journal.recordsOf(
      account,
      own.map(({ row }) => row.n)
    )
    found.set(account, new Map(records.flatMap(postingsIn)))
  }
  return entries.map(({ owner, row }) => found.get(owner.account)?.get(row.n))
})
