/**
 * Reads what orders gave here, out of the ledger and of the accruals' records, in one snapshot and in bounded memory. Archived ones
 * come out of their files.
 * Points that an order's guest spent on a reward, and got back, are no points of the order.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import * as Moment from "../../base/database/Moment.ts"
import { instant } from "../../base/database/Values.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { Accrual, EarnRule } from "../../core/account/domain/Posted.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { OpenedSpan } from "../../reads/reconcile/OpenedSpans.ts"
import * as OpenedSpans from "../../reads/reconcile/OpenedSpans.ts"
import type { Range } from "./FiledOrders.ts"
import * as FiledOrders from "./FiledOrders.ts"
import { OrderEntry } from "./FiledOrders.ts"

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

const entryOf = (row: OrderEntry): Entry => {
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

/** The tables at one moment, with the archived spans that may have entries of a range. */
export interface Sources {
  readonly connection: Moment.Connection
  readonly spans: ReadonlyArray<OpenedSpan>
}

/** Opens them. Fails without the folder of the files, if there are such spans. */
export const open = Effect.fnUntraced(function* ({ from }: Range) {
  const connection = yield* Moment.open("compare")
  const asked = { since: from, undone: "Nothing was compared" }
  return { connection, spans: yield* OpenedSpans.open(connection, yield* ArchiveFiles, asked) } satisfies Sources
})

/** Visits entries of orders that were posted in a range, and later accruals of orders that were placed before its end. */
export const each = (
  { connection, spans }: Sources,
  program: Program,
  range: Range,
  visit: (entry: Entry) => void
): Effect.Effect<void, ArchiveFault | SqlError.SqlError> =>
  Effect.gen(function* () {
    yield* FiledOrders.each(connection, spans, program, range, (row) => visit(entryOf(row)))
    const parameters = [program.id, PgTypes.text(program.primaryUnit), instant(range.from), instant(range.until)]
    const rows = yield* Moment.rows(connection, "entries", OrderEntry, statement, parameters)
    for (let row = yield* rows.next(); row !== undefined; row = yield* rows.next()) visit(entryOf(row))
  })
