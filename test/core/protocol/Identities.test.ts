/**
 * contract/operations.md *Naming the member by identity*: evaluations and accruals take an identity instead of a member
 * id.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { balanceOf, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { decodeRequest } from "../../../src/contract/protocol/DecodeRequest.ts"
import type { RequestOf } from "../../../src/contract/protocol/Operations.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import type { Handled } from "../../../src/core/protocol/Handler.ts"

type Accrual = RequestOf<"accrual.post">
type Name = Pick<Accrual, "identity" | "member_id">

const program_id = "demo-foodservice"
const said = (handled: Handled) => ("code" in handled ? handled.code : handled._tag)

const replayed = (handled: Handled) => ({ ...handled, isReplay: true }) as Handled

const card = (value: string): Name => ({ identity: { type: "loyalty_id", value, issuer: "till" } })

const enrolWith = (member_id: string, value: string) =>
  Testing.call("member.enroll", {
    context: Testing.context(),
    program_id,
    member_id,
    identity: { type: "loyalty_id", value, issuer: "till" }
  })

const accrue = (name: Name, key: string, amount = 10_000, order_id = "order-1") =>
  Testing.call("accrual.post", {
    context: Testing.context(key),
    ...name,
    order: Testing.order(order_id, amount, Testing.placedAt(0))
  })

describe("identity instead of member_id", () => {
  it.effect("an accrual by either name is the same, under its key and under another", () =>
    Effect.gen(function* () {
      yield* enrolWith("ada", "4711")
      const first = yield* accrue(card("4711"), "the-key-1")
      assert.strictEqual(first._tag, "Answer")
      const replay = yield* accrue({ member_id: "ada" }, "the-key-1")
      assert.deepStrictEqual(replay, replayed(first))
      const repeat = yield* accrue({ member_id: "ada" }, "the-key-2")
      assert.strictEqual(said(repeat), "Answer")
      assert.deepStrictEqual(yield* accrue(card("4711"), "the-key-2"), replayed(repeat))
      assert.strictEqual(said(yield* accrue(card("4711"), "the-key-3")), "Answer")
      assert.strictEqual((yield* balanceOf("ada")).amount, 1_000)
      assert.strictEqual(said(yield* accrue(card("4711"), "the-key-1", 500)), "idempotency_conflict")
      assert.strictEqual(said(yield* accrue(card("4711"), "the-key-4", 500)), "conflict")
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("nobody has it: not_found until it was enrolled, unless the order is another member's", () =>
    Effect.gen(function* () {
      assert.strictEqual(said(yield* accrue(card("unknown"), "the-key-1")), "not_found")
      const order = Testing.order("order-1", 10_000, Testing.placedAt(0))
      const asked = { context: Testing.context(), order, ...card("unknown") }
      assert.strictEqual(said(yield* Testing.call("order.evaluate", asked)), "not_found")
      yield* enrolWith("ben", "unknown")
      assert.strictEqual(said(yield* Testing.call("order.evaluate", asked)), "Answer")
      assert.strictEqual(said(yield* accrue(card("unknown"), "the-key-1")), "Answer")
      yield* enroll("ada")
      assert.strictEqual(said(yield* accrue(card("nobody"), "the-key-2")), "conflict")
      assert.strictEqual(said(yield* accrue({ member_id: "ada" }, "the-key-3")), "conflict")
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Idempotency: a retry is a replay also when nobody has the identity any more", () =>
    Effect.gen(function* () {
      yield* enrolWith("ada", "4711")
      const first = yield* accrue(card("4711"), "the-key-1")
      const accounts = yield* Accounts
      const spare = { type: "loyalty_id", value: "spare", issuer: "till" } as const
      const changed = yield* accounts.execute(program_id, "ada", {
        action: {
          type: "change_identities",
          add: [ClaimKeys.identity((yield* Journal).claimKey, program_id, spare)],
          remove: [ClaimKeys.identity((yield* Journal).claimKey, program_id, card("4711").identity!)]
        },
        identities: [spare],
        guards: {}
      })
      assert.strictEqual(changed._tag, "Answered")
      assert.deepStrictEqual(yield* accrue(card("4711"), "the-key-1"), replayed(first))
      assert.strictEqual(said(yield* accrue(card("4711"), "the-key-1", 500)), "idempotency_conflict")
      assert.strictEqual(said(yield* accrue(card("4711"), "the-key-2")), "conflict")
      assert.strictEqual(said(yield* accrue(card("4711"), "the-key-2", 500, "order-2")), "not_found")
    }).pipe(Effect.provide(Testing.layer()))
  )

  it("exactly one of the two", () => {
    const order = Testing.order("order-1", 1_000)
    const places = (name: Name) =>
      Result.match(decodeRequest("accrual.post", { context: Testing.context(), order, ...name }), {
        onFailure: (faults) => faults.map(({ path }) => path),
        onSuccess: () => []
      })
    assert.deepStrictEqual(places({}), ["/member_id"])
    assert.deepStrictEqual(places({ member_id: "ada", ...card("4711") }), ["/identity"])
    assert.deepStrictEqual(places({ member_id: "ada" }), [])
    assert.deepStrictEqual(places(card("4711")), [])
  })
})
