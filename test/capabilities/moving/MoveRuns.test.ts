/** Runs of moves in, as their commands report them. Holds contract/moving.md *Runs*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WorkPool } from "../../../src/base/database/Pools.ts"
import * as MoveRuns from "../../../src/capabilities/moving/MoveRuns.ts"
import type { MoveRunReport } from "../../../src/contract/admin/MoveRuns.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { operator } from "../../Operator.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Moves from "./Moves.ts"

const program = "demo-foodservice"

const told = (more: Partial<MoveRunReport> = {}): MoveRunReport => ({
  files: ["guests.csv"],
  rows: { guests: 3, lots: 0, rewards: 0, consents: 0 },
  ...{ guests: 3, outcomes: {}, lots: 0, fault_counts: [], faults: [] },
  ...more
})

const runs = Effect.flatMap(WorkPool, MoveRuns.make)
const as = <A, E, R>(work: Effect.Effect<A, E, R | CurrentCaller>) =>
  Effect.provideService(work, CurrentCaller, operator)
const statusOf = (run: string) =>
  as(Effect.flatMap(runs, ({ show }) => Effect.map(show(program, run), (shown) => shown.run.status)))
const report = (run: string, more?: Partial<MoveRunReport>) =>
  as(Effect.flatMap(runs, (all) => all.report(program, run, told(more))))

layer(Moves.service(PgJournal.layer).pipe(Layer.provideMerge(TestDatabase.layer)))("runs of moves in", (it) => {
  it.effect("go on while they tell of themselves, are interrupted after two minutes, and go on again", () =>
    Effect.gen(function* () {
      yield* report("silent")
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(yield* statusOf("silent"), "running")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* statusOf("silent"), "interrupted")
      yield* report("silent", { outcomes: { enrolled: 1 } })
      assert.strictEqual(yield* statusOf("silent"), "running")
    })
  )

  it.effect("end as moved, with something left, or refused", () =>
    Effect.gen(function* () {
      const ends: ReadonlyArray<readonly [status: string, more: Partial<MoveRunReport>]> = [
        ["moved", { ended: "moved", outcomes: { enrolled: 2, erased: 1 } }],
        ["left", { ended: "moved", outcomes: { refused: 1 } }],
        ["left", { ended: "moved", fault_counts: [{ name: "difference", count: 1 }] }],
        ["moved", { ended: "moved", fault_counts: [{ name: "expired", count: 1, waived: true }] }],
        ["refused", { ended: "refused", fault_counts: [{ name: "expired", count: 1 }] }]
      ]
      for (const [place, [status, more]] of ends.entries()) {
        yield* report(`end-${place}`, more)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* statusOf(`end-${place}`), status)
      }
    })
  )

  it.effect("take no other report after their end, and the same one again, because its answer may be lost", () =>
    Effect.gen(function* () {
      yield* report("ended")
      yield* report("ended", { ended: "moved" })
      yield* report("ended", { ended: "moved" })
      const refused = yield* Effect.flip(report("ended", { outcomes: { enrolled: 1 } }))
      assert.strictEqual(refused.code, "invalid_state")
    })
  )

  it.effect("have the faults of their last report, and are listed newest first", () =>
    Effect.gen(function* () {
      const one = {
        name: "expired",
        file: "lots.csv",
        row: 3,
        column: "Expiry date",
        detail: "The points have expired."
      }
      yield* report("listed-1", { faults: [one, one] })
      yield* report("listed-1", { ended: "moved", faults: [one, { name: "refused", file: "guests.csv", row: 9 }] })
      yield* report("listed-2")
      const all = yield* runs
      const { faults, run } = yield* as(all.show(program, "listed-1"))
      assert.deepStrictEqual(
        faults.map(({ name, row }) => [name, row]),
        [
          ["expired", 3],
          ["refused", 9]
        ]
      )
      assert.deepStrictEqual([run.files, run.rows.guests, run.reported_by], [["guests.csv"], 3, operator.name])
      const first = yield* as(all.list(program, { limit: "1" }))
      const second = yield* as(all.list(program, { limit: "1", cursor: first.next_cursor }))
      assert.deepStrictEqual(
        [...first.runs, ...second.runs].map(({ run_id }) => run_id),
        ["listed-2", "listed-1"]
      )
      assert.strictEqual((yield* Effect.flip(as(all.show(program, "unknown")))).code, "not_found")
    })
  )

  it.effect("are in the audit with their begin and their end, not with each step between", () =>
    Effect.gen(function* () {
      for (const outcomes of [{}, { enrolled: 1 }, { enrolled: 2 }]) {
        yield* report("audited", { outcomes })
        yield* TestClock.adjust("15 seconds")
      }
      yield* report("audited", { outcomes: { enrolled: 3 }, ended: "moved" })
      const entries = yield* TestDatabase.query(
        "SELECT changes FROM audit WHERE action = 'move_run.report' AND changes LIKE '%audited%' ORDER BY at"
      )
      assert.deepStrictEqual(
        entries.map(({ changes }) => JSON.parse(String(changes)).after),
        [{ run_id: "audited" }, { run_id: "audited", enrolled: 3, ended: "moved" }]
      )
    })
  )
})
