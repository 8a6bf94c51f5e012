/** Reads and writes connectors (migrations/0011_imports.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { ConnectorHealth } from "../../contract/platform/Connectors.ts"
import { Connector, Threshold } from "../../contract/platform/Connectors.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"

const { bool, bytea, int2, jsonb, text } = PgTypes

/** An encrypted secret, and its last four characters, which answers show. */
interface SealedSecret {
  readonly sealed: Buffer
  readonly last4: string
}

interface NewConnector {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly eventTypes: ReadonlyArray<string>
  readonly programIds: ReadonlyArray<string> | undefined
  readonly includeArtifacts: boolean
  readonly guestCodes: boolean
  readonly thresholds: ReadonlyArray<Threshold>
  readonly maxInFlight: number
  readonly enabled: boolean
  /** Undefined: keeps the stored secret. */
  readonly secret: SealedSecret | undefined
  /** ms. */
  readonly at: number
}

/** A connector as it is stored. */
export interface StoredConnector {
  /** Number of the connector, in the order of creation. */
  readonly n: number
  readonly connector: Connector
  /** The place in the feed up to which it has delivered; undefined: it has not begun. */
  readonly place: string | undefined
}

const columns = `n, connector_id, name, type, url, event_types, program_ids, include_artifacts, guest_codes, thresholds, max_in_flight, enabled,
  secret_last4, version, created_at, updated_at, place, previous_until, last_success_at, failing_since, disabled_reason,
  (SELECT count(*) FROM deliveries d WHERE d.connector = connectors.n AND d.status = 'pending') AS waiting`

const Columns = Schema.Struct({
  n: Schema.Number,
  connector_id: Schema.String,
  name: Schema.String,
  type: Connector.fields.type,
  url: Schema.String,
  event_types: Connector.fields.configuration.fields.event_types,
  program_ids: optional(Schema.Array(Schema.String)),
  include_artifacts: Schema.Boolean,
  guest_codes: Schema.Boolean,
  thresholds: optional(Schema.Array(Threshold)),
  max_in_flight: Schema.Number,
  enabled: Schema.Boolean,
  secret_last4: optional(Schema.String),
  version: Schema.Number,
  created_at: Schema.Number,
  updated_at: Schema.Number,
  place: optional(Schema.String),
  previous_until: optional(Schema.Number),
  last_success_at: optional(Schema.Number),
  failing_since: optional(Schema.Number),
  disabled_reason: optional(Schema.Literals(["gone", "failing"])),
  waiting: Schema.Number
})

const connectors = rowsOf(Columns)

const healthOf = (row: typeof Columns.Type): ConnectorHealth => ({
  waiting: row.waiting,
  ...(row.last_success_at === undefined ? undefined : { last_success_at: fromMillis(row.last_success_at) }),
  ...(row.failing_since === undefined ? undefined : { failing_since: fromMillis(row.failing_since) }),
  ...(row.disabled_reason === undefined || row.enabled ? undefined : { disabled_reason: row.disabled_reason })
})

const secretOf = ({ previous_until: until, secret_last4: last4 }: typeof Columns.Type) => {
  if (last4 === undefined) return { configured: false }
  return { configured: true, last4, ...(until === undefined ? undefined : { overlap_until: fromMillis(until) }) }
}

const storedOf = (row: typeof Columns.Type): StoredConnector => ({
  n: row.n,
  place: row.place,
  connector: {
    connector_id: row.connector_id,
    name: row.name,
    type: row.type,
    configuration: {
      url: row.url,
      event_types: row.event_types,
      ...(row.program_ids === undefined ? undefined : { program_ids: row.program_ids }),
      include_artifacts: row.include_artifacts,
      ...(row.guest_codes ? { guest_codes: true as const } : undefined),
      ...(row.thresholds === undefined ? undefined : { thresholds: row.thresholds }),
      max_in_flight: row.max_in_flight,
      secret: secretOf(row)
    },
    enabled: row.enabled,
    health: healthOf(row),
    version: row.version,
    created_at: fromMillis(row.created_at),
    updated_at: fromMillis(row.updated_at)
  }
})

