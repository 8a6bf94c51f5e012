/**
 * Whether everything that the database shows is durable (contract/databases.md *Confirmed durability*).
 *
 * With `synchronous_standby_names`, a commit waits for the standby, and nobody sees its rows before. If the wait is
 * cancelled, because its session or the server ends, the rows show although the standby lacks them. So after each event
 * that may cancel a wait, `doubt` is called, and nothing that was read may be acted on before `confirmed`: a small commit
 * on the same database that waits for the standby too. It comes later in the WAL than everything that shows, so then all of
 * it is durable. Its connection stays open, so that a confirmation needs no free place and no sign-in.
 */

import type { PgClient } from "@effect/sql-pg"
import { PgConnection } from "@effect/sql-pg"
import { Cause, Deferred, Effect, Exit, Latch, Schema, Scope } from "effect"
import { SqlError } from "effect/sql"
import * as Episode from "../metrics/Episode.ts"
import * as LogEvent from "../metrics/LogEvent.ts"
import * as Series from "../metrics/Series.ts"
import { type MachineTime, machineTime } from "../time/Times.ts"
import { answerWithin, closedWithin } from "./Answer.ts"
import { watchCancelled } from "./CancelledWaits.ts"
import { isRefusedSignIn } from "./Credentials.ts"
import type { Lineage } from "./Lineage.ts"
import { sessionName } from "./SessionName.ts"
import { oneOf } from "./Values.ts"

/** Limit of one attempt to connect, ms. */
const connectMs = 2_000
/** Limit of one commit, ms; then its session is ended and another one waits. */
const commitMs = 7_000
/** Longest wait for the end of the session of the attempt before, ms. */
const endSessionMs = 2_000
/** Limit of asking why a commit takes long, ms. */
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
  /** Commits that the database shows from now on may not be durable. */
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

/** A connection on which commits are confirmed. */
interface Confirming {
  readonly connection: PgConnection.PgConnection
  readonly isCancelled: () => boolean
  readonly scope: Scope.Closeable
}

/**
 * Opens a connection whose former one has ended: that one may still wait, with the row locked. It stays open, because a new
 * one may not be had when a node dies: PostgreSQL's connections may be in use, or the password has changed.
 */
const openConfirming = (config: PgClient.PgClientConfig, name: string) => {
  const scope = Scope.makeUnsafe()
  return answerWithin(
    Effect.gen(function* () {
      const own = { ...config, applicationName: name, connectTimeout: connectMs }
      const connection = yield* Scope.provide(PgConnection.make(own), scope)
      yield* connection.query(
        `WITH former AS MATERIALIZED (SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid())
          SELECT count(pg_terminate_backend(pid, ${endSessionMs})) FROM former`,
        [name]
      )
      return { connection, isCancelled: watchCancelled(connection), scope } satisfies Confirming
    }),
    connectMs + endSessionMs
  ).pipe(Effect.onError(() => Scope.close(scope, Exit.void)))
}

/** Commits on a connection. Fails first, and soon, if its server does not answer or has another history. */
const commit = Effect.fnUntraced(function* ({ connection, isCancelled }: Confirming, lineage: Lineage) {
  yield* answerWithin(lineage.check(connection), connectMs)
  yield* answerWithin(connection.query("UPDATE durability SET commits = commits + 1"), commitMs)
  if (isCancelled()) return yield* new NotDurable({ cause: new Error("the wait for the standby was cancelled") })
})

/** The small commits, on a connection that stays open. */
class Commits {
  private readonly config: PgClient.PgClientConfig
  private readonly name: string
  private readonly lineage: Lineage
  private open: Confirming | undefined
  /** Why there is no connection; undefined: there is one. */
  why: Why | undefined

  constructor(config: PgClient.PgClientConfig, name: string, lineage: Lineage) {
    this.config = config
    this.name = name
    this.lineage = lineage
  }

  /** One commit, on the open connection or on a new one. An open one may have been lost without a word: then on a new one. */
  get one() {
    return Effect.suspend(() =>
      this.open === undefined ? this.onNew : Effect.catch(this.on(this.open), () => this.onNew)
    )
  }

