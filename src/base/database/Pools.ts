/**
 * The two pools of the surfaces: one for what a person waits for, one for the rest. A long statement of one never delays a
 * statement of the other.
 *
 * Invariant: what runs in a transaction uses the pool of the transaction alone. Two pools would commit apart.
 */

import type { Scope } from "effect"
import { Cause, Context, Effect, Exit, Layer, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { Refused } from "../../contract/Refused.ts"
import * as Episode from "../metrics/Episode.ts"
import { machineTime } from "../time/Times.ts"
import * as Archived from "./Archived.ts"
import * as Bounds from "./Bounds.ts"
import type { Connection, Row } from "./Connect.ts"
import * as Connect from "./Connect.ts"
import { causeOf, Database } from "./Database.ts"
import * as Durability from "./Durability.ts"

/** PostgreSQL does not respond. A retry with the same key returns the result. */
export const storageUnavailable = new Refused({
  code: "storage_unavailable",
  detail: "The database cannot be reached. Send the same request again."
})

/** Runs a statement with parameters made by `PgTypes`. Fails with `storage_unavailable` or `archived`. */
export type Query = (
  statement: string,
  parameters?: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<Row>, Refused>

export interface Pool {
  readonly query: Query
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
  /** The node's id, to check that it was not declared dead. Undefined: a command. */
  readonly holder: string | undefined
  /** Runs `effect` after the outermost open transaction has committed; at once if there is none. */
  readonly onCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
}

/** For what a person waits for, such as sign-in, tokens and requests of operators; and to keep keys and sessions current. */
export class PeoplePool extends Context.Service<PeoplePool, Pool>()("lotbook/base/database/PeoplePool") {
  static readonly layer = Layer.effect(
    PeoplePool,
    Effect.suspend(() => make("people"))
  )
}

/** For events, imports, campaigns' runs, analytics, segments' audiences, and what runs in the background. */
export class WorkPool extends Context.Service<WorkPool, Pool>()("lotbook/base/database/WorkPool") {
  static readonly layer = Layer.effect(
    WorkPool,
    Effect.suspend(() => make("work"))
  )
}

/** Both. */
export const layer: Layer.Layer<PeoplePool | WorkPool, SqlError.SqlError, Database> = Layer.merge(
  PeoplePool.layer,
  WorkPool.layer
)

type Name = "people" | "work"

/** The outermost open transaction. */
interface Open {
  readonly pool: Name
  /** The effects to run after it commits. */
  readonly waiting: Array<Effect.Effect<void>>
}

const OpenTransaction = Context.Reference<Open | undefined>("lotbook/base/database/OpenTransaction", {
  defaultValue: () => undefined
})

const make = Effect.fnUntraced(function* (
  name: Name
): Effect.fn.Return<Pool, SqlError.SqlError, Database | Scope.Scope> {
  const database = yield* Database
  const durable = durablyBy(database.durability ?? Durability.none)
  const pool = yield* Connect.pool({ name, settings: { jit: "off" } })
  const outage = yield* outageOf(name)
  const failed = unavailable(outage)
  const longTurn = Semaphore.makeUnsafe(Bounds.longTransactions)

  /** Gives the open transaction to a use of this pool. One of the other pool is a defect. */
  const within = <A, E, R>(use: (open: Open | undefined) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(OpenTransaction, (open) =>
      open === undefined || open.pool === name
        ? use(open)
        : Effect.die(new Error(`a statement of the pool ${name} in a transaction of the pool ${open.pool}`))
    )

  /** Runs a transaction. After the outermost one has committed, runs the effects that wait for it. */
  const committing = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    within((outer) => {
      if (outer !== undefined) return pool.withTransaction(work)
      const open: Open = { pool: name, waiting: [] }
      return Effect.tap(pool.withTransaction(Effect.provideService(work, OpenTransaction, open)), () =>
        Effect.forEach(open.waiting, (effect) => effect, { discard: true })
      )
    })

  const transaction: Pool["transaction"] = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    durable(committing(work)).pipe(
      Effect.catch(
        (error): Effect.Effect<never, E | Refused> => (isSqlError(error) ? failed(error) : Effect.fail(error))
      ),
      Effect.catchCause((cause): Effect.Effect<never, E | Refused> => {
        const lost = failedRollback(cause)
        return lost === undefined ? Effect.failCause(cause) : failed(lost)
      })
    )

  return {
    holder: database.holder,
    query: (statement, parameters) =>
      Effect.catchTag(
        durable(within(() => Effect.tap(pool.query(statement, parameters), () => outage.succeeded))),
        "SqlError",
        failed
      ),
    transaction,
    longTransaction: (work) =>
      within((outer) => (outer === undefined ? longTurn.withPermits(1)(transaction(work)) : transaction(work))),
    connection: {
      query: (statement, parameters) =>
        within(() => Effect.map(pool.query(statement, parameters), (rows) => ({ rows })))
    },
    apart: (work) => Effect.provideService(Connect.apart(work), Database, database),
    onCommit: (effect) =>
      within((open) => {
        if (open === undefined) return effect
        open.waiting.push(effect)
        return Effect.void
      })
  }
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
    return Effect.flatMap(OpenTransaction, (open) => (open === undefined ? guarded : work))
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

/** An outage of a pool. Its new connections may fail while other pools' open ones work. */
const outageOf = (name: Name) =>
  Episode.outliving(
    {
      began: "pool_failing",
      ended: "pool_back",
      trouble: (reason) => `Statements of the pool ${name} fail: ${reason}`,
      over: (ms) => `Statements of the pool ${name} work again, after ${ms} ms`
    },
    name
  )

/** True if a retry of the statement would fail again. */
const isDefect = ({ reason }: SqlError.SqlError): boolean => defects.has(reason._tag) || isDataException(reason.cause)

/**
 * The error of a rollback, which `withTransaction` turns into a defect, with the failure that it rolled back. The
 * connection is lost, and PostgreSQL rolls back by itself.
 */
const failedRollback = (cause: Cause.Cause<unknown>): SqlError.SqlError | undefined => {
  for (const reason of cause.reasons)
    if (Cause.isDieReason(reason) && isSqlError(reason.defect) && !isDefect(reason.defect)) return reason.defect
  return undefined
}

const unavailable =
  (outage: Episode.Episode) =>
  (error: SqlError.SqlError): Effect.Effect<never, Refused> => {
    const month = Archived.monthOf(error)
    if (month !== undefined) return Effect.fail(Archived.refused(month))
    return isDefect(error) ? Effect.die(error) : Effect.andThen(outage.failed(causeOf(error)), storageUnavailable)
  }
