/**
 * Orders whose figures are deleted (migrations/0061_older_orders.sql). A refund or a move may still change one: then all of the
 * member's are read from the journal again, and the rollups have them as if they had never been deleted.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { int8, int8s, rowsOf, texts, xid8 } from "../../base/database/Values.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import type { Row } from "../../core/journal/archive/Scan.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { AccountNumber } from "../../core/journal/Records.ts"
import { JournalUnavailable } from "../../core/journal/Records.ts"
import type { Rule } from "../../core/retention/Retention.ts"
import { isAfter } from "../feed/Place.ts"
import type { Position } from "../feed/Position.ts"
import type { ChangedOrder, Gift, OrderChanges } from "./OrderFigures.ts"
import { accruedIn, changedIn, giftsIn, movedIn } from "./OrderFigures.ts"

type Query = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, JournalUnavailable>

/** A record of an account, as far as it tells of orders. */
interface Told {
  readonly account: AccountNumber
  readonly events: ReadonlyArray<AccountEvent>
  /** True if the rollups count it. */
  readonly isCounted: boolean
  /** True if it is of the newest transaction that they count: maybe not as a whole. */
  readonly isNewest: boolean
}

/** An order of a member, with the account that it counts for. */
interface Held extends ChangedOrder {
  readonly earnedBy: AccountNumber
  readonly gifts: ReadonlyArray<Gift>
}

/**
 * The orders that some accounts of one member have at a position: that accrued there or came there, and were not moved away. Both
 * records of a move are of one transaction; the one that receives the order moves it. Requires: all records of the accounts up to
 * the position's transaction, and of the accounts from which orders came.
 */
export const heldBy = (
  own: ReadonlySet<AccountNumber>,
  program: string,
  records: ReadonlyArray<Told>,
  position: Pick<Position, "account" | "seq">
): ReadonlyArray<Held> => {
  const counted = records.filter(({ isCounted }) => isCounted)
  const orders = accruedBy(program, counted)
  for (const { closes, delta, order } of counted.flatMap(({ events }) => changedIn(events))) {
    const known = orders.get(order)
    if (known !== undefined)
      orders.set(order, { ...known, delta: known.delta + delta, isClosed: known.isClosed || closes })
  }
  const came = Map.groupBy(
    counted.flatMap(({ account, events }) =>
      own.has(account) ? movedIn(events).map((one) => ({ ...one, account })) : []
    ),
    ({ order }) => order
  )
  const went = Map.groupBy(departures(own, records, position), (order) => order)
  return [...orders.values()].flatMap((held) => {
    const moves = came.get(held.order) ?? []
    const times = (own.has(held.earnedBy) ? 1 : 0) + moves.length - (went.get(held.order)?.length ?? 0)
    const last = moves.toSorted((one, other) => other.move - one.move)[0]
    return times > 0 ? [{ ...held, earnedBy: last?.account ?? held.earnedBy }] : []
  })
}

/** The orders that accrued in records, by id, without their changes. */
const accruedBy = (program: string, records: ReadonlyArray<Told>): Map<string, Held> =>
  new Map(
    records.flatMap(({ account, events }) => {
      const order = accruedIn(program, events)
      if (order === undefined) return []
      return [
        [order.order, { ...order, earnedBy: account, gifts: giftsIn(events), delta: 0, isClosed: false }] as const
      ]
    })
  )

/** The orders that were moved away from some accounts, each as often as it was, as far as the receiving record is counted. */
const departures = (
  own: ReadonlySet<AccountNumber>,
  records: ReadonlyArray<Told>,
  position: Pick<Position, "account" | "seq">
): ReadonlyArray<string> => {
  const isReached = (account: number, seq: number) =>
    account < position.account || (account === position.account && seq <= position.seq)
  return records
    .filter(({ account }) => own.has(account))
    .flatMap(({ events, isNewest }) =>
      events.flatMap((event) => {
        if (event.type !== "order_adjusted" || event.moved === undefined) return []
        const { account, seq } = event.moved
        return !isNewest || isReached(account, seq) ? [event.order] : []
      })
    )
}

/** The accounts that orders came from, to some accounts. */
const sourcesOf = (records: ReadonlyArray<Told>): ReadonlyArray<AccountNumber> =>
  records.flatMap(({ events }) =>
    events.flatMap((event) => (event.type === "order_received" ? [event.account, ...event.before] : []))
  )

/** The accounts of members with deleted orders, if $1 and $2 name an order of the account that is not there. */
const touchedStatement = `SELECT o.account, o.program_id AS program,
    ARRAY(SELECT m.account FROM rollup_merges m WHERE m.into_account = o.account) AS merged
  FROM rollup_older o WHERE o.account IN (SELECT t.account FROM unnest($1, $2) t(account, order_id)
    WHERE NOT EXISTS (SELECT FROM rollup_orders r WHERE r.account = t.account AND r.order_id = t.order_id))`
