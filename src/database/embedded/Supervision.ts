/**
 * Keeps a server of our own running: notices within `pollMs` that it has ended
 * or that the session which owns it is lost, starts it where it is gone, and
 * owns it again.
 *
 * Knows no PostgreSQL processes: a server says whether it is alive, starts,
 * stops, and gives a session that owns it.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Cause, Clock, Duration, Effect, Exit, Scope } from "effect"
import type { DatabaseStartError } from "../Database.ts"

/** Time between two looks at the server, ms: an unnoticed end is paid by every caller. */
const pollMs = 250

/** Pause after the first failed try to get the server back, ms; doubled each time. */
const retryMinMs = 100

/** Longest pause between two tries, ms: service must be back 5 s after what kept the server down is gone. */
const retryMaxMs = 1_000

/** Continuing failures are logged again after this time, ms: a full disk must not fill the log too. */
const remindMs = 30_000

export interface Server {
  /** Its process is there. */
  readonly isAlive: () => boolean
  /** Starts it where it does not run; refused while anything of the last one is still there. */
  readonly start: Effect.Effect<void, DatabaseStartError>
  readonly stop: Effect.Effect<void>
  /** A session that owns the server for as long as the scope lives. */
  readonly own: Effect.Effect<PgConnection.PgConnection, DatabaseStartError, Scope.Scope>
}

/** The session that owns the server, and where it is kept. */
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
  // Detached: a statement on a server that stands still cannot be interrupted; closing the scope ends it.
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
 * Owns a running server and keeps it running for as long as the scope lives,
 * then stops it; one that it does not own it leaves alone.
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
    const clock = yield* Clock.Clock
    let pauseMs = retryMinMs
    let toldAt = -Infinity
    while (held === undefined) {
      const tried = yield* Effect.exit(tryOnce)
      if (Exit.isSuccess(tried)) return
      if (clock.currentTimeMillisUnsafe() - toldAt >= remindMs) {
        toldAt = clock.currentTimeMillisUnsafe()
        yield* Effect.logWarning(`PostgreSQL is not back yet, trying on: ${messageOf(tried.cause)}`)
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
            ? "PostgreSQL has ended the session that owns it; owning it again"
            : "PostgreSQL has ended; starting it again"
        )
        yield* release
        yield* regain
      })
    )
    yield* Effect.logInfo(`PostgreSQL is back after ${Math.round(Duration.toMillis(took))} ms`)
  })

  // Run from the last to the first: nothing starts a server that is being
  // stopped, and nobody takes it over before it has stopped.
  yield* Effect.addFinalizer(() => release)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      if (held === undefined && server.isAlive()) yield* Effect.ignore(keep)
      if (held !== undefined) yield* server.stop
    })
  )
  yield* Effect.forkScoped(Effect.forever(watch))
})
