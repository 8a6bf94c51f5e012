/** The rows of archived spans for a walk over accounts, out of their files (contract/databases.md *Archive*). */
import type { PgConnection } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { int4s, int8, oneOf, rowsOf } from "../../base/database/Values.ts"
import type { FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import type { Place, Row } from "../../core/journal/archive/Scan.ts"
import { isBefore, type Key, keyOf } from "../../core/journal/archive/Sections.ts"
import type * as SpanFile from "../../core/journal/archive/SpanFile.ts"
import type { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import * as ArchivedReads from "../../core/journal/postgres/ArchivedReads.ts"
import type { PlacedRecord } from "./AccountAudit.ts"
import * as Bounds from "./Bounds.ts"
import type { Difference } from "./Difference.ts"
import { writeLedger } from "./ExpectedRows.ts"
import * as OpenedSpans from "./OpenedSpans.ts"
import type { Range } from "./Ranges.ts"
import type { EnumTypes } from "./RowImage.ts"
import { RowImages } from "./RowImage.ts"

/** The images of an account's entries of one span. */
export interface SpanImages {
  readonly span: number
  readonly images: Uint8Array
}

/** The rows of an account that lie in files. */
export interface AccountFiles {
  readonly records: ReadonlyArray<PlacedRecord>
  readonly entries: ReadonlyArray<SpanImages>
  /** Spans whose first record or entry is another one than `account_spans` says. */
  readonly misplaced: ReadonlyArray<number>
}

const nothing: AccountFiles = { records: [], entries: [], misplaced: [] }

const least = -(2n ** 63n)
const most = 2n ** 63n - 1n

/** `lastWithoutKeys`: the last span whose keys were dropped. Files of before keys had an end have none. */
const placedIn =
  (lastWithoutKeys: number) =>
  (row: Row): PlacedRecord => ({
    ...ArchivedReads.recordOf(row),
    epoch: Number(row["epoch"]),
    transaction: Number(row["transaction"]),
    writtenAt: Number(row["written_at"]),
    key:
      typeof row["key"] === "string"
        ? { text: `${row["key"]}${row["key_fingerprint"]}`, isHere: Number(row["span"]) > lastWithoutKeys }
        : undefined
  })

const accountOf = (row: Row): number => Number(row["account"])

const First = Schema.Struct({
  account: Schema.Number,
  span: Schema.Number,
  firstSeq: Schema.Number,
  firstN: Schema.Number
})
type First = typeof First.Type
const firstRows = rowsOf(First)
const firstStatement = `SELECT account, span, first_seq AS "firstSeq", first_n AS "firstN" FROM account_spans
  WHERE account >= $1 AND account < $2 AND span = ANY ($3)`

export class ArchivedMaterial {
  readonly spans: ReadonlyArray<OpenedSpans.OpenedSpan>
  private readonly types: EnumTypes
  private readonly images = new RowImages()

  private readonly placedOf: (row: Row) => PlacedRecord

  constructor(spans: ReadonlyArray<OpenedSpans.OpenedSpan>, types: EnumTypes, lastWithoutKeys: number) {
    this.spans = spans
    this.types = types
    this.placedOf = placedIn(lastWithoutKeys)
  }

  /** The rows of the accounts of a range; of a long one, which spans are misplaced alone. */
  readonly range = Effect.fnUntraced(function* (
    this: ArchivedMaterial,
    connection: PgConnection.PgConnection,
    range: Range
  ) {
    const spans = int4s(this.spans.map(({ span }) => span))
    const rows = yield* firstRows(connection.query(firstStatement, [int8(range.from), int8(range.until), spans]))
    const stored = Map.groupBy(rows, ({ span }) => span)
    const files = new Map<number, AccountFiles>()
    for (const span of this.spans)
      for (const [account, own] of yield* this.inSpan(span, range, stored.get(span.span) ?? [])) {
        const { entries, misplaced, records } = files.get(account) ?? nothing
        files.set(account, {
          records: [...records, ...own.records],
          entries: [...entries, ...own.entries],
          misplaced: [...misplaced, ...own.misplaced]
        })
      }
    return files as ReadonlyMap<number, AccountFiles>
  })

  private readonly inSpan = Effect.fnUntraced(function* (
    this: ArchivedMaterial,
    { sections, span }: OpenedSpans.OpenedSpan,
    { from, isLong, until }: Range,
    stored: ReadonlyArray<First>
  ) {
    const first: Place = [from, least]
    const last: Place = [until - 1, most]
    const limit = isLong ? 1 : undefined
    const records = Map.groupBy(yield* sections.records.between(first, last, limit), accountOf)
    const entries = Map.groupBy(yield* sections.entries.between(first, last, limit), accountOf)
    const said = new Map(stored.map((row) => [row.account, row]))
    return [...new Set([...records.keys(), ...entries.keys(), ...said.keys()])].map((account) => {
      const [seqs = [], ns = []] = [records.get(account), entries.get(account)]
      const misplaced = span > 0 && !isPlaced(said.get(account), seqs[0], ns[0]) ? [span] : []
      if (isLong) return [account, { ...nothing, misplaced }] as const
      const images = ns.length === 0 ? [] : [{ span, images: this.imagesOf(ns) }]
      return [account, { records: seqs.map(this.placedOf), entries: images, misplaced }] as const
    })
  })

  /** Records of an account from `seq` on, at most a page of each span. */
  readonly records = Effect.fnUntraced(function* (this: ArchivedMaterial, account: number, seq: string) {
    const found: Array<PlacedRecord> = []
    for (const { sections } of this.spans) {
      const rows = yield* sections.records.between([account, BigInt(seq)], [account, most], Bounds.pageRecords)
      found.push(...rows.map(this.placedOf))
    }
    return found
  })

  /** Images of an account's entries with `from` <= n <= `until`, at most `limit` of each span. */
  readonly entries = Effect.fnUntraced(function* (
    this: ArchivedMaterial,
    account: number,
    from: string,
    until: string,
    limit: number
  ) {
    const found: Array<SpanImages> = []
    for (const { sections, span } of this.spans) {
      const rows = yield* sections.entries.between([account, BigInt(from)], [account, BigInt(until)], limit)
      if (rows.length > 0) found.push({ span, images: this.imagesOf(rows) })
    }
    return found
  })

  /** Compares each file with the seal of its span, and its order of the feed with its records. */
  readonly differences = Effect.fnUntraced(function* (this: ArchivedMaterial) {
    const found: Array<Difference> = []
    for (const { entries, month, opened, records, seal, span } of this.spans) {
      const { header } = opened
      const differ = (message: string) =>
        found.push({ table: "seals", row: `span ${span}`, message: `the file of ${month} ${message}` })
      if (header.seal !== seal || header.span !== span) differ("has another seal")
      if (header.rows.records !== records || header.rows.entries !== entries || header.rows.order !== records)
        differ(
          `has ${header.rows.records} records and ${header.rows.entries} entries; the seal says ${records} and ${entries}`
        )
      if (!(yield* isInOrder(opened))) differ("has its records in another order")
    }
    return found
  })

  private imagesOf(rows: ReadonlyArray<Row>): Uint8Array {
    this.images.clear()
    for (const row of rows) writeLedger(this.images, this.types, ArchivedReads.entryOf(row), Number(row["seq"]))
    return Uint8Array.from(this.images.image)
  }
}

/** Records of tables and files, by seq. */
export const inOrder = (
  here: ReadonlyArray<PlacedRecord> | undefined,
  filed: ReadonlyArray<PlacedRecord> = []
): ReadonlyArray<PlacedRecord> | undefined =>
  here === undefined || filed.length === 0 ? here : [...here, ...filed].sort((a, b) => a.seq - b.seq)

/** Images of entries of tables and files, by n: those of a span come before those of the next. */
export const joined = (here: ReadonlyArray<SpanImages> = [], filed: ReadonlyArray<SpanImages> = []): Uint8Array => {
  const [first, ...others] = [...here, ...filed].sort((a, b) => a.span - b.span).map(({ images }) => images)
  if (first === undefined || others.length === 0) return first ?? new Uint8Array()
  return Buffer.concat([first, ...others])
}

const isPlaced = (said: First | undefined, record: Row | undefined, entry: Row | undefined): boolean =>
  said !== undefined &&
  record !== undefined &&
  Number(record["seq"]) === said.firstSeq &&
  (entry === undefined || Number(entry["n"]) === said.firstN)

/** True if the keys of a file's order rise. */
const isInOrder = Effect.fnUntraced(function* (file: SpanFile.SpanFile) {
  let last: Key | undefined
  for (let block = 0; block < file.blocks("order"); block++)
    for (const row of yield* file.rows("order", block)) {
      const [a = 0n, b, c, d] = (JSON.parse(row) as ReadonlyArray<string>).map(BigInt)
      const key = keyOf(a, b, c, d)
      if (last !== undefined && !isBefore(last, key)) return false
      last = key
    }
  return true
})

const lastRow = oneOf(Schema.Struct({ last: Schema.Number }))
/** The last span whose keys were dropped; -1: none. */
export const lastWithoutKeys = "coalesce((SELECT max(s.span) FROM spans s WHERE s.keys_ended_at IS NOT NULL), -1)"

/**
 * Opens the files of the archived spans until the scope closes; undefined: none is archived. Fails without the folder, and names
 * the months.
 */
export const open = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  files: FileReads | undefined,
  types: EnumTypes,
  account: number | undefined
): Effect.fn.Return<ArchivedMaterial | undefined, ArchiveFault | SqlError.SqlError, Scope.Scope> {
  const spans = yield* OpenedSpans.open(connection, files, { account, undone: "Nothing was proven" })
  if (spans.length === 0) return undefined
  const { last } = yield* lastRow(connection.query(`SELECT ${lastWithoutKeys} AS last`))
  return new ArchivedMaterial(spans, types, last)
})
