/**
 * The lease of the active service (contract/databases.md *One active service*): waits as a standby, takes
 * over, confirms itself with heartbeats, and detects that it was replaced.
 *
 * Safety depends on one row. A heartbeat updates it only while the holder is still
 * the same; a takeover only while holder and beat are still the same. So after a
 * takeover, no heartbeat of the former holder succeeds, and its last successful
 * one is older than `lockFreeQuietMs`. The session lock only lets standbys detect
 * a dead holder earlier.
 */
import { Cause, Deferred, Effect, Exit, Schema, type Scope } from "effect"
import * as Episode from "../metrics/Episode.ts"
import * as LogEvent from "../metrics/LogEvent.ts"
import type { Active, Environment, Role } from "./Active.ts"
import { answerWithin } from "./Answer.ts"
import * as ClockCheck from "./ClockCheck.ts"
import type { Reading } from "./ClockCheck.ts"
import { machineTime, type MachineTime } from "../time/Times.ts"

/** Interval between the sending of two heartbeats, ms; after a late answer the next one is sent at once. */
const beatMs = 500
/** Poll interval of a standby, ms: part of the 5 s within which it must become active. */
const standbyPollMs = 250
/** Validity of a confirmation, from the sending of its heartbeat, ms. */
const confirmedForMs = 2_000
/** Without a heartbeat for this long and with the lock free, the former holder no longer answers, ms. More than `confirmedForMs`, because clocks differ. */
const lockFreeQuietMs = confirmedForMs + 250
/** Without a heartbeat for this long and with the lock held, the holder hangs, ms. */
const lockHeldQuietMs = 3_000
/** Timeout of a statement on the lock's session, ms; then a new session is opened. */
const answerMs = 5_000
/** Timeout of the last statement before the service ends, ms: a stop must take at most 10 s. */
const resignMs = 500
/** Pause before a lost session is reopened, ms. */
const reopenMs = 100
/** Attempts to get the lock after the former holder's sessions have ended, and the pause between them, ms. */
const lockTries = 40
const lockPauseMs = 50

/** Another service has taken over; the message is for the operator. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", { message: Schema.String }) {}

/** The lock's session failed or timed out. */
export class LeaseUnavailable extends Schema.TaggedError<LeaseUnavailable>()("LeaseUnavailable", {
  cause: Schema.Defect()
}) {}

/** The row of `active_service`, as read. */
export interface Seen {
  /** Null: the last holder resigned, or there was none. */
  readonly holder: string | null
  readonly beat: number
  /** The holder's process id on its own machine. */
  readonly process: number | null
}

/** The session that holds the lock, and its statements. */
export interface LockSession {
  /** PostgreSQL's time, and its time at the newest stored heartbeat or commit, ms. */
  readonly time: Effect.Effect<Pick<Reading, "databaseMs" | "newestMs">, LeaseUnavailable>
  readonly seen: Effect.Effect<Seen, LeaseUnavailable>
  /** Tries to take the session lock; true also if this session already holds it. */
  readonly lock: Effect.Effect<boolean, LeaseUnavailable>
  readonly unlock: Effect.Effect<void, LeaseUnavailable>
  /** Makes this service the holder, durably, if the row is unchanged since `seen`. */
  readonly claim: (seen: Seen) => Effect.Effect<boolean, LeaseUnavailable>
  /** Ends every other session of a holder; returns how many remain. */
  readonly endSessions: (holder: string) => Effect.Effect<number, LeaseUnavailable>
  /** Sends a heartbeat; false if this service is not the holder. */
  readonly beat: Effect.Effect<boolean, LeaseUnavailable>
  /** Gives the lease up, so that a standby need not wait. */
  readonly resign: Effect.Effect<void, LeaseUnavailable>
}

export interface LeaseOptions {
  readonly environment: Environment
  /** This service's id, new at each start. */
  readonly holder: string
  readonly open: Effect.Effect<LockSession, LeaseUnavailable, Scope.Scope>
  /** True if a former holder's process has certainly ended. */
  readonly isGone: (former: Seen) => boolean
  /** The service neither becomes nor stays the active one while its clock disagrees. Undefined: a sandbox. */
  readonly clockCheck?: ClockCheck.ClockCheck | undefined
}

export interface Lease {
  readonly active: Active["Service"]
  /** Ends once the first session is open. */
  readonly connected: Effect.Effect<void>
  /** Ends once this service has found another one active. */
  readonly standby: Effect.Effect<void>
  /** Ends once this service is the active one. */
  readonly taken: Effect.Effect<void>
  /** Fails once another service has taken over. */
  readonly lost: Effect.Effect<never, LeaseLost>
}

