/** Closed months as they are stored, and statements out of the sums (contract/finance.md *Closing a month*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { firstOf, int8, oneOf, optional, rowsOf } from "../../base/database/Values.ts"
import type * as Contract from "../../contract/admin/Finance.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { spans } from "../../reads/finance/Sums.ts"
import * as Owners from "./Owners.ts"
import * as Reads from "./RollForwardReads.ts"
import * as Statement from "./Statement.ts"

const { text } = PgTypes

const columns = `period, closed_at AS at, closed_by AS by, sha256`
const fields = { period: Schema.String, at: Schema.Number, by: Schema.String, sha256: Schema.String }
const listRows = rowsOf(Schema.Struct(fields))
const Stored = Schema.Struct({ ...fields, statement: Schema.String })
type Stored = typeof Stored.Type
const storedRow = firstOf(Stored)

type Listed = Omit<Stored, "statement">

const closingOf = ({ at, by, period, sha256 }: Listed) => ({
  period,
  closed_at: fromMillis(at),
  closed_by: by,
  sha256
})

/** The same for a caller: one of some restaurants is not told the name of who closed it, who works for the business. */
export const closingFor =
  ({ restaurants }: RequestCaller) =>
  (listed: Listed): Contract.Closing => {
    const { closed_by, ...closing } = closingOf(listed)
    return restaurants === undefined ? { ...closing, closed_by } : closing
  }

/** A statement as it is kept. */
export const keptOf = ({ statement }: Pick<Stored, "statement">): Statement.Kept => JSON.parse(statement)

/** The statement for callers: without what the next one needs. */
const shownOf = (stored: Pick<Stored, "statement">): Contract.Statement => {
  const { owners: _, sums: __, ...statement } = keptOf(stored)
  return statement
}

export const shown = (stored: Stored): Contract.ClosedMonth => ({ ...closingOf(stored), statement: shownOf(stored) })

const firstRow = oneOf(Schema.Struct({ first: optional(Schema.Number) }))

/** The first day of the month of a programme's first entry; undefined: nothing is counted. */
export const firstMonth = (query: Query, program: string): Effect.Effect<number | undefined, Refused> =>
  Effect.map(
    firstRow(
      query(`SELECT min(start) AS first FROM finance_days WHERE program_id = $1 AND span = ${spans.month}`, [
        text(program)
      ])
    ),
    ({ first }) => first
  )

/** The closed months of a programme, the newest first. */
export const list = (query: Query, program: string): Effect.Effect<ReadonlyArray<Listed>, Refused> =>
  listRows(query(`SELECT ${columns} FROM finance_closings WHERE program_id = $1 ORDER BY period DESC`, [text(program)]))

export const find = (query: Query, program: string, period: string): Effect.Effect<Stored | undefined, Refused> =>
  storedRow(
    query(`SELECT ${columns}, statement FROM finance_closings WHERE program_id = $1 AND period = $2`, [
      text(program),
      text(period)
    ])
  )

/** The last closed month before one. */
export const lastBefore = (query: Query, program: string, period: string): Effect.Effect<Stored | undefined, Refused> =>
  storedRow(
    query(
      `SELECT ${columns}, statement FROM finance_closings WHERE program_id = $1 AND period < $2
        ORDER BY period DESC LIMIT 1`,
      [text(program), text(period)]
    )
  )

export const insert = (
  query: Query,
  program: string,
  { at, by, period, sha256, statement }: Stored
): Effect.Effect<void, Refused> =>
  Effect.asVoid(
    query(
      `INSERT INTO finance_closings (program_id, period, closed_at, closed_by, statement, sha256)
        VALUES ($1, $2, $3, $4, $5, $6)`,
      [text(program), text(period), int8(at), text(by), text(statement), text(sha256)]
    )
  )

const progressRow = oneOf(
  Schema.Struct({
    epoch: Schema.Number,
    transaction: Schema.BigInt,
    account: Schema.Number,
    seq: Schema.Number,
    head: Schema.String
  })
)

/** The statement of a month by the sums. In a transaction the writer of the sums waits, so that they are those of one position. */
export const statementBySums = Effect.fnUntraced(function* (
  query: Query,
  program: string,
  period: string,
  last: Statement.Kept | undefined
) {
  const { head, ...position } = yield* progressRow(
    query("SELECT epoch, transaction, account, seq, head FROM finance_progress FOR UPDATE")
  )
  const facts = yield* Reads.facts(query, program)
  const range = Statement.daysOf(period)
  const asked = { program, ...range }
  const owners = Owners.ownersOf(yield* Reads.places(query), range, last?.owners)
  const segments = Statement.cutsOf(facts, period, owners)
  const parts = yield* Reads.sums(query, { ...asked, segments, isByPlace: true, keepsLines: true })
  const rewards = yield* Reads.rewards(query, asked)
  const cohorts = yield* Reads.cohorts(query, program, range.until)
  return Statement.statementOf({ ...facts, program }, period, { position, head, owners, parts, rewards, cohorts }, last)
})
