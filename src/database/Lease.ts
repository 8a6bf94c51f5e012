/**
 * The lease of the active service (decisions.md §5a): waits as a standby, takes
 * over, confirms itself with heartbeats, and notices that it was replaced.
 *
 * Safety rests on one row. A heartbeat and a takeover both compare the holder in
 * it, and a takeover compares the beat too. So after a takeover no heartbeat of
 * the former holder is confirmed, and the last one that was is older than
 * `lockFreeQuietMs`. The session lock tells standbys early that a holder is gone.
 */
import { Clock, Deferred, Effect, Exit, Fiber, Schema, type Scope } from "effect"
import type { Active, Environment, Role } from "./Active.ts"

/** From the sending of a heartbeat to that of the next, ms; one whose answer is late is followed at once. */
const beatMs = 500
/** Between two looks of a standby, ms: part of the 5 s within which it must be active. */
const lookMs = 250
/** A confirmation counts from its sending for this long, ms. */
export const confirmedForMs = 2_000
/** No heartbeat for this long, with the lock free: the former holder answers nothing any more, ms. Clocks may differ. */
export const lockFreeQuietMs = confirmedForMs + 250
/** No heartbeat for this long, with the lock held: the holder stands still, ms. */
export const lockHeldQuietMs = 3_000
/** Longest wait for an answer on the lock's session, ms; then a new session is opened. */
const answerMs = 5_000
/** The same for the last statement before the service ends, ms: a stop takes 10 s at most, and a standby waits not much longer. */
const resignMs = 500
/** Pause before a new session after one was lost, ms. */
const reopenMs = 100
/** Tries to get the lock once the sessions of its former holder have ended, and the pause between them, ms. */
const lockTries = 40
const lockPauseMs = 50

/** Another service has taken over; the message is for the operator. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { message: Schema.String }) {}

/** The lock's session failed, or did not answer. */
export class LeaseUnavailable extends Schema.TaggedError<LeaseUnavailable>()("LeaseUnavailable", {
  cause: Schema.Defect()
}) {}

/** The row as one look found it. */
export interface Seen {
  /** Null: the last holder stopped in order, or there was none. */
  readonly holder: string | null
  readonly beat: number
  /** The holder's process id on its own machine. */
  readonly process: number | null
}

/** The session that holds the lock, and its statements. */
export interface LockSession {
  readonly seen: Effect.Effect<Seen, LeaseUnavailable>
  /** Tries to take the session lock; true also where this session has it. */
  readonly lock: Effect.Effect<boolean, LeaseUnavailable>
  readonly unlock: Effect.Effect<void, LeaseUnavailable>
  /** Makes us the holder, durably, if the row still is as it was seen. */
  readonly claim: (seen: Seen) => Effect.Effect<boolean, LeaseUnavailable>
  /** Ends every session of a holder but this one; how many are still there. */
  readonly endSessions: (holder: string) => Effect.Effect<number, LeaseUnavailable>
  /** A heartbeat; false if we are not the holder. */
  readonly beat: Effect.Effect<boolean, LeaseUnavailable>
  /** Says that we stopped in order, so that a standby need not wait. */
  readonly resign: Effect.Effect<void, LeaseUnavailable>
}

export interface LeaseOptions {
  readonly environment: Environment
  /** Our own id, new with each start. */
  readonly holder: string
  readonly open: Effect.Effect<LockSession, LeaseUnavailable, Scope.Scope>
  /** True if the process of a former holder has certainly ended. */
  readonly isGone: (former: Seen) => boolean
}

export interface Lease {
  readonly active: Active["Service"]
  /** Ends once the first session is open. */
  readonly connected: Effect.Effect<void>
  /** Ends once this service is the active one. */
  readonly taken: Effect.Effect<void>
  /** Fails once another service has taken over. */
  readonly lost: Effect.Effect<never, LeaseLost>
}

/**
 * Waits for an answer for `ms`. Detached: a statement on a server that
 * stands still cannot be interrupted; closing the session ends it.
 */
const bounded = <A>(effect: Effect.Effect<A, LeaseUnavailable>, ms = answerMs): Effect.Effect<A, LeaseUnavailable> =>
  Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), (fiber) =>
    Effect.timeoutOrElse(Fiber.join(fiber), {
      duration: ms,
      orElse: () => Effect.fail(new LeaseUnavailable({ cause: new Error(`no answer within ${ms} ms`) }))
    })
  )

/** How long a standby has seen the same heartbeat. */
class Quiet {
  private last: Seen | undefined
  private sinceNanos = 0n

  /** Time since this heartbeat was seen first, ms. */
  observe(seen: Seen, nowNanos: bigint): number {
    if (this.last?.holder !== seen.holder || this.last.beat !== seen.beat) {
      this.last = seen
      this.sinceNanos = nowNanos
    }
    return Number((nowNanos - this.sinceNanos) / 1_000_000n)
  }
}

