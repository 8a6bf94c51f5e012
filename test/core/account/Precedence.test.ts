/**
 * contract/idempotency.md *Precedence of answers*: the key's record, the
 * business identifier's record, existence, member status, state. In each row
 * every reason below its own applies as well, as far as it can.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"

const program_id = Testing.demoProgram.id

interface Debit {
  readonly key: string
  readonly member: string
  readonly adjustment: string
  readonly amount: number
}

const debit = ({ adjustment, amount, key, member }: Debit) =>
  Testing.call("ledger.manual_adjustment", {
    context: Testing.context(key),
    member_id: member,
    program_id,
    adjustment_id: adjustment,
    amount,
    classification: "service_recovery",
    reason: "test",
    qualifies_for_tier: false
  })

const done: Debit = { key: "key-of-the-first", member: "ada", adjustment: "adjustment-first", amount: -100 }
const isNew = { key: "another-key", adjustment: "adjustment-new" }

/** Ada and Cleo have nothing left, Ada is suspended, and there is no Nobody. */
const rows: ReadonlyArray<readonly [string, Debit, string]> = [
  ["the key's record, same payload", done, "first"],
  ["the key's record, another payload", { ...done, member: "nobody", amount: -200 }, "idempotency_conflict"],
  ["the key's record, another identifier", { ...done, adjustment: isNew.adjustment }, "idempotency_conflict"],
  ["the identifier's record, same facts", { ...done, key: isNew.key }, "first"],
  ["the identifier's record, other facts", { ...done, key: isNew.key, amount: -200 }, "conflict"],
  ["the identifier's record, another member", { ...done, key: isNew.key, member: "cleo" }, "conflict"],
  ["the identifier's record, no such member", { ...done, key: isNew.key, member: "nobody" }, "conflict"],
  ["existence", { ...done, ...isNew, member: "nobody" }, "not_found"],
  ["member status", { ...done, ...isNew }, "member_not_active"],
  ["state", { ...done, ...isNew, member: "cleo" }, "insufficient_balance"]
]

describe("precedence of answers", () => {
  it.effect.each(rows)("%s", ([, request, expected]) =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* enroll("cleo")
      yield* credit("ada", 100)
      const first = yield* debit(done)
      assert.strictEqual(first._tag, "Answer")
      const accounts = yield* Accounts
      const suspended = yield* accounts.execute(program_id, "ada", {
        action: { type: "set_status", status: "suspended", reason: "test" },
        guards: {}
      })
      assert.strictEqual(suspended._tag, "Answered")
      const answer = yield* debit(request)
      if (answer._tag === "Refusal") assert.strictEqual(answer.code, expected)
      else if (answer._tag === "Answer" && first._tag === "Answer") {
        assert.strictEqual(expected, "first")
        assert.deepStrictEqual(
          (answer.body as { readonly entry: unknown }).entry,
          (first.body as { readonly entry: unknown }).entry
        )
      } else assert.fail(JSON.stringify(answer))
    }).pipe(Effect.provide(Testing.layer()))
  )
})

const refund = (key: string, adjustment_id: string) => {
  const delta = { amount: -1000, currency: "USD" }
  return Testing.call("order.adjust", {
    context: Testing.context(key),
    member_id: "ada",
    program_id,
    adjustment: {
      adjustment_id,
      original_order_id: "order-1",
      type: "partial_refund",
      reason: "test",
      occurred_at: "2026-07-14T10:00:00Z",
      order_total_delta: delta,
      eligible_spend_delta: delta,
      lines: [{ line_id: "line-1", quantity_delta: -1, subtotal_delta: delta }]
    }
  })
}

describe("Adjusting an order: what was done before is not measured again", () => {
  it.effect("a repeat of the refund that took all is its replay, another refund is refused", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 6, 14, 10))
      yield* enroll("ada")
      yield* earn("ada", "order-1", 1000)
      const first = yield* refund("refund-key", "refund-1")
      assert.strictEqual(first._tag, "Answer")
      for (const key of ["refund-key", "refund-another-key"]) {
        const again = yield* refund(key, "refund-1")
        assert.strictEqual(again._tag, "Answer")
        if (again._tag !== "Answer" || first._tag !== "Answer") return
        assert.deepStrictEqual(entryOf(again.body), entryOf(first.body))
      }
      const other = yield* refund("other-key", "refund-2")
      assert.deepInclude(other, { _tag: "Refusal", code: "invalid_state" })
    }).pipe(Effect.provide(Testing.layer()))
  )
})

const entryOf = (body: object) => ("entry" in body ? body.entry : undefined)
