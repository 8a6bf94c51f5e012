/** `GET /metrics`: what the guide lists is what the service serves, by name and kind. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Moved from "../../app/service/Moved.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const guide = fs.readFileSync(path.join(import.meta.dirname, "..", "..", "..", "src", "docs", "operating.md"), "utf8")
const listed = [...guide.matchAll(/^\| `(lotbook_\w+)` \| (\w+) \|/gm)].map(([, name, kind]) => `${name} ${kind}`)

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("the service as it is started", (it) => {
  it.effect(
    "serves every metric of the guide and no other, with its kind, and reads those of the database",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const process = yield* Moved.start(0)
          yield* process.until("/health/ready", 200)
          // There are links between nodes alone.
          yield* Moved.start(0)
          const { text } = yield* Effect.repeat(
            Effect.tap(process.get("/metrics"), () => Effect.sleep(20)),
            {
              until: ({ text }) =>
                !text.includes("lotbook_database_size_bytes NaN") && text.includes("lotbook_cluster_link_down_seconds")
            }
          )
          const kinds = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, kind]) => `${name} ${kind}`)
          assert.deepStrictEqual(kinds.toSorted(), listed.toSorted())
          const valueOf = (name: string) => Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1])
          assert.isAbove(valueOf("lotbook_database_size_bytes"), 1_000_000)
          assert.isAbove(valueOf("lotbook_database_connections"), 1)
          assert.isAbove(valueOf("lotbook_database_connections_limit"), valueOf("lotbook_database_connections"))
          assert.strictEqual(valueOf("lotbook_verify_timestamp_seconds"), 0)
          assert.strictEqual(valueOf("lotbook_verify_full_timestamp_seconds"), 0)
          assert.isNaN(valueOf("lotbook_verify_differences"))
        })
      ),
    120_000
  )
})
