/** The callers and requests that posted ledger entries, for the operators' ledger. */
import { Effect } from "effect"
import { decodeEvents } from "../account/Codec.ts"
import type { EntryRequest } from "../contract/admin/Members.ts"
import type { Journal } from "../journal/Journal.ts"
import type { JournalUnavailable, StoredRecord } from "../journal/Records.ts"

/** Absent for what the service posted by itself, such as expirations. */
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

/** By entry number. */
export const of = (
  journal: Journal["Service"],
  account: number,
  numbers: ReadonlyArray<number>
): Effect.Effect<ReadonlyMap<number, Posting>, JournalUnavailable> =>
  Effect.map(journal.recordsOf(account, numbers), (records) => new Map(records.flatMap(postingsIn)))
