/** contract/idempotency.md *Keys*, on PostgreSQL: a key beside a business identifier is found again whatever the node has forgotten. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Handled, Handlers } from "../../../src/core/protocol/Handler.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const service = HandlersOf.layer.pipe(
  Layer.provide(Accounts.layer()),
  Layer.provide(Programs.layerFrom([Testing.demoProgram])),
  Layer.provide(PgJournal.layer)
)
/** A service that has just started, on the same database. */
const restarted = <A, E>(effect: Effect.Effect<A, E, Handlers>) => Effect.provide(effect, Layer.fresh(service))

const reserve = (key: string, redemption_id: string, member_id: string) =>
  Testing.call("redemption.reserve", {
    context: Testing.context(key),
    redemption_id,
    member_id,
    reward_id: "one-off",
    order: Testing.order(`order of ${redemption_id}`, 500, { status: "open", ...Testing.placedNow })
  })
const capture = (key: string, { reservation_id }: { readonly reservation_id: string }, order: string) =>
  Testing.call("redemption.capture", { context: Testing.context(key), reservation_id, order_id: order })

const guest = (member: string) => Effect.andThen(enroll(member), credit(member, 5_000))

const bodyOf = (handled: Handled): object =>
  handled._tag === "Answer" ? handled.body : assert.fail(JSON.stringify(handled))
const reservationOf = (handled: Handled) =>
  (bodyOf(handled) as { readonly reservation: { readonly reservation_id: string } }).reservation
const told = (handled: Handled) =>
  handled._tag === "Answer"
    ? { isCreated: handled.created, isReplay: handled.isReplay === true, body: handled.body }
    : "code" in handled
      ? handled.code
      : handled._tag

/** How many keys are apart, how many records have one, and how many of either are in `claims` too. */
const keysIn = Effect.map(
  TestDatabase.query(`SELECT (SELECT count(*)::int FROM keys) AS keys, (SELECT count(*)::int FROM journal WHERE key IS NOT NULL) AS records,
    (SELECT count(*)::int FROM claims c WHERE c.key IN (SELECT key FROM keys UNION SELECT key FROM journal WHERE key IS NOT NULL)) AS both`),
  ([row]) => row
)

it.layer(TestDatabase.layer, { excludeTestServices: true })("a key beside a business identifier", (it) => {
  it.effect("of a reservation is a replay after a restart, also where only the redemption is known again", () =>
    Effect.gen(function* () {
      const first = yield* restarted(
        Effect.gen(function* () {
          yield* guest("ada")
          const first = yield* reserve("key-1", "redemption-1", "ada")
          yield* capture("capture-1", reservationOf(first), "order of redemption-1")
          return first
        })
      )
      const again = yield* restarted(
        Effect.gen(function* () {
          // Another key asks for the same: it is told how the reservation is now.
          assert.strictEqual((yield* reserve("key-2", "redemption-1", "ada"))._tag, "Answer")
          return yield* reserve("key-1", "redemption-1", "ada")
        })
      )
      assert.deepStrictEqual(told(again), { isCreated: true, isReplay: true, body: bodyOf(first) })
      assert.deepInclude(yield* keysIn, { both: 0 })
    })
  )

  it.effect("is a conflict with another redemption after a restart, also where that is known again", () =>
    Effect.gen(function* () {
      const first = yield* restarted(
        Effect.gen(function* () {
          yield* guest("bob")
          const first = yield* reserve("key-3", "redemption-3", "bob")
          yield* reserve("key-4", "redemption-4", "bob")
          return first
        })
      )
      yield* restarted(
        Effect.gen(function* () {
          assert.strictEqual((yield* reserve("key-5", "redemption-4", "bob"))._tag, "Answer")
          assert.strictEqual(told(yield* reserve("key-3", "redemption-4", "bob")), "idempotency_conflict")
          assert.deepStrictEqual(told(yield* reserve("key-3", "redemption-3", "bob")), {
            isCreated: true,
            isReplay: true,
            body: bodyOf(first)
          })
        })
      )
      assert.deepInclude(yield* keysIn, { both: 0 })
    })
  )

  it.effect("has an end under every operation, the first time and when the identifier is repeated", () =>
    Effect.gen(function* () {
      const { call, context } = Testing
      const delta = { amount: -100, currency: "USD" }
      const adjustment = {
        adjustment_id: "refund-1",
        original_order_id: "order-1",
        type: "partial_refund",
        reason: "test",
        occurred_at: Testing.placedNow.placed_at,
        order_total_delta: delta,
        eligible_spend_delta: delta,
        lines: [{ line_id: "line-1", quantity_delta: 0, subtotal_delta: delta }]
      } as const
      const debit = {
        adjustment_id: "debit-1",
        amount: -1,
        classification: "service_recovery",
        reason: "test"
      } as const
      const operations: ReadonlyArray<(key: string) => Effect.Effect<Handled, never, Handlers>> = [
        (key) =>
          call("accrual.post", {
            context: context(key),
            member_id: "cleo",
            order: Testing.order("order-1", 1_000, Testing.placedNow)
          }),
        (key) => call("order.adjust", { context: context(key), member_id: "cleo", program_id, adjustment }),
        (key) => reserve(key, "redemption-6", "cleo"),
        (key) =>
          call("ledger.manual_adjustment", {
            context: context(key),
            member_id: "cleo",
            program_id,
            ...debit,
            qualifies_for_tier: false
          }),
        (key) =>
          call("issued_reward.issue", {
            context: context(key),
            issued_reward_id: "gift-1",
            member_id: "cleo",
            program_id,
            reward_id: "free-bowl",
            artifact: { type: "code", value: "GIFT-1" }
          })
      ]
      yield* restarted(guest("cleo"))
      for (const [index, send] of operations.entries()) {
        const before = yield* keysIn
        for (const key of ["first", "second"]) {
          yield* restarted(
            Effect.map(send(`${key} of ${index}`), (handled) => assert.strictEqual(handled._tag, "Answer", `${index}`))
          )
        }
        assert.deepStrictEqual(
          yield* keysIn,
          { keys: Number(before?.["keys"]) + 2, records: Number(before?.["records"]) + 2, both: 0 },
          `${index}`
        )
      }
    })
  )
})
