/**
 * Holds contract/databases.md *Retention* of order figures: deleted orders stay in what a member's orders come to, and a change of
 * one counts as ever. `MovedOrders.test.ts` has moves and merges among deletions.
 */
import { assert, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import { heldBy, retention } from "../../../src/reads/rollups/OlderOrders.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as Archiving from "../reconcile/Archiving.ts"
import * as Scenario from "../reconcile/Scenario.ts"

const { enroll } = Guests

/** An order that is later than all before it by a millisecond at least. */
const earn = (member: string, order: string, cents: number) =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    while ((yield* Clock.currentTimeMillis) === before) yield* Effect.yieldNow
    return yield* Guests.earn(member, order, cents)
  })

const program_id = Testing.demoProgram.id
const usd = (amount: number) => ({ amount, currency: "USD" })

const adjust = (type: "partial_refund" | "void", member_id: string, order: string, cents: number) =>
  Testing.call("order.adjust", {
    context: Testing.context(),
    member_id,
    program_id,
    adjustment: {
      adjustment_id: `${type}-${order}`,
      original_order_id: order,
      type,
      reason: "returned",
      occurred_at: "2026-07-14T10:00:00Z",
      order_total_delta: usd(-cents),
      eligible_spend_delta: usd(-cents)
    }
  })

/** Deletes the figures of all orders before the newest one, by batches of `most`. */
const forget = (most: number) =>
  Effect.gen(function* () {
    for (;;) {
      const [row] = yield* Scenario.byHand(
        `SELECT f.* FROM (SELECT max(at) AS newest FROM rollup_orders) o, forget_orders(o.newest, ${most}) f`
      )
      if (row?.["more"] !== true) return
    }
  })
const orders = (member: string) =>
  Effect.map(
    Scenario.byHand(
      `SELECT o.order_id FROM rollup_orders o JOIN accounts a ON a.number = o.account WHERE a.member_id = '${member}' ORDER BY 1`
    ),
    (rows) => rows.map(({ order_id }) => String(order_id))
  )
const buyer = (member: string) =>
  Effect.map(
    Scenario.byHand(
      `SELECT b.orders::int, b.spend::int, b.last_order::float8, b.order_before::float8
        FROM rollup_buyers b JOIN accounts a ON a.number = b.account WHERE a.member_id = '${member}'`
    ),
    ([row]) => row
  )
const sales = Scenario.byHand("SELECT * FROM rollup_sales ORDER BY program_id, span, start, location_id")

const isSound = Effect.gen(function* () {
  assert.deepStrictEqual((yield* Scenario.verify()).found, [])
})

