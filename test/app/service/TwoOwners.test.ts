/**
 * Two services on one PostgreSQL, both fed the same accounts at once: the
 * journal's key is the fence, and an owner that finds itself stale reloads.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Context } from "effect"
import { Effect, Layer } from "effect"
import { balanceOf, credit, earn, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Handled, Handlers } from "../../../src/core/protocol/Handler.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const service = HandlersOf.layer.pipe(
  Layer.provide(Accounts.layer()),
  Layer.provide(Programs.layerFrom([Testing.demoProgram])),
  Layer.provide(PgJournal.layer)
)

type Node = Context.Context<Handlers>

const nodes = Effect.all([Layer.build(Layer.fresh(service)), Layer.build(Layer.fresh(service))])
const on = <A, E>(node: Node, effect: Effect.Effect<A, E, Handlers>): Effect.Effect<A, E> =>
  Effect.provide(effect, node)

/** Copies of a call, sent to both nodes in turns, all at once. */
const both = (
  [first, second]: readonly [Node, Node],
  count: number,
  call: (index: number) => Effect.Effect<Handled, never, Handlers>
) =>
  Effect.all(
    Array.from({ length: count }, (_, index) => on(index % 2 === 0 ? first : second, call(index))),
    { concurrency: "unbounded" }
  )

const codes = (outcomes: ReadonlyArray<Handled>) =>
  Object.entries(Object.groupBy(outcomes, (outcome) => (outcome._tag === "Refusal" ? outcome.code : outcome._tag))).map(
    ([code, all]) => [code, all?.length]
  )

const reserve = (index: number) =>
  Testing.call("redemption.reserve", {
    context: Testing.context(),
    redemption_id: `red-${index}`,
    member_id: "ada",
    reward_id: "one-off",
    order: Testing.order(`order-${index}`, 500, { status: "open", ...Testing.placedNow })
  })

const debit = (index: number) =>
  Testing.call("ledger.manual_adjustment", {
    context: Testing.context(),
    member_id: "ada",
    program_id: "demo-foodservice",
    adjustment_id: `debit-${index}`,
    amount: -100,
    classification: "service_recovery",
    reason: "test",
    qualifies_for_tier: false
  })

const reservationOf = (outcome: Handled): string => {
  if (outcome._tag !== "Answer") throw new Error(JSON.stringify(outcome))
  return (outcome.body as { reservation: { reservation_id: string } }).reservation.reservation_id
}

const sumOf = (entries: ReadonlyArray<{ readonly amount: number }>) =>
  entries.reduce((sum, entry) => sum + entry.amount, 0)

/** An answer as text, whether or not it is the key's first. */
const withoutReplay = (outcome: Handled): string => JSON.stringify({ ...outcome, isReplay: undefined })

