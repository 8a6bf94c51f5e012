/** Closes months (contract/finance.md *Closing a month*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { type Query, WorkPool } from "../../base/database/Pools.ts"
import { int8, oneOf } from "../../base/database/Values.ts"
import { machineNow, serviceTime } from "../../base/time/Times.ts"
import type { Close, ClosedMonth, ClosingList } from "../../contract/admin/Finance.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { Programs } from "../../core/programs/Programs.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { orUnavailable, refuse } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { Finance } from "../../reads/finance/Finance.ts"
import { closePauseMs, closeWaitMs, lagMs, maxDue } from "./Bounds.ts"
import * as Closings from "./Closings.ts"
import { behind } from "./Counted.ts"
import * as PeriodFile from "./PeriodFile.ts"
import * as PointValues from "./PointValues.ts"
import * as Statement from "./Statement.ts"

const dueRow = oneOf(Schema.Struct({ due: Schema.Number }))
/** By the index of due times: those of the past are posted within seconds, so they are few. */
const dueStatement = `SELECT count(*)::int AS due FROM (
    SELECT FROM accounts WHERE next_due < $2 AND program_id = $1 LIMIT ${maxDue}
  ) d`

/** Milliseconds of the service's clock. */
type Now = () => number

/** Gives the end of a month, which must be over. */
const mustBeOver = ({ zone }: Program, period: string, now: Now): Effect.Effect<number, Refused> => {
  const end = Calendar.startOf(zone, Statement.daysOf(period).until)
  if (now() >= end + lagMs) return Effect.succeed(end)
  const local = new Date(Calendar.localAt(zone, end + lagMs)).toISOString().slice(0, "2026-10-01T00:01".length)
  return refuse("invalid_state", said`${period} can be closed from ${local} (${zone}).`)
}

const mustBePosted = Effect.fnUntraced(function* (query: Query, { id }: Program, period: string, end: number) {
  const { due } = yield* dueRow(query(dueStatement, [PgTypes.text(id), int8(end)]))
  if (due > 0)
    return yield* refuse(
      "invalid_state",
      due === maxDue
        ? said`Members with something that was due in ${period} or before and is not posted yet: ${due} or more. It is points, rewards or holds that end. The service posts them by itself, unless writes are frozen. Ask again then.`
        : said`Members with something that was due in ${period} or before and is not posted yet: ${due}. It is points, rewards or holds that end. The service posts them by itself, unless writes are frozen. Ask again then.`
    )
})

/** Waits until the sums count all that is posted by now. */
const counted = Effect.fnUntraced(function* (finance: Finance["Service"], at: number) {
  for (let waited = 0; ; waited += closePauseMs) {
    const asOf = yield* orUnavailable(finance.asOf)
    if (asOf === undefined || asOf > at) return
    if (waited >= closeWaitMs) return yield* behind(asOf)
    yield* Effect.sleep(closePauseMs)
  }
})

/** The file of a closed month, with what a point was worth by the versions that its statement knew. */
const fileOf = Effect.fnUntraced(function* (query: Query, month: ClosedMonth) {
  const { program_id, program_version } = month.statement
  const values = yield* PointValues.read(query, program_id, Statement.daysOf(month.period), program_version)
  return HttpServerResponse.uint8Array(PeriodFile.periodFile(month, values), {
    contentType: "application/zip",
    headers: { "content-disposition": `attachment; filename="${PeriodFile.periodFileName(month)}"` }
  })
})

export const make = Effect.gen(function* () {
  const { query, transaction } = yield* WorkPool
  const { now } = yield* serviceTime
  const [finance, programs] = [yield* Finance, yield* Programs]

  const closeNow = Effect.fnUntraced(function* ({ id }: Program, period: string) {
    const at = yield* machineNow
    const { name } = yield* CurrentCaller
    return yield* transaction(
      Effect.gen(function* () {
        // One close at a time: it locks the position of the sums first.
        yield* query("SELECT FROM finance_progress FOR UPDATE")
        const found = yield* Closings.find(query, id, period)
        if (found !== undefined) return found
        const [newest] = yield* Closings.list(query, id)
        const next = newest === undefined ? period : Statement.nextPeriod(newest.period)
        if (next !== period)
          return yield* refuse("invalid_state", said`Months are closed in order: the next one is ${next}.`)
        const before = yield* Closings.lastBefore(query, id, period)
        const last = before === undefined ? undefined : Closings.keptOf(before)
        const statement = Statement.textOf(yield* Closings.statementBySums(query, id, period, last))
        const closed = { period, at, by: name, statement, sha256: Statement.sha256(statement) }
        yield* Closings.insert(query, id, closed)
        yield* Audit.tell(query, {
          action: "finance.close",
          subject: { type: "month", id: period },
          programId: id,
          changes: { after: { sha256: closed.sha256 } }
        })
        return closed
      })
    )
  })

  const close = Effect.fn("Finance.close")(function* ({
    period,
    program_id
  }: Close): Effect.fn.Return<ClosedMonth, Refused, CurrentCaller> {
    const program = yield* Visible.named(programs, yield* CurrentCaller, program_id)
    const found = yield* Closings.find(query, program.id, period)
    if (found !== undefined) return Closings.shown(found)
    yield* mustBePosted(query, program, period, yield* mustBeOver(program, period, now))
    yield* counted(finance, now())
    return Closings.shown(yield* closeNow(program, period))
  })

  const list = Effect.fn("Finance.closings")(function* (
    id: string
  ): Effect.fn.Return<ClosingList, Refused, CurrentCaller> {
    const caller = yield* CurrentCaller
    const program = yield* Visible.named(programs, caller, id)
    const closings = yield* Closings.list(query, program.id)
    const [newest] = closings
    const first = yield* Closings.firstMonth(query, program.id)
    return {
      program_id: program.id,
      closings: closings.map(Closings.closingFor(caller)),
      ...(first === undefined ? undefined : { first_period: Statement.periodOf(first) }),
      ...(newest === undefined ? undefined : { next_period: Statement.nextPeriod(newest.period) })
    }
  })

  const show = Effect.fn("Finance.closing")(function* (
    id: string,
    period: string
  ): Effect.fn.Return<ClosedMonth, Refused, CurrentCaller> {
    const program = yield* Visible.named(programs, yield* CurrentCaller, id)
    const found = yield* Closings.find(query, program.id, period)
    if (found === undefined) return yield* refuse("not_found", said`${period} is not closed.`)
    return Closings.shown(found)
  })

  const file = Effect.fn("Finance.closingFile")(function* (id: string, period: string) {
    return yield* fileOf(query, yield* show(id, period))
  })

  return { close, file, list, show }
})