layer(Scenario.layer, { excludeTestServices: true })("orders whose figures are deleted", (it) => {
  it.effect("stay in the sums, and the figures are the same before and after", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      for (const n of [1, 2, 3, 4, 5]) yield* earn("ada", `ada-${n}`, n * 1_000)
      yield* adjust("void", "ada", "ada-2", 2_000)
      yield* Scenario.countRollups
      const [before, soldBefore] = [yield* buyer("ada"), yield* sales]
      assert.deepInclude(before, { orders: 4, spend: 13_000 })
      yield* forget(2)
      assert.deepStrictEqual(yield* orders("ada"), ["ada-2", "ada-5"], "figures of promotions read the voided one")
      assert.deepStrictEqual(yield* buyer("ada"), before)
      assert.deepStrictEqual(yield* sales, soldBefore)
      yield* isSound

      yield* earn("ada", "ada-6", 6_000)
      yield* Scenario.countRollups
      assert.deepInclude(yield* buyer("ada"), { orders: 5, spend: 19_000 })
      yield* isSound
    })
  )

  it.effect("come back with all of the member's when one is refunded or voided, and go again", () =>
    Effect.gen(function* () {
      yield* enroll("bo")
      yield* enroll("cy")
      for (const n of [1, 2, 3]) yield* earn("bo", `bo-${n}`, n * 1_000)
      for (const n of [1, 2, 3]) yield* earn("cy", `cy-${n}`, n * 1_000)
      yield* Scenario.countRollups
      yield* forget(100)
      assert.deepStrictEqual(yield* orders("bo"), [])
      yield* adjust("partial_refund", "bo", "bo-1", 400)
      yield* adjust("void", "bo", "bo-3", 3_000)
      yield* Scenario.countRollups
      assert.deepStrictEqual(yield* orders("bo"), ["bo-1", "bo-2", "bo-3"])
      assert.deepStrictEqual(yield* orders("cy"), ["cy-3"], "others stay deleted")
      const [times] = yield* Scenario.byHand(
        "SELECT max(at)::float8 AS last, min(at)::float8 AS first FROM rollup_orders WHERE order_id IN ('bo-1', 'bo-2')"
      )
      const after = { orders: 2, spend: 2_600, last_order: times?.["last"], order_before: times?.["first"] }
      assert.deepStrictEqual(yield* buyer("bo"), after)
      yield* isSound
      yield* forget(1)
      assert.deepStrictEqual(yield* orders("bo"), ["bo-3"], "the voided one")
      assert.deepStrictEqual(yield* buyer("bo"), after)
      yield* isSound
    })
  )

  it.effect("that a campaign's report counts stay", () =>
    Effect.gen(function* () {
      yield* enroll("dee")
      for (const n of [1, 2, 3]) yield* earn("dee", `dee-${n}`, 1_000)
      yield* Scenario.countRollups
      yield* Scenario.byHand(
        `INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, holdout_percent, attribution_days, status, created_at, updated_at)
          VALUES ('c', '${program_id}', 'C', 's', '{}', 0, 7, 'active', 0, 0)`,
        "INSERT INTO campaign_runs (run_id, campaign_id, scope, segment_id, action, started_at) VALUES ('r', 'c', 1, 's', '{}', 0)",
        `INSERT INTO campaign_targets (run, account, scope, member_id, outcome, at)
          SELECT r.n, o.account, 1, 'dee', 'holdout', o.at FROM campaign_runs r, rollup_orders o WHERE o.order_id = 'dee-1'`
      )
      yield* earn("dee", "dee-4", 1_000)
      yield* Scenario.countRollups
      yield* forget(2)
      assert.deepStrictEqual(yield* orders("dee"), ["dee-2", "dee-3", "dee-4"])
      yield* isSound
    })
  )

  it.effect("stay deleted with their sums where the journal has not the records of all", () =>
    Effect.gen(function* () {
      yield* enroll("eve")
      for (const n of [1, 2, 3]) yield* earn("eve", `eve-${n}`, 1_000)
      yield* Scenario.countRollups
      yield* forget(100)
      const before = yield* buyer("eve")
      const own = "account = (SELECT number FROM accounts WHERE member_id = 'eve')"
      yield* Scenario.byHand(`UPDATE rollup_older SET removed = removed + 1 WHERE ${own}`)
      yield* adjust("void", "eve", "eve-1", 1_000)
      yield* Scenario.countRollups
      assert.deepStrictEqual(yield* orders("eve"), ["eve-3"])
      assert.deepStrictEqual(yield* buyer("eve"), before)
      // With all records there, the next change brings them back as they are.
      yield* Scenario.byHand(`UPDATE rollup_older SET removed = removed - 1 WHERE ${own}`)
      yield* adjust("void", "eve", "eve-2", 1_000)
      yield* Scenario.countRollups
      assert.deepStrictEqual(yield* orders("eve"), ["eve-1", "eve-2", "eve-3"])
    })
  )

  it.effect("are compared by journal verify, and damage is found", () =>
    Effect.gen(function* () {
      yield* Scenario.byHand(
        "UPDATE rollup_older SET spend = spend + 1 WHERE account = (SELECT min(account) FROM rollup_older)"
      )
      const { found } = yield* Scenario.verify()
      assert.isTrue(
        found.some(({ table }) => table === "rollup_older"),
        JSON.stringify(found)
      )
    })
  )

  it.effect("that stay are not the oldest one that is to be deleted with time", () =>
    Effect.gen(function* () {
      yield* enroll("fay")
      for (const n of [1, 2]) yield* earn("fay", `fay-${n}`, 1_000)
      yield* adjust("void", "fay", "fay-1", 1_000)
      yield* Scenario.countRollups
      yield* forget(100)
      assert.deepStrictEqual(yield* orders("fay"), ["fay-1", "fay-2"])
      const [newest] = yield* Scenario.byHand("SELECT at AS oldest FROM rollup_orders WHERE order_id = 'fay-2'")
      assert.deepStrictEqual(yield* Scenario.byHand(retention.oldest), [newest])
    })
  )

  it.effect("go by batches, and between two of them the figures go on", () =>
    Effect.gen(function* () {
      const { step } = yield* Rollups
      yield* enroll("gil")
      for (const n of [1, 2, 3]) {
        yield* earn("gil", `gil-${n}`, 1_000)
        yield* Scenario.byHand(
          "SELECT f.* FROM (SELECT max(at) AS newest FROM rollup_orders) o, forget_orders(o.newest, 1) f"
        )
        // The first step may be refused for the batch before it; the next one reads again.
        yield* step(100)
        yield* step(100)
        assert.deepInclude(yield* buyer("gil"), { orders: n, spend: n * 1_000 })
      }
    })
  )

  it.effect("are not read to tell the oldest one that is left", () =>
    Effect.gen(function* () {
      const lines = yield* Scenario.byHand("SET enable_seqscan = off", `EXPLAIN ${retention.oldest}`)
      const plan = lines.map((line) => String(line["QUERY PLAN"])).join("\n")
      assert.match(plan, /Limit.*\n.*Index (Only )?Scan using rollup_orders_at/, plan)
    })
  )

  it.effect("stay while the figures are made anew from the first record", () =>
    Effect.gen(function* () {
      const far = Date.UTC(2090, 0, 1)
      const [row] = yield* Scenario.byHand(`SELECT * FROM forget_orders(${far}, 10)`)
      assert.deepInclude(row, { more: false })
      assert.strictEqual(Number(row?.["deleted"]), 0)
    })
  )
})

