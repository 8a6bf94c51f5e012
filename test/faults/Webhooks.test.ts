/** contract/events.md *Delivery*: a service that is killed under load delivers each event, in order for each member. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { Database } from "../../src/base/database/Database.ts"
import { urlOf } from "../app/cli/Lotbook.ts"
import * as Folders from "../Folders.ts"
import * as TestDatabase from "../TestDatabase.ts"
import { run } from "./WebhookRounds.ts"

it.live("kill -9 of a service that delivers: no event is missing, none out of order", () =>
  Effect.gen(function* () {
    const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000)
    const folder = Folders.make("lotbook-hooked-")
    const flags = ["--database-url", urlOf(yield* Database)]
    const outcome = yield* Effect.promise(() => run({ folder, flags, kills: 2, seed }))
    fs.rmSync(folder, { recursive: true })
    assert.deepStrictEqual(outcome.faults, [], `FAULTS_SEED=${seed}`)
    assert.isAbove(outcome.events, 100)
    assert.isBelow(outcome.repeats, outcome.events, "a few come again, not all")
  }).pipe(Effect.provide(TestDatabase.layer))
)
