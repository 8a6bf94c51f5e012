/** Reads and writes the deliveries of connectors and their progress (migrations/0016_webhooks.sql, 0039_replayed.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import * as Connect from "../../base/database/Connect.ts"
import { Database, DatabaseStartError } from "../../base/database/Database.ts"
import { firstOf, int8, int8s, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { Threshold } from "../../contract/platform/Connectors.ts"
import { JournalUnavailable } from "../../core/journal/Records.ts"
import type { Rule } from "../../core/retention/Retention.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import { dropStatement } from "./ConnectorStore.ts"
import type { Delivered, Row } from "./Delivery.ts"
import type { Changes } from "./Queue.ts"

const { jsonb, text } = PgTypes

/** A replay that is not done. */
interface Replay {
  readonly n: number
  readonly range: { readonly place: Place; readonly until: Place } | undefined
}

/** An enabled connector, as the worker needs it. */
export interface Enabled {
  readonly n: number
  readonly id: string
  readonly url: string
  readonly types: ReadonlySet<string>
  readonly programs: ReadonlySet<string> | undefined
  readonly artifacts: boolean
  readonly thresholds: ReadonlyArray<Threshold>
  readonly maxInFlight: number
  readonly secrets: { readonly present: Buffer | undefined; readonly previous: Buffer | undefined }
  /** Until when the previous secret signs too, ms. */
  readonly previousUntil: number
  /** Undefined: it begins now. */
  readonly place: Place | undefined
  readonly changes: number
  /** Rises with what callers change: type, address, secret. */
  readonly version: number
  readonly lastSuccessAt: number | undefined
  readonly failingSince: number | undefined
  readonly replays: ReadonlyArray<Replay>
}

/** A stored place. Another text is a defect. */
const storedPlace = (stored: string): Place => {
  const place = PlaceOf.fromText(stored)
  if (place === undefined) throw new Error(`${stored} is no place in the feed`)
  return place
}

const enabledStatement = `SELECT n, connector_id, url, event_types, program_ids, include_artifacts, thresholds,
    max_in_flight, secret,
    previous_secret, previous_until, place, changes, version, last_success_at, failing_since,
    (SELECT coalesce(json_agg(json_build_object('n', r.n, 'place', r.place, 'until', r.until) ORDER BY r.n), '[]')
      FROM replays r WHERE r.connector = connectors.n) AS replays
  FROM connectors WHERE enabled ORDER BY n`
const EnabledRow = Schema.Struct({
  n: Schema.Number,
  connector_id: Schema.String,
  url: Schema.String,
  event_types: Schema.Array(Schema.String),
  program_ids: optional(Schema.Array(Schema.String)),
  include_artifacts: Schema.Boolean,
  thresholds: optional(Schema.Array(Threshold)),
  max_in_flight: Schema.Number,
  secret: optional(Schema.Uint8Array),
  previous_secret: optional(Schema.Uint8Array),
  previous_until: optional(Schema.Number),
  place: optional(Schema.String),
  changes: Schema.Number,
  version: Schema.Number,
  last_success_at: optional(Schema.Number),
  failing_since: optional(Schema.Number),
  replays: Schema.Array(
    Schema.Struct({ n: Schema.Number, place: Schema.NullOr(Schema.String), until: Schema.NullOr(Schema.String) })
  )
})
const enabledRows = rowsOf(EnabledRow)
const enabledOf = (row: typeof EnabledRow.Type): Enabled => ({
  n: row.n,
  id: row.connector_id,
  url: row.url,
  types: new Set(row.event_types),
  programs: row.program_ids && new Set(row.program_ids),
  artifacts: row.include_artifacts,
  thresholds: row.thresholds ?? [],
  maxInFlight: row.max_in_flight,
  secrets: {
    present: row.secret && Buffer.from(row.secret),
    previous: row.previous_secret && Buffer.from(row.previous_secret)
  },
  previousUntil: row.previous_until ?? 0,
  place: row.place === undefined ? undefined : storedPlace(row.place),
  changes: row.changes,
  version: row.version,
  lastSuccessAt: row.last_success_at,
  failingSince: row.failing_since,
  replays: row.replays.map(({ n, place, until }) => ({
    n,
    range: place === null || until === null ? undefined : { place: storedPlace(place), until: storedPlace(until) }
  }))
})

/** A row of before 0.4 does not say which replay has read it. */
const replayColumn = "CASE WHEN replayed THEN coalesce(replay, 0) END AS replay"
const pendingColumns = `n, event_id AS id, event_type AS type, place, crossing, ${replayColumn},
  (attempts->-1->>'at')::bigint AS "triedAt", tries, since, next_at AS "nextAt"`
const pendingStatement = `SELECT ${pendingColumns} FROM deliveries WHERE connector = $1 AND status = 'pending'`
const pendingRows = rowsOf(
  Schema.Struct({
    n: Schema.Number,
    id: Schema.String,
    type: Schema.String,
    place: Schema.String,
    crossing: Schema.Number,
    replay: optional(Schema.Number),
    triedAt: optional(Schema.Number),
    tries: Schema.Number,
    since: optional(Schema.Number),
    nextAt: optional(Schema.Number)
  })
)
const rowOf = ({ place, ...row }: Omit<Row, "place"> & { readonly place: string }): Row => ({
  ...row,
  place: storedPlace(place)
})

