/** The directory after requests that race. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"

it.effect("an enrolment answered by a replay leaves no account of its own behind", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const enroll = Testing.call("member.enroll", {
      context: Testing.context("the-key-1"),
      program_id: Testing.demoProgram.id,
      identity: { type: "external", value: "ada" }
    })
    const outcomes = yield* Effect.all([enroll, enroll], { concurrency: "unbounded" })
    assert.deepStrictEqual(
      outcomes.map(({ _tag }) => _tag),
      ["Answer", "Answer"]
    )
    assert.strictEqual(accounts.resident(), 1)
  }).pipe(Effect.provide(Testing.layer()))
)