  get close(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { open } = this
      this.open = undefined
      return open === undefined ? Effect.void : Scope.close(open.scope, Exit.void)
    })
  }

  private get onNew() {
    return openConfirming(this.config, this.name).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          this.why = whyFailed(error)
        })
      ),
      Effect.flatMap((opened) => {
        this.open = opened
        this.why = undefined
        return this.on(opened)
      })
    )
  }

  private on(open: Confirming) {
    return Effect.onError(commit(open, this.lineage), () => this.close)
  }
}

const waitingRow = oneOf(Schema.Struct({ names: Schema.String, sessions: Schema.Number }))

/** Why PostgreSQL confirms nothing, as the alert names it. */
const reasons = ["standby", "slow", "connections", "password", "unreachable"] as const
type Reason = (typeof reasons)[number]

interface Why {
  readonly reason: Reason
  readonly text: string
}

/**
 * Without a standby to wait for, what is slow is PostgreSQL itself. Just after a promotion sessions may wait for a standby
 * that the setting does not name.
 */
export const waitsFor = (names: string, sessions: number): Why =>
  names === "" && sessions === 0
    ? { reason: "slow", text: "it takes long to commit, and no standby is asked for, so its disk or machine is slow" }
    : {
        reason: "standby",
        text: `${sessions} sessions wait for a standby of synchronous_standby_names = '${names}'`
      }

/** Why a connection cannot be opened or used. */
const whyFailed = (error: unknown): Why => ({
  reason: isRefusedSignIn(error) ? "password" : isFull(error) ? "connections" : "unreachable",
  text: LogEvent.reasonOf(error)
})

/** True if every connection that PostgreSQL allows is in use (SQLSTATE 53300). */
const isFull = (error: unknown): boolean => {
  const cause: unknown = error instanceof SqlError.SqlError ? error.reason.cause : undefined
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "53300"
}

/** Asks PostgreSQL why a commit takes long. */
const askWhy = (config: PgClient.PgClientConfig, holder: string): Effect.Effect<Why> =>
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
      return waitsFor(names, sessions)
    }),
    attemptMs
  ).pipe(Effect.catch((error) => Effect.succeed(whyFailed(error))))

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

  /** Commits that showed at doubt `upTo` are durable. */
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
  const clock = yield* machineTime
  const doubts = new Doubts(clock)
  const told = yield* Episode.troubleOf("durability_waiting")
  const commits = new Commits(config, sessionName("durability", holder), lineage)
  yield* Effect.addFinalizer(() => commits.close)
  let logged: { readonly ms: number; readonly reason: Reason } | undefined
  let reason: Reason = "slow"

  const waitedMs = () => doubts.waitedMs()
  for (const each of reasons)
    yield* Series.gauge(
      "lotbook_durability_wait_seconds",
      {
        description: "How long PostgreSQL has not confirmed that what it shows is durable; 0 if nobody waits for it",
        attributes: { reason: each }
      },
      () => (each === reason ? waitedMs() / 1000 : 0)
    )

  const confirm = Effect.gen(function* () {
    yield* doubts.wanted.await
    const upTo = doubts.newest
    const exit = yield* Effect.exit(commits.one)
    if (Exit.isFailure(exit)) {
      yield* Effect.logDebug("PostgreSQL does not confirm durability", exit.cause)
      return yield* Effect.sleep(pauseMs)
    }
    const { sinceNanos } = told
    doubts.settle(upTo)
    logged = undefined
    told.sinceNanos = undefined
    if (sinceNanos === undefined) return
    const ms = Number((clock.nanos() - sinceNanos) / 1_000_000n)
    yield* LogEvent.of("durability_back", { waited_ms: ms })(
      Effect.logInfo(`PostgreSQL confirms durability again, after ${ms} ms`)
    )
  })

  const log = Effect.gen(function* () {
    yield* Effect.sleep(logAfterMs)
    const ms = waitedMs()
    if (ms < logAfterMs) return
    const why = commits.why ?? (yield* askWhy(config, holder))
    reason = why.reason
    if (logged?.reason === reason && ms < logged.ms + logEveryMs) return
    logged = { ms, reason }
    told.sinceNanos ??= clock.nanos() - BigInt(ms) * 1_000_000n
    yield* LogEvent.of("durability_waiting", { reason: why.text, kind: why.reason, waited_ms: ms })(
      Effect.logWarning(
        `PostgreSQL does not confirm that commits are durable: ${why.text}. Until it does, writes are not acknowledged`
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
