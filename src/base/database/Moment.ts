/**
 * One moment of the database: a snapshot, whatever commits meanwhile. It has no transaction id, so it holds back no reader
 * of the feed. Tables are read through cursors in order of accounts, so that memory is bounded by a page of each.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Database } from "./Database.ts"
import * as Locks from "./Locks.ts"
import { rowsOf } from "./Values.ts"

/** Rows that are fetched at a time: records have about 3 kB, so a page has some MB. */
const fetchedRows = 1_000
/** Largest message from the database, bytes: a page of large records. */
const messageBytes = 1024 ** 3

export type Connection = PgConnection.PgConnection

/** A session whose statements all see the present moment, until the scope closes. */
export const open = Effect.fnUntraced(function* (purpose: string) {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({
    ...clientConfig,
    applicationName: `lotbook ${purpose}`,
    maxMessageSize: messageBytes,
    startupParameters: { timezone: "UTC", jit: "off" }
  })
  // A span that is archived from now on stays until the end: the snapshot would lack its records, and not say so.
  yield* connection.query(`SELECT pg_advisory_lock_shared(${Locks.archiving})`, [], false)
  yield* connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], false)
  // Indexes have the order of accounts: rows arrive at once, and nothing is sorted on disk.
  for (const setting of ["enable_seqscan", "enable_sort", "enable_hashjoin", "enable_bitmapscan"])
    yield* connection.query(`SET LOCAL ${setting} = off`, [], false)
  return connection
})

/** Rows of a statement with a column `account`, which orders them. */
export class Rows<Row extends { readonly account: number }> {
  private page: ReadonlyArray<Row> = []
  private at = 0
  private isOver = false
  private readonly fetch: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

  constructor(fetch: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>) {
    this.fetch = fetch
  }

  private get more(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.map(this.fetch, (rows) => {
      this.page = rows
      this.at = 0
      this.isOver = rows.length < fetchedRows
    })
  }

  /** The next row of an account, of any if it is left out; undefined: there is none. Rows of earlier accounts are passed over. */
  next(account?: number): Effect.Effect<Row | undefined, SqlError.SqlError> {
    for (; this.at < this.page.length; this.at++) {
      const row = this.page[this.at]!
      if (account !== undefined && row.account > account) return Effect.succeed(undefined)
      if (account !== undefined && row.account < account) continue
      this.at++
      return Effect.succeed(row)
    }
    return this.isOver ? Effect.succeed(undefined) : Effect.flatMap(this.more, () => this.next(account))
  }
}

/** Opens a cursor. */
export const rows = <A extends { readonly account: number }>(
  connection: Connection,
  name: string,
  schema: Schema.Codec<A, unknown>,
  statement: string,
  parameters: ReadonlyArray<unknown>
): Effect.Effect<Rows<A>, SqlError.SqlError> =>
  Effect.as(
    connection.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${statement}`, parameters, false),
    new Rows(rowsOf(schema)(connection.query(`FETCH ${fetchedRows} FROM ${name}`, [], false)))
  )