const deliveredStatement = `SELECT event_id AS id, place, ${replayColumn} FROM deliveries
  WHERE connector = $1 AND status = 'delivered' ORDER BY n DESC LIMIT ${Bounds.successes}`
const deliveredRows = rowsOf(
  Schema.Struct({ id: Schema.String, place: Schema.String, replay: optional(Schema.Number) })
)

const lockStatement = `UPDATE connectors SET changes = changes + 1
  WHERE n = $1 AND changes = $2 AND enabled AND ($3::text IS NULL OR is_live($3)) RETURNING changes, version`
const lockedRow = firstOf(Schema.Struct({ changes: Schema.Number, version: Schema.Number }))

const progressStatement = "UPDATE connectors SET place = $2, last_success_at = $3, failing_since = $4 WHERE n = $1"
const fields = `event_id text, event_type text, place text, crossing smallint, replayed boolean, replay bigint, status text, attempts jsonb, tries smallint, since bigint,
  next_at bigint, last_answer text, finished_at bigint`
const names =
  "event_id, event_type, place, crossing, replayed, replay, status, attempts, tries, since, next_at, last_answer, finished_at"
const insertStatement = `INSERT INTO deliveries (connector, ${names})
  SELECT $1, ${names} FROM ROWS FROM (jsonb_to_recordset($2) AS (${fields})) WITH ORDINALITY AS d(${names}, i) ORDER BY i
  RETURNING n`
const insertedRows = rowsOf(Schema.Struct({ n: Schema.Number }))
/** A success gets a new number, so that the last ones are those with the largest. */
const updateStatement = (isDone: boolean) => `UPDATE deliveries d SET ${isDone ? "n = DEFAULT, " : ""}status = w.status,
    attempts = (SELECT coalesce(jsonb_agg(a ORDER BY i), '[]') FROM (
      SELECT a, i FROM jsonb_array_elements(d.attempts || w.attempts) WITH ORDINALITY AS x(a, i)
      ORDER BY i DESC LIMIT ${Bounds.attempts}) newest),
    tries = w.tries, since = w.since, next_at = w.next_at, last_answer = coalesce(w.last_answer, d.last_answer),
    finished_at = w.finished_at
  FROM jsonb_to_recordset($1) AS w(n bigint, ${fields}) WHERE d.n = w.n`
const trimStatement = `DELETE FROM deliveries WHERE connector = $1 AND status = 'delivered' AND n <= (
  SELECT n FROM deliveries WHERE connector = $1 AND status = 'delivered' ORDER BY n DESC OFFSET ${Bounds.successes} LIMIT 1)`
const movedStatement = "UPDATE replays SET place = $2 WHERE n = $1"
const doneStatement = "DELETE FROM replays WHERE n = ANY($1)"

const disableStatement = `UPDATE connectors SET enabled = false, disabled_reason = $2, version = version + 1, updated_at = $3
  WHERE n = $1`

const namedStatement = "DELETE FROM replays WHERE n = $1 AND event_ids IS NOT NULL RETURNING event_ids"
const namedRow = firstOf(Schema.Struct({ event_ids: Schema.Array(Schema.String) }))
const againStatement = `UPDATE deliveries SET status = 'pending', tries = 0, since = NULL, next_at = NULL, finished_at = NULL
  WHERE connector = $1 AND event_id = ANY($2) AND status <> 'pending' RETURNING ${pendingColumns}`

/** Few are kept, so that a batch may look at all of them. */
export const retention: Rule = {
  kept: "deliveries",
  clock: "machine",
  deletes: `WITH old AS MATERIALIZED (SELECT n FROM deliveries WHERE finished_at < $1 LIMIT $2),
      gone AS (DELETE FROM deliveries d USING old WHERE d.n = old.n AND d.finished_at < $1 RETURNING 1)
    SELECT count(*) AS deleted, count(*) > 0 AS more FROM gone`,
  oldest: "SELECT min(finished_at) AS oldest FROM deliveries"
}

const liveRow = oneOf(Schema.Struct({ live: Schema.Boolean }))

/** The times of a change, ms: the machine's, and the service's. */
interface Times {
  readonly now: number
  readonly serviceNow: number
}

/** A connector whose row no other transaction changes until this one ends. */
export interface Locked {
  readonly changes: number
  readonly version: number
}

interface Writing {
  /** The connector's `changes` must be this: another one has written otherwise (`moved`). */
  readonly changes: number
  readonly written: Changes
  readonly times: Times
  /** True if successes beyond the last ones are deleted. */
  readonly isTrimmed: boolean
  /**
   * Called before the commit, with the numbers of the inserted rows. Until the commit no caller's change of the connector
   * commits, so an attempt that begins in here begins before that change is answered.
   */
  readonly beforeCommit: (locked: Locked, rows: ReadonlyArray<number>) => void
}

