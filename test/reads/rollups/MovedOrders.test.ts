/** contract/operators.md *Moving an order*: no figure counts a moved order twice, and each member has its own orders. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import { RollupStore } from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../reconcile/Scenario.ts"

const program_id = Testing.demoProgram.id
const usd = (amount: number) => ({ amount, currency: "USD" })

/** An order as this test knows it. */
interface Known {
  holder: string
  left: number
  readonly paid: number
}

const refund = (member_id: string, order: string, adjustment_id: string, cents: number) =>
  Testing.call("order.adjust", {
    context: Testing.context(),
    member_id,
    program_id,
    adjustment: {
      adjustment_id,
      original_order_id: order,
      type: "partial_refund",
      reason: "returned",
      occurred_at: "2026-07-14T10:00:00Z",
      order_total_delta: usd(-cents),
      eligible_spend_delta: usd(-cents)
    }
  })

/** Deletes the figures of the oldest orders, a share of all that are there. */
const forget = (share: number) =>
  Scenario.byHand(
    `SELECT f.* FROM (SELECT percentile_disc(${share}) WITHIN GROUP (ORDER BY at) AS before FROM rollup_orders) o,
      forget_orders(o.before, 10) f WHERE o.before IS NOT NULL`
  )

const isSound = Effect.gen(function* () {
  assert.deepStrictEqual((yield* Scenario.verify()).found, [])
})

layer(Scenario.layer, { excludeTestServices: true })("orders that are moved", (it) => {
  it.effect(
    "count once, with the member that has them, wherever the counting stops, among refunds and merges",
    () =>
      Effect.gen(function* () {
        const { merge, moveOrder } = yield* Accounts
        const rollups = yield* Rollups
        const random = RandomOf.make(20_261_127, "moves")
        const deletions = RandomOf.make(20_261_127, "deletions")
        const orders = new Map<string, Known>()
        /** Members, and the ones that they were merged into. */
        const into = new Map<string, string>()
        const present = (member: string): string => (into.has(member) ? present(into.get(member) ?? "") : member)
        const members = Array.from({ length: 8 }, (_, n) => `g-${n}`)
        for (const member of members) yield* enroll(member)
        let moves = 0
        for (let n = 0; n < 160; n++) {
          const chance = random.next()
          const [id, order] = orders.size === 0 ? [] : random.pick([...orders])
          if (id === undefined || order === undefined || chance < 0.35) {
            const [member, cents] = [random.pick(members), random.whole(0, 9_000)]
            yield* earn(member, `order-${n}`, cents)
            orders.set(`order-${n}`, { holder: present(member), left: cents, paid: cents })
          } else if (chance < 0.55) {
            const cents = random.whole(1, 2_000)
            const done = yield* refund(order.holder, id, `refund-${n}`, cents)
            assert.strictEqual(done._tag === "Answer", cents <= order.left, JSON.stringify(done))
            if (done._tag === "Answer") order.left -= cents
          } else if (chance < 0.9) {
            const to = random.pick(members)
            const asked = { order: id, from: order.holder, into: to, reason: "test" }
            const done = yield* moveOrder(program_id, asked)
            const expected = present(to) === order.holder ? "Refusal" : "Answered"
            assert.strictEqual(done._tag, expected, JSON.stringify(done))
            if (done._tag === "Answered") moves++
            order.holder = present(to)
          } else if (into.size < 4) {
            const [from, other] = [present(random.pick(members)), present(random.pick(members))]
            if (from === other) continue
            assert.strictEqual((yield* merge(program_id, { from, into: other }))._tag, "Answered")
            into.set(from, other)
            for (const one of orders.values()) one.holder = present(one.holder)
          }
          // Figures of old orders are deleted meanwhile; their refunds and moves go on.
          if (deletions.next() < 0.25) yield* forget(deletions.next())
          // Stops between the two records of a move, too.
          if (random.next() < 0.4) yield* Effect.ignore(rollups.step(random.whole(1, 5)))
          if (n % 20 === 0) yield* isSound
        }
        assert.isAbove(moves, 30)
        yield* Scenario.countRollups
        yield* isSound
        const all = [...orders.values()]
        const counting = all.filter(({ left, paid }) => paid === 0 || left > 0)
        const total = { orders: counting.length, spend: all.reduce((sum, { left }) => sum + left, 0) }
        const [sales] = yield* Scenario.byHand(
          "SELECT sum(orders)::float8 AS orders, sum(spend)::float8 AS spend FROM rollup_sales WHERE span = 0"
        )
        assert.deepStrictEqual(sales, total)
        const [activity] = yield* Scenario.byHand(
          "SELECT sum(orders - closed)::float8 AS counting, sum(orders)::float8 AS orders, sum(eligible_spend)::float8 AS spend FROM rollup_activity WHERE location_id = ''"
        )
        assert.deepStrictEqual(
          { ...activity },
          { counting: counting.length, orders: all.length, spend: all.reduce((sum, { paid }) => sum + paid, 0) }
        )
        const [buyers] = yield* Scenario.byHand("SELECT sum(orders)::float8 AS orders FROM rollup_buyers")
        assert.deepStrictEqual(buyers, { orders: counting.length })
        // Made anew, the figures have every order.
        yield* (yield* RollupStore).reset
        yield* Scenario.countRollups
        yield* isSound
        const rows = yield* Scenario.byHand(
          "SELECT a.member_id, o.order_id, o.accrued::float8, o.spend::float8 FROM rollup_orders o JOIN accounts a ON a.number = o.account"
        )
        assert.deepStrictEqual(
          rows.map((row) => Object.values(row)).toSorted((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1)),
          [...orders]
            .map(([id, { holder, left, paid }]) => [holder, id, paid, left])
            .toSorted((a, b) => (String(a[1]) < String(b[1]) ? -1 : 1))
        )
      }),
    120_000
  )
})