const bounded = <A>(effect: Effect.Effect<A, LeaseUnavailable>, ms = answerMs): Effect.Effect<A, LeaseUnavailable> =>
  Effect.catchTag(answerWithin(effect, ms), "TimeoutError", (cause) => Effect.fail(new LeaseUnavailable({ cause })))

/** Measures how long the heartbeat has not changed. */
class Quiet {
  private last: Seen | undefined
  private sinceNanos = 0n

  /** Time since this heartbeat was first seen, ms. */
  observe(seen: Seen, nowNanos: bigint): number {
    if (this.last?.holder !== seen.holder || this.last.beat !== seen.beat) {
      this.last = seen
      this.sinceNanos = nowNanos
    }
    return Number((nowNanos - this.sinceNanos) / 1_000_000n)
  }
}

interface Waiting {
  readonly agrees: (session: LockSession) => Effect.Effect<boolean, LeaseUnavailable>
  /** Runs once if another service is active. */
  readonly onWait: Effect.Effect<void>
  /** A claim is a commit that waits for the synchronous standby: told before it is sent, and if another one was faster. */
  readonly onClaim: (isClaiming: boolean) => void
}

/** Waits until this service is the holder. Takes over from a holder that is gone or hangs. */
const takeOver = Effect.fnUntraced(function* (
  session: LockSession,
  own: string,
  isGone: LeaseOptions["isGone"],
  { agrees, onClaim, onWait }: Waiting
) {
  const clock = yield* machineTime
  // A new `Quiet` for each session: while the database was away, nobody could send heartbeats.
  const quiet = new Quiet()
  let polls = 0
  const lockSoon = Effect.gen(function* () {
    for (let tries = 0; tries < lockTries; tries++) {
      if (yield* bounded(session.lock)) return
      yield* Effect.sleep(lockPauseMs)
    }
    return yield* new LeaseUnavailable({ cause: new Error("the lock is not free") })
  })
  for (;;) {
    if (!(yield* agrees(session))) {
      yield* Effect.sleep(standbyPollMs)
      continue
    }
    const seen = yield* bounded(session.seen)
    const quietMs = quiet.observe(seen, clock.nanos())
    const { holder } = seen
    const mayBeFree = holder === null || holder === own || quietMs >= lockFreeQuietMs || isGone(seen)
    const isFree = mayBeFree && (yield* bounded(session.lock))
    const isClaimable = isFree || quietMs >= lockHeldQuietMs
    onClaim(isClaimable)
    if (isClaimable && (yield* bounded(session.claim(seen)))) {
      if (holder !== null && holder !== own) {
        const why = isGone(seen) ? "whose process has ended" : `which has sent no heartbeat for ${quietMs} ms`
        yield* Effect.logWarning(`Taking over from service ${holder}, ${why}`).pipe(
          LogEvent.of("takeover", { from: holder, quiet_ms: quietMs })
        )
        const remaining = yield* bounded(session.endSessions(holder))
        if (remaining > 0) yield* Effect.logWarning(`${remaining} sessions of service ${holder} could not be ended`)
      }
      return yield* lockSoon
    }
    if (isFree) yield* bounded(session.unlock)
    if (polls++ === 0) yield* onWait
    yield* Effect.sleep(standbyPollMs)
  }
})

/** Takes the lock on a new session if this service is still the holder; else returns false. */
const regain = Effect.fnUntraced(function* (session: LockSession, holder: string) {
  if ((yield* bounded(session.seen)).holder !== holder) return false
  // The server may not have noticed yet that the former session is gone.
  for (let tries = 0; !(yield* bounded(session.lock)); tries++) {
    if (tries === lockTries) return yield* new LeaseUnavailable({ cause: new Error("the lock is not free") })
    if (tries === 0) yield* bounded(session.endSessions(`lease ${holder}`))
    yield* Effect.sleep(lockPauseMs)
  }
  return true
})

/** The time without a session that answers. */
const outageOf = (clock: MachineTime) =>
  Episode.make(clock, {
    began: "storage_lost",
    ended: "storage_back",
    trouble: (reason) =>
      `PostgreSQL does not confirm whether this service is active or a standby; the service tries again: ${reason}`,
    over: (ms) => `PostgreSQL answers again, after ${ms} ms`
  })

