/**
 * Commands at the same time: accounts stay serialised, and everything that is to happen once does. Holds
 * contract/idempotency.md *Business identifiers*; contract/operations.md *Enrolment*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, credit, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"

const reserve = (redemption_id: string, member_id: string, key?: string) =>
  Testing.call("redemption.reserve", {
    context: Testing.context(key),
    redemption_id,
    member_id,
    reward_id: "one-off",
    order: Testing.order(`order-${redemption_id}`, 500, { status: "open", ...Testing.placedAt(0) })
  })

describe("races on one account", () => {
  it.effect("Balances: of 50 concurrent reserves on a balance for 7 exactly 7 succeed", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", 750)
      const outcomes = yield* Effect.all(
        Array.from({ length: 50 }, (_, i) => reserve(`red-${i}`, "ada")),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter((outcome) => outcome._tag === "Answer").length, 7)
      const refused = outcomes.filter((outcome) => outcome._tag === "Refusal")
      assert.deepStrictEqual([...new Set(refused.map((outcome) => outcome.code))], ["insufficient_balance"])
      assert.deepInclude(yield* balanceOf("ada"), { amount: 750, reserved: 700, available: 50 })
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Idempotency: 50 copies of one accrual under one key are one entry and one answer", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const order = Testing.order("order-1", 1000, Testing.placedAt(0))
      const outcomes = yield* Effect.all(
        Array.from({ length: 50 }, () =>
          Testing.call("accrual.post", { context: Testing.context("same-key"), member_id: "ada", order })
        ),
        { concurrency: "unbounded" }
      )
      // One of them did it, the others are its replays.
      const replays = outcomes.filter((outcome) => outcome._tag === "Answer" && outcome.isReplay === true)
      assert.strictEqual(replays.length, outcomes.length - 1)
      const told = outcomes.map((outcome) => JSON.stringify({ ...outcome, isReplay: undefined }))
      assert.strictEqual(new Set(told).size, 1)
      assert.strictEqual((yield* ledgerOf("ada")).length, 1)
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Idempotency: 50 copies of one accrual under 50 keys are one entry", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const order = Testing.order("order-1", 1000, Testing.placedAt(0))
      const outcomes = yield* Effect.all(
        Array.from({ length: 50 }, () =>
          Testing.call("accrual.post", { context: Testing.context(), member_id: "ada", order })
        ),
        { concurrency: "unbounded" }
      )
      const created = outcomes.map((outcome) => outcome._tag === "Answer" && outcome.created)
      assert.strictEqual(created.filter((isNew) => isNew).length, 1)
      const same = outcomes.map((outcome) => JSON.stringify({ ...outcome, created: true }))
      assert.strictEqual(new Set(same).size, 1)
      assert.strictEqual((yield* ledgerOf("ada")).length, 1)
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Idempotency: the same key for two members at one instant: one wins, the other is a conflict", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* enroll("ben")
      const outcomes = yield* Effect.all(
        ["ada", "ben"].map((member_id) =>
          Testing.call("accrual.post", {
            context: Testing.context("one-key-1"),
            member_id,
            order: Testing.order(`order-${member_id}`, 1000, Testing.placedAt(0))
          })
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter((outcome) => outcome._tag === "Answer").length, 1)
      const [refused] = outcomes.filter((outcome) => outcome._tag === "Refusal")
      assert.strictEqual(refused?.code, "idempotency_conflict")
      const [ada, ben] = [yield* ledgerOf("ada"), yield* ledgerOf("ben")]
      assert.strictEqual(ada.length + ben.length, 1)
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Idempotency: two guests who want one member id at one instant: one gets it, the other a conflict", () =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.all(
        ["card-1", "card-2"].map((value) =>
          Testing.call("member.enroll", {
            context: Testing.context(),
            program_id: "demo-foodservice",
            identity: { type: "loyalty_id", value, issuer: "x" },
            member_id: "wanted"
          })
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        outcomes.map((outcome) => (outcome._tag === "Refusal" ? outcome.code : outcome._tag)).sort(),
        ["Answer", "conflict"]
      )
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("enroll: 20 tills that race for one identity with member ids of their own get one member, no error", () =>
    Effect.gen(function* () {
      const enroll = (till: number, value = "card-1") =>
        Testing.call("member.enroll", {
          context: Testing.context(),
          program_id: "demo-foodservice",
          identity: { type: "loyalty_id", value, issuer: "x" },
          member_id: `till-${till}`
        })
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, (_, till) => enroll(till)),
        { concurrency: "unbounded" }
      )
      const answers = outcomes.map((outcome) =>
        outcome._tag === "Answer"
          ? [outcome.created, (outcome.body as { member: { member_id: string } }).member.member_id]
          : outcome
      )
      assert.deepStrictEqual(
        answers.toSorted(),
        Array.from({ length: 20 }, (_, n) => [n === 19, "till-0"])
      )
      const later = yield* enroll(77)
      assert.deepInclude(later, { _tag: "Answer", created: false })
      assert.deepInclude(yield* enroll(0, "card-2"), { _tag: "Refusal", code: "conflict" })
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("enroll: an identity without an issuer is another one than with any", () =>
    Effect.gen(function* () {
      const enroll = (identity: object) =>
        Effect.map(
          Testing.call("member.enroll", {
            context: Testing.context(),
            program_id: "demo-foodservice",
            identity: { type: "loyalty_id", value: "card-1", ...identity }
          }),
          (outcome) => (outcome._tag === "Answer" ? outcome.created : outcome._tag)
        )
      const statuses = [
        yield* enroll({}),
        yield* enroll({ issuer: "x" }),
        yield* enroll({}),
        yield* enroll({ issuer: "y" })
      ]
      assert.deepStrictEqual(statuses, [true, true, false, true])
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("Idempotency: a repeated redemption has its reservation as it stands, and its key the first answer", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", 200)
      const shown = (outcome: { readonly _tag: string }) => {
        const { body, created } = outcome as unknown as {
          created: boolean
          body: {
            reservation: { status: string; reservation_id: string }
            balances: ReadonlyArray<{ amount: number }>
          }
        }
        return [created, body.reservation.status, body.balances[0]?.amount]
      }
      const first = yield* reserve("red-1", "ada", "first-key")
      assert.deepStrictEqual(shown(first), [true, "reserved", 200])
      const { reservation_id } = (first as unknown as { body: { reservation: { reservation_id: string } } }).body
        .reservation
      assert.deepStrictEqual(shown(yield* reserve("red-1", "ada", "again-key")), [false, "reserved", 200])
      yield* Testing.call("redemption.capture", {
        context: Testing.context(),
        reservation_id,
        order_id: "order-red-1"
      })
      assert.deepStrictEqual(shown(yield* reserve("red-1", "ada")), [false, "captured", 100])
      assert.deepStrictEqual(shown(yield* reserve("red-1", "ada", "first-key")), [true, "reserved", 200])
      assert.deepStrictEqual(shown(yield* reserve("red-1", "ada", "again-key")), [false, "reserved", 200])
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("accrual: says why nothing was earned, on the replay too, and nothing where something was", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const accrue = (order_id: string, amount: number, key: string) =>
        Testing.call("accrual.post", {
          context: Testing.context(key),
          member_id: "ada",
          order: Testing.order(order_id, amount, Testing.placedAt(0))
        })
      const reasons = (outcome: { readonly _tag: string }) =>
        (outcome as unknown as { body: { ineligible_reasons?: unknown } }).body.ineligible_reasons
      for (const key of ["small-key", "small-key", "other-key"])
        assert.deepStrictEqual(reasons(yield* accrue("small", 99, key)), ["below_minimum_spend"])
      assert.isUndefined(reasons(yield* accrue("large", 1_000, "large-key")))
      const evaluated = yield* Testing.call("order.evaluate", {
        context: Testing.context(),
        member_id: "ada",
        order: Testing.order("small-2", 99, Testing.placedAt(0))
      })
      assert.deepStrictEqual(reasons(evaluated), ["below_minimum_spend"])
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("enroll: one identity enrolled 20 times at one instant has one member", () =>
    Effect.gen(function* () {
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, () =>
          Testing.call("member.enroll", {
            context: Testing.context(),
            program_id: "demo-foodservice",
            identity: { type: "loyalty_id", value: "card-1", issuer: "x" }
          })
        ),
        { concurrency: "unbounded" }
      )
      const members = outcomes.map((outcome) =>
        outcome._tag === "Answer" ? (outcome.body as { member: { member_id: string } }).member.member_id : outcome._tag
      )
      assert.strictEqual(new Set(members).size, 1)
      assert.strictEqual(outcomes.filter((outcome) => outcome._tag === "Answer" && outcome.created).length, 1)
    }).pipe(Effect.provide(Testing.layer()))
  )
})
