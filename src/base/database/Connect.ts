/** How the service opens connections: of a pool, or one alone. */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import * as Bounds from "./Bounds.ts"
import { Database } from "./Database.ts"
import { sessionName } from "./SessionName.ts"
import * as Statements from "./Statements.ts"

export type Row = PgConnection.Row

interface SessionOptions {
  /** Purpose of the connection, in the name of its sessions. */
  readonly name: string
  /** Settings that a session begins with. */
  readonly settings?: Readonly<Record<string, string>>
  /** The server's limit of a statement. */
  readonly statementTimeoutMs?: number
}

/** The client's settings for a session of the service. */
export const session = (
  { clientConfig, holder }: Database["Service"],
  { name, settings, statementTimeoutMs = Bounds.statementTimeoutMs }: SessionOptions
): PgClient.PgClientConfig => ({
  ...clientConfig,
  applicationName: sessionName(name, holder),
  connectTimeout: Bounds.connectTimeoutMs,
  startupParameters: { ...settings, statement_timeout: String(statementTimeoutMs) }
})

interface PoolOptions extends SessionOptions {
  readonly name: keyof typeof Bounds.connections
  /** Statements of several fibers share a connection. */
  readonly multiplex?: boolean
}

interface OpenPool {
  /** Runs a statement on a free connection, or on that of the open transaction. */
  readonly query: (
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  readonly withTransaction: PgClient.PgClient["withTransaction"]
}

/** Opens a pool of `Bounds.connections`, which measures its statements by its name. */
export const pool = Effect.fnUntraced(function* ({
  multiplex = false,
  ...options
}: PoolOptions): Effect.fn.Return<OpenPool, SqlError.SqlError, Database | Scope.Scope> {
  const sql = yield* Effect.provideServiceEffect(
    PgClient.make({
      ...session(yield* Database, options),
      maxConnections: Bounds.connections[options.name],
      multiplex
    }),
    Reactivity.Reactivity,
    Reactivity.make
  )
  const measured = yield* Statements.measured(options.name)
  return {
    query: (statement, parameters = []) => measured(sql.unsafe<Row>(statement, parameters)),
    withTransaction: sql.withTransaction
  }
})

/** Runs statements: on a connection of its own, or in the caller's transaction. */
export interface Connection {
  readonly query: (
    statement: string,
    parameters?: ReadonlyArray<unknown>
  ) => Effect.Effect<{ readonly rows: ReadonlyArray<Row> }, SqlError.SqlError>
}

/** Runs statements on a new connection without a time limit, for publications, which are rare. */
export const apart = <A, E, R>(work: (connection: PgConnection.PgConnection) => Effect.Effect<A, E, R>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { clientConfig, holder } = yield* Database
      const applicationName = sessionName("programs", holder)
      return yield* work(yield* PgConnection.make({ ...clientConfig, applicationName }))
    })
  )