/** Locks a connector id until the transaction ends, also if there is no such connector. */
export const lock = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT pg_advisory_xact_lock(hashtextextended('connector ' || $1, 0))", [text(id)]))

export const find = (query: Query, id: string): Effect.Effect<StoredConnector | undefined, Refused> =>
  Effect.map(
    firstOf(Columns)(query(`SELECT ${columns} FROM connectors WHERE connector_id = $1`, [text(id)])),
    (row) => row && storedOf(row)
  )

const putStatement = `INSERT INTO connectors (connector_id, name, type, url, event_types, program_ids, include_artifacts,
    max_in_flight, enabled, secret, secret_last4, created_at, updated_at, thresholds, guest_codes)
  VALUES ($1, $2, 'webhook', $3, $4, $5::text[], $6, $7, $8, $9, $10, $11, $11, nullif($12, '[]'), $13)
  ON CONFLICT (connector_id) DO UPDATE SET name = excluded.name, url = excluded.url, event_types = excluded.event_types,
    program_ids = excluded.program_ids, include_artifacts = excluded.include_artifacts,
    max_in_flight = excluded.max_in_flight, thresholds = excluded.thresholds, enabled = excluded.enabled,
    guest_codes = excluded.guest_codes,
    secret = coalesce(excluded.secret, connectors.secret),
    secret_last4 = coalesce(excluded.secret_last4, connectors.secret_last4),
    previous_secret = CASE WHEN excluded.secret IS NULL THEN connectors.previous_secret END,
    previous_until = CASE WHEN excluded.secret IS NULL THEN connectors.previous_until END, updated_at = excluded.updated_at,
    version = connectors.version + 1
  RETURNING ${columns}`

/** Creates or changes a connector. */
export const put = (query: Query, one: NewConnector): Effect.Effect<StoredConnector, Refused> =>
  Effect.map(
    oneOf(Columns)(
      query(putStatement, [
        text(one.id),
        text(one.name),
        text(one.url),
        texts(one.eventTypes),
        one.programIds === undefined ? text(null) : texts(one.programIds),
        bool(one.includeArtifacts),
        int2(one.maxInFlight),
        bool(one.enabled),
        bytea(one.secret?.sealed ?? null),
        text(one.secret?.last4 ?? null),
        int8(one.at),
        jsonb(one.thresholds),
        bool(one.guestCodes)
      ])
    ),
    storedOf
  )

const codesRow = firstOf(Schema.Struct({ id: Schema.String, url: Schema.String }))

/** The connector that sends a programme's codes to telephones; undefined: none does, or it is disabled. */
export const forGuestCodes = (query: Query, program: string) =>
  codesRow(
    query(
      `SELECT connector_id AS id, url FROM connectors
        WHERE enabled AND guest_codes AND (program_ids IS NULL OR $1 = ANY (program_ids)) ORDER BY n LIMIT 1`,
      [text(program)]
    )
  )

const idRow = firstOf(Schema.Struct({ id: Schema.String }))

/**
 * Another connector that sends codes of one of these programmes; `programs` undefined: of any. No other transaction sets one
 * until this one ends.
 */
export const otherForGuestCodes = (query: Query, id: string, programs: ReadonlyArray<string> | undefined) =>
  Effect.andThen(
    query("SELECT pg_advisory_xact_lock(hashtextextended('guest codes', 0))"),
    idRow(
      query(
        `SELECT connector_id AS id FROM connectors WHERE guest_codes AND connector_id <> $1
            AND (program_ids IS NULL OR $2::text[] IS NULL OR program_ids && $2::text[]) LIMIT 1`,
        [text(id), programs === undefined ? text(null) : texts(programs)]
      )
    )
  )

export const remove = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM connectors WHERE connector_id = $1", [text(id)]))

const secretsRow = firstOf(
  Schema.Struct({
    secret: optional(Schema.Uint8Array),
    previous: optional(Schema.Uint8Array),
    until: optional(Schema.Number)
  })
)

