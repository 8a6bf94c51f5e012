/** contract/operators.md *Limits*: a tier that comes without a person's act counts nothing for the person. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Gifts from "../../../src/capabilities/members/Gifts.ts"
import type { Command } from "../../../src/core/account/Command.ts"
import type { Action } from "../../../src/core/account/domain/Action.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { nothing } from "../../../src/desk/surface/Limits.ts"
import { operator } from "../../Operator.ts"

const tierChanged = { type: "tier_changed", at: 0, from: "starter", to: "regular", amount: 300 }

// The look needs two answers of its parts alone: what a command would write, and what automations give because of it.
const parts = {
  accounts: { preview: () => Effect.succeed({ _tag: "Answered", record: { events: [tierChanged] } }) },
  reached: { by: () => Effect.succeed({ ...nothing, points: 30_000 }) }
} as unknown as Parameters<typeof Gifts.foreseenGift>[0]

const foreseen = (action: Action) =>
  Effect.map(
    Gifts.foreseenGift(
      parts,
      { program_id: "demo-foodservice", member_id: "fay" },
      { program: Testing.demoProgram, id: ["one"], ...nothing, points: 1 },
      // The look reads the action alone.
      { action } as Command
    ),
    ({ gift }) => gift.points
  ).pipe(Effect.provideService(CurrentCaller, { ...operator, kind: "user" }))

const adjustment = {
  type: "adjust_manually",
  adjustment: "a-1",
  amount: 1,
  unit: "points",
  classification: "gift",
  reason: "late order",
  expires: undefined
} as const
const issue = { type: "issue_reward", issued: "i-1", reward: "one-off", artifact: {} } as unknown as Action

describe("a tier that is due while a person gives", () => {
  it.effect("counts where the gift counts for tiers, and not otherwise", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* foreseen({ ...adjustment, qualifies: true }), 30_001)
      assert.strictEqual(yield* foreseen({ ...adjustment, qualifies: false }), 1)
      assert.strictEqual(yield* foreseen(issue), 1)
    })
  )
})
