/** Runs of moves in, as their commands report them, for people who look at them later (contract/moving.md *Runs*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import { firstOf, int8, jsonb, rowsOf } from "../../base/database/Values.ts"
import { machineNow } from "../../base/time/Times.ts"
import type { MoveRun } from "../../contract/admin/MoveRuns.ts"
import { MoveFault, MoveRunReport } from "../../contract/admin/MoveRuns.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import type { PageQuery } from "../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import { refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as Bounds from "./Bounds.ts"

const { text } = PgTypes

const { faults: _, ...figures } = MoveRunReport.fields
const Row = Schema.Struct({
  n: Schema.Number,
  program_id: Schema.String,
  run_id: Schema.String,
  report: Schema.Struct(figures),
  reported_by: Schema.String,
  began_at: Schema.Number,
  reported_at: Schema.Number
})
type Row = typeof Row.Type
const rows = rowsOf(Row)
const row = firstOf(Row)
const faultRows = rowsOf(Schema.Struct({ fault: MoveFault }))

const columns = "n, program_id, run_id, report, reported_by, began_at, reported_at"

/** A report after the end changes nothing: the same one may come again, because its answer was lost. */
const putStatement = `INSERT INTO move_runs AS r (program_id, run_id, report, reported_by, began_at, reported_at)
  VALUES ($1, $2, $3, $4, $5, $5)
  ON CONFLICT (program_id, run_id) DO UPDATE SET report = excluded.report, reported_at = excluded.reported_at
    WHERE r.report ->> 'ended' IS NULL OR r.report = excluded.report
  RETURNING ${columns}`

const statusOf = ({ report, reported_at }: Row, now: number): MoveRun["status"] => {
  const { ended, fault_counts, outcomes } = report
  if (ended === "refused") return "refused"
  if (ended === undefined) return now - reported_at > Bounds.silentMs ? "interrupted" : "running"
  return (outcomes.refused ?? 0) > 0 || fault_counts.some(({ name }) => name === "difference") ? "left" : "moved"
}

const shownOf = (one: Row, now: number): MoveRun => {
  const { began_at, program_id, report, reported_at, reported_by, run_id } = one
  const { ended: _, ...figures } = report
  const times = { began_at: fromMillis(began_at), reported_at: fromMillis(reported_at) }
  return { run_id, program_id, status: statusOf(one, now), ...figures, reported_by, ...times }
}

interface Parts {
  readonly pool: Pool
  readonly journal: Pick<Journal["Service"], "claimKey">
  readonly programs: Programs["Service"]
}

const report = Effect.fnUntraced(function* (
  { pool: { query, transaction }, programs }: Parts,
  program_id: string,
  run_id: string,
  { faults, ...told }: MoveRunReport
): Effect.fn.Return<MoveRun, Refused, CurrentCaller> {
  const caller = yield* CurrentCaller
  yield* Visible.named(programs, caller, program_id)
  if (caller.kind === "user") return yield* refuse("forbidden", "Runs are reported by lotbook move-in.")
  const now = yield* machineNow
  return yield* transaction(
    Effect.gen(function* () {
      const put = [text(program_id), text(run_id), jsonb(told), text(caller.name), int8(now)]
      const stored = yield* row(query(putStatement, put))
      if (stored === undefined) return yield* refuse("invalid_state", "The run has ended with another report.")
      yield* query("DELETE FROM move_run_faults WHERE run = $1", [int8(stored.n)])
      yield* query(
        `INSERT INTO move_run_faults (run, place, fault)
          SELECT $1, place, fault FROM jsonb_array_elements($2) WITH ORDINALITY f(fault, place)`,
        [int8(stored.n), jsonb(faults)]
      )
      const { ended, outcomes } = told
      // Its progress between begin and end is no act of anybody.
      if (stored.began_at === now || ended !== undefined)
        yield* Audit.tell(query, {
          action: "move_run.report",
          subject: { type: "program", id: program_id },
          programId: program_id,
          changes: { after: { run_id, ...outcomes, ...(ended === undefined ? undefined : { ended }) } }
        })
      return shownOf(stored, now)
    })
  )
})

const list = Effect.fnUntraced(function* (
  { journal: { claimKey }, pool: { query }, programs }: Parts,
  program_id: string,
  asked: PageQuery
) {
  yield* Visible.named(programs, yield* CurrentCaller, program_id)
  const filters = ["move runs", program_id]
  const page = yield* pageOf(claimKey, filters, asked)
  const before = page.after === undefined ? null : Number(page.after)
  const found = yield* rows(
    query(
      `SELECT ${columns} FROM move_runs WHERE program_id = $1 AND ($2 IS NULL OR n < $2) ORDER BY n DESC LIMIT $3`,
      [text(program_id), int8(before), int8(page.limit + 1)]
    )
  )
  const { rows: shown, ...next } = paged(claimKey, filters, page, found, ({ n }) => String(n))
  const now = yield* machineNow
  return { runs: shown.map((one) => shownOf(one, now)), ...next }
})

const show = Effect.fnUntraced(function* ({ pool: { query }, programs }: Parts, program_id: string, run_id: string) {
  yield* Visible.named(programs, yield* CurrentCaller, program_id)
  const statement = `SELECT ${columns} FROM move_runs WHERE program_id = $1 AND run_id = $2`
  const found = yield* row(query(statement, [text(program_id), text(run_id)]))
  if (found === undefined) return yield* refuse("not_found", `There is no run ${run_id} of a move in.`)
  const faults = yield* faultRows(
    query("SELECT fault FROM move_run_faults WHERE run = $1 ORDER BY place", [int8(found.n)])
  )
  return { run: shownOf(found, yield* machineNow), faults: faults.map(({ fault }) => fault) }
})

/** Runs of moves in, over a pool of the caller's kind. */
export const make = (pool: Pool) =>
  Effect.map(Effect.all({ journal: Journal, programs: Programs }), (services) => {
    const parts: Parts = { ...services, pool }
    return {
      report: (program: string, run: string, told: MoveRunReport) => report(parts, program, run, told),
      list: (program: string, asked: PageQuery) => list(parts, program, asked),
      show: (program: string, run: string) => show(parts, program, run)
    }
  })
