/**
 * The archived spans with their files open (contract/databases.md *Archive*). Of each section the last block stays in memory:
 * walks over accounts come in the order of the files.
 */
import type { PgConnection } from "@effect/sql-pg"
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { int8, rowsOf } from "../../base/database/Values.ts"
import type { FileReads } from "../../core/journal/archive/ArchiveFiles.ts"
import type { Place, Places } from "../../core/journal/archive/Scan.ts"
import * as Scan from "../../core/journal/archive/Scan.ts"
import * as SpanFile from "../../core/journal/archive/SpanFile.ts"
import { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"

const spanRows = rowsOf(
  Schema.Struct({
    span: Schema.Number,
    month: Schema.String,
    file: Schema.String,
    checksum: Schema.Uint8Array,
    records: Schema.Number,
    entries: Schema.Number,
    seal: Schema.String
  })
)
type ArchivedSpan = Effect.Success<ReturnType<typeof spanRows>>[number]

const spansStatement = `SELECT x.span, x.month, x.file, x.checksum, s.records, s.entries, encode(s.hash, 'hex') AS seal
  FROM archived_spans x JOIN seals s ON s.span = x.span`
const ofAccount = "($1::bigint IS NULL OR x.span IN (SELECT r.span FROM archived_records($1) r))"
const sinceThen = "($2::bigint IS NULL OR x.last_at >= $2)"

/** The archived spans that are asked for, oldest first. */
const spansOf = (connection: PgConnection.PgConnection, { account, since }: Which) =>
  spanRows(
    connection.query(
      `${spansStatement} WHERE ${ofAccount} AND ${sinceThen} ORDER BY x.span`,
      [int8(account ?? null), int8(since ?? null)],
      false
    )
  )

/** Reads a section of a file, and keeps its last block. */
class Section {
  private kept: { readonly index: number; readonly rows: ReadonlyArray<string> } | undefined
  private readonly file: SpanFile.SpanFile
  private readonly section: Places

  constructor(file: SpanFile.SpanFile, section: Places) {
    this.file = file
    this.section = section
  }

  private readonly block = (index: number) => {
    if (this.kept?.index === index) return Effect.succeed(this.kept.rows)
    return Effect.tap(this.file.rows(this.section, index), (rows) => {
      this.kept = { index, rows }
      return Effect.void
    })
  }

  between(first: Place, last: Place, limit?: number) {
    const { block, file, section } = this
    return Scan.between({ block, file, section }, first, last, limit)
  }
}

export interface OpenedSpan extends ArchivedSpan {
  readonly opened: SpanFile.SpanFile
  readonly sections: { readonly [Name in Places]: Section }
}

const monthsOf = (spans: ReadonlyArray<ArchivedSpan>): string =>
  [...new Set(spans.map(({ month }) => month))].join(", ")

interface Which {
  /** The only account whose spans are opened; undefined: all spans. */
  readonly account?: number | undefined
  /** Spans with a record or entry at this time or later, ms; undefined: all spans. */
  readonly since?: number | undefined
}

export interface Asked extends Which {
  /** The message of a missing folder begins with this: such as "Nothing was proven". */
  readonly undone: string
}

/** Opens the files of the archived spans until the scope closes. Fails without the folder, and names the months. */
export const open = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  files: FileReads | undefined,
  { undone, ...which }: Asked
): Effect.fn.Return<ReadonlyArray<OpenedSpan>, ArchiveFault | SqlError.SqlError, Scope.Scope> {
  const spans = yield* spansOf(connection, which)
  if (spans.length > 0 && files === undefined)
    return yield* new ArchiveFault({
      message: `${undone}: it needs the records of archived months (${monthsOf(spans)}). Name the folder of their files with --from or PROTO_ARCHIVE.`
    })
  const all: Array<OpenedSpan> = []
  for (const span of spans) {
    const opened = yield* SpanFile.open(files?.folder ?? "", span.file, span.checksum)
    all.push({
      ...span,
      opened,
      sections: { records: new Section(opened, "records"), entries: new Section(opened, "entries") }
    })
  }
  return all
})
