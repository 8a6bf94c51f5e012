/** `lotbook members merge` as an operator runs it, on the database. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { onDatabase } from "./InProcess.ts"

const lotbook = (...args: ReadonlyArray<string>) => onDatabase("members", ...args, "--program", "demo-foodservice")

layer(Scenario.layer, { excludeTestServices: true })("lotbook members merge", (it) => {
  it.effect("merges once, and shows where the merged member went", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "ben"]) yield* enroll(member)
      yield* credit("ben", 100)
      const merge = ["merge", "ben", "ada", "--reason", "two cards"] as const
      const merged = yield* lotbook(...merge)
      assert.deepStrictEqual(
        [merged.code, merged.out, merged.err],
        [0, "ben was merged.\nada in demo-foodservice: active\n", ""]
      )
      const again = yield* lotbook(...merge)
      assert.deepStrictEqual([again.code, again.out], [1, ""])
      assert.match(again.err, /^invalid_state: /)
      const shown = yield* lotbook("show", "ben")
      assert.match(shown.out, /^ben in demo-foodservice: closed, merged into ada\n/)
      assert.match(shown.out, /^points: 0 /m)
      yield* Scenario.countRollups
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )
})
