/** Orders that were closed since an event of theirs, out of tables and the files of archived spans (contract/engagement.md *Triggers*). */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8s, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { StoredEvent } from "./EventStore.ts"

/** An event's order, and the accounts that the event's member contains. */
export interface OrderOf {
  readonly event: StoredEvent
  readonly accounts: ReadonlyArray<number>
}

/** An order of an event, and an account that may have its adjustments. */
interface Asked {
  readonly n: number
  readonly account: number
  /** ms */
  readonly since: number
  readonly order: string
}

/** An adjustment of an event's order. */
const Change = Schema.Struct({
  n: Schema.Number,
  at: Schema.Number,
  seq: Schema.Number,
  closes: Schema.Boolean,
  left: optional(Schema.String)
})
type Change = typeof Change.Type
const changeRows = rowsOf(Change)

const statement = (condition: string) => `SELECT asked.n, j.at, j.seq,
    e ->> 'closes' IS NOT NULL OR e ->> 'moved' IS NOT NULL AS closes, e ->> 'left' AS "left"
  FROM (
    SELECT * FROM unnest($1, $2, $3, $4) AS asked(n, account, since, order_id) WHERE ${condition} OFFSET 0
  ) asked JOIN journal j ON j.account = asked.account AND j.at >= asked.since
  CROSS JOIN LATERAL json_array_elements(j.events::json) e
  WHERE e ->> 'type' = 'order_adjusted' AND e ->> 'order' = asked.order_id`

/** Adjustments that are in the tables. `condition` holds for every account. */
const inTables = (query: Query, asked: ReadonlyArray<Asked>, condition: string) =>
  changeRows(
    query(statement(condition), [
      int8s(asked.map(({ n }) => n)),
      int8s(asked.map(({ account }) => account)),
      int8s(asked.map(({ since }) => since)),
      texts(asked.map(({ order }) => order))
    ])
  )

/** Adjustments of both. */
const inBoth = Effect.fnUntraced(function* (query: Query, files: FileReads, asked: ReadonlyArray<Asked>) {
  const accounts = [...new Set(asked.map(({ account }) => account))]
  const since = Math.min(...asked.map(({ since }) => since))
  const rows = yield* ArchivedReads.rowsOfAccounts(query, files, "records", accounts, { since })
  const filed = rows.map(ArchivedReads.recordOf).flatMap((record): ReadonlyArray<Change> => {
    const { account, at, seq } = record
    const wanted = asked.filter((one) => one.account === account && at >= one.since)
    if (wanted.length === 0) return []
    return decodeEvents(record).flatMap((event) => {
      if (event.type !== "order_adjusted") return []
      const closes = event.closes !== undefined || event.moved !== undefined
      return wanted
        .filter(({ order }) => order === event.order)
        .map(({ n }) => ({ n, at, seq, closes, left: event.left }))
    })
  })
  return [...filed, ...(yield* inTables(query, asked, "true"))]
})

/** True if a change closed the order, or the last one that says so has left nothing of it. */
const isClosed = (changes: ReadonlyArray<Change>): boolean =>
  changes.some(({ closes }) => closes) ||
  changes
    .filter(({ left }) => left !== undefined)
    .toSorted((one, other) => one.at - other.at || one.seq - other.seq)
    .at(-1)?.left === "none"

/**
 * Numbers of the events whose order has since been closed, moved to another member, or emptied. Without a folder, or with a damaged
 * file, `archived` where an account has archived records since the event.
 */
export const closedOrders = Effect.fnUntraced(function* (
  query: Query,
  files: FileReads | undefined,
  orders: ReadonlyArray<OrderOf>
): Effect.fn.Return<ReadonlySet<number>, Refused> {
  const asked = orders.flatMap(({ accounts, event: { n, occurredAt: since, order } }) =>
    order === undefined ? [] : accounts.map((account): Asked => ({ n, account, since, order }))
  )
  if (asked.length === 0) return new Set()
  const changes = yield* ArchivedReads.orOfTables(query, files, {
    ofTables: inTables(query, asked, "account_here(asked.account, asked.since)"),
    ofBoth: (files) => inBoth(query, files, asked)
  })
  const byEvent = Map.groupBy(changes, ({ n }) => n)
  return new Set([...byEvent].flatMap(([n, own]) => (isClosed(own) ? [n] : [])))
})
