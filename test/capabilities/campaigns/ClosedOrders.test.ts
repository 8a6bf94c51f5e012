/** Orders that were closed since an event, also in archived months. Holds contract/engagement.md *Triggers*. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { machineNow } from "../../../src/base/time/Times.ts"
import { closedOrders } from "../../../src/capabilities/campaigns/ClosedOrders.ts"
import type { StoredEvent } from "../../../src/capabilities/campaigns/EventStore.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import * as Archiving from "../../reads/reconcile/Archiving.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"

const program_id = Testing.demoProgram.id

const adjust = (order: string, type: "correction" | "partial_refund" | "void", cents: number) =>
  Guests.body(
    Testing.call("order.adjust", {
      context: Testing.context(),
      member_id: "ada",
      program_id,
      adjustment: {
        adjustment_id: `${type}${cents}-${order}`,
        original_order_id: order,
        type,
        reason: "returned",
        occurred_at: "2026-07-14T10:00:00Z",
        order_total_delta: { amount: cents, currency: "USD" },
        eligible_spend_delta: { amount: cents, currency: "USD" }
      }
    })
  )

const orders = ["kept", "voided", "partly", "emptied", "returned", "returned-later", "voided-later"]

layer(Scenario.layer, { excludeTestServices: true })("orders of events", (it) => {
  it.effect("are closed by adjustments of archived months as by those of the tables, or the month is away", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      const since = yield* machineNow
      yield* Guests.enroll("ada")
      for (const order of orders) yield* Guests.earn("ada", order, 1_000)
      yield* adjust("voided", "void", -1_000)
      yield* adjust("partly", "partial_refund", -400)
      for (const order of ["emptied", "returned", "returned-later"]) {
        yield* adjust(order, "partial_refund", -400)
        yield* adjust(order, "partial_refund", -600)
      }
      yield* adjust("returned", "correction", 500)
      for (let span = 0; span < 3; span++) {
        yield* Archiving.begin
        yield* Guests.earn("ada", `later-${span}`, 1_000)
      }
      yield* adjust("returned-later", "correction", 500)
      yield* adjust("voided-later", "void", -1_000)
      const [row] = yield* Scenario.byHand("SELECT number FROM accounts WHERE member_id = 'ada'")
      const account = Number(row?.["number"])
      const asked = orders.map((order, n) => ({
        event: { n, order, occurredAt: since } as StoredEvent,
        accounts: [account]
      }))
      const { query } = yield* Pools.WorkPool
      const closed = (folder?: string) =>
        Effect.gen(function* () {
          const found = yield* closedOrders(query, yield* ArchiveFiles.ArchiveFiles, asked)
          return orders.filter((_, n) => found.has(n))
        }).pipe((work) => (folder === undefined ? work : Effect.provide(work, ArchiveFiles.layer(folder))))
      const expected = ["voided", "emptied", "voided-later"]
      assert.deepStrictEqual(yield* closed(), expected)
      for (let span = 0; span < 3; span++) yield* Archiving.seal
      assert.strictEqual(yield* Archiving.archiveAll(to), 2)
      assert.strictEqual((yield* Effect.flip(closed())).code, "archived")
      assert.deepStrictEqual(yield* closed(to), expected)
      // A folder without the file is none.
      assert.strictEqual((yield* Effect.flip(closed(yield* Archiving.folder))).code, "archived")
    }).pipe(Effect.scoped, Effect.provide(Pools.layer))
  )
})
