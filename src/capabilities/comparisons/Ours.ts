/**
 * Reads what orders gave here, out of the ledger and of the accruals' records, in one snapshot and in bounded memory.
 * Points that an order's guest spent on a reward, and got back, are no points of the order.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Moment from "../../base/database/Moment.ts"
import { instant, optional } from "../../base/database/Values.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { Accrual, EarnRule } from "../../core/account/domain/Posted.ts"
import type { Program } from "../../core/rules/Program.ts"

/** An entry of an order. */
export interface Entry {
  readonly order: string
  readonly points: number
  /** When the guest ordered, or the entry was posted; ms. */
  readonly at: number
  /** Facts of an accrual. An order that was moved accrued before: both of the move's entries are adjustments. */
  readonly accrual?: {
    readonly spend: number
    readonly rule: EarnRule | undefined
    readonly promoted: number
    readonly lines: ReadonlyArray<number>
    readonly isClaimed?: boolean
  }
}

const Row = Schema.Struct({
  account: Schema.Number,
  seq: Schema.Number,
  n: Schema.Number,
  order: Schema.String,
  amount: Schema.Number,
  occurredAt: Schema.Number,
  placedAt: optional(Schema.Number),
  version: optional(Schema.Number),
  events: optional(Schema.String),
  claimed: Schema.Boolean
})

const statement = `SELECT e.account, e.seq, e.n, e.order_id AS "order", e.amount, e.occurred_at AS "occurredAt",
    e.placed_at AS "placedAt", j.version, j.events,
    EXISTS (SELECT FROM kept_orders k WHERE k.program_id = $1 AND k.order_id = e.order_id AND k.claimed_at IS NOT NULL) AS claimed
  FROM ledger_entries e LEFT JOIN journal j ON e.operation = 'accrual' AND j.account = e.account AND j.seq = e.seq
  WHERE e.order_id IS NOT NULL AND e.operation IN ('accrual', 'adjustment') AND e.unit = $2::unit AND e.occurred_at >= $3
    AND (e.occurred_at < $4 OR e.placed_at < $4)
    AND e.account IN (SELECT number FROM accounts WHERE program_id = $1)
  ORDER BY e.account, e.n`

const isAccrual = (event: { readonly type: string }, n: number): event is Accrual =>
  event.type === "posted" && "op" in event && event.op === "accrual" && "n" in event && event.n === n

const entryOf = (row: typeof Row.Type): Entry => {
  const { account, amount, claimed, events, n, occurredAt, order, placedAt, seq, version } = row
  const entry = { order, points: amount, at: placedAt ?? occurredAt }
  if (events === undefined || version === undefined) return entry
  const posted = decodeEvents({ account, seq, version, events }).find((event) => isAccrual(event, n))
  if (posted === undefined || !isAccrual(posted, n)) return entry
  if (posted.earned !== undefined) return { ...entry, at: occurredAt }
  const { lines = [], promotions = [], rule, spend = 0 } = posted
  const promoted = promotions.reduce((sum, one) => sum + one.amount, 0)
  const spends = lines.map(([, , subtotal, eligible = subtotal]) => eligible)
  return { ...entry, accrual: { spend, rule, promoted, lines: spends, ...(claimed ? { isClaimed: true } : {}) } }
}

interface Range {
  /** ms; excluded at its end. */
  readonly from: number
  readonly until: number
}

/** Visits entries of orders that were posted in a range, and later accruals of orders that were placed before its end. */
export const each = (
  connection: Moment.Connection,
  program: Program,
  { from, until }: Range,
  visit: (entry: Entry) => void
): Effect.Effect<void, SqlError.SqlError> =>
  Effect.gen(function* () {
    const parameters = [program.id, PgTypes.text(program.primaryUnit), instant(from), instant(until)]
    const rows = yield* Moment.rows(connection, "entries", Row, statement, parameters)
    for (let row = yield* rows.next(); row !== undefined; row = yield* rows.next()) visit(entryOf(row))
  })
