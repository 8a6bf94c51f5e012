/** Runs of many seeds that hold the contract; a failure names the command that replays its seed. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Simulation from "./Simulation.ts"

/** Seeds of one test. */
export const batch = 50

const told = (run: Simulation.Run): string =>
  [`seed ${run.seed}: npm run simulate -- --seed ${run.seed} --verbose`, ...run.faults.slice(0, 10)].join("\n  ")

/** Of the batch that begins with this seed. */
export const hold = Effect.fnUntraced(function* (from: number, runOf: typeof Simulation.run = Simulation.run) {
  let acknowledged = 0
  for (let seed = from; seed < from + batch; seed++) {
    const run = yield* runOf(seed)
    assert.deepStrictEqual(run.faults, [], told(run))
    acknowledged += run.acknowledged
  }
  assert.isAbove(acknowledged, batch)
})
