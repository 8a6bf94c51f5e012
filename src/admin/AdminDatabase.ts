/**
 * The operators' connections to PostgreSQL: a pool of their own, so that lists and
 * audits never wait for the journal's connections, nor it for theirs.
 */
import { PgClient } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import type { Refused } from "../contract/admin/Common.ts"
import { Database, sessionName } from "../database/Database.ts"
import * as Statements from "../database/Statements.ts"
import type { Connection } from "../program/ProgramStore.ts"
import { connected } from "../program/ProgramStore.ts"
import * as Bounds from "./Bounds.ts"
import { storageUnavailable } from "./Refusal.ts"

export type Row = PgConnection.Row

/** A statement with its parameters as `PgTypes` makes them; fails with `storage_unavailable`. */
export type AdminQuery = (
  statement: string,
  parameters?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, Refused>

export class AdminDatabase extends Context.Service<
  AdminDatabase,
  {
    readonly query: AdminQuery
    /**
     * Runs the queries of `work` in one transaction, which is rolled back where `work` fails. Within another one it is a
     * savepoint of that. Append to the audit last: the transaction holds the chain from there on.
     */
    readonly transaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refused, R>
    /** The same statements for what knows no refusals: `transaction` turns what fails into one. */
    readonly connection: Connection
    /** Runs `work` on a connection of its own, without a limit of time: for what reads every member. */
    readonly apart: <A, E, R>(
      work: (connection: Connection) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
    /** Runs `effect` after the outermost transaction that goes on has committed; at once outside of one. */
    readonly onCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("lotbook/admin/AdminDatabase") {
  static readonly layer: Layer.Layer<AdminDatabase, SqlError.SqlError, Database> = Layer.effect(
    AdminDatabase,
    Effect.gen(function* () {
      const database = yield* Database
      const { clientConfig, holder } = database
      const sql = yield* PgClient.make({
        ...clientConfig,
        applicationName: sessionName("admin", holder),
        connectTimeout: Bounds.connectTimeoutMs,
        maxConnections: Bounds.connections,
        startupParameters: { statement_timeout: String(Bounds.statementTimeoutMs), jit: "off" }
      })
      const measured = yield* Statements.measured("admin")
      return AdminDatabase.of({
        query: (statement, parameters = []) =>
          Effect.catchTag(measured(sql.unsafe<Row>(statement, parameters)), "SqlError", unavailable),
        transaction: <A, E, R>(work: Effect.Effect<A, E, R>) =>
          Effect.catch(
            committing(sql.withTransaction, work),
            (error): Effect.Effect<never, E | Refused> => (isSqlError(error) ? unavailable(error) : Effect.fail(error))
          ),
        connection: {
          query: (statement, parameters = []) =>
            Effect.map(sql.unsafe<Row>(statement, parameters), (rows) => ({ rows }))
        },
        apart: (work) => Effect.provideService(connected(work), Database, database),
        onCommit: (effect) =>
          Effect.flatMap(OnCommit, (waiting) => {
            if (waiting === undefined) return effect
            waiting.push(effect)
            return Effect.void
          })
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
}

/** What waits for the commit of the outermost transaction. */
const OnCommit = Context.Reference<Array<Effect.Effect<void>> | undefined>("lotbook/admin/OnCommit", {
  defaultValue: () => undefined
})

type Transaction = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Runs a transaction, and after the outermost one what waits for its commit. */
const committing = <A, E, R>(transaction: Transaction, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(OnCommit, (outer) => {
    if (outer !== undefined) return transaction(work)
    const waiting: Array<Effect.Effect<void>> = []
    return Effect.tap(transaction(Effect.provideService(work, OnCommit, waiting)), () =>
      Effect.forEach(waiting, (effect) => effect, { discard: true })
    )
  })

const isSqlError = (error: unknown): error is SqlError.SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Faults of a statement itself: no retry would help. */
const defects: ReadonlySet<string> = new Set([
  "SqlSyntaxError",
  "ConstraintError",
  "UniqueViolation",
  "AuthorizationError"
])

const unavailable = (error: SqlError.SqlError): Effect.Effect<never, Refused> =>
  defects.has(error.reason._tag)
    ? Effect.die(error)
    : Effect.andThen(Effect.logDebug("The operators' database did not answer", error), storageUnavailable)