/** Waits until this session's service is the holder. Takes over from one that is gone or stands still. */
const takeOver = Effect.fnUntraced(function* (session: LockSession, own: string, isGone: LeaseOptions["isGone"]) {
  const clock = yield* Clock.Clock
  // Of this session only: while the database itself was away, nobody could beat.
  const quiet = new Quiet()
  let looks = 0
  const lockSoon = Effect.gen(function* () {
    for (let tries = 0; tries < lockTries; tries++) {
      if (yield* bounded(session.lock)) return
      yield* Effect.sleep(lockPauseMs)
    }
    return yield* new LeaseUnavailable({ cause: new Error("the lock is not free") })
  })
  for (;;) {
    const seen = yield* bounded(session.seen)
    const quietMs = quiet.observe(seen, clock.monotonicTimeNanosUnsafe())
    const { holder } = seen
    const mayBeFree = holder === null || holder === own || quietMs >= lockFreeQuietMs || isGone(seen)
    const isFree = mayBeFree && (yield* bounded(session.lock))
    if ((isFree || quietMs >= lockHeldQuietMs) && (yield* bounded(session.claim(seen)))) {
      if (holder !== null && holder !== own) {
        yield* Effect.logWarning(`Taking over from service ${holder}, which has not been heard for ${quietMs} ms`)
        const left = yield* bounded(session.endSessions(holder))
        if (left > 0) yield* Effect.logWarning(`${left} sessions of service ${holder} could not be ended`)
      }
      return yield* lockSoon
    }
    if (isFree) yield* bounded(session.unlock)
    if (looks++ === 0) yield* Effect.logInfo("Another service is the active one; this one is a standby")
    yield* Effect.sleep(lookMs)
  }
})

/** Takes the lock again on a new session, as the holder that we still are; false if we are not. */
const regain = Effect.fnUntraced(function* (session: LockSession, holder: string) {
  if ((yield* bounded(session.seen)).holder !== holder) return false
  // The server may not know yet that our former session is gone.
  for (let tries = 0; !(yield* bounded(session.lock)); tries++) {
    if (tries === lockTries) return yield* new LeaseUnavailable({ cause: new Error("the lock is not free") })
    if (tries === 0) yield* bounded(session.endSessions(`lease ${holder}`))
    yield* Effect.sleep(lockPauseMs)
  }
  return true
})

/** Takes part in the lease while the scope lives. */
export const make = Effect.fnUntraced(function* ({
  environment,
  holder,
  isGone,
  open
}: LeaseOptions): Effect.fn.Return<Lease, never, Scope.Scope> {
  const clock = yield* Clock.Clock
  const connected = Deferred.makeUnsafe<void>()
  const taken = Deferred.makeUnsafe<void>()
  const lost = Deferred.makeUnsafe<never, LeaseLost>()
  const confirmedForNanos = BigInt(confirmedForMs) * 1_000_000n
  let role: Role = "standby"
  let isWarm = false
  let confirmedNanos = 0n

  /** Ends when a heartbeat was refused. */
  const beatWhileHolder = Effect.fnUntraced(function* (session: LockSession) {
    for (;;) {
      const sentNanos = clock.monotonicTimeNanosUnsafe()
      if (!(yield* bounded(session.beat))) return
      confirmedNanos = sentNanos
      if (role === "standby") {
        role = "active"
        yield* Deferred.succeed(taken, undefined)
      }
      const sentAgoMs = Number((clock.monotonicTimeNanosUnsafe() - sentNanos) / 1_000_000n)
      yield* Effect.sleep(Math.max(0, beatMs - sentAgoMs))
    }
  })

  const oneSession = Effect.gen(function* () {
    const session = yield* open
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        isWarm = true
      }),
      () =>
        Effect.sync(() => {
          isWarm = false
        })
    )
    yield* Deferred.succeed(connected, undefined)
    if (role === "standby") yield* takeOver(session, holder, isGone)
    else if (!(yield* regain(session, holder))) return
    yield* Effect.onInterrupt(beatWhileHolder(session), () => Effect.ignore(bounded(session.resign, resignMs)))
  })

  const run = Effect.gen(function* () {
    for (;;) {
      const exit = yield* Effect.exit(Effect.scoped(oneSession))
      if (Exit.isSuccess(exit)) break
      yield* Effect.logDebug("The session of the active service's lock is lost; opening another one", exit.cause)
      yield* Effect.sleep(reopenMs)
    }
    role = "standby"
    const message =
      "Another service has taken over this database; this one answers nothing more and ends. Its supervisor starts it again, as a standby."
    yield* Deferred.fail(lost, new LeaseLost({ message }))
  })
  yield* Effect.forkScoped(run)

  return {
    active: {
      environment,
      role: () => role,
      isWarm: () => isWarm,
      isCurrent: () => role === "active" && clock.monotonicTimeNanosUnsafe() - confirmedNanos <= confirmedForNanos
    },
    connected: Deferred.await(connected),
    taken: Deferred.await(taken),
    lost: Deferred.await(lost)
  }
})
