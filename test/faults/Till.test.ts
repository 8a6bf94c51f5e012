/** docs/retries.md: a till of 25 lines sells while requests and answers are lost, and service, till and network fail. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { Database } from "../../src/base/database/Database.ts"
import { urlOf } from "../app/cli/Lotbook.ts"
import * as Folders from "../Folders.ts"
import * as TestDatabase from "../TestDatabase.ts"
import { run } from "./TillRounds.ts"

it.live("a till under losses and kills: nothing doubled, lost or stuck, and no hold left open", () =>
  Effect.gen(function* () {
    const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000)
    const folder = Folders.make("lotbook-till-")
    const flags = ["--database-url", urlOf(yield* Database)]
    const plan = { folder, flags, sales: 40, serviceKills: 1, tillKills: 1, seed }
    const outcome = yield* Effect.promise(() => run(plan))
    fs.rmSync(folder, { recursive: true })
    assert.deepStrictEqual(outcome.faults, [], `FAULTS_SEED=${seed}`)
    assert.strictEqual(outcome.posted, 40)
    assert.isAbove(Math.min(outcome.lostRequests, outcome.lostAnswers), 10)
  }).pipe(Effect.provide(TestDatabase.layer))
)
