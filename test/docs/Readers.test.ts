/** The readers of the guide *Receiving events* copy the whole feed, and go on where they stopped. */
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import * as Demo from "../../src/app/demo/Demo.ts"
import { enroll } from "../../src/app/testing/Guests.ts"
import * as DemoServer from "../app/service/DemoServer.ts"
import * as TestServer from "../app/service/TestServer.ts"
import * as GuidePrograms from "./GuidePrograms.ts"

/** The events in the warehouse, once the reader has so many. */
const copied = (cwd: string, count: number) =>
  Effect.sync(() =>
    GuidePrograms.query("reader", cwd, "SELECT id FROM events ORDER BY rowid").map(({ id }) => id)
  ).pipe(Effect.repeat({ until: (ids) => ids.length >= count, schedule: Schedule.spaced("20 millis") }))

for (const language of [...GuidePrograms.languages, GuidePrograms.client]) {
  it.live.skipIf(!language.isThere)(
    `the reader in ${language.language} has each event once, also after it was killed`,
    () =>
      Effect.gen(function* () {
        yield* Demo.seed
        const cwd = yield* GuidePrograms.folder
        const env = { LOTBOOK_URL: `http://127.0.0.1:${yield* TestServer.port}` }
        const feed = TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, { method: "GET" })
        for (const member of ["one", "two"]) {
          yield* enroll(`reader-${language.language.replace(" ", "-")}-${member}`)
          // Other tests' transactions may hold the newest back for a moment.
          const { body } = yield* Effect.repeat(feed, { until: ({ body }) => body["lag_seconds"] === 0 })
          const all = (body["events"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
          const reading = GuidePrograms.start("reader", language, cwd, env)
          const found = yield* Effect.scoped(Effect.andThen(reading, copied(cwd, all.length)))
          assert.deepStrictEqual(found, all)
        }
      }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
  )
}
