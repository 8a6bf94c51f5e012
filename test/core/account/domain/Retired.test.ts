/**
 * contract/programmes.md *Retiring*: what goes on in a retired programme, and where its refusal stands among the
 * others.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { account, enroll } from "../../../../src/app/testing/Guests.ts"
import * as Testing from "../../../../src/app/testing/Testing.ts"
import type { Action } from "../../../../src/core/account/domain/Action.ts"
import type { RefusalCode } from "../../../../src/core/account/domain/Refusal.ts"
import { MemoryStorage } from "../../../../src/core/journal/MemoryJournal.ts"
import type { Handled } from "../../../../src/core/protocol/Handler.ts"
import * as S from "./Scenario.ts"

const retiredProgram = { ...Testing.demoProgram, isRetired: true }

/** A member with points, an order, two holds and a wallet, whose programme was retired then. */
const retired = (...actions: ReadonlyArray<Action>): S.Scenario => {
  const before = new S.Scenario().given(
    S.manual(1_000),
    S.accrue("order", 1_000),
    S.reserve(1),
    S.reserve(2),
    S.capture(2),
    S.issue("gift"),
    S.issue("over"),
    S.cancel("over"),
    ...actions
  )
  return before.under(retiredProgram)
}

describe("a retired programme", () => {
  it.each<[what: string, action: Action]>([
    ["captures", S.capture(1)],
    ["reversals of what is held", S.reverse(1)],
    ["reversals of what was captured", S.reverse(2)],
    ["refunds", S.adjust("order", "full_refund", -1_000)],
    ["expirations", S.expire],
    ["an operator's closing of a member", S.status("closed")],
    ["an operator's change of identities", S.identities(["new"])]
  ])("%s go on", (_, action) => {
    assert.strictEqual(retired().decide(action)._tag, "Decided")
  })

  it.each<[what: string, action: Action, code: RefusalCode]>([
    [
      "enrolling",
      { type: "enroll", program: "demo-foodservice", member: "bob", identity: "hashed" },
      "program_retired"
    ],
    ["finding the member of an identity", { type: "find_member" }, "program_retired"],
    ["an accrual", S.accrue("other", 1_000), "program_retired"],
    ["an accrual with faults of its own", S.accrue("other", 1_000, { status: "open" }), "program_retired"],
    ["a manual adjustment", S.manual(1), "program_retired"],
    ["a debit beyond the balance", S.manual(-1_000_000), "program_retired"],
    ["a reservation", S.reserve(3), "program_retired"],
    ["a reservation of an unknown reward", S.reserve(3, { reward: "none" }), "not_found"],
    ["issuing a reward", S.issue("new"), "program_retired"],
    ["issuing an unknown reward", S.issue("new", { reward: "none" }), "not_found"],
    ["cancelling a reward", S.cancel("gift"), "program_retired"],
    ["cancelling an unknown reward", S.cancel("none"), "not_found"],
    ["refunding an unknown order", S.adjust("none", "full_refund", -1), "not_found"]
  ])("%s is refused", (_, action, code) => {
    retired().refuses(action, code)
  })

  it("is told before the member's status", () => {
    retired(S.status("suspended")).refuses(S.accrue("other", 1_000), "program_retired")
  })

  it("answers again what was done before: a second cancellation", () => {
    assert.strictEqual(retired().decide(S.cancel("over"))._tag, "DoneBefore")
  })

  it("until it is restored", () => {
    assert.strictEqual(retired().under(Testing.demoProgram).decide(S.accrue("other", 1_000))._tag, "Decided")
  })

  it.effect("Idempotency: the key's record and the business identifier's come first; reads go on", () =>
    Effect.gen(function* () {
      const { tables, write } = MemoryStorage.over((yield* MemoryStorage).tables)
      const over = (programs: ReadonlyArray<typeof retiredProgram>) =>
        Effect.provide(Testing.layerFromStorage({ tables, write }, programs), { local: true })
      const accrue = (key: string, amount: number, order_id = "order-1") =>
        Testing.call("accrual.post", {
          context: Testing.context(key),
          member_id: "ada",
          order: Testing.order(order_id, amount, Testing.placedAt(0))
        })
      const said = (handled: Handled) => (handled._tag === "Refusal" ? handled.code : handled._tag)
      yield* Effect.scoped(over([Testing.demoProgram])(Effect.andThen(enroll("ada"), accrue("first-key", 1_000))))
      yield* Effect.scoped(
        over([retiredProgram])(
          Effect.gen(function* () {
            assert.strictEqual(said(yield* accrue("first-key", 1_000)), "Answer")
            assert.strictEqual(said(yield* accrue("first-key", 2_000)), "idempotency_conflict")
            assert.strictEqual(said(yield* accrue("other-key", 1_000)), "Answer")
            assert.strictEqual(said(yield* accrue("third-key", 2_000)), "conflict")
            assert.strictEqual(said(yield* accrue("fourth-key", 1_000, "order-2")), "program_retired")
            assert.strictEqual((yield* account("ada")).balances[0]?.amount, 100)
          })
        )
      )
    }).pipe(Effect.provide(MemoryStorage.layer))
  )
})
