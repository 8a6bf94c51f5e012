/**
 * The journal's reads where a folder of archive files is there (contract/databases.md *Archive*): what PostgreSQL refuses as
 * archived is read again, span by span, out of tables and files.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { storageUnavailable } from "../../../base/database/Pools.ts"
import * as SpanOf from "../../../base/database/SpanOf.ts"
import { int8, int8s, oneOf, optional, rowsOf } from "../../../base/database/Values.ts"
import type { Refused } from "../../../contract/Refused.ts"
import type { FileReads, Known, Range, ReadFault } from "../archive/ArchiveFiles.ts"
import { SilentFolder } from "../archive/ArchiveFiles.ts"
import type { Places, Row } from "../archive/Scan.ts"
import { ArchiveFault } from "../archive/SpanFile.ts"
import type { LedgerQuery, LedgerRow } from "../Records.ts"
import { JournalUnavailable, type StoredRecord } from "../Records.ts"
import * as PgReads from "./PgReads.ts"
import type { Query } from "./Query.ts"
import * as StoredRows from "./StoredRows.ts"

type Reads = ReturnType<typeof PgReads.make>

/** A span of an account: its records and entries there, and the file if they are archived. */
const spanRows = rowsOf(
  Schema.Struct({
    span: Schema.Number,
    firstSeq: Schema.Number,
    lastSeq: Schema.Number,
    firstAt: optional(Schema.Number),
    file: optional(Schema.String),
    checksum: optional(Schema.Uint8Array)
  })
)
type Span = Effect.Success<ReturnType<typeof spanRows>>[number]

/** Newest first. A span that was entered without a record of its own has none. */
const spansStatement = `SELECT s.span, s.first_seq AS "firstSeq", coalesce(s.next - 1, a.seq) AS "lastSeq",
    x.first_at AS "firstAt", x.file, x.checksum
  FROM (
    SELECT span, first_seq, lead(first_seq) OVER (ORDER BY first_seq, span) AS next FROM (
      SELECT 0::smallint AS span, 1::bigint AS first_seq
      UNION ALL SELECT span, first_seq FROM account_spans WHERE account = $1
    ) entered
  ) s JOIN accounts a ON a.number = $1 LEFT JOIN archived_spans x ON x.span = s.span
  WHERE s.first_seq <= coalesce(s.next - 1, a.seq) ORDER BY s.first_seq DESC`

const placeRows = rowsOf(
  Schema.Struct({
    n: Schema.Number,
    span: Schema.Number,
    file: optional(Schema.String),
    checksum: optional(Schema.Uint8Array)
  })
)
const placesStatement = `SELECT given.n, lies.span, x.file, x.checksum
  FROM unnest($2) given (n) ${SpanOf.lies(SpanOf.ofEntry("$1", "given.n"))} LEFT JOIN archived_spans x ON x.span = lies.span`

const recordsStatement = `SELECT ${StoredRows.recordColumns} FROM journal
  WHERE account = $1 AND span = (SELECT ${SpanOf.here("$2")}) AND seq >= $3 AND seq <= $4 ORDER BY seq`
const recordRows = rowsOf(StoredRows.StoredRecord)
const entriesStatement = `SELECT n, amount, seq FROM ledger_entries WHERE account = $1
  AND span = (SELECT ${SpanOf.here("$2")}) AND n = ANY ($3)`
const entryRows = rowsOf(Schema.Struct({ n: Schema.Number, amount: Schema.Number, seq: Schema.Number }))

const known = ({ checksum, file }: Pick<Span, "checksum" | "file">): Known | undefined =>
  file === undefined || checksum === undefined ? undefined : { file, checksum }

const text = (row: Row, name: string): string => {
  const value = row[name]
  if (value === null || value === undefined) throw new Error(`an archived row has no ${name}`)
  return value
}
const number = (row: Row, name: string): number => Number(text(row, name))
const maybe = <A>(row: Row, name: string, read: (row: Row, name: string) => A): A | undefined =>
  row[name] === null ? undefined : read(row, name)

/** A time as the files have it: 2026-07-14 10:00:00.123+00. */
const instant = (row: Row, name: string): number => Date.parse(`${text(row, name).replace(" ", "T")}:00`)

/** A record of a file. */
export const recordOf = (row: Row): StoredRecord => ({
  account: number(row, "account"),
  seq: number(row, "seq"),
  at: number(row, "at"),
  version: number(row, "version"),
  events: text(row, "events"),
  reply: text(row, "reply"),
  programVersion: number(row, "program_version"),
  actor: maybe(row, "actor", text),
  origin: maybe(row, "origin", text),
  balances: text(row, "balances"),
  announced: number(row, "announced"),
  hash: text(row, "hash")
})

const isEntry = Schema.decodeUnknownSync(StoredRows.LedgerRow)

