/** Reads and writes connections (migrations/0047_connections.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../../base/database/Pools.ts"
import { firstOf, int8, jsonb, oneOf, optional, rowsOf, texts } from "../../../base/database/Values.ts"
import { Connection } from "../../../contract/admin/Connections.ts"
import type { Refused } from "../../../contract/Refused.ts"
import { fromMillis } from "../../../contract/Values.ts"
import * as Bounds from "./Bounds.ts"

const { bool, bytea, text } = PgTypes

/** An encrypted key, and its last four characters, which answers show. */
interface SealedKey {
  readonly sealed: Buffer
  readonly last4: string
}

/** The part of a connection that callers set. */
export type ConnectionFacts = Pick<Connection, "name" | "status" | "restaurants" | "unknown_restaurant" | "settings">

export interface StoredConnection {
  /** Number of the connection, in the order of creation. */
  readonly n: number
  readonly connection: Connection
}

const columns = `c.n, c.connection_id, c.vendor, c.program_id, c.name, c.active, c.restaurants, c.unknown_restaurant, c.settings,
  c.secret_last4, c.previous_until, c.version, c.last_seen_at, c.created_at, c.updated_at`

const counts = `, (SELECT json_build_object('transactions', count(*), 'refused', count(*) FILTER (WHERE t.state = 'refused'),
      'differing', count(*) FILTER (WHERE t.became ? 'differs'))
    FROM connection_transactions t WHERE t.connection = c.n AND t.at > $2) AS health,
  (SELECT count(*) FROM connection_transactions t WHERE t.connection = c.n AND t.state = 'begun') AS unfinished`

const { connection_id, name, program_id, restaurants, settings, unknown_restaurant, vendor } = Connection.fields
const Columns = Schema.Struct({
  n: Schema.Number,
  connection_id,
  vendor,
  program_id,
  name,
  active: Schema.Boolean,
  restaurants,
  unknown_restaurant,
  settings,
  secret_last4: Schema.String,
  previous_until: optional(Schema.Number),
  version: Schema.Number,
  last_seen_at: optional(Schema.Number),
  created_at: Schema.Number,
  updated_at: Schema.Number,
  health: Schema.Struct({ transactions: Schema.Number, refused: Schema.Number, differing: Schema.Number }),
  unfinished: Schema.Number
})

/** The path of a connection's address. */
const pathOf = (vendor: string, id: string): string => `/connect/${vendor}/${id}`

const storedOf = (row: typeof Columns.Type, now: number): StoredConnection => ({
  n: row.n,
  connection: {
    connection_id: row.connection_id,
    vendor: row.vendor,
    program_id: row.program_id,
    name: row.name,
    status: row.active ? "active" : "paused",
    path: pathOf(row.vendor, row.connection_id),
    restaurants: row.restaurants,
    unknown_restaurant: row.unknown_restaurant,
    settings: row.settings,
    key_hint: row.secret_last4,
    ...((row.previous_until ?? 0) > now ? { rotating_until: fromMillis(row.previous_until ?? 0) } : undefined),
    ...(row.last_seen_at === undefined ? undefined : { last_seen_at: fromMillis(row.last_seen_at) }),
    health: { ...row.health, unfinished: row.unfinished },
    version: row.version,
    created_at: fromMillis(row.created_at),
    updated_at: fromMillis(row.updated_at)
  }
})

/** All connections, or those of some programmes, newest first. `now`: the machine's, ms. */
export const list = (
  query: Query,
  programs: ReadonlyArray<string> | undefined,
  now: number
): Effect.Effect<ReadonlyArray<StoredConnection>, Refused> =>
  Effect.map(
    rowsOf(Columns)(
      query(
        `SELECT ${columns}${counts} FROM connections c WHERE ($1::text[] IS NULL OR c.program_id = ANY ($1::text[])) ORDER BY c.n DESC`,
        [programs === undefined ? text(null) : texts(programs), int8(now - Bounds.healthMs)]
      )
    ),
    (rows) => rows.map((row) => storedOf(row, now))
  )

const found = firstOf(Columns)

const findBy = (query: Query, id: string, now: number, lock: string) =>
  Effect.map(
    found(
      query(`SELECT ${columns}${counts} FROM connections c WHERE c.connection_id = $1${lock}`, [
        text(id),
        int8(now - Bounds.healthMs)
      ])
    ),
    (row) => row && storedOf(row, now)
  )

