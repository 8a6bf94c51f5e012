/** The readers of the guide *Receiving events* copy the whole feed, and go on where they stopped. */
import { assert, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Demo from "../../src/demo/Demo.ts"
import { enroll } from "../../src/testing/Guests.ts"
import * as DemoServer from "../service/DemoServer.ts"
import * as TestServer from "../service/TestServer.ts"

const guide = fs.readFileSync(path.join(import.meta.dirname, "..", "..", "src", "docs", "receiving-events.md"), "utf8")

const languages = [
  { language: "ts", command: process.execPath, file: "reader.ts" },
  { language: "python", command: "python3", file: "reader.py" }
]

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "readers-"))),
  (at) => Effect.sync(() => fs.rmSync(at, { recursive: true }))
)

/** The events in the warehouse, once the reader has so many. */
const copied = (cwd: string, count: number) =>
  Effect.sync(() => {
    const warehouse = new DatabaseSync(path.join(cwd, "warehouse.db"))
    try {
      return warehouse
        .prepare("SELECT id FROM events ORDER BY rowid")
        .all()
        .map((row) => row["id"])
    } catch {
      return []
    } finally {
      warehouse.close()
    }
  }).pipe(Effect.repeat({ until: (ids) => ids.length >= count, schedule: Schedule.spaced("20 millis") }))

for (const { command, file, language } of languages) {
  const [, code = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(guide) ?? []
  const isThere = spawnSync(command, ["--version"]).status === 0

  it.live.skipIf(!isThere)(`the reader in ${language} has each event once, also after it was killed`, () =>
    Effect.gen(function* () {
      yield* Demo.seed
      const cwd = yield* folder
      fs.writeFileSync(path.join(cwd, file), code)
      const env = { ...process.env, LOTBOOK_URL: `http://127.0.0.1:${yield* TestServer.port}` }
      const feed = TestServer.send("/platform/v1/feed?after=0&limit=1000", undefined, { method: "GET" })
      for (const member of ["one", "two"]) {
        yield* enroll(`reader-${language}-${member}`)
        // Other tests' transactions may hold the newest back for a moment.
        const { body } = yield* Effect.repeat(feed, { until: ({ body }) => body["lag_seconds"] === 0 })
        const all = (body["events"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
        const reading = Effect.acquireRelease(
          Effect.sync(() => spawn(command, [file], { cwd, env, stdio: "ignore" })),
          (child) =>
            Effect.callback<void>((resume) => {
              child.once("close", () => resume(Effect.void))
              child.kill("SIGKILL")
            })
        )
        const found = yield* Effect.scoped(Effect.andThen(reading, copied(cwd, all.length)))
        assert.deepStrictEqual(found, all)
      }
    }).pipe(Effect.scoped, Effect.provide(DemoServer.layer))
  )
}
