/** contract/databases.md *Retention*: orders without a guest go when they are over, claims that have not ended stay. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { retention } from "../../../src/capabilities/claims/KeptStore.ts"
import { keptMs, round } from "../../core/retention/Rounds.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as World from "./World.ts"

it.layer(TestDatabase.layer, { excludeTestServices: true })("an order without a guest", (it) => {
  it.effect("goes with its adjustments once it was over for the time, whoever claimed it", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* World.guest(a, "guest")
      yield* World.kept(a, "unclaimed")
      yield* a.adjust(World.refund("r", "unclaimed", 100))
      const claim_code = yield* World.kept(a, "claimed")
      yield* a.claim({ claim_code, member_id: "guest" })
      yield* World.kept(a, "unfinished")
      yield* TestDatabase.query(
        "UPDATE kept_orders SET state = 'claiming', account = 1, begun_at = 0 WHERE order_id = 'unfinished'"
      )
      const over = World.start + 14 * World.dayMs
      const left = TestDatabase.query("SELECT order_id FROM kept_orders ORDER BY 1")
      World.time.set(over + keptMs("kept_orders"))
      yield* a.on(round(retention))
      assert.lengthOf(yield* left, 3)
      World.time.set(over + keptMs("kept_orders") + 1)
      yield* a.on(round(retention))
      assert.deepStrictEqual(
        (yield* left).map(({ order_id }) => order_id),
        ["unfinished"]
      )
      assert.lengthOf(yield* TestDatabase.query("SELECT FROM kept_adjustments"), 0)
      // The journal knows for good that somebody has it.
      assert.strictEqual(yield* World.said(a.keep(World.order("claimed", 1_000))), "conflict")
      World.time.set(World.start)
    })
  )
})