const touchedRows = rowsOf(
  Schema.Struct({ account: Schema.Number, program: Schema.String, merged: Schema.Array(Schema.Number) })
)

const recordsStatement = `SELECT account, seq, version, events,
    (epoch, transaction, account, seq) <= ($2, $3, $4, $5) AS "isCounted", (epoch, transaction) = ($2, $3) AS "isNewest"
  FROM journal WHERE account = ANY ($1) AND (epoch, transaction) <= ($2, $3)`
const recordRows = rowsOf(
  Schema.Struct({
    account: Schema.Number,
    seq: Schema.Number,
    version: Schema.Number,
    events: Schema.String,
    isCounted: Schema.Boolean,
    isNewest: Schema.Boolean
  })
)

/** Where orders are read from, for the figures. */
interface Sources {
  readonly query: Query
  /** Without them archived records are missing, and the sums of their members stay. */
  readonly files: FileReads | undefined
}

/** A record of a file, if it is not after a position's transaction. */
const filedAt =
  (position: Position) =>
  (row: Row): ReadonlyArray<Told> => {
    const record = ArchivedReads.recordOf(row)
    const { account, seq } = record
    const place = { epoch: Number(row["epoch"]), transaction: BigInt(row["transaction"] ?? 0), account, seq }
    const isNewest = place.epoch === position.epoch && place.transaction === position.transaction
    const isCounted = !isAfter({ position: place, skipped: 0 }, { position, skipped: 0 })
    return isCounted || isNewest ? [{ account, events: decodeEvents(record), isCounted, isNewest }] : []
  }

/** Records of accounts that lie in files. A file that cannot be used is none; one that does not answer may do so later. */
const filed = ({ files, query }: Sources, accounts: ReadonlyArray<AccountNumber>, position: Position) =>
  files === undefined
    ? Effect.succeed([])
    : ArchivedReads.rowsOfAccounts(query, files, "records", accounts).pipe(
        Effect.map((rows) => rows.flatMap(filedAt(position))),
        Effect.catchTags({
          ArchiveFault: ({ message }) => Effect.as(Effect.logError(message), []),
          SilentFolder: (cause) => Effect.fail(new JournalUnavailable({ cause }))
        })
      )

/** Records of accounts up to a position's transaction. */
const told = (sources: Sources, accounts: ReadonlyArray<AccountNumber>, position: Position) =>
  ArchivedReads.together(sources.query, toldOnce(sources, accounts, position))

const toldOnce = Effect.fnUntraced(function* (
  sources: Sources,
  accounts: ReadonlyArray<AccountNumber>,
  position: Position
): Effect.fn.Return<ReadonlyArray<Told>, JournalUnavailable> {
  const { account, epoch, seq, transaction } = position
  const asked = [int8s(accounts), PgTypes.int4(epoch), xid8(transaction), int8(account), int8(seq)]
  const here = yield* recordRows(sources.query(recordsStatement, asked))
  return [
    ...(yield* filed(sources, accounts, position)),
    ...here.map((row): Told => {
      const { account, isCounted, isNewest } = row
      return { account, events: decodeEvents(row), isCounted, isNewest }
    })
  ]
})

/** All orders at a position of each member of whom a change touches a deleted one, as `count_rollups` takes them. */
export const restoredFor = Effect.fnUntraced(function* (sources: Sources, from: Position, orders: OrderChanges) {
  const { touched } = orders
  if (touched.length === 0) return []
  const asked = [int8s(touched.map(({ account }) => account)), texts(touched.map(({ order }) => order))]
  const members = yield* touchedRows(sources.query(touchedStatement, asked))
  return yield* Effect.forEach(
    members,
    Effect.fnUntraced(function* ({ account, merged, program }) {
      const own = new Set([account, ...merged])
      const records = yield* told(sources, [...own], from)
      const others = [...new Set(sourcesOf(records))].filter((one) => !own.has(one))
      const before = others.length === 0 ? [] : yield* told(sources, others, from)
      const rows = heldBy(own, program, [...records, ...before], from).map((held) => ({
        order_id: held.order,
        program_id: held.program,
        at: held.at,
        location_id: held.location,
        business: held.business,
        accrued: held.accrued,
        earned_by: held.earnedBy,
        promotions: held.gifts,
        delta: held.delta,
        is_closed: held.isClosed
      }))
      return { account, orders: rows }
    })
  )
})

export const retention: Rule = {
  kept: "order_figures",
  clock: "service",
  deletes: "SELECT deleted, more FROM forget_orders($1, $2)",
  // One row of the index: a join would read all orders that are kept.
  oldest: `SELECT (SELECT o.at FROM rollup_orders o WHERE o.at > p.orders_from ORDER BY o.at LIMIT 1) AS oldest
    FROM rollup_progress p`
}
