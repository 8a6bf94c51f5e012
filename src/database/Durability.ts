/**
 * Whether everything that the database shows is durable (contract/databases.md *Confirmed durability*).
 *
 * With `synchronous_standby_names`, a commit waits for the standby, and nobody sees its rows before. If the wait is
 * cancelled, because its session or the server ends, the rows show although the standby lacks them. So after each event
 * that may cancel a wait, `doubt` is called, and nothing that was read may be acted on before `confirmed`: a small commit
 * on the same database that waits for the standby too. It comes later in the WAL than everything that shows, so then all of
 * it is durable.
 */
import { PgConnection } from "@effect/sql-pg"
import type { PgClient } from "@effect/sql-pg"
import { Cause, Deferred, Effect, Exit, Latch, Schema, type Scope } from "effect"
import * as LogEvent from "../metrics/LogEvent.ts"
import * as Series from "../metrics/Series.ts"
import { answerWithin, closedWithin } from "./Answer.ts"
import { watchCancelled } from "./CancelledWaits.ts"
import { sessionName } from "./SessionName.ts"
import type { Lineage } from "./Lineage.ts"
import { oneOf } from "./Values.ts"
import { machineTime, type MachineTime } from "../time/Times.ts"

/** Limit of one attempt to connect, ms. */
const connectMs = 2_000
/** Limit of one commit, ms; then its session is ended and another one waits. */
const commitMs = 7_000
/** Longest wait for the end of the session of the attempt before, ms. */
const endSessionMs = 2_000
/** Limit of one attempt with all of that, ms. */
const attemptMs = connectMs + endSessionMs + commitMs
/** Pause after a failed attempt, ms. */
const pauseMs = 100
/** Longest wait of a caller, ms; counted from the beginning of the doubt, so that later callers are told sooner. */
const callerMs = 7_000
/** Least wait of a caller, ms. */
const leastCallerMs = 250
/** A wait is logged after the first time, then at every further one, ms. */
const logAfterMs = 1_000
const logEveryMs = 60_000

/** Nobody knows whether what the database shows is durable. */
class NotDurable extends Schema.TaggedError<NotDurable>()("NotDurable", { cause: Schema.Defect() }) {}

export interface Durability {
  /** What the database shows from now on may not be durable. */
  readonly doubt: () => void
  /** False while in doubt. Cheap enough for every statement. */
  readonly isConfirmed: () => boolean
  /** Waits until everything that showed when it was called is durable; not much longer than a statement may take. */
  readonly confirmed: Effect.Effect<void, NotDurable>
  /** The same without a limit. */
  readonly wait: Effect.Effect<void>
  /** How long it has been waited for, ms; 0 if it is not. */
  readonly waitedMs: () => number
}

/** For databases of tests and commands: they are never in doubt. */
export const none: Durability = {
  doubt: () => undefined,
  isConfirmed: () => true,
  confirmed: Effect.void,
  wait: Effect.void,
  waitedMs: () => 0
}

const attempt = (config: PgClient.PgClientConfig, name: string, lineage: Lineage) =>
  closedWithin(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make({ ...config, applicationName: name, connectTimeout: connectMs })
      yield* lineage.check(connection)
      // The attempt before may still wait, with the row locked.
      yield* connection.query(
        `WITH former AS MATERIALIZED (SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid())
          SELECT count(pg_terminate_backend(pid, ${endSessionMs})) FROM former`,
        [name]
      )
      const isCancelled = watchCancelled(connection)
      yield* answerWithin(connection.query("UPDATE durability SET commits = commits + 1"), commitMs)
      if (isCancelled()) return yield* new NotDurable({ cause: new Error("the wait for the standby was cancelled") })
    }),
    attemptMs
  )

const waitingRow = oneOf(Schema.Struct({ names: Schema.String, sessions: Schema.Number }))

/** Without a standby to wait for, what is slow is PostgreSQL itself. */
export const waitsFor = (names: string, sessions: number): string =>
  names === ""
    ? "it takes long to commit, and no standby is asked for, so its disk or machine is slow"
    : `${sessions} sessions wait for a standby of synchronous_standby_names = '${names}'`

/** The reason of a wait: PostgreSQL's settings if it answers, else why it does not. */
const reasonOf = (config: PgClient.PgClientConfig, holder: string) =>
  closedWithin(
    Effect.gen(function* () {
      const name = sessionName("check", holder)
      const connection = yield* PgConnection.make({ ...config, applicationName: name, connectTimeout: connectMs })
      const { names, sessions } = yield* waitingRow(
        connection.query(
          `SELECT current_setting('synchronous_standby_names') AS names, (SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event = 'SyncRep') AS sessions`
        )
      )
      return { reason: waitsFor(names, sessions) }
    }),
    attemptMs
  ).pipe(Effect.catch((error) => Effect.succeed({ reason: LogEvent.reasonOf(error) })))