/** The time in which the clock refuses the role. */
const disagreementOf = (clock: MachineTime) =>
  Episode.make(clock, {
    began: "clock_disagrees",
    ended: "clock_agrees",
    trouble: (reason) => `This service refuses to be active and posts nothing: ${reason}`,
    over: (ms) => `The clock is trusted again, after ${ms} ms`
  })

/** Compares the clocks. True if the time is trusted. */
const makeAgrees = (clock: MachineTime, check: ClockCheck.ClockCheck | undefined) => {
  const disagreement = disagreementOf(clock)
  return Effect.fnUntraced(function* (session: LockSession) {
    if (check === undefined) return true
    yield* ClockCheck.ask(check, clock, bounded(session.time))
    const { fault } = check
    if (fault === undefined) {
      yield* disagreement.succeeded
      return true
    }
    yield* disagreement.failed(fault.detail, fault.kind)
    return false
  })
}

/** Competes for the lease until the scope closes. */
export const make = Effect.fnUntraced(function* ({
  clockCheck,
  environment,
  holder,
  isGone,
  open
}: LeaseOptions): Effect.fn.Return<Lease, never, Scope.Scope> {
  const clock = yield* machineTime
  const connected = Deferred.makeUnsafe<void>()
  const standby = Deferred.makeUnsafe<void>()
  const taken = Deferred.makeUnsafe<void>()
  const lost = Deferred.makeUnsafe<never, LeaseLost>()
  const confirmedForNanos = BigInt(confirmedForMs) * 1_000_000n
  let role: Role = "standby"
  let isWarm = false
  /** The sending of the last confirmed heartbeat of this session; undefined without a session. */
  let confirmedNanos: bigint | undefined
  let isKnownStandby = false
  /** Since a claim was sent, also while it is tried again on another session. */
  let isClaiming = false
  const outage = outageOf(clock)
  const agrees = makeAgrees(clock, clockCheck)
  const isBelieved = () => clockCheck === undefined || clockCheck.agrees

  const logStandby = Effect.suspend(() => {
    if (isKnownStandby) return Effect.void
    isKnownStandby = true
    Deferred.doneUnsafe(standby, Effect.void)
    return LogEvent.of("standby")(Effect.logInfo("Another service is the active one; this one is a standby"))
  })

  /** Returns when a heartbeat was refused. */
  const beatWhileHolder = Effect.fnUntraced(function* (session: LockSession) {
    for (;;) {
      if (!(yield* agrees(session))) {
        // Without heartbeats a standby whose clock is right takes over, as from a holder that hangs.
        yield* Effect.sleep(beatMs)
        continue
      }
      const sentNanos = clock.nanos()
      if (!(yield* bounded(session.beat))) return
      confirmedNanos = sentNanos
      yield* outage.succeeded
      if (role === "standby") {
        role = "active"
        isClaiming = false
        yield* Deferred.succeed(taken, undefined)
      }
      const sentAgoMs = Number((clock.nanos() - sentNanos) / 1_000_000n)
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
    if (role === "standby") {
      yield* outage.succeeded
      yield* takeOver(session, holder, isGone, {
        agrees,
        onWait: logStandby,
        onClaim: (is) => {
          isClaiming = is
        }
      })
    } else if (!(yield* regain(session, holder))) return
    yield* Effect.onInterrupt(beatWhileHolder(session), () => Effect.ignore(bounded(session.resign, resignMs)))
  })

  const run = Effect.gen(function* () {
    for (;;) {
      const exit = yield* Effect.exit(Effect.scoped(oneSession))
      if (Exit.isSuccess(exit)) break
      // The next session may be of another database: no answer leaves until it was checked.
      confirmedNanos = undefined
      yield* outage.failed(LogEvent.reasonOf(Cause.squash(exit.cause)))
      yield* Effect.sleep(reopenMs)
    }
    role = "standby"
    const message =
      "Another service has taken over this database; this one stops. Its supervisor restarts it as a standby."
    yield* Deferred.fail(lost, new LeaseLost({ message }))
  })
  yield* Effect.forkScoped(run)

  return {
    active: {
      environment,
      role: () => role,
      isWarm: () => isWarm && isBelieved(),
      isCurrent: () =>
        role === "active" &&
        confirmedNanos !== undefined &&
        clock.nanos() - confirmedNanos <= confirmedForNanos &&
        isBelieved(),
      isAwaitingStorage: () => isClaiming,
      clockFault: () => clockCheck?.fault,
      clockAheadMs: () => clockCheck?.aheadMs ?? 0
    },
    connected: Deferred.await(connected),
    standby: Deferred.await(standby),
    taken: Deferred.await(taken),
    lost: Deferred.await(lost)
  }
})