/** An entry of a file. */
export const entryOf = (row: Row): LedgerRow =>
  isEntry({
    n: number(row, "n"),
    operation: text(row, "operation"),
    unit: text(row, "unit"),
    amount: number(row, "amount"),
    occurredAt: instant(row, "occurred_at"),
    expiresAt: row["expires_at"] === null ? null : instant(row, "expires_at"),
    relatedN: row["related_n"] === null ? null : number(row, "related_n"),
    orderId: row["order_id"],
    locationId: row["location_id"],
    adjustmentId: row["adjustment_id"],
    reservationId: row["reservation_id"],
    classification: row["classification"],
    reason: row["reason"],
    qualifiesForTier: row["qualifies_for_tier"] === null ? null : row["qualifies_for_tier"] === "true",
    placedAt: row["placed_at"] === null ? null : instant(row, "placed_at"),
    businessDate: row["business_date"]
  })

/** True if a ledger entry is of those that a query asks for. */
const isAsked = (entry: LedgerRow, { occurredFrom, occurredUntil, operations, unit }: LedgerQuery): boolean =>
  (unit === undefined || entry.unit === unit) &&
  (operations === undefined || operations.includes(entry.operation)) &&
  entry.occurredAt >= (occurredFrom ?? -Infinity) &&
  entry.occurredAt <= (occurredUntil ?? Infinity)

/** Reads out of tables and files, span by span. */
export const ofSpans = (query: Query, files: FileReads) => {
  const rows = (file: Known, section: "entries" | "records", range: Range) =>
    Effect.mapError(files.rows(file, section, range), (cause) => new JournalUnavailable({ cause }))

  /** Records of an account's span. */
  const inSpan = (account: number, span: Span, first: number, last: number) => {
    const file = known(span)
    return file === undefined
      ? recordRows(query(recordsStatement, [int8(account), PgTypes.int2(span.span), int8(first), int8(last)]))
      : Effect.map(rows(file, "records", { account, first, last }), (found) => found.map(recordOf))
  }

  const records = Effect.fnUntraced(function* (account: number, first: number, limit: number) {
    const found: Array<StoredRecord> = []
    for (const span of (yield* spanRows(query(spansStatement, [int8(account)]))).toReversed()) {
      const [from, to] = [Math.max(first, span.firstSeq), Math.min(first + limit - 1, span.lastSeq)]
      if (from <= to) found.push(...(yield* inSpan(account, span, from, to)))
    }
    return found
  })

  /** Amounts of entries, and the records that posted them. */
  const entries = Effect.fnUntraced(function* (account: number, ns: ReadonlyArray<number>) {
    const found: Array<{ readonly n: number; readonly amount: number; readonly seq: number }> = []
    const places = yield* placeRows(query(placesStatement, [int8(account), int8s(ns)]))
    for (const [span, own] of Map.groupBy(places, ({ span }) => span)) {
      const file = known(own[0]!)
      if (file === undefined) {
        const asked = [int8(account), PgTypes.int2(span), int8s(own.map(({ n }) => n))]
        found.push(...(yield* entryRows(query(entriesStatement, asked))))
        continue
      }
      for (const { n } of own)
        for (const row of yield* rows(file, "entries", { account, first: n, last: n }))
          found.push({ n, amount: number(row, "amount"), seq: number(row, "seq") })
    }
    return found
  })

  return {
    records,
    recordAt: Effect.fnUntraced(function* (account: number, at: number) {
      for (const span of yield* spanRows(query(spansStatement, [int8(account)]))) {
        if (span.firstAt !== undefined && span.firstAt > at) continue
        const found = yield* inSpan(account, span, span.firstSeq, span.lastSeq)
        const last = found.findLast((record) => record.at <= at)
        if (last !== undefined) return last
      }
      return undefined
    }),
    recordsOf: Effect.fnUntraced(function* (account: number, ns: ReadonlyArray<number>) {
      const seqs = new Set((yield* entries(account, ns)).map(({ seq }) => seq))
      const found: Array<StoredRecord> = []
      for (const seq of [...seqs].toSorted((a, b) => a - b)) found.push(...(yield* records(account, seq, 1)))
      return found
    }),
    entriesOtherThan: Effect.fnUntraced(function* (
      account: number,
      amounts: ReadonlyArray<readonly [n: number, amount: number]>
    ) {
      const ns = amounts.map(([n]) => n)
      const found = new Map((yield* entries(account, ns)).map(({ amount, n }) => [n, amount]))
      return amounts.flatMap(([n, amount]) => (found.get(n) === amount ? [] : [n])).toSorted((a, b) => a - b)
    }),
    ledger: Effect.fnUntraced(function* (asked: LedgerQuery) {
      const { account, limit } = asked
      const between = { asked, after: 0, before: asked.beforeN ?? PgReads.beyondEntries }
      const page: Array<LedgerRow> = []
      for (const span of yield* PgReads.spansBetween(query, between)) {
        const file = known(span)
        if (file === undefined) page.push(...(yield* PgReads.entriesIn(query, span.span, between, limit - page.length)))
        else {
          const all = yield* rows(file, "entries", { account, first: 1, last: between.before - 1 })
          const own = all.map(entryOf).filter((entry) => isAsked(entry, asked))
          page.push(...own.toReversed().slice(0, limit - page.length))
        }
        if (page.length >= limit) break
      }
      return page
    })
  }
}

