/** Reads and writes events of guests (migrations/0007_platform.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Event } from "../contract/platform/Events.ts"
import { fromMillis } from "../contract/Values.ts"
import { hashes, numbers } from "../journal/postgres/Parameters.ts"

const { float8, text } = PgTypes

/** An event to insert. `key` and `fingerprint` are hashes in the form of a UUID; times are ms. */
export interface NewEvent {
  readonly key: string
  readonly fingerprint: string
  readonly event_id: string
  readonly program_id: string
  readonly account: number
  readonly member_id: string
  readonly type: string
  readonly occurred_at: number
  readonly recorded_at: number
  readonly source: string | undefined
  readonly value: number | undefined
  readonly currency: string | undefined
  readonly campaign_id: string | undefined
  readonly location_id: string | undefined
  readonly properties: unknown
}

export interface StoredEvent {
  /** Number of the event, in the order of insertion. */
  readonly n: number
  readonly key: string
  readonly fingerprint: string
  /** The account for which it was recorded. */
  readonly account: number
  /** ms. */
  readonly occurredAt: number
  readonly event: Event
}

interface EventFilter {
  readonly program: string
  /** The account of a member and the accounts merged into it; undefined: all members. */
  readonly accounts: ReadonlyArray<number> | undefined
  readonly type: string | undefined
  readonly campaign: string | undefined
  /** Earliest and latest `occurred_at`, ms. */
  readonly from: number | undefined
  readonly until: number | undefined
  /** The previous page's last event. */
  readonly after: { readonly occurredAt: number; readonly n: number } | undefined
  readonly limit: number
}

const columns = `n::float8 AS n, account::float8 AS account, key::text AS key, fingerprint::text AS fingerprint, event_id, program_id, member_id, type,
  occurred_at::float8 AS occurred_at, recorded_at::float8 AS recorded_at, source, value::float8 AS value, currency,
  campaign_id, location_id, properties::text AS properties`

const insertStatement = `SELECT ${columns} FROM record_events($1::text::json)`

const findStatement = `SELECT ${columns} FROM behaviour WHERE key = ANY ($1::uuid[])`

const optionalText = (row: Row, name: "source" | "campaign_id" | "location_id") =>
  row[name] === null ? undefined : { [name]: String(row[name]) }

const eventOf = (row: Row): Event => ({
  event_id: String(row["event_id"]),
  program_id: String(row["program_id"]),
  member_id: String(row["member_id"]),
  type: String(row["type"]),
  occurred_at: fromMillis(Number(row["occurred_at"])),
  recorded_at: fromMillis(Number(row["recorded_at"])),
  ...optionalText(row, "source"),
  ...(row["value"] === null
    ? undefined
    : { value: { amount: Number(row["value"]), currency: String(row["currency"]) } }),
  ...optionalText(row, "campaign_id"),
  ...optionalText(row, "location_id"),
  ...(row["properties"] === null ? undefined : { properties: JSON.parse(String(row["properties"])) as unknown })
})

const storedOf = (row: Row): StoredEvent => ({
  n: Number(row["n"]),
  key: String(row["key"]),
  fingerprint: String(row["fingerprint"]),
  account: Number(row["account"]),
  occurredAt: Number(row["occurred_at"]),
  event: eventOf(row)
})

type Events = Effect.Effect<ReadonlyArray<StoredEvent>, Refused>

/**
 * Inserts events, and returns the inserted ones. Leaves out events whose key or id exists and events of erased members.
 */
export const insert = (query: AdminQuery, events: ReadonlyArray<NewEvent>): Events =>
  events.length === 0
    ? Effect.succeed([])
    : Effect.map(query(insertStatement, [text(JSON.stringify(events))]), (rows) => rows.map(storedOf))

export const find = (query: AdminQuery, keys: ReadonlyArray<string>): Events =>
  keys.length === 0
    ? Effect.succeed([])
    : Effect.map(query(findStatement, [hashes(keys)]), (rows) => rows.map(storedOf))

/**
 * A page of events, newest first. The statement has a condition only for each filter that is set: the planner then
 * picks its index.
 */
export const list = (
  query: AdminQuery,
  { accounts, after, campaign, from, limit, program, type, until }: EventFilter
): Events => {
  const parameters: Array<unknown> = []
  const conditions: Array<string> = []
  const where = (condition: (...places: ReadonlyArray<string>) => string, ...values: ReadonlyArray<unknown>): void => {
    conditions.push(condition(...values.map((value) => `$${parameters.push(value)}`)))
  }
  where((p) => `program_id = ${p}::text`, text(program))
  if (accounts !== undefined) where((p) => `account = ANY (${p}::float8[]::bigint[])`, numbers(accounts))
  if (type !== undefined) where((p) => `type = ${p}::text`, text(type))
  if (campaign !== undefined) where((p) => `campaign_id = ${p}::text`, text(campaign))
  if (from !== undefined) where((p) => `occurred_at >= ${p}::float8::bigint`, float8(from))
  if (until !== undefined) where((p) => `occurred_at <= ${p}::float8::bigint`, float8(until))
  if (after !== undefined)
    where(
      (at, n) => `(occurred_at, n) < (${at}::float8::bigint, ${n}::float8::bigint)`,
      float8(after.occurredAt),
      float8(after.n)
    )
  const last = `$${parameters.push(float8(limit))}`
  const statement = `SELECT ${columns} FROM behaviour e WHERE ${conditions.join(" AND ")}
    ORDER BY e.occurred_at DESC, e.n DESC LIMIT ${last}::float8::bigint`
  return Effect.map(query(statement, parameters), (rows) => rows.map(storedOf))
}
