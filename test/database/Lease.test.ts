/**
 * Who may answer, and from when to when: contract/databases.md *One active service*, *Standbys* on a clock that the
 * test moves.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { ClockCheck } from "../../src/database/ClockCheck.ts"
import * as Lease from "../../src/database/Lease.ts"
import { LeaseUnavailable } from "../../src/database/Lease.ts"
import * as LogLines from "../metrics/LogLines.ts"
import * as Random from "../model/Random.ts"
import { machineTime } from "../../src/time/Times.ts"

/** The row, the lock and the sessions of one database, which die and stand still as a test says. */
class World {
  row: Lease.Seen = { holder: null, beat: 0, process: null }
  lockedBy: FakeSession | undefined
  /** How far PostgreSQL's clock is ahead of the services', ms. */
  aheadMs = 0
  newestMs: number | null = null
  readonly sessions = new Set<FakeSession>()
  /** Of services that stand still or cannot reach the database: their statements wait. */
  readonly halted = new Set<string>()
  readonly ended: Array<string> = []
  waiting: Array<{ readonly holder: string; readonly go: Deferred.Deferred<void> }> = []

  /** Runs a statement once the service is not halted, if its session is there by then. */
  statement<A>(session: FakeSession, run: () => A): Effect.Effect<A, LeaseUnavailable> {
    return Effect.gen({ self: this }, function* () {
      if (this.halted.has(session.holder) && this.sessions.has(session)) {
        const go = Deferred.makeUnsafe<void>()
        this.waiting.push({ holder: session.holder, go })
        yield* Deferred.await(go)
      }
      if (!this.sessions.has(session)) return yield* gone
      return run()
    })
  }

  release(holder: string) {
    this.halted.delete(holder)
    return this.answer(holder)
  }

  /** Lets the statements go that wait; those that come later wait while the service is halted. */
  answer(holder: string) {
    const due = this.waiting.filter((one) => one.holder === holder)
    this.waiting = this.waiting.filter((one) => one.holder !== holder)
    return Effect.forEach(due, ({ go }) => Deferred.succeed(go, undefined))
  }

  end(session: FakeSession): void {
    this.sessions.delete(session)
    if (this.lockedBy === session) this.lockedBy = undefined
  }

  endAll(holder: string): void {
    for (const session of [...this.sessions]) if (session.holder === holder) this.end(session)
  }
}

interface FakeSession {
  readonly holder: string
}

const gone = new LeaseUnavailable({ cause: new Error("the session has ended") })

const open = (world: World, holder: string): Lease.LeaseOptions["open"] =>
  Effect.gen(function* () {
    const own: FakeSession = { holder }
    yield* Effect.acquireRelease(
      Effect.sync(() => world.sessions.add(own)),
      () => Effect.sync(() => world.end(own))
    )
    const statement = <A>(run: () => A) => world.statement(own, run)
    return {
      time: Effect.map(Clock.currentTimeMillis, (now) => ({
        databaseMs: now + world.aheadMs,
        newestMs: world.newestMs
      })),
      seen: statement(() => world.row),
      lock: statement(() => {
        world.lockedBy ??= own
        return world.lockedBy === own
      }),
      unlock: statement(() => {
        if (world.lockedBy === own) world.lockedBy = undefined
      }),
      claim: (seen) =>
        statement(() => {
          if (world.row.holder !== seen.holder || world.row.beat !== seen.beat) return false
          world.row = { holder, beat: world.row.beat + 1, process: 1 }
          return true
        }),
      endSessions: (ending) =>
        statement(() => {
          world.ended.push(ending)
          for (const session of [...world.sessions]) {
            if (session !== own && `lease ${session.holder}`.endsWith(ending)) world.end(session)
          }
          return 0
        }),
      beat: statement(() => {
        if (world.row.holder !== holder) return false
        world.row = { ...world.row, beat: world.row.beat + 1 }
        return true
      }),
      resign: statement(() => {
        if (world.row.holder === holder) world.row = { ...world.row, holder: null }
      })
    }
  })

interface Started {
  readonly lease: Lease.Lease
  readonly scope: Scope.Closeable
  readonly hasLost: () => boolean
}

const start = Effect.fnUntraced(function* (
  world: World,
  holder: string,
  isGone: (seen: Lease.Seen) => boolean = () => false,
  clockCheck?: ClockCheck
) {
  const scope = yield* Scope.make()
  const lease = yield* Scope.provide(
    Lease.make({ environment: "live", holder, open: open(world, holder), isGone, clockCheck }),
    scope
  )
  let lost = false
  yield* Effect.forkIn(
    Effect.onExit(lease.lost, (exit) =>
      Effect.sync(() => {
        lost = Exit.isFailure(exit) && !Exit.hasInterrupts(exit)
      })
    ),
    scope
  )
  yield* TestClock.adjust(0)
  return { lease, scope, hasLost: () => lost } satisfies Started
})

