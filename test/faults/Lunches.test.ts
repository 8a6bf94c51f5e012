/** Emulated tills of Toast at three nodes that are killed one after the other. Holds contract/tills.md *Once only*. */
import { assert, it } from "@effect/vitest"
import { run } from "./LunchRounds.ts"

it("lunches while nodes are killed: no guest differs, and no transaction stays begun", async () => {
  const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000)
  const { faults, kills, repeats, requests } = await run({ checks: 160, seed })
  assert.deepStrictEqual(faults, [], `FAULTS_SEED=${seed}`)
  assert.isAtLeast(kills, 2)
  assert.isAbove(requests, 800)
  assert.isAbove(repeats, 50)
})
