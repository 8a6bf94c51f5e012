/** Runs of moves in, as their commands report them (contract/moving.md *Runs*). */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { atMost } from "../Lists.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bounded, field, Identifier, NewIdentifier, optional, Timestamp, whole } from "../Values.ts"
import { annotated, frozenChangeProblems, listProblems, nextCursor, page, readProblems } from "./Endpoint.ts"
import { params, programPath } from "./ProgramsInForce.ts"

/** Most faults of a run that are listed; all are counted. */
export const maxListed = 500
/** Most files of a run that are named. */
export const maxFiles = 50
/** Most names of faults. */
const maxNames = 50

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number from 0 to 2^53 - 1")
const Name = bounded(1, 64)
/** Longest name of a file or a column. */
export const maxNameLength = 256
/** Longest text of what is wrong. */
export const maxDetailLength = 512

const Rows = Schema.Struct({
  guests: field(Count, "Rows of guests."),
  lots: field(Count, "Rows of lots."),
  rewards: field(Count, "Rows of rewards."),
  consents: field(Count, "Rows of consents.")
}).annotate({ identifier: "MoveRunRows", description: "Rows of the files." })

export const MoveFault = Schema.Struct({
  name: field(Name, "The fault, or `difference`, or the code of a refusal."),
  file: field(bounded(1, maxNameLength), "The file's name."),
  row: optional(Count, "The row, as spreadsheets count; absent: the whole file."),
  column: optional(bounded(1, maxNameLength), "The column; absent: the whole row."),
  detail: optional(bounded(1, maxDetailLength), "What is wrong. It quotes no cell."),
  remedy: optional(bounded(1, 512), "What to do.")
}).annotate({ identifier: "MoveRunFault", description: "A fault of a row, or what a run left of it." })
export type MoveFault = typeof MoveFault.Type

const FaultCount = Schema.Struct({
  name: field(Name, "As in `faults`."),
  count: field(Count, "How often it is there."),
  waived: optional(Schema.Literal(true), "It was waived.")
}).annotate({ identifier: "MoveRunFaultCount" })

const Outcomes = Schema.Struct({
  enrolled: optional(Count, "Guests who are new members."),
  joined: optional(Count, "Guests who were members already."),
  added: optional(Count, "Guests who were moved before, and to whom something was added."),
  same: optional(Count, "Guests who were moved before, with nothing new."),
  erased: optional(Count, "Guests who were erased since an earlier move."),
  refused: optional(Count, "Guests who were not moved.")
}).annotate({ identifier: "MoveRunOutcomes", description: "Guests so far, by what became of them." })

const reported = {
  files: field(atMost(bounded(1, maxNameLength), maxFiles), "The names of its files, without folders."),
  rows: field(Rows, "Their rows."),
  guests: field(Count, "Guests of the files."),
  outcomes: field(Outcomes, "Guests so far."),
  lots: field(Count, "Lots that were posted so far."),
  fault_counts: field(atMost(FaultCount, maxNames), "Faults of the files, and what the run left, by name.")
}

export const MoveRunReport = Schema.Struct({
  ...reported,
  ended: optional(
    Schema.Literals(["moved", "refused"]),
    "The end of the run. `refused`: nothing was moved, because faults stand that were not waived. Absent: it runs."
  ),
  faults: field(atMost(MoveFault, maxListed), `The first ${maxListed} of them: what the run left, then faults.`)
}).annotate({ identifier: "MoveRunReport", description: "A run so far. Each report replaces the one before." })
export type MoveRunReport = typeof MoveRunReport.Type

export const MoveRun = Schema.Struct({
  run_id: field(Identifier, "The run's id."),
  program_id: field(Identifier, "The programme."),
  status: field(
    Schema.Literals(["running", "interrupted", "moved", "left", "refused"]),
    "`interrupted`: it has told nothing for two minutes; run again, it goes on. `moved`: nothing is left. `left`: guests were refused, or " +
      "lots differ. `refused`: nothing was moved."
  ),
  ...reported,
  reported_by: field(Schema.String, "The key or the token of the command."),
  began_at: field(Timestamp, "When it began to move guests."),
  reported_at: field(Timestamp, "When it told of itself last: its end, once it is over.")
}).annotate({ identifier: "MoveRun", description: "A run of a move in." })
export type MoveRun = typeof MoveRun.Type

const MoveRunList = Schema.Struct({
  runs: field(Schema.Array(MoveRun), "The page, newest first."),
  next_cursor: nextCursor
}).annotate({ identifier: "MoveRunList" })

const MoveRunShown = Schema.Struct({
  run: field(MoveRun, "The run itself."),
  faults: field(Schema.Array(MoveFault), `The first ${maxListed} rows that it left, then its faults.`)
}).annotate({ identifier: "MoveRunShown" })

const runsPath = `${programPath}/move-in/runs` as const
const runParams = Schema.Struct({ ...params.fields, run_id: field(NewIdentifier, "The run's id.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const showCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const reportCodes: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found", "invalid_state"]

const report: MoveRunReport = {
  files: ["guests.csv", "lots.csv"],
  rows: { guests: 2, lots: 3, rewards: 0, consents: 0 },
  guests: 2,
  outcomes: { enrolled: 1, refused: 1 },
  lots: 2,
  fault_counts: [{ name: "card_elsewhere", count: 1 }],
  ended: "moved",
  faults: [
    {
      name: "card_elsewhere",
      file: "guests.csv",
      row: 3,
      column: "Card",
      detail: "Another member has the card.",
      remedy: "Merge the two, or remove the card."
    }
  ]
}
const { ended: _, faults, ...figures } = report
const example: MoveRun = {
  run_id: "move-2026-07-14",
  program_id: "demo-foodservice",
  status: "left",
  ...figures,
  reported_by: "admin",
  began_at: "2026-07-14T10:00:00.000Z",
  reported_at: "2026-07-14T10:05:00.000Z"
}
const named = { program_id: example.program_id, run_id: example.run_id }

export const listMoveRuns = HttpApiEndpoint.get("listMoveRuns", runsPath, {
  params,
  query: page,
  success: MoveRunList,
  error: problems(listCodes)
}).annotateMerge(
  annotated(
    "move_run.list",
    "List runs of moves in",
    "When each began, its files, and what it made of their guests. ",
    listCodes,
    { params: { program_id: example.program_id }, response: { runs: [example] } },
    true
  )
)

export const showMoveRun = HttpApiEndpoint.get("showMoveRun", `${runsPath}/:run_id`, {
  params: runParams,
  success: MoveRunShown,
  error: problems(showCodes)
}).annotateMerge(
  annotated(
    "move_run.show",
    "Show a run of a move in",
    "With its faults by row, each with its remedy. They quote no cell of the files. ",
    showCodes,
    { params: named, response: { run: example, faults } },
    true
  )
)

export const reportMoveRun = HttpApiEndpoint.put("reportMoveRun", `${runsPath}/:run_id`, {
  params: runParams,
  payload: MoveRunReport,
  success: MoveRun,
  error: problems(reportCodes)
})
  .annotate(AccessOf, { isServedFrozen: true })
  .annotateMerge(
    annotated(
      "move_run.report",
      "Report a run of a move in",
      "`lotbook move-in run` tells how far it is, so that others see it. Each report replaces the one before; one that has ended takes none. ",
      reportCodes,
      { params: named, request: report, response: example }
    )
  )
