/** contract/engagement.md *Taking an import back*: what was taken back is told so, and needs nobody's attention. */
import { assert, it } from "@effect/vitest"
import { needsAttention } from "../../../src/console/imports/needsAttention.ts"
import { outcomeOf } from "../../../src/console/imports/outcome.ts"

it("an import that was taken back is told as that, and not as one with failed rows", () => {
  const one = { completed_at: "2026-07-14T10:00:00.000Z", failed: 1, status: "partial" } as const
  assert.strictEqual(outcomeOf(one).word, "Some rows failed")
  assert.isTrue(needsAttention(one))
  const taken = { ...one, taken_back_at: "2026-07-14T11:00:00.000Z" }
  assert.deepStrictEqual(outcomeOf(taken), { tone: "neutral", word: "Taken back" })
  assert.isFalse(needsAttention(taken))
  assert.isFalse(needsAttention({ failed: 0 }))
})
