/** Entries of orders in the files of archived spans (contract/databases.md *Archive*), span by span, in bounded memory. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as Moment from "../../base/database/Moment.ts"
import { optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Place, Row } from "../../core/journal/archive/Scan.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { LedgerRow } from "../../core/journal/Records.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { OpenedSpan } from "../../reads/reconcile/OpenedSpans.ts"

/** An entry of an order with its accrual's record. */
export const OrderEntry = Schema.Struct({
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
export type OrderEntry = typeof OrderEntry.Type

export interface Range {
  /** ms; excluded at its end. */
  readonly from: number
  readonly until: number
}

/** Entries that are read at a time: about 1 MB. */
const pageRows = 1_000
const end: Place = [Number.MAX_SAFE_INTEGER, 2n ** 63n - 1n]

const Account = Schema.Struct({ account: Schema.Number })
const accountsStatement = "SELECT number AS account FROM accounts WHERE program_id = $1 ORDER BY number"
const claimedRows = rowsOf(Schema.Struct({ order: Schema.String }))
const claimedStatement = `SELECT order_id AS "order" FROM kept_orders
  WHERE program_id = $1 AND order_id = ANY ($2) AND claimed_at IS NOT NULL`

const isAsked = ({ operation, orderId, occurredAt, placedAt, unit }: LedgerRow, program: Program, range: Range) =>
  orderId !== undefined &&
  (operation === "accrual" || operation === "adjustment") &&
  unit === program.primaryUnit &&
  occurredAt >= range.from &&
  (occurredAt < range.until || (placedAt !== undefined && placedAt < range.until))

const numberOf = (row: Row, name: string): number => Number(row[name])

/** An entry with its accrual's record. */
const entryOf = Effect.fnUntraced(function* ({ sections }: OpenedSpan, row: Row, entry: LedgerRow) {
  const [account, seq] = [numberOf(row, "account"), numberOf(row, "seq")]
  const place: Place = [account, BigInt(seq)]
  const found = entry.operation === "accrual" ? yield* sections.records.between(place, place) : []
  const { events, version } = found.map(ArchivedReads.recordOf)[0] ?? { events: undefined, version: undefined }
  const { amount, n, occurredAt, orderId: order = "", placedAt } = entry
  return { account, seq, n, order, amount, occurredAt, placedAt, version, events, claimed: false } satisfies OrderEntry
})

const eachOf = Effect.fnUntraced(function* (
  connection: Moment.Connection,
  span: OpenedSpan,
  program: Program,
  range: Range,
  visit: (entry: OrderEntry) => void
) {
  const cursor = `accounts_of_${span.span}`
  const accounts = yield* Moment.rows(connection, cursor, Account, accountsStatement, [PgTypes.text(program.id)])
  let [account, isOfProgram] = [0, false]
  let from: Place = [0, 0n]
  for (let isOver = false; !isOver; ) {
    const rows = yield* span.sections.entries.between(from, end, pageRows)
    const found: Array<OrderEntry> = []
    for (const row of rows) {
      const entry = ArchivedReads.entryOf(row)
      if (numberOf(row, "account") !== account) {
        account = numberOf(row, "account")
        isOfProgram = (yield* accounts.next(account)) !== undefined
      }
      if (isOfProgram && isAsked(entry, program, range)) found.push(yield* entryOf(span, row, entry))
      from = [account, BigInt(entry.n) + 1n]
    }
    const asked = [PgTypes.text(program.id), texts(found.map(({ order }) => order))]
    const claimed = new Set((yield* claimedRows(connection.query(claimedStatement, asked))).map(({ order }) => order))
    for (const entry of found) visit({ ...entry, claimed: claimed.has(entry.order) })
    isOver = rows.length < pageRows
  }
})

/** Visits entries of orders that were posted in a range, and later accruals of orders that were placed before its end. */
export const each = (
  connection: Moment.Connection,
  spans: ReadonlyArray<OpenedSpan>,
  program: Program,
  range: Range,
  visit: (entry: OrderEntry) => void
): Effect.Effect<void, ArchiveFault | SqlError.SqlError> =>
  Effect.forEach(spans, (span) => eachOf(connection, span, program, range, visit), { discard: true })