describe("two owners of one account", () => {
  it.live("Balances: debits and holds sent to both at once never take more than there is", () =>
    Effect.gen(function* () {
      const pair = yield* nodes
      const [first, second] = pair
      yield* on(first, enroll("ada"))
      yield* on(first, credit("ada", 1050))
      const outcomes = yield* both(pair, 40, (index) => (index % 4 < 2 ? debit(index) : reserve(index)))
      assert.deepStrictEqual(new Map(codes(outcomes) as Array<[string, number]>).get("Answer"), 10)
      assert.deepStrictEqual(codes(outcomes).length, 2, JSON.stringify(codes(outcomes)))
      // Either may be the one that did not write last; a refusal of either is decided on the newest state.
      for (const node of [first, second]) {
        assert.deepInclude(yield* on(node, debit(100)), { _tag: "Refusal", code: "insufficient_balance" })
        const { amount, available, reserved } = yield* on(node, balanceOf("ada"))
        assert.strictEqual(available, 50)
        assert.strictEqual(amount - reserved, 50)
        assert.strictEqual(sumOf(yield* on(node, ledgerOf("ada"))), amount)
      }
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.live("a stale owner's refusal is decided again on what the other one wrote", () =>
    Effect.gen(function* () {
      const [first, second] = yield* nodes
      yield* on(first, enroll("ada"))
      assert.deepInclude(yield* on(second, debit(1)), { code: "insufficient_balance" })
      yield* on(first, credit("ada", 100))
      assert.strictEqual((yield* on(second, debit(2)))._tag, "Answer")
      assert.deepInclude(yield* on(first, debit(3)), { code: "insufficient_balance" })
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.live("Idempotency: one key, and one order under many keys, are one entry whichever node is asked", () =>
    Effect.gen(function* () {
      const pair = yield* nodes
      yield* on(pair[0], enroll("ada"))
      const accrue = (key: string | undefined, order: string) =>
        Testing.call("accrual.post", {
          context: Testing.context(key),
          member_id: "ada",
          order: Testing.order(order, 1000, Testing.placedNow)
        })
      const sameKey = yield* both(pair, 20, () => accrue("the-only-key", "order-1"))
      assert.strictEqual(new Set(sameKey.map(withoutReplay)).size, 1)
      assert.strictEqual(sameKey.filter((outcome) => outcome._tag === "Answer" && outcome.isReplay !== true).length, 1)
      const sameOrder = yield* both(pair, 20, () => accrue(undefined, "order-2"))
      const entries = sameOrder.map((outcome) =>
        outcome._tag === "Answer" ? JSON.stringify((outcome.body as { readonly entry: unknown }).entry) : outcome._tag
      )
      assert.strictEqual(new Set(entries).size, 1)
      assert.strictEqual(sameOrder.filter((outcome) => outcome._tag === "Answer" && outcome.created).length, 1)
      for (const node of pair) assert.strictEqual(sumOf(yield* on(node, ledgerOf("ada"))), 200)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.live("Redemption: one hold captured and reversed on both nodes at once ends once", () =>
    Effect.gen(function* () {
      const pair = yield* nodes
      yield* on(pair[0], enroll("ada"))
      yield* on(pair[0], credit("ada", 1000))
      for (let round = 0; round < 5; round++) {
        const reservation_id = reservationOf(yield* on(pair[round % 2]!, reserve(round)))
        yield* both(pair, 12, (index) =>
          index % 3 === 0
            ? Testing.call("redemption.reverse", { context: Testing.context(), reservation_id, reason: "test" })
            : Testing.call("redemption.capture", {
                context: Testing.context(),
                reservation_id,
                order_id: `order-${round}`
              })
        )
      }
      const [row] = yield* TestDatabase.query(`SELECT count(*) FILTER (WHERE operation = 'redemption')::int AS redeemed,
        count(*) FILTER (WHERE operation = 'reversal')::int AS reversed, count(DISTINCT reservation_id)::int AS holds
        FROM ledger_entries WHERE reservation_id IS NOT NULL`)
      assert.strictEqual(row?.["redeemed"], row?.["holds"])
      assert.strictEqual(row?.["reversed"], row?.["holds"])
      for (const node of pair) {
        assert.deepInclude(yield* on(node, balanceOf("ada")), { amount: 1000, reserved: 0, available: 1000 })
      }
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )

  it.live("no sequence number twice and no gap, whatever both write to ten accounts", () =>
    Effect.gen(function* () {
      const pair = yield* nodes
      const members = Array.from({ length: 10 }, (_, index) => `m-${index}`)
      for (const member of members) yield* on(pair[0], enroll(member))
      const answers = yield* Effect.all(
        Array.from({ length: 400 }, (_, index) =>
          on(pair[index % 2]!, earn(members[index % 7] ?? "", `order-${index}`, 1000))
        ),
        { concurrency: 64 }
      )
      const rows = yield* TestDatabase.query(`SELECT account, count(*)::int AS records, max(seq)::int AS last,
        (SELECT seq FROM accounts WHERE number = account)::int AS said FROM journal GROUP BY account`)
      assert.strictEqual(rows.length, members.length)
      for (const row of rows) assert.deepStrictEqual([row["last"], row["said"]], [row["records"], row["records"]])
      const [total] = yield* TestDatabase.query("SELECT sum(amount)::int AS points FROM ledger_entries")
      assert.strictEqual(total?.["points"], sumOf(answers.map(({ entry }) => entry)))
      assert.strictEqual(new Set(answers.map(({ entry }) => entry.entry_id)).size, answers.length)
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )
})
