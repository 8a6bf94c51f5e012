/** The reader of the feed beside a service that is started again, with answers that get lost and kills (contract/events.md *Order*). */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import type { FeedPosition } from "lotbook/client"
import { createClient, readFeed } from "lotbook/client"
import { enroll } from "../../src/app/testing/Guests.ts"
import { MayWait } from "../../src/desk/surface/Waiting.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as Random from "../model/Random.ts"
import * as TestDatabase from "../TestDatabase.ts"

const lives = 3
const members = 12

class Killed extends Error {}

/** A reader that is started again after each kill; a kill comes before a position is kept. */
const reader = (seed: number) => {
  const random = Random.make(seed, "reader")
  const ids: Array<string> = []
  const ending = new AbortController()
  const counts = { kills: 0, pauses: 0 }
  let port: number | undefined
  let there = Promise.withResolvers<void>()
  let kept: string | undefined
  const client = createClient({
    url: "http://service.test",
    token: "proto-dev-token",
    fetch: async (to, init) => {
      if (port === undefined || random.next() < 0.2) throw new TypeError("connection refused")
      const response = await fetch(to.replace("service.test", `127.0.0.1:${port}`), init)
      if (random.next() < 0.2) throw new TypeError("connection reset")
      return response
    }
  })
  const position: FeedPosition = {
    read: () => kept,
    write: (next) => {
      if (random.next() < 0.2) throw new Killed()
      kept = next
    }
  }
  const run = async () => {
    while (!ending.signal.aborted) {
      try {
        await readFeed({
          client,
          position,
          onEvents: ({ events }) => void ids.push(...events.map(({ id }) => id)),
          onPause: () => void counts.pauses++,
          limit: 5,
          signal: ending.signal,
          wait: () => there.promise
        })
      } catch (error) {
        if (!(error instanceof Killed)) throw error
        counts.kills++
      }
    }
  }
  const serve = (at: number | undefined): void => {
    port = at
    if (at === undefined) there = Promise.withResolvers()
    else there.resolve()
  }
  const end = (): void => {
    ending.abort()
    there.resolve()
  }
  return { counts, end, ids, run, serve }
}

/** Ids of all events, once none is held back. */
const all = Effect.repeat(TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, { method: "GET" }), {
  until: ({ body }) => body["lag_seconds"] === 0
}).pipe(Effect.map(({ body }) => (body["events"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)))

it.live("a reader has all events in order, over restarts of the service, losses and kills", () =>
  Effect.gen(function* () {
    let goesOn = true
    const service = DemoServer.onDatabase.pipe(Layer.provide(Layer.succeed(MayWait, () => goesOn)), Layer.fresh)
    const seed = Number(process.env["SEED"] ?? 51)
    const { counts, end, ids, run, serve } = reader(seed)
    const ended = run()
    let wanted: ReadonlyArray<string> = []
    for (let life = 0; life < lives; life++) {
      yield* Effect.gen(function* () {
        serve(yield* TestServer.port)
        for (let member = 0; member < members; member++) yield* enroll(`life-${life}-${member}`)
        wanted = yield* all
        yield* Effect.repeat(
          Effect.sync(() => new Set(ids).size),
          { until: (size) => size >= wanted.length, schedule: Schedule.spaced("20 millis") }
        )
        // The service stops: it answers who waits, and takes no further request.
        goesOn = false
        serve(undefined)
      }).pipe(Effect.provide(service))
      goesOn = true
    }
    end()
    yield* Effect.promise(() => ended)
    assert.strictEqual(wanted.length, lives * members)
    assert.deepStrictEqual([...new Set(ids)], wanted, `seed ${seed}`)
    assert.isAbove(counts.kills, 0)
    assert.isAbove(counts.pauses, 0)
  }).pipe(Effect.provide(TestDatabase.layer))
)