/** For the node `holder` (undefined: a test). */
const make = (
  { query, withTransaction }: Effect.Success<ReturnType<typeof Connect.pool>>,
  holder: string | undefined
) => {
  const connectorLocked = (connector: number, changes: number) =>
    lockedRow(query(lockStatement, [int8(connector), int8(changes), text(holder ?? null)]))

  /** Writes how far the connector and its replays are. */
  const progress = Effect.fnUntraced(function* (connector: number, { failingSince, lastSuccessAt, places }: Changes) {
    for (const { isDone, place, source } of places) {
      const [at, n] = [text(PlaceOf.toText(place)), source.replay]
      if (n === undefined)
        yield* query(progressStatement, [int8(connector), at, int8(lastSuccessAt ?? null), int8(failingSince ?? null)])
      else if (isDone) yield* query(doneStatement, [int8s([n])])
      else if (PlaceOf.compare(place, source.stored) !== 0) yield* query(movedStatement, [int8(n), at])
    }
  })

  const write = Effect.fnUntraced(function* (
    connector: number,
    { changes, isTrimmed, beforeCommit, times, written }: Writing
  ) {
    const locked = yield* connectorLocked(connector, changes)
    if (locked === undefined) return "moved" as const
    const { disabled, inserts, updates } = written
    yield* progress(connector, written)
    const stored = inserts.map((one) => one.stored)
    const rows =
      stored.length === 0 ? [] : yield* insertedRows(query(insertStatement, [int8(connector), jsonb(stored)]))
    for (const isDone of [false, true]) {
      const some = updates.filter(({ status }) => (status === "delivered") === isDone)
      if (some.length > 0) yield* query(updateStatement(isDone), [jsonb(some)])
    }
    if (isTrimmed) yield* query(trimStatement, [int8(connector)])
    if (disabled !== undefined) {
      yield* query(disableStatement, [int8(connector), text(disabled), int8(times.serviceNow)])
      yield* query(dropStatement, [int8(connector), int8(times.now)])
    }
    const numbers = rows.map(({ n }) => n)
    beforeCommit(locked, numbers)
    return "written" as const
  })

  const sendAgain = Effect.fnUntraced(function* (connector: number, changes: number, replay: number) {
    const locked = yield* connectorLocked(connector, changes)
    if (locked === undefined) return "moved" as const
    const named = yield* namedRow(query(namedStatement, [int8(replay)]))
    const ids = texts(named?.event_ids ?? [])
    const rows = yield* pendingRows(query(againStatement, [int8(connector), ids]))
    return { rows: rows.map(rowOf), changes: locked.changes }
  })

  const unavailable = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.mapError(work, (cause) => new JournalUnavailable({ cause }))

  return {
    /** The enabled connectors, with their replays. */
    enabled: Effect.map(unavailable(enabledRows(query(enabledStatement))), (rows) => rows.map(enabledOf)),
    /** The deliveries of a connector that wait. */
    pending: (connector: number) =>
      Effect.map(unavailable(pendingRows(query(pendingStatement, [int8(connector)]))), (rows) => rows.map(rowOf)),
    /** The newest deliveries, as far as it is kept. */
    delivered: (connector: number): Effect.Effect<ReadonlyArray<Delivered>, JournalUnavailable> =>
      Effect.map(unavailable(deliveredRows(query(deliveredStatement, [int8(connector)]))), (rows) =>
        rows.map(({ place, ...row }) => ({ ...row, place: storedPlace(place) }))
      ),
    /** Writes progress and deliveries at once, if nothing else was written since `changes`. */
    write: (connector: number, writing: Writing): Effect.Effect<"written" | "moved", JournalUnavailable> =>
      unavailable(withTransaction(write(connector, writing))),
    /** Makes the deliveries of a replay wait again, and ends the replay. */
    sendAgain: (connector: number, changes: number, replay: number) =>
      unavailable(withTransaction(sendAgain(connector, changes, replay))),
    /** False: this node was declared dead. */
    isLive:
      holder === undefined
        ? Effect.succeed(true)
        : Effect.map(unavailable(liveRow(query("SELECT is_live($1) AS live", [text(holder)]))), ({ live }) => live)
  }
}

export class DeliveryStore extends Context.Service<DeliveryStore, ReturnType<typeof make>>()(
  "lotbook/capabilities/webhooks/DeliveryStore"
) {
  static readonly layer: Layer.Layer<DeliveryStore, DatabaseStartError, Database> = Layer.effect(
    DeliveryStore,
    Effect.gen(function* () {
      const { holder } = yield* Database
      const pool = yield* Connect.pool({ name: "webhooks", settings: { enable_seqscan: "off", jit: "off" } })
      return make(pool, holder)
    }).pipe(
      Effect.catchTag("SqlError", (error) =>
        Effect.fail(new DatabaseStartError({ message: `PostgreSQL does not answer: ${error.message}` }))
      )
    )
  )
}
