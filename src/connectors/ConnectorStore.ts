/** Reads and writes connectors (migrations/0011_imports.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Connector } from "../contract/platform/Connectors.ts"
import { fromMillis } from "../contract/Values.ts"
import { texts } from "../journal/postgres/Parameters.ts"

const { float8, text } = PgTypes

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

const columns = `n::float8 AS n, connector_id, name, type, url, to_json(event_types)::text AS event_types,
  to_json(program_ids)::text AS program_ids, include_artifacts, max_in_flight::float8 AS max_in_flight, enabled,
  secret_last4, version::float8 AS version, created_at::float8 AS created_at, updated_at::float8 AS updated_at`

const storedOf = (row: Row): StoredConnector => {
  const last4 = row["secret_last4"]
  const programs = row["program_ids"]
  return {
    n: Number(row["n"]),
    connector: {
      connector_id: String(row["connector_id"]),
      name: String(row["name"]),
      type: "webhook",
      configuration: {
        url: String(row["url"]),
        // The lists were checked when they were stored.
        event_types: JSON.parse(String(row["event_types"])) as Connector["configuration"]["event_types"],
        ...(programs === null ? undefined : { program_ids: JSON.parse(String(programs)) as ReadonlyArray<string> }),
        include_artifacts: row["include_artifacts"] === true,
        max_in_flight: Number(row["max_in_flight"]),
        secret: last4 === null ? { configured: false } : { configured: true, last4: String(last4) }
      },
      enabled: row["enabled"] === true,
      version: Number(row["version"]),
      created_at: fromMillis(Number(row["created_at"])),
      updated_at: fromMillis(Number(row["updated_at"]))
    }
  }
}

/** Locks a connector id until the transaction ends, also if there is no such connector. */
export const lock = (query: AdminQuery, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("SELECT pg_advisory_xact_lock(hashtextextended('connector ' || $1::text, 0))", [text(id)]))

export const find = (query: AdminQuery, id: string): Effect.Effect<Connector | undefined, Refused> =>
  Effect.map(query(`SELECT ${columns} FROM connectors WHERE connector_id = $1::text`, [text(id)]), ([row]) =>
    row === undefined ? undefined : storedOf(row).connector
  )

const putStatement = `INSERT INTO connectors (connector_id, name, type, url, event_types, program_ids, include_artifacts,
    max_in_flight, enabled, secret, secret_last4, created_at, updated_at)
  VALUES ($1::text, $2::text, 'webhook', $3::text, $4::text[], $5::text[], $6::text::boolean, $7::float8::smallint,
    $8::text::boolean, decode($9::text, 'hex'), $10::text, $11::float8::bigint, $11::float8::bigint)
  ON CONFLICT (connector_id) DO UPDATE SET name = excluded.name, url = excluded.url, event_types = excluded.event_types,
    program_ids = excluded.program_ids, include_artifacts = excluded.include_artifacts,
    max_in_flight = excluded.max_in_flight, enabled = excluded.enabled,
    secret = coalesce(excluded.secret, connectors.secret),
    secret_last4 = coalesce(excluded.secret_last4, connectors.secret_last4), updated_at = excluded.updated_at,
    version = connectors.version + 1
  RETURNING ${columns}`

/** Creates or changes a connector. */
export const put = (query: AdminQuery, one: NewConnector): Effect.Effect<Connector, Refused> =>
  Effect.map(
    query(putStatement, [
      text(one.id),
      text(one.name),
      text(one.url),
      texts(one.eventTypes),
      one.programIds === undefined ? text(null) : texts(one.programIds),
      text(String(one.includeArtifacts)),
      float8(one.maxInFlight),
      text(String(one.enabled)),
      text(one.secret?.sealed.toString("hex") ?? null),
      text(one.secret?.last4 ?? null),
      float8(one.at)
    ]),
    ([row]) => storedOf(row!).connector
  )

export const remove = (query: AdminQuery, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM connectors WHERE connector_id = $1::text", [text(id)]))

/** The encrypted secret of a connector; undefined if it has none. */
export const secretOf = (query: AdminQuery, id: string): Effect.Effect<Buffer | undefined, Refused> =>
  Effect.map(
    query(
      "SELECT encode(secret, 'hex') AS secret FROM connectors WHERE connector_id = $1::text AND secret IS NOT NULL",
      [text(id)]
    ),
    ([row]) => (row === undefined ? undefined : Buffer.from(String(row["secret"]), "hex"))
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
  query: AdminQuery,
  { before, limit, programs }: ConnectorFilter
): Effect.Effect<ReadonlyArray<StoredConnector>, Refused> =>
  Effect.map(
    query(
      `SELECT ${columns} FROM connectors
        WHERE ($1::text[] IS NULL OR program_ids <@ $1::text[]) AND ($2::float8 IS NULL OR n < $2::float8::bigint)
        ORDER BY n DESC LIMIT $3::float8::bigint`,
      [programs === undefined ? text(null) : texts(programs), float8(before ?? null), float8(limit)]
    ),
    (rows) => rows.map(storedOf)
  )