/** The encrypted secrets that sign a connector's deliveries at `now` (ms, the machine's), the present one first. */
export const secretsOf = (query: Query, id: string, now: number): Effect.Effect<ReadonlyArray<Buffer>, Refused> =>
  Effect.map(
    secretsRow(
      query(
        `SELECT secret, previous_secret AS previous, previous_until AS until FROM connectors WHERE connector_id = $1`,
        [text(id)]
      )
    ),
    (row) => {
      const valid = [row?.secret, (row?.until ?? 0) > now ? row?.previous : undefined]
      return valid.flatMap((secret) => (secret === undefined ? [] : [Buffer.from(secret)]))
    }
  )

/** Replaces a secret. The one before signs too until `until`, ms. */
export const rotate = (query: Query, n: number, { last4, sealed }: SealedSecret, until: number, at: number) =>
  Effect.asVoid(
    query(
      `UPDATE connectors SET previous_secret = secret, previous_until = CASE WHEN secret IS NOT NULL THEN $4 END, secret = $2,
        secret_last4 = $3, updated_at = $5, version = version + 1 WHERE n = $1`,
      [int8(n), bytea(sealed), text(last4), int8(until), int8(at)]
    )
  )

const countRow = oneOf(Schema.Struct({ count: Schema.Number }))

/** The number of enabled connectors. No other transaction enables one until this one ends. */
export const countEnabled = (query: Query): Effect.Effect<number, Refused> =>
  Effect.andThen(
    query("SELECT pg_advisory_xact_lock(hashtextextended('connectors', 0))"),
    Effect.map(countRow(query("SELECT count(*) AS count FROM connectors WHERE enabled")), ({ count }) => count)
  )

/** Lets a connector deliver what comes after a place of the feed. */
export const begin = (query: Query, n: number, place: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE connectors SET place = $2, changes = changes + 1, disabled_reason = NULL, failing_since = NULL WHERE n = $1`,
      [int8(n), text(place)]
    )
  )

/** Deliveries that wait for a disabled connector have failed, and its replays end. */
export const dropStatement = `WITH dropped AS (DELETE FROM replays WHERE connector = $1)
  UPDATE deliveries SET status = 'failed', next_at = NULL, finished_at = $2 WHERE connector = $1 AND status = 'pending'`

/** Ends the deliveries of a connector that was disabled at `now` (ms, the machine's). */
export const end = (query: Query, n: number, now: number): Effect.Effect<void, Refused> =>
  Effect.andThen(
    query("UPDATE connectors SET changes = changes + 1 WHERE n = $1", [int8(n)]),
    Effect.asVoid(query(dropStatement, [int8(n), int8(now)]))
  )

/** Has a connector whose attempts fail try again at once: who delivers reads it anew. */
export const tryAgain = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      "UPDATE connectors SET changes = changes + 1 WHERE connector_id = $1 AND enabled AND failing_since IS NOT NULL",
      [text(id)]
    )
  )

export const setEnabled = (query: Query, n: number, enabled: boolean, at: number): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE connectors SET enabled = $2, disabled_reason = NULL, updated_at = $3, version = version + 1 WHERE n = $1`,
      [int8(n), bool(enabled), int8(at)]
    )
  )

interface ConnectorFilter {
  /** Only connectors whose programmes are all among these; undefined: every connector. */
  readonly programs: ReadonlyArray<string> | undefined
  /** `n` of the previous page's last connector. */
  readonly before: number | undefined
  readonly limit: number
}

/** A page of connectors, newest first. */
export const list = (
  query: Query,
  { before, limit, programs }: ConnectorFilter
): Effect.Effect<ReadonlyArray<StoredConnector>, Refused> =>
  Effect.map(
    connectors(
      query(
        `SELECT ${columns} FROM connectors
          WHERE ($1::text[] IS NULL OR program_ids <@ $1::text[]) AND ($2 IS NULL OR n < $2) ORDER BY n DESC LIMIT $3`,
        [programs === undefined ? text(null) : texts(programs), int8(before ?? null), int8(limit)]
      )
    ),
    (rows) => rows.map(storedOf)
  )
