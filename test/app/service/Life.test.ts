/** A guest's life with the service on PostgreSQL, over real HTTP, and what a restart finds. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import type { HttpServer } from "effect/http"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { strictDecoder } from "../../../src/contract/Decode.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { operations } from "../../../src/contract/protocol/Operations.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "./TestServer.ts"

const program_id = "demo-foodservice"
const member_id = "guest-1"

/** Sends an operation; the answer must be exactly its schema's. */
const call = <Id extends OperationId>(
  id: Id,
  request: RequestOf<Id>
): Effect.Effect<
  { readonly status: number; readonly body: ResponseOf<Id>; readonly code: unknown },
  never,
  HttpServer.HttpServer
> =>
  Effect.map(TestServer.send(operations[id].path, request), ({ body, status }) => {
    if (status < 300) {
      const decoded = strictDecoder(operations[id].response as never)(body)
      if (Result.isFailure(decoded)) throw new Error(`${id}: ${JSON.stringify(decoded.failure)}`)
    }
    return { status, body: body as never, code: body["code"] }
  })

const running = Effect.provide(Layer.fresh(TestServer.layer(Layer.fresh(PgJournal.layer))))

it.live("everything a guest can do, on PostgreSQL, and all of it found again after a restart", () =>
  Effect.gen(function* () {
    const firstAccrual = {
      context: Testing.context("accrue-order-1"),
      member_id,
      order: Testing.order("order-1", 20_000, Testing.placedNow)
    }
    const before = yield* Effect.scoped(
      running(
        Effect.gen(function* () {
          const identity = { type: "loyalty_id", value: "card-1", issuer: "x" } as const
          const enrol = { program_id, identity, member_id, attributes: { name: "Ada" } }
          assert.strictEqual((yield* call("member.enroll", { context: Testing.context(), ...enrol })).status, 201)
          assert.strictEqual((yield* call("member.enroll", { context: Testing.context(), ...enrol })).status, 200)
          const other = { ...enrol, identity: { ...identity, value: "card-2" } }
          const taken = yield* call("member.enroll", { context: Testing.context(), ...other })
          assert.deepStrictEqual([taken.status, taken.code], [409, "conflict"])

          const looked = yield* call("member.lookup", { context: Testing.context(), program_id, identity })
          assert.strictEqual(looked.body.member?.member_id, member_id)
          const nobody = yield* call("member.lookup", {
            context: Testing.context(),
            program_id,
            identity: { ...identity, value: "none" }
          })
          assert.strictEqual(nobody.body.member, null)

          const evaluated = yield* call("order.evaluate", {
            context: Testing.context(),
            member_id,
            order: firstAccrual.order
          })
          assert.deepStrictEqual(evaluated.body.estimated_accrual, { unit: "points", amount: 2000 })
          const earned = yield* call("accrual.post", firstAccrual)
          assert.strictEqual(earned.status, 201)
          assert.deepInclude(earned.body.entry, { operation: "accrual", amount: 2000, order_id: "order-1" })

          const hold = {
            redemption_id: "red-1",
            member_id,
            reward_id: "free-bowl",
            order: Testing.order("order-2", 1200, Testing.placedNow)
          }
          const held = yield* call("redemption.reserve", { context: Testing.context(), ...hold })
          assert.strictEqual(held.status, 201)
          const { reservation_id } = held.body.reservation
          assert.deepStrictEqual(
            held.body.reservation.funding.map((share) => share.amount),
            [{ amount: 1200, currency: "USD" }]
          )
          const wrong = yield* call("redemption.capture", {
            context: Testing.context(),
            reservation_id,
            order_id: "order-9"
          })
          assert.strictEqual(wrong.code, "conflict")
          const captured = yield* call("redemption.capture", {
            context: Testing.context(),
            reservation_id,
            order_id: "order-2"
          })
          assert.strictEqual(captured.body.balances[0]?.amount, 1000)
          const twice = yield* call("redemption.capture", {
            context: Testing.context(),
            reservation_id,
            order_id: "order-2"
          })
          assert.deepStrictEqual(twice.body.reservation, captured.body.reservation)
          const back = yield* call("redemption.reverse", { context: Testing.context(), reservation_id, reason: "cold" })
          assert.deepInclude(back.body.reservation, { status: "reversed" })
          assert.strictEqual(back.body.balances[0]?.amount, 2000)

          const money = (amount: number) => ({ amount, currency: "USD" })
          const refund = yield* call("order.adjust", {
            context: Testing.context(),
            member_id,
            program_id,
            adjustment: {
              adjustment_id: "refund-1",
              original_order_id: "order-1",
              type: "partial_refund",
              reason: "one bowl back",
              occurred_at: "2026-07-14T11:00:00Z",
              order_total_delta: money(-5000),
              eligible_spend_delta: money(-5000)
            }
          })
          assert.deepInclude(refund.body.entry, { operation: "adjustment", amount: -500 })

          const issue = { issued_reward_id: "birthday-1", member_id, program_id, reward_id: "free-bowl" }
          const issued = yield* call("issued_reward.issue", { context: Testing.context(), ...issue })
          assert.match(
            issued.body.issued_reward.artifact.value,
            /^(?:[0-9A-HJKMNP-TV-Z]{4}-){4}[0-9A-HJKMNP-TV-Z*~$=U]$/
          )
          const listed = yield* call("issued_reward.list", { context: Testing.context(), member_id, program_id })
          assert.deepStrictEqual(listed.body.issued_rewards, [issued.body.issued_reward])
          const cancelled = yield* call("issued_reward.cancel", {
            context: Testing.context(),
            issued_reward_id: "birthday-1",
            reason: "x"
          })
          assert.strictEqual(cancelled.body.issued_reward.status, "cancelled")

          const page = yield* call("ledger.list", { context: Testing.context(), member_id, program_id, limit: 2 })
          const next_cursor = page.body.next_cursor ?? ""
          const rest = yield* call("ledger.list", {
            context: Testing.context(),
            member_id,
            program_id,
            limit: 2,
            cursor: next_cursor
          })
          assert.deepStrictEqual(
            [...page.body.entries, ...rest.body.entries].map((entry) => [entry.operation, entry.amount]),
            [
              ["adjustment", -500],
              ["reversal", 1000],
              ["redemption", -1000],
              ["accrual", 2000]
            ]
          )
          const forged = yield* call("ledger.list", {
            context: Testing.context(),
            member_id,
            program_id,
            cursor: `${next_cursor.slice(0, -1)}x`
          })
          assert.strictEqual(forged.code, "invalid_cursor")
          return {
            account: (yield* call("account.get", { context: Testing.context(), member_id, program_id })).body,
            earned: earned.body
          }
        })
      )
    )

    yield* Effect.scoped(
      running(
        Effect.gen(function* () {
          const now = (yield* call("account.get", { context: Testing.context(), member_id, program_id })).body
          assert.deepStrictEqual(
            now.balances.map(({ amount, available, reserved }) => ({ amount, available, reserved })),
            before.account.balances.map(({ amount, available, reserved }) => ({ amount, available, reserved }))
          )
          assert.deepStrictEqual(now.tier_progress, before.account.tier_progress)
          assert.deepStrictEqual(now.expiring_balances, before.account.expiring_balances)
          const retry = { ...firstAccrual, context: { ...firstAccrual.context, request_id: "retry-1" } }
          const again = yield* call("accrual.post", retry)
          assert.strictEqual(again.status, 201)
          assert.deepStrictEqual(again.body, {
            ...before.earned,
            context: { ...before.earned.context, request_id: "retry-1" }
          })
          const changed = { ...retry, order: Testing.order("order-1", 30_000, Testing.placedNow) }
          assert.strictEqual((yield* call("accrual.post", changed)).code, "idempotency_conflict")
          const newKey = { ...changed, context: Testing.context() }
          assert.strictEqual((yield* call("accrual.post", newKey)).code, "conflict")
        })
      )
    )

    const [sums] = yield* TestDatabase.query(
      "SELECT sum(amount)::float8 AS entries, (SELECT balance::float8 FROM accounts) AS balance FROM ledger_entries"
    )
    assert.deepStrictEqual(sums, { entries: 1500, balance: 1500 })
  }).pipe(Effect.provide(TestDatabase.layer))
)
