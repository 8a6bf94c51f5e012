/**
 * One index over the claims of ended eras (contract/databases.md *Claims*), for those that the filters do not hold: with years
 * there are dozens of eras, and a look at each for every claim.
 *
 * No claim is added to an ended era, so appends do not maintain the index. Look-ups are right without it, too. A build that is
 * cut off leaves an index that PostgreSQL marks as invalid; the next run drops it.
 */
import { type PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Connect from "../../../base/database/Connect.ts"
import * as Locks from "../../../base/database/Locks.ts"
import * as Roles from "../../../base/database/Roles.ts"
import { oneOf, rowsOf } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"

type Connection = PgConnection.PgConnection

const lockRow = oneOf(Schema.Struct({ isLocked: Schema.Boolean }))
const indexRows = rowsOf(Schema.Struct({ before: Schema.Number, isValid: Schema.Boolean }))
const statusRow = oneOf(
  Schema.Struct({ used: Schema.Number, present: Schema.Number, ended: Schema.Number, covered: Schema.Number })
)

const nameOf = (before: number): string => `claims_before_${before}`
const indexesStatement = `SELECT substring(c.relname FROM '\\d+$')::int AS before, i.indisvalid AS "isValid"
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = 'claims'::regclass AND c.relname ~ '^claims_before_\\d+$'`
/** Bytes of claims in ended eras, and in those before $1. */
const statusStatement = `SELECT indexed_eras() AS used, e.era AS present, e.began AS ended,
    coalesce((SELECT k.began FROM eras k WHERE k.era = $1), 0) AS covered
  FROM eras e ORDER BY e.era DESC LIMIT 1`

export interface IndexOptions {
  /** Least bytes of claims that a new index adds. */
  readonly leastBytes?: number
}

export type Outcome =
  /** The claims of eras before that one are indexed now. */
  | { readonly _tag: "Indexed"; readonly before: number }
  | { readonly _tag: "Nothing"; readonly before: number }
  /** Another session indexes. */
  | { readonly _tag: "Elsewhere" }
  /** It is due, and the session's role has not the rights of the tables' owner. */
  | { readonly _tag: "NotOwner"; readonly owner: string | null }

/** Drops an index beside readers and writers. */
const drop = (connection: Connection, before: number) =>
  connection.query(`DROP INDEX CONCURRENTLY IF EXISTS ${nameOf(before)}`, [], false)

/** Makes look-ups use the index, and drops the others. */
const use = Effect.fnUntraced(function* (connection: Connection, before: number, others: ReadonlyArray<number>) {
  yield* connection.query("SELECT use_claims_index($1)", [PgTypes.int4(before)])
  yield* Effect.forEach(others, (other) => drop(connection, other), { discard: true })
})

const index = Effect.fnUntraced(function* (connection: Connection, leastBytes: number) {
  const found = yield* indexRows(connection.query(indexesStatement))
  const valid = found.filter(({ isValid }) => isValid).map(({ before }) => before)
  const newest = Math.max(0, ...valid)
  const { covered, ended, present, used } = yield* statusRow(connection.query(statusStatement, [PgTypes.int4(newest)]))
  const isDue = ended - covered >= Math.max(leastBytes, covered * Bounds.indexedShare)
  const stale = found.map(({ before }) => before).filter((before) => before !== newest)
  if (!isDue && stale.length === 0 && used >= newest) return { _tag: "Nothing", before: newest } as const
  const { owner, owns } = yield* Roles.ownership(connection)
  if (!owns) return { _tag: "NotOwner", owner } as const
  // A run before was cut off.
  if (used < newest || stale.length > 0) yield* use(connection, newest, stale)
  if (!isDue) return { _tag: "Nothing", before: newest } as const
  // The other processor is the tills'.
  yield* connection.query("SET max_parallel_maintenance_workers = 0")
  yield* connection.query(
    `CREATE INDEX CONCURRENTLY ${nameOf(present)} ON claims (key) WHERE era < ${present}`,
    [],
    false
  )
  yield* use(connection, present, newest > 0 ? [newest] : [])
  return { _tag: "Indexed", before: present } as const
})

/** Indexes the claims of ended eras, if there are enough that no index has. Takes minutes where there are some hundred million. */
export const indexEnded = ({ leastBytes = Bounds.indexedBytes }: IndexOptions = {}) =>
  Connect.apart(
    Effect.fnUntraced(function* (connection) {
      const { isLocked } = yield* lockRow(
        connection.query(`SELECT pg_try_advisory_lock(${Locks.claimsIndex}) AS "isLocked"`)
      )
      if (!isLocked) return { _tag: "Elsewhere" } satisfies Outcome
      const outcome: Outcome = yield* index(connection, leastBytes)
      return outcome
    })
  )