/** Moves the clock until the service is active; how long that took, ms. */
const untilActive = Effect.fnUntraced(function* ({ lease }: Started, onStep: () => void = () => undefined) {
  for (let ms = 0; ms <= 10_000; ms += 10) {
    onStep()
    if (lease.active.role() === "active") return ms
    yield* TestClock.adjust(10)
  }
  return assert.fail("it did not become active within 10 s")
})

describe("One database, several services", () => {
  it.effect("the first is active at once, the second waits", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b")
      yield* TestClock.adjust("1 minute")
      assert.isTrue(first.lease.active.isCurrent())
      assert.strictEqual(second.lease.active.role(), "standby")
      assert.isFalse(second.lease.active.isCurrent())
    })
  )

  it.effect(
    "a standby takes over within 5 s of the end of the other's sessions, never before its answers are too old",
    () =>
      Effect.gen(function* () {
        const world = new World()
        const first = yield* start(world, "a")
        const second = yield* start(world, "b")
        yield* TestClock.adjust("5 seconds")
        world.halted.add("a")
        world.endAll("a")
        const took = yield* untilActive(second, () =>
          assert.isFalse(first.lease.active.isCurrent() && second.lease.active.isCurrent())
        )
        assert.isAbove(took, 1_500)
        assert.isBelow(took, 5_000)
        assert.deepStrictEqual(world.ended, ["a"], "sessions that may still commit have ended")
      })
  )

  it.effect(
    "a standby takes over within 5 s from one that stands still and keeps its lock, and ends its sessions",
    () =>
      Effect.gen(function* () {
        const world = new World()
        const first = yield* start(world, "a")
        const second = yield* start(world, "b")
        yield* TestClock.adjust("5 seconds")
        world.halted.add("a")
        const took = yield* untilActive(second, () =>
          assert.isFalse(first.lease.active.isCurrent() && second.lease.active.isCurrent())
        )
        assert.isAbove(took, 2_500)
        assert.isBelow(took, 5_000)
        assert.deepStrictEqual(world.ended, ["a"])
        yield* world.release("a")
        yield* TestClock.adjust("1 second")
        assert.isTrue(first.hasLost(), "continued, it finds that it was replaced")
        assert.isFalse(first.lease.active.isCurrent())
        assert.strictEqual(first.lease.active.role(), "standby")
        assert.isTrue(second.lease.active.isCurrent())
      })
  )

  it.effect("after a stop in order the standby does not wait for silence", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b")
      yield* TestClock.adjust("5 seconds")
      yield* Scope.close(first.scope, Exit.void)
      assert.isAtMost(yield* untilActive(second), 500)
      assert.deepStrictEqual(world.ended, [])
    })
  )

  it.effect("a new start does not wait for a process that has certainly ended", () =>
    Effect.gen(function* () {
      const world = new World()
      world.row = { holder: "dead", beat: 7, process: 4_711 }
      const first = yield* start(world, "a", ({ process }) => process === 4_711)
      assert.strictEqual(yield* untilActive(first), 0)
    })
  )

  it.effect("a confirmation counts from its sending, for 2 s", () =>
    Effect.gen(function* () {
      const world = new World()
      const { lease } = yield* start(world, "a")
      yield* TestClock.adjust("500 millis")
      world.halted.add("a")
      yield* TestClock.adjust("2 seconds")
      assert.isTrue(lease.active.isCurrent(), "the heartbeat at 500 ms came back")
      yield* TestClock.adjust(1)
      assert.isFalse(lease.active.isCurrent())
      yield* TestClock.adjust("1 second")
      yield* world.answer("a")
      yield* TestClock.adjust(0)
      assert.isFalse(lease.active.isCurrent(), "the answer that was late tells of the time of its sending")
      yield* world.release("a")
      yield* TestClock.adjust(0)
      assert.isTrue(lease.active.isCurrent(), "the next heartbeat was sent at once")
    })
  )

  it.effect("a heartbeat is sent 500 ms after the one before, however long that one's answer took", () =>
    Effect.gen(function* () {
      const world = new World()
      yield* start(world, "a")
      const { beat } = world.row
      yield* TestClock.adjust("499 millis")
      world.halted.add("a")
      yield* TestClock.adjust(1)
      yield* TestClock.adjust("300 millis")
      yield* world.release("a")
      yield* TestClock.adjust("199 millis")
      assert.strictEqual(world.row.beat, beat + 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(world.row.beat, beat + 2)
    })
  )

  it.effect("a holder that lost its session and was not replaced stays active with its state", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      const second = yield* start(world, "b")
      yield* TestClock.adjust("5 seconds")
      world.endAll("a")
      yield* TestClock.adjust("1 second")
      assert.isFalse(first.hasLost())
      assert.isTrue(first.lease.active.isCurrent())
      assert.strictEqual(world.lockedBy?.holder, "a")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(second.lease.active.role(), "standby")
    })
  )

  it.effect(
    "nothing is answered between the loss of a session and the check of the next, which may be of another database",
    () =>
      Effect.gen(function* () {
        const world = new World()
        const first = yield* start(world, "a")
        yield* TestClock.adjust("5 seconds")
        world.halted.add("a")
        world.endAll("a")
        yield* TestClock.adjust("500 millis")
        assert.isFalse(first.lease.active.isCurrent(), "although a heartbeat came back less than 2 s ago")
        yield* world.release("a")
        yield* TestClock.adjust("1 second")
        assert.isTrue(first.lease.active.isCurrent())
      })
  )

  it.effect(
    "an outage is logged once at its beginning and once at its end, on the active service and on a standby",
    () =>
      Effect.gen(function* () {
        const { events, layer } = LogLines.make()
        yield* Effect.gen(function* () {
          const world = new World()
          let isReachable = true
          const cutOff = (holder: string): Lease.LeaseOptions["open"] =>
            Effect.suspend(() => (isReachable ? open(world, holder) : Effect.fail(gone)))
          for (const holder of ["a", "b"]) {
            yield* Lease.make({ environment: "live", holder, open: cutOff(holder), isGone: () => false })
            yield* TestClock.adjust("1 second")
          }
          isReachable = false
          for (const holder of ["a", "b"]) world.endAll(holder)
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(events(), ["standby", "storage_lost", "storage_lost"])
          isReachable = true
          yield* TestClock.adjust("1 second")
        }).pipe(Effect.provide(layer))
        assert.deepStrictEqual(events().slice(3), ["storage_back", "storage_back"])
      })
  )

  it.effect("a takeover from a service that does not answer is logged once", () =>
    Effect.gen(function* () {
      const { events, layer } = LogLines.make()
      yield* Effect.gen(function* () {
        const world = new World()
        yield* start(world, "a")
        const second = yield* start(world, "b")
        yield* TestClock.adjust("5 seconds")
        world.halted.add("a")
        world.endAll("a")
        yield* untilActive(second)
        yield* TestClock.adjust("5 seconds")
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        events().filter((event) => event !== "storage_lost"),
        ["standby", "takeover"]
      )
    })
  )

  it.effect("a session that does not answer is given up for another one", () =>
    Effect.gen(function* () {
      const world = new World()
      const first = yield* start(world, "a")
      yield* TestClock.adjust("1 second")
      world.halted.add("a")
      yield* TestClock.adjust("5 seconds")
      // The former session's statements stay unanswered; those of a new one are not.
      world.halted.delete("a")
      yield* TestClock.adjust("6 seconds")
      assert.isTrue(first.lease.active.isCurrent())
      assert.isFalse(first.hasLost())
    })
  )

  it.effect("a heartbeat between a standby's look and its takeover wins", () =>
    Effect.gen(function* () {
      const world = new World()
      world.row = { holder: "a", beat: 7, process: 1 }
      let claims = 0
      const inner = open(world, "b")
      const racing: Lease.LeaseOptions["open"] = Effect.map(inner, (session) => ({
        ...session,
        claim: (seen) =>
          Effect.suspend(() => {
            claims++
            world.row = { ...world.row, beat: world.row.beat + 1 }
            return session.claim(seen)
          })
      }))
      const scope = yield* Scope.make()
      const options = { environment: "live", holder: "b", open: racing, isGone: () => false } as const
      const lease = yield* Scope.provide(Lease.make(options), scope)
      yield* TestClock.adjust("30 seconds")
      assert.isAbove(claims, 5)
      assert.strictEqual(lease.active.role(), "standby")
      assert.strictEqual(world.row.holder, "a")
      assert.isUndefined(world.lockedBy, "a lock taken for nothing is free again")
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.effect("one whose clock disagrees waits, says why every minute, and is active once its clock is right", () =>
    Effect.gen(function* () {
      const world = new World()
      world.aheadMs = -400 * 86_400_000
      const log = LogLines.make()
      const check = new ClockCheck(yield* machineTime, 30_000)
      const one = yield* Effect.provide(start(world, "a", undefined, check), log.layer)
      yield* TestClock.adjust("150 seconds")
      assert.strictEqual(one.lease.active.role(), "standby")
      assert.isFalse(one.lease.active.isWarm())
      assert.strictEqual(one.lease.active.clockFault()?.kind, "differs")
      assert.closeTo(one.lease.active.clockAheadMs(), 400 * 86_400_000, 10)
      assert.deepStrictEqual(log.events(), ["clock_disagrees", "clock_disagrees", "clock_disagrees"])
      world.aheadMs = 0
      yield* untilActive(one)
      assert.isTrue(one.lease.active.isCurrent())
      assert.include(log.events(), "clock_agrees")
      yield* Scope.close(one.scope, Exit.void)
    })
  )

  it.effect(
    "an active one whose clock jumps is not current from then on, and a standby whose clock is right takes over",
    () =>
      Effect.gen(function* () {
        const world = new World()
        const check = new ClockCheck(yield* machineTime, 30_000)
        const first = yield* start(world, "a", undefined, check)
        yield* untilActive(first)
        const second = yield* start(world, "b")
        yield* TestClock.adjust("10 seconds")
        world.aheadMs = -86_400_000
        yield* TestClock.adjust(500)
        assert.isFalse(first.lease.active.isCurrent())
        assert.isFalse(first.hasLost())
        yield* untilActive(second)
        world.aheadMs = 0
        yield* TestClock.adjust("1 second")
        assert.isTrue(first.hasLost(), "it was replaced, and ends as after any takeover")
        assert.isTrue(second.lease.active.isCurrent())
        for (const { scope } of [first, second]) yield* Scope.close(scope, Exit.void)
      })
  )

  it.effect("an active one goes on after its clock was set right, if nobody took over", () =>
    Effect.gen(function* () {
      const world = new World()
      const check = new ClockCheck(yield* machineTime, 30_000)
      const one = yield* start(world, "a", undefined, check)
      yield* untilActive(one)
      world.newestMs = (yield* Clock.currentTimeMillis) - 32 * 86_400_000
      yield* TestClock.adjust("1 minute")
      assert.isFalse(one.lease.active.isCurrent())
      assert.strictEqual(one.lease.active.clockFault()?.kind, "silent")
      world.newestMs = yield* Clock.currentTimeMillis
      yield* TestClock.adjust("1 second")
      assert.isTrue(one.lease.active.isCurrent())
      assert.isFalse(one.hasLost())
      yield* Scope.close(one.scope, Exit.void)
    })
  )

  it.effect("never two active services, whatever hangs or dies, and always one in the end", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 30; seed++) {
        const world = new World()
        const random = Random.make(seed, "lease")
        const names = ["a", "b", "c"]
        const services: Array<Started> = []
        for (const name of names) services.push(yield* start(world, name))
        const check = () => {
          const current = services.filter(({ lease }) => lease.active.isCurrent())
          assert.isAtMost(current.length, 1, `seed ${seed}`)
        }
        for (let step = 0; step < 60; step++) {
          const index = random.whole(0, names.length - 1)
          const name = names[index] ?? ""
          const former = services[index]
          const draw = random.next()
          if (draw < 0.25) world.halted.add(name)
          else if (draw < 0.5) yield* world.release(name)
          else if (draw < 0.65) world.endAll(name)
          else if (draw < 0.75 && former !== undefined) {
            // Killed, and started again with a new id, as its supervisor does.
            world.endAll(name)
            yield* Scope.close(former.scope, Exit.void)
            names[index] = `${name}'`
            services[index] = yield* start(world, `${name}'`)
          }
          for (let ms = random.whole(0, 2_500); ms > 0; ms -= 50) {
            yield* TestClock.adjust(50)
            check()
          }
          for (const [place, { hasLost, scope }] of services.entries()) {
            if (!hasLost()) continue
            yield* Scope.close(scope, Exit.void)
            names[place] = `${names[place] ?? ""}'`
            services[place] = yield* start(world, names[place] ?? "")
          }
        }
        for (const name of names) yield* world.release(name)
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(services.filter(({ lease }) => lease.active.isCurrent()).length, 1, `seed ${seed}`)
        for (const { scope } of services) yield* Scope.close(scope, Exit.void)
      }
    })
  )
})
