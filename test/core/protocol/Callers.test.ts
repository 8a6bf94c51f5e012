/**
 * contract/transport.md *Order of the checks*, check 11: the programme found behind an id must be one of the caller's,
 * and a command carries the caller's name.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { body, credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { MemoryStorage } from "../../../src/core/journal/MemoryJournal.ts"
import { Handlers } from "../../../src/core/protocol/Handler.ts"

const stranger = { ...Testing.caller, name: "stranger", programs: new Set(["other"]) }
const owner = { ...Testing.caller, name: "Till 7", programs: new Set(["demo-foodservice"]) }

const held = Effect.gen(function* () {
  yield* enroll("ada")
  yield* credit("ada", 500)
  const { reservation } = yield* body<{ readonly reservation: { readonly reservation_id: string } }>(
    Testing.call("redemption.reserve", {
      context: Testing.context(),
      redemption_id: "red",
      member_id: "ada",
      reward_id: "one-off",
      order: Testing.order("meal", 500, { status: "open", ...Testing.placedAt(0) })
    })
  )
  yield* body(
    Testing.call("issued_reward.issue", {
      context: Testing.context(),
      issued_reward_id: "gift",
      member_id: "ada",
      program_id: "demo-foodservice",
      reward_id: "one-off"
    })
  )
  return reservation.reservation_id
})

describe("a caller of another programme", () => {
  it.effect("captures, reverses and cancels nothing there; one of this programme does, under its own name", () =>
    Effect.gen(function* () {
      const reservation_id = yield* held
      const handlers = yield* Handlers
      const { tables } = yield* MemoryStorage
      const records = () => [...tables.accounts.values()].flatMap((account) => account.records)
      const before = records().length
      const context = Testing.context
      const asked = (caller: typeof owner) => [
        handlers["redemption.capture"]({ context: context(), reservation_id, order_id: "meal" }, caller),
        handlers["redemption.reverse"]({ context: context(), reservation_id, reason: "test" }, caller),
        handlers["issued_reward.cancel"]({ context: context(), issued_reward_id: "gift", reason: "test" }, caller)
      ]
      for (const call of asked(stranger)) assert.deepInclude(yield* call, { _tag: "Refusal", code: "forbidden" })
      assert.strictEqual(records().length, before)
      for (const call of asked(owner)) assert.strictEqual((yield* call)._tag, "Answer")
      assert.deepStrictEqual(
        records()
          .slice(before)
          .map((record) => record.actor),
        ["Till 7", "Till 7", "Till 7"]
      )
    }).pipe(Effect.provide(Testing.layer()))
  )

  it.effect("gets not_found for an id that does not exist", () =>
    Effect.gen(function* () {
      const handlers = yield* Handlers
      const context = Testing.context()
      const unknown = yield* handlers["redemption.capture"](
        { context, reservation_id: "rsv_zz_1_abc", order_id: "meal" },
        stranger
      )
      assert.deepInclude(unknown, { _tag: "Refusal", code: "not_found" })
    }).pipe(Effect.provide(Testing.layer()))
  )
})