/** Serves how long it has been waited for. */
export const measure = ({ waitedMs }: Pick<Durability, "waitedMs">): Effect.Effect<void, never, Scope.Scope> =>
  Series.gauge(
    "lotbook_durability_wait_seconds",
    { description: "How long PostgreSQL has not confirmed that what it shows is durable; 0 if nobody waits for it" },
    () => waitedMs() / 1000
  )

/** The doubts so far, and who waits for an end of them. */
class Doubts {
  private readonly clock: MachineTime
  /** Open while somebody waits. */
  readonly wanted = Latch.makeUnsafe(false)
  /** A start begins in doubt. */
  private count = 1
  private confirmed = 0
  private waiters: Array<{ readonly upTo: number; readonly done: Deferred.Deferred<void> }> = []
  private sinceNanos: bigint | undefined

  constructor(clock: MachineTime) {
    this.clock = clock
  }

  get newest(): number {
    return this.count
  }

  get isConfirmed(): boolean {
    return this.confirmed >= this.count
  }

  raise(): void {
    this.count++
  }

  waitedMs(): number {
    return this.sinceNanos === undefined ? 0 : Number((this.clock.nanos() - this.sinceNanos) / 1_000_000n)
  }

  readonly wait: Effect.Effect<void> = Effect.suspend(() => {
    if (this.isConfirmed) return Effect.void
    const done = Deferred.makeUnsafe<void>()
    this.waiters.push({ upTo: this.count, done })
    this.sinceNanos ??= this.clock.nanos()
    this.wanted.openUnsafe()
    return Deferred.await(done)
  })

  /** What showed at doubt `upTo` is durable. */
  settle(upTo: number): void {
    this.confirmed = upTo
    const done = this.waiters.filter((waiter) => waiter.upTo <= upTo)
    this.waiters = this.waiters.filter((waiter) => waiter.upTo > upTo)
    for (const waiter of done) Deferred.doneUnsafe(waiter.done, Effect.void)
    this.sinceNanos = this.waiters.length === 0 ? undefined : this.clock.nanos()
    if (this.waiters.length === 0) this.wanted.closeUnsafe()
  }
}

/** Confirms on demand until the scope closes. `config`: how to connect, without a check of its own. */
export const make = Effect.fnUntraced(function* (
  config: PgClient.PgClientConfig,
  holder: string,
  lineage: Lineage
): Effect.fn.Return<Durability, never, Scope.Scope> {
  const doubts = new Doubts(yield* machineTime)
  const name = sessionName("durability", holder)
  let loggedMs: number | undefined

  const waitedMs = () => doubts.waitedMs()
  yield* measure({ waitedMs })

  const confirm = Effect.gen(function* () {
    yield* doubts.wanted.await
    const upTo = doubts.newest
    const exit = yield* Effect.exit(attempt(config, name, lineage))
    if (Exit.isFailure(exit)) {
      yield* Effect.logDebug("PostgreSQL does not confirm durability", exit.cause)
      return yield* Effect.sleep(pauseMs)
    }
    const [ms, wasLogged] = [waitedMs(), loggedMs !== undefined]
    doubts.settle(upTo)
    loggedMs = undefined
    if (wasLogged)
      yield* LogEvent.of("durability_back", { waited_ms: ms })(
        Effect.logInfo(`PostgreSQL confirms durability again, after ${ms} ms`)
      )
  })

  const log = Effect.gen(function* () {
    yield* Effect.sleep(logAfterMs)
    const ms = waitedMs()
    if (ms < logAfterMs || (loggedMs !== undefined && ms < loggedMs + logEveryMs)) return
    loggedMs = ms
    const facts = yield* reasonOf(config, holder)
    yield* LogEvent.of("durability_waiting", { ...facts, waited_ms: ms })(
      Effect.logWarning(
        `PostgreSQL does not confirm that commits are durable: ${facts.reason}. Until it does, writes are not acknowledged`
      )
    )
  })
  for (const work of [confirm, log])
    yield* Effect.forkScoped(
      Effect.forever(
        Effect.catchCause(work, (cause) =>
          Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.logError("Confirming durability", cause)
        )
      )
    )

  const { wait } = doubts
  return {
    doubt: () => doubts.raise(),
    isConfirmed: () => doubts.isConfirmed,
    wait,
    confirmed: Effect.suspend(() => Effect.timeout(wait, Math.max(leastCallerMs, callerMs - waitedMs()))).pipe(
      Effect.catchTag("TimeoutError", (cause) => Effect.fail(new NotDurable({ cause })))
    ),
    waitedMs
  }
})
