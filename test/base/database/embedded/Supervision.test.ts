/** When a server is restarted, how often, and who may stop it. */
import type { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseStartError } from "../../../../src/base/database/Database.ts"
import * as Supervision from "../../../../src/base/database/embedded/Supervision.ts"

/** A server that lives, starts and is owned as the test says. */
const fakeServer = () => {
  const world = { alive: true, startable: true, ownable: true, starts: 0, tries: 0, stops: 0, sessions: 0, lost: false }
  const refused = new DatabaseStartError({ message: "not now" })
  const server: Supervision.Server = {
    isAlive: () => world.alive,
    start: Effect.suspend(() => {
      world.tries++
      if (!world.startable) return Effect.fail(refused)
      world.starts++
      world.alive = true
      return Effect.void
    }),
    stop: Effect.sync(() => {
      world.stops++
      world.alive = false
    }),
    own: Effect.gen(function* () {
      if (!world.ownable) return yield* refused
      world.lost = false
      yield* Effect.acquireRelease(
        Effect.sync(() => world.sessions++),
        () => Effect.sync(() => world.sessions--)
      )
      const query = () => Effect.suspend(() => (world.lost ? Effect.fail("the session has ended") : Effect.void))
      // Only its statements matter to the supervision.
      return { query } as unknown as PgConnection.PgConnection
    })
  }
  return { world, server }
}

const supervised = Effect.gen(function* () {
  const { server, world } = fakeServer()
  const service = Scope.makeUnsafe()
  yield* Scope.provide(Supervision.supervise(server), service)
  return { world, stop: Scope.close(service, Exit.void) }
})

describe("supervision", () => {
  it.effect("restarts a server that has ended within one poll, and owns it again", () =>
    Effect.gen(function* () {
      const { stop, world } = yield* supervised
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(world, { starts: 0, sessions: 1 })
      world.alive = false
      yield* TestClock.adjust("250 millis")
      assert.deepInclude(world, { alive: true, starts: 1, sessions: 1 })
      yield* stop
      assert.deepInclude(world, { alive: false, stops: 1, sessions: 0 })
    })
  )

  it.effect("reopens the owning session if only that was lost, and starts no server", () =>
    Effect.gen(function* () {
      const { stop, world } = yield* supervised
      world.lost = true
      yield* TestClock.adjust("500 millis")
      assert.deepInclude(world, { starts: 0, sessions: 1, lost: false })
      yield* stop
    })
  )

  it.effect("retries a failed start at least every second, one at a time", () =>
    Effect.gen(function* () {
      const { stop, world } = yield* supervised
      Object.assign(world, { alive: false, startable: false })
      yield* TestClock.adjust("1 minute")
      assert.isAtLeast(world.tries, 59)
      assert.isAtMost(world.tries, 66)
      world.startable = true
      yield* TestClock.adjust("1 second")
      assert.deepInclude(world, { alive: true, starts: 1, sessions: 1 })
      yield* stop
    })
  )

  it.effect("starts no server after it was stopped", () =>
    Effect.gen(function* () {
      const { stop, world } = yield* supervised
      Object.assign(world, { alive: false, startable: false })
      yield* TestClock.adjust("10 seconds")
      world.startable = true
      yield* stop
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(world, { alive: false, starts: 0, stops: 0, sessions: 0 })
    })
  )

  it.effect("leaves a server alone that another service owns by now", () =>
    Effect.gen(function* () {
      const { stop, world } = yield* supervised
      Object.assign(world, { lost: true, ownable: false })
      yield* TestClock.adjust("10 seconds")
      yield* stop
      assert.deepInclude(world, { alive: true, starts: 0, stops: 0, sessions: 0 })
    })
  )
})
