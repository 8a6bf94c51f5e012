/**
 * The operators' own pool of connections to PostgreSQL. The journal and the
 * operators' statements never wait for each other's connections.
 */
import { PgClient } from "@effect/sql-pg"
import type { PgConnection } from "@effect/sql-pg"
import { Cause, Context, Effect, Exit, Layer, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import type { Refused } from "../contract/admin/Common.ts"
import { causeOf, Database } from "../database/Database.ts"
import { sessionName } from "../database/SessionName.ts"
import * as Durability from "../database/Durability.ts"
import * as Statements from "../database/Statements.ts"
import * as Episode from "../metrics/Episode.ts"
import type { Connection } from "../program/ProgramStore.ts"
import { connected } from "../program/ProgramStore.ts"
import * as Bounds from "./Bounds.ts"
import { storageUnavailable } from "./Refusal.ts"
import { machineTime, type MachineTime } from "../time/Times.ts"

export type Row = PgConnection.Row

/** Runs a statement with parameters made by `PgTypes`. Fails with `storage_unavailable`. */
export type AdminQuery = (
  statement: string,
  parameters?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, Refused>

export class AdminDatabase extends Context.Service<
  AdminDatabase,
  {
    readonly query: AdminQuery
    /**
     * Runs the queries of `work` in one transaction, which is rolled back if `work` fails. Inside another transaction it
     * is a savepoint. Append to the audit last: the transaction locks the chain until it ends.
     */
    readonly transaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refused, R>
    /**
     * `transaction` for statements that may take a minute. Few run at once, to leave connections for others. Inside
     * another transaction it does not wait, because waiters ahead of it may need the connection that it holds.
     */
    readonly longTransaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Refused, R>
    /** Runs statements for modules without refusals. `transaction` turns their SQL errors into one. */
    readonly connection: Connection
    /** Runs `work` on its own connection without a time limit, for work that reads every member. */
    readonly apart: <A, E, R>(
      work: (connection: Connection) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | SqlError.SqlError, R>
    /** The service's id, to check that it is the active one. Undefined: a command. */
    readonly holder: string | undefined
    /** Runs `effect` after the outermost open transaction has committed; at once if there is none. */
    readonly onCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("lotbook/surface/AdminDatabase") {
  static readonly layer: Layer.Layer<AdminDatabase, SqlError.SqlError, Database> = Layer.effect(
    AdminDatabase,
    Effect.gen(function* () {
      const database = yield* Database
      const { clientConfig, durability = Durability.none, holder } = database
      const durable = durablyBy(durability)
      const sql = yield* PgClient.make({
        ...clientConfig,
        applicationName: sessionName("admin", holder),
        connectTimeout: Bounds.connectTimeoutMs,
        maxConnections: Bounds.connections,
        startupParameters: { statement_timeout: String(Bounds.statementTimeoutMs), jit: "off" }
      })
      const measured = yield* Statements.measured("admin")
      const outage = outageOf(yield* machineTime)
      const failed = unavailable(outage)
      const longTurn = Semaphore.makeUnsafe(Bounds.longTransactions)
      const transaction = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.catch(
          durable(committing(sql.withTransaction, work)),
          (error): Effect.Effect<never, E | Refused> => (isSqlError(error) ? failed(error) : Effect.fail(error))
        )
      return AdminDatabase.of({
        holder,
        query: (statement, parameters = []) =>
          Effect.catchTag(
            durable(Effect.tap(measured(sql.unsafe<Row>(statement, parameters)), () => outage.succeeded)),
            "SqlError",
            failed
          ),
        transaction,
        longTransaction: (work) =>
          Effect.flatMap(OnCommit, (outer) =>
            outer === undefined ? longTurn.withPermits(1)(transaction(work)) : transaction(work)
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

/** The effects to run after the outermost transaction commits. */
const OnCommit = Context.Reference<Array<Effect.Effect<void>> | undefined>("lotbook/surface/OnCommit", {
  defaultValue: () => undefined
})

type Transaction = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>

/** Runs a transaction. After the outermost one has committed, runs the effects that wait for it. */
const committing = <A, E, R>(transaction: Transaction, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(OnCommit, (outer) => {
    if (outer !== undefined) return transaction(work)
    const waiting: Array<Effect.Effect<void>> = []
    return Effect.tap(transaction(Effect.provideService(work, OnCommit, waiting)), () =>
      Effect.forEach(waiting, (effect) => effect, { discard: true })
    )
  })

/**
 * Runs work only while durability is confirmed, and fails if its result may not be durable (contract/databases.md
 * *Confirmed durability*). A statement that failed, was interrupted or took long may have committed without the
 * standby, if its wait for the standby was cancelled.
 */
const durablyBy =
  ({ confirmed, doubt, isConfirmed }: Durability.Durability) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | Refused, R> => {
    const known = Effect.catch(confirmed, () => storageUnavailable)
    const guarded = Effect.gen(function* () {
      const clock = yield* machineTime
      if (!isConfirmed()) yield* known
      const startedNanos = clock.nanos()
      const result = yield* Effect.onExit(work, (exit) =>
        Effect.sync(() => {
          if (Exit.isFailure(exit) && mayHaveCommitted(exit.cause)) doubt()
        })
      )
      if (clock.nanos() - startedNanos > slowNanos) {
        doubt()
        yield* known
      }
      return result
    })
    // Inside a transaction nothing is committed yet.
    return Effect.flatMap(OnCommit, (outer) => (outer === undefined ? guarded : work))
  }

/** Time after which a commit's wait for the standby may have been cancelled, ns. */
const slowNanos = 1_000_000_000n

const mayHaveCommitted = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasInterrupts(cause) ||
  cause.reasons.some(
    (reason) => Cause.isFailReason(reason) && isSqlError(reason.error) && !defects.has(reason.error.reason._tag)
  )

const isSqlError = (error: unknown): error is SqlError.SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Errors of the statement itself. A retry would fail again. */
const defects: ReadonlySet<string> = new Set([
  "SqlSyntaxError",
  "ConstraintError",
  "UniqueViolation",
  "AuthorizationError"
])

/** True if PostgreSQL refused a value (SQLSTATE 22). */
const isDataException = (cause: unknown): boolean =>
  typeof cause === "object" && cause !== null && "code" in cause && String(cause.code).startsWith("22")

/** An outage of the operators' pool. Its new connections may fail while other pools' open ones work. */
const outageOf = (clock: MachineTime) =>
  Episode.make(clock, {
    began: "pool_failing",
    ended: "pool_back",
    trouble: (reason) => `The operators' and the platform's statements fail: ${reason}`,
    over: (ms) => `The operators' and the platform's statements work again, after ${ms} ms`
  })

const unavailable =
  (outage: Episode.Episode) =>
  (error: SqlError.SqlError): Effect.Effect<never, Refused> =>
    defects.has(error.reason._tag) || isDataException(error.reason.cause)
      ? Effect.die(error)
      : Effect.andThen(outage.failed(causeOf(error)), storageUnavailable)
