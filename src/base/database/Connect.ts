/** How the service opens connections: of a pool, or one alone. */
import { PgClient, PgConnection } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Metric } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { performance } from "node:perf_hooks"
import * as Series from "../metrics/Series.ts"
import * as Bounds from "./Bounds.ts"
import { Database } from "./Database.ts"
import { sessionName } from "./SessionName.ts"

const duration = Metric.histogram("lotbook_postgres_statement_duration_seconds", {
  description: "Time from a statement's request to its answer, with the wait for a connection, by pool",
  boundaries: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]
})

/** Runs a statement and measures it. */
type Measured = <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Measures the statements of a pool of connections. */
const statementsOf = Effect.fnUntraced(function* (pool: string): Effect.fn.Return<Measured, never, Scope.Scope> {
  const context = yield* Effect.context<never>()
  const series = Metric.withAttributes(duration, { pool })
  let inFlight = 0
  yield* Series.begin(series)
  yield* Series.gauge(
    "lotbook_postgres_statements_in_flight",
    { description: "Statements that wait for a connection or an answer, by pool", attributes: { pool } },
    () => inFlight
  )
  return (statement) =>
    Effect.suspend(() => {
      const startedAt = performance.now()
      inFlight++
      return Effect.onExit(statement, () =>
        Effect.sync(() => {
          inFlight--
          series.updateUnsafe((performance.now() - startedAt) / 1000, context)
        })
      )
    })
})

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
  const measured = yield* statementsOf(options.name)
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
