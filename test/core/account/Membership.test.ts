/**
 * contract/members.md *Status and writes*, *Changing identities*: identities and status on accounts: what the tables,
 * other members and enrolments see of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { ResponseOf } from "../../../src/contract/protocol/Operations.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import * as ClaimKeys from "../../../src/core/account/ClaimKeys.ts"
import type { Action } from "../../../src/core/account/domain/Action.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import type { Handled } from "../../../src/core/protocol/Handler.ts"

const program_id = Testing.demoProgram.id

const card = (name: string) => ({ type: "loyalty_id", value: `card-${name}`, issuer: "x" }) as const
type Identity = ReturnType<typeof card>

const act = Effect.fnUntraced(function* (member: string, action: Action, identities: ReadonlyArray<Identity> = []) {
  const outcome = yield* (yield* Accounts).execute(program_id, member, { action, guards: {}, identities })
  return outcome._tag === "Refusal" ? outcome.code : outcome._tag
})

/** Gives a member identities and takes others. */
const change = Effect.fnUntraced(function* (
  member: string,
  add: ReadonlyArray<Identity>,
  remove: ReadonlyArray<Identity> = []
) {
  const { claimKey } = yield* Journal
  const keys = (all: ReadonlyArray<Identity>) => all.map((one) => ClaimKeys.identity(claimKey, program_id, one))
  return yield* act(member, { type: "change_identities", add: keys(add), remove: keys(remove) }, add)
})

const close = (member: string) => act(member, { type: "set_status", status: "closed", reason: "test" })

const lookedUp = (identity: Identity) =>
  Effect.map(
    body<ResponseOf<"member.lookup">>(
      Testing.call("member.lookup", { context: Testing.context(), program_id, identity: identity })
    ),
    ({ member }) => member
  )

const enrolling = (identity: Identity, member_id: string) =>
  Testing.call("member.enroll", { context: Testing.context(), program_id, identity: identity, member_id })

const said = (handled: Handled) => (handled._tag === "Refusal" ? handled.code : handled._tag)

const memory = Testing.layer()

describe("identities on accounts", () => {
  it.effect("a new one finds the member at once, a removed one nobody, and the member lists what it has", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      assert.strictEqual(yield* change("ada", [card("new")], [card("ada")]), "Answered")
      assert.deepStrictEqual((yield* lookedUp(card("new")))?.identities, [card("new")])
      assert.isNull(yield* lookedUp(card("ada")))
    }).pipe(Effect.provide(memory))
  )

  it.effect("a removed one is free: for another member, and for an enrolment", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* enroll("ben")
      assert.strictEqual(yield* change("ada", [card("new")], [card("ada")]), "Answered")
      assert.strictEqual(yield* change("ben", [card("ada")]), "Answered")
      assert.strictEqual((yield* lookedUp(card("ada")))?.member_id, "ben")
      assert.strictEqual(yield* change("ben", [], [card("ada")]), "Answered")
      assert.strictEqual(said(yield* enrolling(card("ada"), "cleo")), "Answer")
      assert.strictEqual((yield* lookedUp(card("ada")))?.member_id, "cleo")
    }).pipe(Effect.provide(memory))
  )

  it.effect("one that another member holds is a conflict, a closed one too, and nothing of the change is done", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* enroll("ben")
      assert.strictEqual(yield* change("ada", [card("new"), card("ben")], [card("ada")]), "conflict")
      assert.deepStrictEqual((yield* lookedUp(card("ada")))?.identities, [card("ada")])
      assert.isNull(yield* lookedUp(card("new")))
      yield* close("ben")
      assert.strictEqual(yield* change("ada", [card("ben")]), "conflict")
      assert.strictEqual(said(yield* enrolling(card("ben"), "dan")), "member_not_active")
    }).pipe(Effect.provide(memory))
  )

  it.effect("an enrolment with a freed identity and the id of the member that had it is a conflict", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* change("ada", [card("new")], [card("ada")])
      assert.strictEqual(said(yield* enrolling(card("ada"), "ada")), "conflict")
      assert.isNull(yield* lookedUp(card("ada")))
    }).pipe(Effect.provide(memory))
  )

  it.effect("an enrolment sent again with its key answers as it did, though the identity is gone", () =>
    Effect.gen(function* () {
      const request = {
        context: Testing.context("enrolment-key"),
        program_id,
        identity: card("ada"),
        member_id: "ada"
      }
      yield* Testing.call("member.enroll", request)
      yield* change("ada", [card("new")], [card("ada")])
      const again = yield* body<ResponseOf<"member.enroll">>(Testing.call("member.enroll", request))
      assert.deepStrictEqual([again.member.member_id, again.member.identities], ["ada", [card("ada")]])
    }).pipe(Effect.provide(memory))
  )

  it.effect("many changes at once, with accruals between them, lose none", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const cards = Array.from({ length: 20 }, (_, n) => card(`extra-${n}`))
      const done = yield* Effect.forEach(cards, (one) => Effect.andThen(credit("ada", 1), change("ada", [one])), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(new Set(done), new Set(["Answered"]))
      assert.sameDeepMembers([...((yield* lookedUp(card("ada")))?.identities ?? [])], [card("ada"), ...cards])
      assert.strictEqual((yield* balanceOf("ada")).amount, 20)
    }).pipe(Effect.provide(memory))
  )
})

describe("a member that was closed", () => {
  it.effect("a till that ends its hold or reward afterwards is shown what became of it", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", 100)
      const { reservation } = yield* body<ResponseOf<"redemption.reserve">>(
        Testing.call("redemption.reserve", {
          context: Testing.context(),
          redemption_id: "red-1",
          member_id: "ada",
          reward_id: "one-off",
          order: Testing.order("meal", 500, { status: "open", ...Testing.placedAt(0) })
        })
      )
      const { reservation_id } = reservation
      yield* body(
        Testing.call("issued_reward.issue", {
          context: Testing.context(),
          issued_reward_id: "w",
          member_id: "ada",
          program_id,
          reward_id: "one-off"
        })
      )
      yield* close("ada")
      const reversed = yield* body<ResponseOf<"redemption.reverse">>(
        Testing.call("redemption.reverse", { context: Testing.context(), reservation_id, reason: "left" })
      )
      assert.strictEqual(reversed.reservation.status, "reversed")
      const cancelled = yield* body<ResponseOf<"issued_reward.cancel">>(
        Testing.call("issued_reward.cancel", { context: Testing.context(), issued_reward_id: "w", reason: "left" })
      )
      assert.strictEqual(cancelled.issued_reward.status, "cancelled")
      const captured = yield* Testing.call("redemption.capture", {
        context: Testing.context(),
        reservation_id,
        order_id: "meal"
      })
      assert.strictEqual(said(captured), "member_not_active")
    }).pipe(Effect.provide(memory))
  )
})
