/** Reports of runs. Holds contract/moving.md *Runs*. */
import { assert, it } from "@effect/vitest"
import type { Planned } from "../../../src/capabilities/moving/Plan.ts"
import { leftAt } from "../../../src/capabilities/moving/Run.ts"
import { RunLog } from "../../../src/capabilities/moving/RunReport.ts"
import { maxListed } from "../../../src/contract/admin/MoveRuns.ts"

it("a report lists what is left first, each with its remedy, however many faults were waived", () => {
  const log = new RunLog(["guests.csv"], new Set(["expired"]))
  for (let row = 2; row < maxListed + 10; row++)
    log.fault({ name: "expired", file: "guests.csv", row, column: "", detail: "The points have expired." })
  log.left({ ...leftAt({ file: "guests.csv", row: 3 }, "difference"), unit: "points", moved: "4", listed: "5" })
  const planned = { figures: { guests: 1 }, rows: { guests: 1, lots: 0, rewards: 0, consents: 0 } }
  // A report reads nothing else of a plan.
  const { faults } = log.report(planned as Planned, { outcomes: {}, posted: 0 }, "moved")
  assert.strictEqual(faults.length, maxListed)
  assert.deepStrictEqual(
    faults.slice(0, 2).map(({ name }) => name),
    ["difference", "expired"]
  )
  assert.isTrue(faults.every(({ remedy }) => remedy !== undefined))
})