const filesOfStatement = `SELECT a.number AS account, x.file, x.checksum FROM unnest($1) a(number)
    CROSS JOIN LATERAL archived_records(a.number) r JOIN archived_spans x ON x.span = r.span
  WHERE x.last_at >= $2 AND x.first_at <= $3 ORDER BY a.number, x.span`
const filesOfRows = rowsOf(Schema.Struct({ account: Schema.Number, file: Schema.String, checksum: Schema.Uint8Array }))

/** Runs a statement, with the failures of its pool. */
type AnyQuery<E> = (
  statement: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<PgConnection.Row>, E>

/** ms, both included. */
interface Times {
  readonly since?: number
  readonly until?: number
}

/** The rows of accounts in the files of all archived spans that have rows of some times. */
export const rowsOfAccounts = Effect.fnUntraced(function* <E>(
  query: AnyQuery<E>,
  files: FileReads,
  section: Places,
  accounts: ReadonlyArray<number>,
  { since = 0, until = Number.MAX_SAFE_INTEGER }: Times = {}
): Effect.fn.Return<ReadonlyArray<Row>, E | ReadFault> {
  const found: Array<Row> = []
  const asked = [int8s(accounts), int8(since), int8(until)]
  for (const { account, ...file } of yield* filesOfRows(query(filesOfStatement, asked)))
    found.push(...(yield* files.rows(file, section, { account, first: 1, last: Number.MAX_SAFE_INTEGER })))
  return found
})

const archivedStatement = "SELECT coalesce(string_agg(span::text, ',' ORDER BY span), '') AS spans FROM archived_spans"
const archivedRow = oneOf(Schema.Struct({ spans: Schema.String }))

/**
 * Reads tables and files by statements of their own: again, if a span was archived or came back in between, whose rows would be
 * read twice or not at all.
 */
export const together = <E, A, F>(query: AnyQuery<E>, read: Effect.Effect<A, F>): Effect.Effect<A, E | F> =>
  Effect.gen(function* () {
    for (;;) {
      const before = yield* archivedRow(query(archivedStatement, []))
      const found = yield* read
      if ((yield* archivedRow(query(archivedStatement, []))).spans === before.spans) return found
    }
  })

interface Ways<A> {
  /** Refuses where it needs archived records. */
  readonly ofTables: Effect.Effect<A, Refused>
  readonly ofBoth: (files: FileReads) => Effect.Effect<A, Refused | ReadFault>
}

/**
 * Reads tables and files; without a folder, or with a damaged file, the tables alone. In a transaction a statement that refuses would
 * end it, so none is asked first.
 */
export const orOfTables = <A>(
  query: AnyQuery<Refused>,
  files: FileReads | undefined,
  { ofBoth, ofTables }: Ways<A>
): Effect.Effect<A, Refused> => {
  if (files === undefined) return ofTables
  return together(query, ofBoth(files)).pipe(
    Effect.catchTags({
      ArchiveFault: ({ message }) => Effect.andThen(Effect.logError(message), ofTables),
      SilentFolder: ({ message }) => Effect.andThen(Effect.logError(message), Effect.fail(storageUnavailable))
    })
  )
}

/** A file that cannot be used is none; one that does not answer may do so later. The log says why. */
export const unlessDamaged = <A>(read: Effect.Effect<A, JournalUnavailable>, error: JournalUnavailable) =>
  Effect.catchTag(read, "JournalUnavailable", (failed) => {
    const { cause } = failed
    if (cause instanceof ArchiveFault) return Effect.andThen(Effect.logError(cause.message), Effect.fail(error))
    if (cause instanceof SilentFolder) return Effect.andThen(Effect.logError(cause.message), Effect.fail(failed))
    return Effect.fail(failed)
  })

/** The same reads; those that are refused as archived are answered out of tables and files. */
export const through = (query: Query, files: FileReads | undefined, ofTables: Reads): Reads => {
  if (files === undefined) return ofTables
  const ofFiles = ofSpans(query, files)
  const or =
    <Asked extends ReadonlyArray<unknown>, A>(
      first: (...asked: Asked) => Effect.Effect<A, JournalUnavailable>,
      then: (...asked: Asked) => Effect.Effect<A, JournalUnavailable>
    ) =>
    (...asked: Asked): Effect.Effect<A, JournalUnavailable> =>
      Effect.catchTag(first(...asked), "JournalUnavailable", (error) =>
        error.archived === undefined ? Effect.fail(error) : unlessDamaged(then(...asked), error)
      )
  return {
    ...ofTables,
    records: or(ofTables.records, ofFiles.records),
    recordAt: or(ofTables.recordAt, ofFiles.recordAt),
    recordsOf: or(ofTables.recordsOf, ofFiles.recordsOf),
    entriesOtherThan: or(ofTables.entriesOtherThan, ofFiles.entriesOtherThan),
    ledger: or(ofTables.ledger, ofFiles.ledger)
  }
}
