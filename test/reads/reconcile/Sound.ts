/** The journal explains every table but the rollups, which nothing counts in these tests. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Verify from "../../../src/reads/reconcile/Verify.ts"

export const isSound = Effect.gen(function* () {
  const found: Array<unknown> = []
  yield* Verify.run({
    share: 100,
    onDifference: (difference) => Effect.sync(() => void found.push(difference)),
    onProgress: () => Effect.void
  })
  assert.deepStrictEqual(
    found.filter((difference) => !JSON.stringify(difference).includes("rollup")),
    []
  )
})
