/**
 * Keeps the embedded server running: detects within `pollMs` that it has ended or
 * that the owning session is lost, restarts the server if necessary, and opens a
 * new owning session.
 *
 * Independent of PostgreSQL processes: works on a `Server` that can be asked
 * whether it is alive, started, stopped and owned.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Cause, Duration, Effect, Exit, Scope } from "effect"
import { machineTime } from "../../time/Times.ts"
import type { DatabaseStartError } from "../Database.ts"

/** Interval between two checks of the server, ms: every caller waits for an undetected end. */
const pollMs = 250

/** Pause after the first failed restart, ms; doubled each time. */
const retryMinMs = 100

/** Longest pause between two restarts, ms: the service must be back 5 s after the cause is gone. */
const retryMaxMs = 1_000

/** Interval for logging repeated failures, ms: a full disk must not fill the log too. */
const remindMs = 30_000

export interface Server {
  /** True if its process exists. */
  readonly isAlive: () => boolean
  /** Starts it if it does not run; fails while processes of the last one remain. */
  readonly start: Effect.Effect<void, DatabaseStartError>
  readonly stop: Effect.Effect<void>
  /** Opens a session that owns the server until the scope closes. */
  readonly own: Effect.Effect<PgConnection.PgConnection, DatabaseStartError, Scope.Scope>
}

/** The owning session, and its scope. */
interface Hold {
  readonly scope: Scope.Closeable
  readonly isLost: () => boolean
}

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

const hold = Effect.fnUntraced(function* (server: Server) {
  const scope = yield* Scope.make()
  const session = yield* Effect.onError(Scope.provide(server.own, scope), () => Scope.close(scope, Exit.void))
  let lost = false
  // Runs detached: a statement on a server that hangs cannot be interrupted; closing the scope ends it.
  yield* Effect.forkDetach(
    Effect.onExit(Effect.forever(Effect.andThen(session.query("SELECT 1"), Effect.sleep(pollMs))), () =>
      Effect.sync(() => {
        lost = true
      })
    )
  )
  return { scope, isLost: () => lost } satisfies Hold
})

/**
 * Owns a running server and keeps it running until the scope closes, then stops
 * it. A server that it does not own is not stopped.
 */
export const supervise = Effect.fnUntraced(function* (
  server: Server
): Effect.fn.Return<void, DatabaseStartError, Scope.Scope> {
  let held: Hold | undefined = yield* hold(server)
  const keep = Effect.uninterruptibleMask((restore) =>
    Effect.map(restore(hold(server)), (next) => {
      held = next
    })
  )
  const release = Effect.suspend(() => {
    const last = held
    held = undefined
    return last === undefined ? Effect.void : Scope.close(last.scope, Exit.void)
  })

  const tryOnce = Effect.suspend(() => (server.isAlive() ? keep : Effect.andThen(server.start, keep)))

  const regain = Effect.gen(function* () {
    const clock = yield* machineTime
    let pauseMs = retryMinMs
    let loggedAt = -Infinity
    while (held === undefined) {
      const tried = yield* Effect.exit(tryOnce)
      if (Exit.isSuccess(tried)) return
      if (clock.now() - loggedAt >= remindMs) {
        loggedAt = clock.now()
        yield* Effect.logWarning(`PostgreSQL is still down, trying again: ${messageOf(tried.cause)}`)
      }
      yield* Effect.sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, retryMaxMs)
    }
  })

  const watch = Effect.gen(function* () {
    while (server.isAlive() && held?.isLost() === false) yield* Effect.sleep(pollMs)
    const [took] = yield* Effect.timed(
      Effect.gen(function* () {
        yield* Effect.logWarning(
          server.isAlive()
            ? "PostgreSQL has ended the owning session; opening a new one"
            : "PostgreSQL has ended; restarting it"
        )
        yield* release
        yield* regain
      })
    )
    yield* Effect.logInfo(`PostgreSQL is back after ${Math.round(Duration.toMillis(took))} ms`)
  })

  // Finalizers run in reverse order: first no more restarts, then the stop, and
  // only then the release of the lock, so that nobody takes over a running server.
  yield* Effect.addFinalizer(() => release)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      if (held === undefined && server.isAlive()) yield* Effect.ignore(keep)
      if (held !== undefined) yield* server.stop
    })
  )
  yield* Effect.forkScoped(Effect.forever(watch))
})
