/** Pages of the feed out of the files of archived spans (contract/databases.md *Archive*). */
import { Effect, Schema } from "effect"
import { firstOf, int8, int8s, optional, rowsOf } from "../../base/database/Values.ts"
import type { FileReads, Known } from "../../core/journal/archive/ArchiveFiles.ts"
import type { Row } from "../../core/journal/archive/Scan.ts"
import { isBefore, type Key, keyOf } from "../../core/journal/archive/Sections.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { Query } from "../../core/journal/postgres/Query.ts"
import { JournalUnavailable, type StoredRecord } from "../../core/journal/Records.ts"
import * as FeedSql from "./FeedSql.ts"
import type { Position } from "./Position.ts"

/** A record of a span that is over, and its place. */
export interface ArchivedRecord extends StoredRecord {
  readonly epoch: number
  readonly transaction: bigint
  readonly isOver: true
}

const placed = (row: Row): ArchivedRecord => ({
  ...ArchivedReads.recordOf(row),
  epoch: Number(row["epoch"]),
  transaction: BigInt(row["transaction"] ?? 0),
  isOver: true
})

const keyAt = ({ account, epoch, seq, transaction }: Position): Key =>
  keyOf(BigInt(epoch), transaction, BigInt(account), BigInt(seq))

const known = { file: Schema.String, checksum: Schema.Uint8Array }
const knownRow = firstOf(Schema.Struct({ ...known, firstAt: optional(Schema.Number) }))

/** The earliest time in the next archived span after a place, ms: that of the place's next record or an earlier one. */
export const oldestAfter = (query: Query, after: Position) =>
  Effect.map(knownRow(query(FeedSql.archivedAfter, FeedSql.parameters(after))), (found) => found?.firstAt)

const unavailable = (cause: unknown) => new JournalUnavailable({ cause })

const recordsIn = (files: FileReads, of: Known, account: number, first: number, last: number) =>
  Effect.mapError(
    Effect.map(files.rows(of, "records", { account, first, last }), (rows) => rows.map(placed)),
    unavailable
  )

/** The records of the next archived span after a place, at most `limit`. */
export const ofFiles = Effect.fnUntraced(function* (
  query: Query,
  files: FileReads,
  after: Position,
  limit: number
): Effect.fn.Return<ReadonlyArray<ArchivedRecord>, JournalUnavailable> {
  const file = yield* knownRow(query(FeedSql.archivedAfter, FeedSql.parameters(after)))
  if (file === undefined) return []
  const found: Array<ArchivedRecord> = []
  for (const key of yield* Effect.mapError(files.keysAfter(file, keyAt(after), limit), unavailable)) {
    const [account, seq] = [Number(key[2]), Number(key[3])]
    found.push(...(yield* recordsIn(files, file, account, seq, seq)))
  }
  return found
})

const ofAccountsStatement = `SELECT x.file, x.checksum, x.last_epoch AS epoch, x.last_transaction AS transaction,
    x.last_account AS account, x.last_seq AS seq
  FROM archived_spans x WHERE x.span >= ${FeedSql.spanOfPlace}
    AND (x.last_epoch, x.last_transaction, x.last_account, x.last_seq) > ${FeedSql.given}
    AND EXISTS (SELECT FROM unnest($5) a(number) CROSS JOIN LATERAL archived_records(a.number) r WHERE r.span = x.span)
  ORDER BY x.span LIMIT 1`
const ofAccountsRow = firstOf(
  Schema.Struct({
    ...known,
    epoch: Schema.Number,
    transaction: Schema.BigInt,
    account: Schema.Number,
    seq: Schema.Number
  })
)

export interface OfAccounts {
  readonly rows: ReadonlyArray<ArchivedRecord>
  /** The end of the span; undefined: there is none. */
  readonly end: Position | undefined
}

/** The same of some accounts: of the first archived span after the place that has one. */
export const ofAccounts = Effect.fnUntraced(function* (
  query: Query,
  files: FileReads,
  accounts: ReadonlyArray<number>,
  after: Position,
  limit: number
): Effect.fn.Return<OfAccounts, JournalUnavailable> {
  const file = yield* ofAccountsRow(query(ofAccountsStatement, [...FeedSql.parameters(after), int8s(accounts)]))
  if (file === undefined) return { rows: [], end: undefined }
  const found: Array<ArchivedRecord> = []
  for (const account of accounts) found.push(...(yield* recordsIn(files, file, account, 1, Number.MAX_SAFE_INTEGER)))
  const later = found
    .filter((record) => isBefore(keyAt(after), keyAt(record)))
    .toSorted((one, other) => (isBefore(keyAt(one), keyAt(other)) ? -1 : 1))
  const { account, epoch, seq, transaction } = file
  return { rows: later.slice(0, limit), end: { account, epoch, seq, transaction } }
})

const spansSince = `SELECT file, checksum, records, standing FROM (
    SELECT x.*, coalesce(i.environment = 'sandbox', false) AS standing FROM archived_spans x CROSS JOIN installation i
  ) x WHERE CASE WHEN standing THEN last_at ELSE last_written END >= $1 ORDER BY span`
const spanRows = rowsOf(Schema.Struct({ ...known, records: Schema.Number, standing: Schema.Boolean }))
type Span = Effect.Success<ReturnType<typeof spanRows>>[number]

/** Records are only nearly in the order of their times, ms: as far as \`first_committed\` looks for earlier ones. */
const disorderMs = 60_000

/** The place and the time of a record of a span by its number in the feed's order; in a sandbox the service's time. */
const recordAt = Effect.fnUntraced(function* (files: FileReads, span: Span, index: number) {
  const key = yield* Effect.mapError(files.keyAt(span, index), unavailable)
  if (key === undefined) return undefined
  const [account, seq] = [Number(key[2]), Number(key[3])]
  const range = { account, first: seq, last: seq }
  const [row] = yield* Effect.mapError(files.rows(span, "records", range), unavailable)
  const position: Position = { epoch: Number(key[0]), transaction: key[1], account, seq }
  return { position, at: Number(row?.[span.standing ? "at" : "written_at"]) }
})

/** The place of the first archived record of an instant (ms) or later; undefined: there is none. */
export const firstSince = Effect.fnUntraced(function* (
  query: Query,
  files: FileReads,
  since: number
): Effect.fn.Return<Position | undefined, JournalUnavailable> {
  for (const span of yield* spanRows(query(spansSince, [int8(since)]))) {
    let low = 0
    for (let high = span.records; low < high; ) {
      const middle = Math.floor((low + high) / 2)
      const found = yield* recordAt(files, span, middle)
      if (found !== undefined && found.at < since - disorderMs) low = middle + 1
      else high = middle
    }
    for (let found = yield* recordAt(files, span, low); found !== undefined; ) {
      if (found.at >= since) return found.position
      found = yield* recordAt(files, span, ++low)
    }
  }
  return undefined
})

/** A page; where PostgreSQL refuses it as archived, out of the files. */
export const through =
  <A>(
    files: FileReads | undefined,
    read: (after: Position, limit: number) => Effect.Effect<A, JournalUnavailable>,
    then: (files: FileReads, after: Position, limit: number) => Effect.Effect<A, JournalUnavailable>
  ) =>
  (after: Position, limit: number): Effect.Effect<A, JournalUnavailable> =>
    Effect.catchTag(read(after, limit), "JournalUnavailable", (error) =>
      files === undefined || error.archived === undefined
        ? Effect.fail(error)
        : ArchivedReads.unlessDamaged(then(files, after, limit), error)
    )
