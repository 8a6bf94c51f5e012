/** Reads and writes connectors (migrations/0011_imports.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../database/Pools.ts"
import type { Refused } from "../contract/admin/Common.ts"
import { Connector } from "../contract/platform/Connectors.ts"
import { fromMillis } from "../contract/Values.ts"
import { firstOf, int8, oneOf, optional, rowsOf, texts } from "../database/Values.ts"

const { bool, bytea, int2, text } = PgTypes

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
  readonly maxInFlight: number
  readonly enabled: boolean
  /** Undefined: keeps the stored secret. */
  readonly secret: SealedSecret | undefined
  /** ms. */
  readonly at: number
}

/** A connector as it is stored. */
interface StoredConnector {
  /** Number of the connector, in the order of creation. */
  readonly n: number
  readonly connector: Connector
}

const columns = `n, connector_id, name, type, url, event_types, program_ids, include_artifacts, max_in_flight, enabled,
  secret_last4, version, created_at, updated_at`

const Columns = Schema.Struct({
  n: Schema.Number,
  connector_id: Schema.String,
  name: Schema.String,
  type: Connector.fields.type,
  url: Schema.String,
  event_types: Connector.fields.configuration.fields.event_types,
  program_ids: optional(Schema.Array(Schema.String)),
  include_artifacts: Schema.Boolean,
  max_in_flight: Schema.Number,
  enabled: Schema.Boolean,
  secret_last4: optional(Schema.String),
  version: Schema.Number,
  created_at: Schema.Number,
  updated_at: Schema.Number
})

const connectors = rowsOf(Columns)

const storedOf = (row: typeof Columns.Type): StoredConnector => ({
  n: row.n,
  connector: {
    connector_id: row.connector_id,
    name: row.name,
    type: row.type,
    configuration: {
      url: row.url,
      event_types: row.event_types,
      ...(row.program_ids === undefined ? undefined : { program_ids: row.program_ids }),
      include_artifacts: row.include_artifacts,
      max_in_flight: row.max_in_flight,
      secret: row.secret_last4 === undefined ? { configured: false } : { configured: true, last4: row.secret_last4 }
    },
    enabled: row.enabled,
    version: row.version,
    created_at: fromMillis(row.created_at),
    updated_at: fromMillis(row.updated_at)
  }
})

/** Locks a connector id until the transaction ends, also if there is no such connector. */
export const lock = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT pg_advisory_xact_lock(hashtextextended('connector ' || $1, 0))", [text(id)]))

export const find = (query: Query, id: string): Effect.Effect<Connector | undefined, Refused> =>
  Effect.map(
    firstOf(Columns)(query(`SELECT ${columns} FROM connectors WHERE connector_id = $1`, [text(id)])),
    (row) => row && storedOf(row).connector
  )

const putStatement = `INSERT INTO connectors (connector_id, name, type, url, event_types, program_ids, include_artifacts,
    max_in_flight, enabled, secret, secret_last4, created_at, updated_at)
  VALUES ($1, $2, 'webhook', $3, $4, $5::text[], $6, $7, $8, $9, $10, $11, $11)
  ON CONFLICT (connector_id) DO UPDATE SET name = excluded.name, url = excluded.url, event_types = excluded.event_types,
    program_ids = excluded.program_ids, include_artifacts = excluded.include_artifacts,
    max_in_flight = excluded.max_in_flight, enabled = excluded.enabled,
    secret = coalesce(excluded.secret, connectors.secret),
    secret_last4 = coalesce(excluded.secret_last4, connectors.secret_last4), updated_at = excluded.updated_at,
    version = connectors.version + 1
  RETURNING ${columns}`

/** Creates or changes a connector. */
export const put = (query: Query, one: NewConnector): Effect.Effect<Connector, Refused> =>
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
        int8(one.at)
      ])
    ),
    (row) => storedOf(row).connector
  )

export const remove = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM connectors WHERE connector_id = $1", [text(id)]))

const secretRow = firstOf(Schema.Struct({ secret: Schema.Uint8Array }))

/** The encrypted secret of a connector; undefined if it has none. */
export const secretOf = (query: Query, id: string): Effect.Effect<Buffer | undefined, Refused> =>
  Effect.map(
    secretRow(query("SELECT secret FROM connectors WHERE connector_id = $1 AND secret IS NOT NULL", [text(id)])),
    (row) => row && Buffer.from(row.secret)
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
