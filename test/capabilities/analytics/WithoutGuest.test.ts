/** contract/engagement.md *Analytics*: orders without a guest by place and day, as orders come, are claimed and taken away. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import * as Analytics from "../../../src/capabilities/analytics/Analytics.ts"
import * as Reads from "../../../src/capabilities/analytics/AnalyticsReads.ts"
import * as Buckets from "../../../src/capabilities/analytics/Buckets.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as World from "../claims/World.ts"

/** Counts by place and local day since a day before the first order, `place day`. */
const counted = (at: World.Node, more: object = {}) =>
  at.on(
    Effect.gen(function* () {
      const { query } = yield* WorkPool
      const asked = { from: "2026-07-13T00:00:00.000Z", until: "2026-07-18T00:00:00.000Z", time_zone: "UTC", ...more }
      const question = yield* Analytics.questionOf(at.program, asked, World.time.now())
      const buckets = Buckets.bucketsOf(question.zone, "day", question.from, question.until)
      const starts = buckets.map(({ date, start }) => (question.business === undefined ? start : date))
      const rows = yield* Reads.withoutGuest(query, question, starts)
      return rows.map(({ location, orders, part }) => `${location} ${part}: ${orders}`).toSorted()
    })
  )

const at = (location_id: string) => ({
  scope: { program_id: "demo-foodservice", brand_id: "brand", merchant_id: "merchant", location_id }
})

it.layer(TestDatabase.layer, { excludeTestServices: true })("orders without a guest", (it) => {
  it.effect("count by place and day while nobody has them, also once they are over", () =>
    Effect.gen(function* () {
      const a = yield* World.node()
      yield* World.guest(a, "guest")
      yield* a.goOn
      for (const [id, place] of [
        ["e-1", "east"],
        ["e-2", "east"],
        ["e-3", "east"],
        ["w-1", "west"]
      ] as const)
        yield* a.keep(World.order(id, 1_000, at(place)))
      yield* a.keep(World.order("w-1", 2_000, at("west")))
      assert.deepStrictEqual(yield* counted(a), ["east 1: 3", "west 1: 1"])
      // Moved to another place by the till.
      yield* a.keep(World.order("w-1", 2_000, at("south")))
      // Taken away, and a day later kept again: it counts when it came first.
      yield* a.keep(World.order("e-1", 1_000, { ...at("east"), status: "voided" }))
      World.time.set(World.start + World.dayMs)
      yield* a.keep(World.order("e-4", 1_000, at("east")))
      assert.deepStrictEqual(yield* counted(a), ["east 1: 2", "east 2: 1", "south 1: 1"])
      assert.deepStrictEqual(yield* counted(a, { location_id: "south" }), ["south 1: 1"])
      assert.deepStrictEqual(yield* counted(a, { day: "business" }), ["east 1: 2", "east 2: 1", "south 1: 1"])
      const { body } = yield* a.keep(World.order("e-4", 1_000, at("east")))
      yield* a.claim({ claim_code: body.claim_code, member_id: "guest" })
      yield* World.accrue(a, "guest", World.order("e-2", 1_000, at("east")))
      yield* a.goOn
      assert.deepStrictEqual(yield* counted(a), ["east 1: 1", "south 1: 1"])
      yield* TestDatabase.query("DELETE FROM kept_orders")
      assert.deepStrictEqual(yield* counted(a), ["east 1: 1", "south 1: 1"])
      World.time.set(World.start)
    })
  )
})
