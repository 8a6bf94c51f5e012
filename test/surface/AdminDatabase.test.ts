/** The operators' database: what is out of reach, and what is a defect. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer } from "effect"
import { AdminDatabase } from "../../src/surface/AdminDatabase.ts"
import * as TestDatabase from "../TestDatabase.ts"

layer(Layer.provideMerge(AdminDatabase.layer, TestDatabase.layer))("a statement", (it) => {
  it.effect("that would fail again is a defect, one that was cut off is storage_unavailable", () =>
    Effect.gen(function* () {
      const { query } = yield* AdminDatabase
      for (const statement of ["SELECT 1 / 0", "SELEC", "SELECT FROM nowhere", "SELECT 'x'::int"]) {
        const exit = yield* Effect.exit(query(statement))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), statement)
      }
      const ended = yield* Effect.flip(query("SELECT pg_terminate_backend(pg_backend_pid())"))
      assert.strictEqual(ended.code, "storage_unavailable")
    })
  )
})