export const find = (query: Query, id: string, now: number): Effect.Effect<StoredConnection | undefined, Refused> =>
  findBy(query, id, now, "")

/** The same, locked until the transaction ends. Transactions of tills, which refer to it, begin and end meanwhile. */
export const locked = (query: Query, id: string, now: number): Effect.Effect<StoredConnection | undefined, Refused> =>
  findBy(query, id, now, " FOR NO KEY UPDATE OF c")

const countRow = oneOf(Schema.Struct({ count: Schema.Number }))

/** The number of connections. No other transaction makes one until this one ends. */
export const count = (query: Query): Effect.Effect<number, Refused> =>
  Effect.andThen(
    query("SELECT pg_advisory_xact_lock(hashtextextended('connections', 0))"),
    Effect.map(countRow(query("SELECT count(*) AS count FROM connections")), ({ count }) => count)
  )

interface NewConnection extends ConnectionFacts, Pick<Connection, "vendor" | "program_id"> {
  readonly id: string
  readonly key: SealedKey
  /** ms. */
  readonly at: number
}

export const create = (query: Query, one: NewConnection): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `INSERT INTO connections (connection_id, vendor, program_id, name, active, restaurants, unknown_restaurant, settings, secret,
          secret_last4, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
      [
        text(one.id),
        text(one.vendor),
        text(one.program_id),
        text(one.name),
        bool(one.status === "active"),
        jsonb(one.restaurants),
        text(one.unknown_restaurant),
        jsonb(one.settings),
        bytea(one.key.sealed),
        text(one.key.last4),
        int8(one.at)
      ]
    )
  )

export const change = (query: Query, n: number, facts: ConnectionFacts, at: number): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `UPDATE connections SET name = $2, active = $3, restaurants = $4, unknown_restaurant = $5, settings = $6, updated_at = $7,
        version = version + 1 WHERE n = $1`,
      [
        int8(n),
        text(facts.name),
        bool(facts.status === "active"),
        jsonb(facts.restaurants),
        text(facts.unknown_restaurant),
        jsonb(facts.settings),
        int8(at)
      ]
    )
  )

/** Replaces a key. The one before is accepted too until `until`, ms. */
export const rotate = (query: Query, n: number, key: SealedKey, until: number, at: number) =>
  Effect.asVoid(
    query(
      `UPDATE connections SET previous_secret = secret, previous_until = $4, secret = $2, secret_last4 = $3, updated_at = $5,
        version = version + 1 WHERE n = $1`,
      [int8(n), bytea(key.sealed), text(key.last4), int8(until), int8(at)]
    )
  )

/** A step of a deletion. It waits for no row, so that it stands in nobody's way. */
const clearTransactions = `DELETE FROM connection_transactions WHERE n = ANY (ARRAY (
    SELECT n FROM connection_transactions WHERE connection = $1 AND state <> 'begun' LIMIT ${Bounds.clearedRows}
      FOR UPDATE SKIP LOCKED
  )) RETURNING n`

/** The same for checks that nobody works on. */
const clearChecks = `DELETE FROM connection_checks WHERE connection = $1 AND check_id = ANY (ARRAY (
    SELECT check_id FROM connection_checks c WHERE connection = $1 AND held_until < $2 AND NOT EXISTS (
        SELECT FROM connection_transactions t WHERE t.connection = $1 AND t.check_id = c.check_id AND t.state = 'begun'
      ) LIMIT ${Bounds.clearedRows} FOR UPDATE SKIP LOCKED
  )) RETURNING check_id`

/**
 * Deletes what has ended over a connection, in steps: one that deletes much would hold up the groups of all connections.
 * Transactions that have begun stay with their checks: the request that works on one must find it until the connection goes.
 * `at`: the machine's, ms.
 */
export const clear = Effect.fnUntraced(function* (
  query: Query,
  n: number,
  at: number
): Effect.fn.Return<void, Refused> {
  while ((yield* query(clearTransactions, [int8(n)])).length > 0) yield* Effect.yieldNow
  while ((yield* query(clearChecks, [int8(n), int8(at)])).length > 0) yield* Effect.yieldNow
})

/** Deletes a connection with what is left over it. */
export const remove = (query: Query, n: number): Effect.Effect<void, Refused> =>
  Effect.asVoid(query("DELETE FROM connections WHERE n = $1", [int8(n)]))
