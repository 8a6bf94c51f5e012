/**
 * Brings archived spans back (contract/databases.md *Archive*): loads the rows of a span's file into tables beside, and attaches
 * them whole. Until then the span is archived; a run that was cut off begins again.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { oneOf, rowsOf, texts } from "../../base/database/Values.ts"
import * as SpanFile from "../../core/journal/archive/SpanFile.ts"
import { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import * as ArchivedRows from "./ArchivedRows.ts"
import { alone, patiently } from "./ArchiveSpans.ts"

type Connection = PgConnection.PgConnection

const awayRows = rowsOf(
  Schema.Struct({
    span: Schema.Number,
    month: Schema.String,
    file: Schema.String,
    checksum: Schema.Uint8Array,
    records: Schema.Number,
    entries: Schema.Number,
    /** Its keys were dropped: they come back with the records, and are not looked up any more. */
    keysEnded: Schema.Boolean
  })
)
type Away = Effect.Success<ReturnType<typeof awayRows>>[number]

/** The archived spans that began in a month; without any, those with records that were written in it: span 0 has those of years. */
const awayStatement = `WITH of_month AS (
    SELECT x.*, x.month = $1 AS began FROM archived_spans x
    WHERE x.month = $1 OR to_char(to_timestamp(x.first_written / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') <= $1
      AND to_char(to_timestamp(x.last_written / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM') >= $1
  )
  SELECT span, month, file, checksum, records, entries,
    EXISTS (SELECT FROM spans s WHERE s.span = of_month.span AND s.keys_ended_at IS NOT NULL) AS "keysEnded" FROM of_month
  WHERE began OR NOT EXISTS (SELECT FROM of_month WHERE began) ORDER BY span`

const loadedRow = oneOf(Schema.Struct({ loaded: Schema.Number }))

/** Inserts rows of a file into a table beside; columns that a later version added have their defaults. */
const insertStatement = (table: string, names: ReadonlyArray<string>, types: ReadonlyMap<string, string>) => {
  const values = names.map((name, index) => `(r.row ->> ${index})::${types.get(name)}`)
  return `WITH made AS (
      INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM unnest($1::text[]) t(line) CROSS JOIN LATERAL (SELECT t.line::json AS row OFFSET 0) r
      RETURNING 1
    ) SELECT count(*) AS loaded FROM made`
}

const load = Effect.fnUntraced(function* (
  connection: Connection,
  file: SpanFile.SpanFile,
  section: "entries" | "records"
) {
  const parent = section === "records" ? "journal" : "ledger_entries"
  const columns = yield* ArchivedRows.columnsOf(connection, parent)
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  const names = file.header.columns[section]
  const unknown = names.find((name) => !types.has(name))
  if (unknown !== undefined)
    return yield* new ArchiveFault({
      message: `The archive file ${file.name} has a column ${unknown}, which this version's tables lack: restore it with a newer version.`
    })
  const statement = insertStatement(`${parent}_restored_${file.header.span}`, names, types)
  let loaded = 0
  for (let block = 0; block < file.blocks(section); block++) {
    const rows = yield* file.rows(section, block)
    loaded += (yield* loadedRow(connection.query(statement, [texts(rows)]))).loaded
  }
  return loaded
})

const restoreOne = Effect.fnUntraced(function* (connection: Connection, away: Away, folder: string) {
  const { checksum, entries, file: name, records, span } = away
  const file = yield* SpanFile.open(folder, name, checksum)
  const own = [PgTypes.int2(span)]
  yield* connection.query("SELECT begin_restore($1)", own)
  // The attachment's commit waits for the disk, and for all before it.
  yield* connection.query("SET synchronous_commit = off")
  const loaded = {
    records: yield* load(connection, file, "records"),
    entries: yield* load(connection, file, "entries")
  }
  if (loaded.records !== records || loaded.entries !== entries)
    return yield* new ArchiveFault({
      message: `The archive file ${name} has ${loaded.records} records and ${loaded.entries} entries; the database says ${records} and ${entries}.`
    })
  yield* connection.query("SELECT dress_restored($1)", own)
  for (const table of ["journal", "ledger_entries"]) yield* connection.query(`ANALYZE ${table}_restored_${span}`)
  yield* connection.query("RESET synchronous_commit")
  yield* patiently(connection, "SELECT attach_restored($1)", own)
  return away
}, Effect.scoped)

/** Restores the spans of a month, YYYY-MM, from a folder, and calls `onSpan` after each. Returns how many. */
export const restore = <E>(
  month: string,
  folder: string,
  onSpan: (restored: {
    readonly span: number
    readonly month: string
    readonly records: number
    readonly keysEnded: boolean
  }) => Effect.Effect<void, E>
) =>
  alone(
    "journal restore",
    Effect.fnUntraced(function* (connection) {
      const away = yield* awayRows(connection.query(awayStatement, [PgTypes.text(month)]))
      for (const one of away) yield* onSpan(yield* restoreOne(connection, one, folder))
      return away.length
    })
  )