/** Records of an account, counted at the position (2, 5). */
const told = (account: number, events: ReadonlyArray<object>, isCounted = true, isNewest = false) =>
  ({ account, events, isCounted, isNewest }) as unknown as Parameters<typeof heldBy>[2][number]
const accrual = (order: string) => ({ type: "posted", op: "accrual", unit: "points", at: 1, order, spend: 1_000 })
const away = (order: string, account: number, seq: number) => ({
  type: "order_adjusted",
  order,
  delta: 0,
  moved: { account, member: "b", seq }
})
const held = (records: Parameters<typeof heldBy>[2]) =>
  heldBy(new Set([1]), "p", records, { account: 2, seq: 5 }).map(({ delta, earnedBy, isClosed, order }) => [
    order,
    earnedBy,
    delta,
    isClosed
  ])

it("an order that was moved away is not the member's, one that came is, with its changes", () => {
  const records = [
    told(1, [accrual("kept"), { type: "order_adjusted", order: "kept", delta: -300 }]),
    told(1, [accrual("gone")]),
    told(1, [away("gone", 2, 9)]),
    told(3, [accrual("came"), { type: "order_adjusted", order: "came", delta: -1_000, closes: true }]),
    told(1, [{ type: "order_received", order: "came", move: 1, account: 3, before: [3] }])
  ]
  assert.deepStrictEqual(held(records), [
    ["kept", 1, -300, false],
    ["came", 1, -1_000, true]
  ])
})

it("a move is counted with the record that receives the order, whichever of both the position is after", () => {
  const accrued = told(1, [accrual("moved")])
  assert.lengthOf(held([accrued, told(1, [away("moved", 2, 6)], true, true)]), 1, "the other record is not counted yet")
  assert.lengthOf(held([accrued, told(1, [away("moved", 2, 5)], true, true)]), 0)
  assert.lengthOf(held([accrued, told(1, [away("moved", 2, 5)], false, true)]), 0, "the other record alone is counted")
})

layer(Scenario.layer, { excludeTestServices: true })(
  "orders whose figures are deleted and whose records are archived",
  (it) => {
    it.effect("come back out of the files when one is refunded", () =>
      Effect.gen(function* () {
        const to = yield* Archiving.folder
        for (const member of ["ada", "bo"]) yield* enroll(member)
        for (const n of [1, 2, 3]) yield* earn("ada", `ada-${n}`, n * 1_000)
        for (const span of [1, 2, 3]) {
          yield* Archiving.begin
          yield* earn("bo", `bo-${span}`, 1_000)
        }
        yield* Scenario.countRollups
        yield* forget(100)
        for (const _ of [1, 2, 3]) yield* Archiving.seal
        assert.strictEqual(yield* Archiving.archiveAll(to), 2)
        assert.deepInclude(yield* buyer("ada"), { orders: 3, spend: 6_000 })
        const onNode = Effect.provide(Layer.fresh(Scenario.service).pipe(Layer.provide(ArchiveFiles.layer(to))))
        yield* Effect.andThen(adjust("partial_refund", "ada", "ada-2", 400), Scenario.countRollups).pipe(onNode)
        assert.deepStrictEqual(yield* orders("ada"), ["ada-1", "ada-2", "ada-3"])
        assert.deepInclude(yield* buyer("ada"), { orders: 3, spend: 5_600 })
        const { found } = yield* Scenario.verify(100, { isFull: true }).pipe(Effect.provide(ArchiveFiles.layer(to)))
        assert.deepStrictEqual(found, [])
      }).pipe(Effect.scoped)
    )
  }
)
