/** Reads and writes events of guests (migrations/0007_platform.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, optional, rowsOf, uuids } from "../../base/database/Values.ts"
import type { GuestEvent } from "../../contract/platform/Events.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Rule } from "../../core/retention/Retention.ts"

const { json, text } = PgTypes

export interface StoredEvent {
  /** Number of the event, in the order of insertion. */
  readonly n: number
  readonly key: string
  readonly fingerprint: string
  /** ms. */
  readonly occurredAt: number
  /** Of a deleted event (`n` 0) only ids, member and times: its key says that a request with the same facts is the same one. */
  readonly event: GuestEvent
}

interface EventFilter {
  readonly program: string
  /** The account of a member and the accounts merged into it; undefined: all members. */
  readonly accounts: ReadonlyArray<number> | undefined
  readonly type: string | undefined
  readonly campaign: string | undefined
  /** Earliest and latest `occurred_at`, both included, ms. */
  readonly from: number | undefined
  readonly until: number | undefined
  /** The previous page's last event. */
  readonly after: { readonly occurredAt: number; readonly n: number } | undefined
  readonly limit: number
}

const columns = `n, key, fingerprint, event_id, program_id, member_id, type, occurred_at, recorded_at, source,
  value, currency, campaign_id, location_id, properties`

const insertStatement = `SELECT ${columns} FROM record_events($1)`

const findStatement = `SELECT ${columns} FROM behaviour WHERE key = ANY ($1)
  UNION ALL SELECT 0, k.key, k.fingerprint, k.event_id, a.program_id, a.member_id, '', k.occurred_at, k.recorded_at, NULL,
    NULL, NULL, NULL, NULL, NULL FROM behaviour_keys k JOIN accounts a ON a.number = k.account WHERE k.key = ANY ($1)`

/**
 * The oldest by number, which are the oldest by the time of recording but for clocks that differ a little. So each statement
 * looks at as many rows as it may delete.
 */
export const retention: Rule = {
  kept: "guest_events",
  clock: "service",
  deletes: `WITH old AS MATERIALIZED (
      SELECT n FROM (SELECT n, recorded_at FROM behaviour ORDER BY n LIMIT $2) first WHERE recorded_at < $1
    ), gone AS (
      DELETE FROM behaviour b USING old WHERE b.n = old.n
        RETURNING b.key, b.fingerprint, b.event_id, b.account, b.occurred_at, b.recorded_at
    ), kept AS (
      INSERT INTO behaviour_keys (key, fingerprint, event_id, account, occurred_at, recorded_at) SELECT * FROM gone RETURNING 1
    )
    SELECT count(*) AS deleted, count(*) > 0 AS more FROM kept`,
  oldest: "SELECT (SELECT recorded_at FROM behaviour ORDER BY n LIMIT 1) AS oldest"
}

const Columns = Schema.Struct({
  n: Schema.Number,
  key: Schema.String,
  fingerprint: Schema.String,
  event_id: Schema.String,
  program_id: Schema.String,
  member_id: Schema.String,
  type: Schema.String,
  occurred_at: Schema.Number,
  recorded_at: Schema.Number,
  source: optional(Schema.String),
  value: optional(Schema.Number),
  currency: optional(Schema.String),
  campaign_id: optional(Schema.String),
  location_id: optional(Schema.String),
  properties: optional(Schema.Unknown)
})

/** An event to insert. `key` and `fingerprint` are hashes in the form of a UUID; times are ms. */
export interface NewEvent extends Omit<typeof Columns.Type, "n"> {
  readonly account: number
}

const storedOf = (row: typeof Columns.Type): StoredEvent => {
  const { campaign_id, currency, fingerprint, key, location_id, n, properties, source, value } = row
  const event: GuestEvent = {
    event_id: row.event_id,
    program_id: row.program_id,
    member_id: row.member_id,
    type: row.type,
    occurred_at: fromMillis(row.occurred_at),
    recorded_at: fromMillis(row.recorded_at),
    ...(source === undefined ? undefined : { source }),
    ...(campaign_id === undefined ? undefined : { campaign_id }),
    ...(location_id === undefined ? undefined : { location_id }),
    ...(properties === undefined ? undefined : { properties }),
    ...(value === undefined || currency === undefined ? undefined : { value: { amount: value, currency } })
  }
  return { n, key, fingerprint, occurredAt: row.occurred_at, event }
}

const rowsRead = rowsOf(Columns)
const stored = (rows: ReturnType<Query>): Events => Effect.map(rowsRead(rows), (found) => found.map(storedOf))

type Events = Effect.Effect<ReadonlyArray<StoredEvent>, Refused>

/**
 * Inserts events, and returns the inserted ones. Leaves out events whose key or id exists and events of erased members.
 */
export const insert = (query: Query, events: ReadonlyArray<NewEvent>): Events =>
  events.length === 0 ? Effect.succeed([]) : stored(query(insertStatement, [json(events)]))

export const find = (query: Query, keys: ReadonlyArray<string>): Events =>
  keys.length === 0 ? Effect.succeed([]) : stored(query(findStatement, [uuids(keys)]))

/**
 * A page of events, newest first. The statement has a condition only for each filter that is set: the planner then
 * picks its index.
 */
export const list = (
  query: Query,
  { accounts, after, campaign, from, limit, program, type, until }: EventFilter
): Events => {
  const parameters: Array<unknown> = []
  const conditions: Array<string> = []
  const where = (condition: (...places: ReadonlyArray<string>) => string, ...values: ReadonlyArray<unknown>): void => {
    conditions.push(condition(...values.map((value) => `$${parameters.push(value)}`)))
  }
  where((p) => `program_id = ${p}`, text(program))
  if (accounts !== undefined) where((p) => `account = ANY (${p})`, int8s(accounts))
  if (type !== undefined) where((p) => `type = ${p}`, text(type))
  if (campaign !== undefined) where((p) => `campaign_id = ${p}`, text(campaign))
  if (from !== undefined) where((p) => `occurred_at >= ${p}`, int8(from))
  if (until !== undefined) where((p) => `occurred_at <= ${p}`, int8(until))
  if (after !== undefined) where((at, n) => `(occurred_at, n) < (${at}, ${n})`, int8(after.occurredAt), int8(after.n))
  const last = `$${parameters.push(int8(limit))}`
  const statement = `SELECT ${columns} FROM behaviour e WHERE ${conditions.join(" AND ")}
    ORDER BY e.occurred_at DESC, e.n DESC LIMIT ${last}`
  return stored(query(statement, parameters))
}
