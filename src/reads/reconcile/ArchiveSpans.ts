/**
 * Archives sealed spans (contract/databases.md *Archive*): writes each into a file, reads that back and compares it with the
 * partitions, and only then drops them.
 *
 * A run that was cut off leaves the partitions, or the whole file and no partitions: the next one writes the file again or has
 * nothing to do.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Connect from "../../base/database/Connect.ts"
import * as Locks from "../../base/database/Locks.ts"
import { isOlder } from "../../base/database/Migrations.ts"
import * as Roles from "../../base/database/Roles.ts"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { firstOf, oneOf, rowsOf } from "../../base/database/Values.ts"
import { sections } from "../../core/journal/archive/Sections.ts"
import * as SpanFile from "../../core/journal/archive/SpanFile.ts"
import { ArchiveFault } from "../../core/journal/archive/SpanFile.ts"
import { SpanWriter } from "../../core/journal/archive/SpanWriter.ts"
import * as ArchivedRows from "./ArchivedRows.ts"
import * as Bounds from "./Bounds.ts"

type Connection = PgConnection.PgConnection

/** The first version that answers `archived`. */
const firstVersion = "0.4.0"

const fault = (message: string) => new ArchiveFault({ message })

const lockRow = oneOf(Schema.Struct({ isLocked: Schema.Boolean }))

/**
 * Runs work on a session of the owner's while no other one seals, archives or restores. `what` is the command's name.
 */
export const alone = <A, E>(what: string, work: (connection: Connection) => Effect.Effect<A, E>) =>
  Connect.apart(
    Effect.fnUntraced(function* (connection) {
      const { owner, owns } = yield* Roles.ownership(connection)
      if (!owns)
        return yield* fault(`${what} changes tables: run it with the role that owns them, ${owner}, in DATABASE_URL.`)
      const { isLocked } = yield* lockRow(
        connection.query(`SELECT pg_try_advisory_lock(${Locks.sealing}) AS "isLocked"`)
      )
      if (!isLocked)
        return yield* fault("A service or another command seals, archives or restores at this moment. Try again later.")
      yield* connection.query(ArchivedRows.textSettings)
      // Pages follow keys: use indexes, whatever the statistics say.
      yield* connection.query("SET enable_seqscan = off")
      yield* connection.query("SET enable_bitmapscan = off")
      return yield* work(connection)
    })
  )

const isLockTimeout = ({ reason }: SqlError.SqlError): boolean => {
  const { cause } = reason
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "55P03"
}

/** Repeats a statement that gives up early where it would hold tills up. */
export const patiently = Effect.fnUntraced(function* (
  connection: Connection,
  statement: string,
  parameters: ReadonlyArray<PgTypes.Parameter>
): Effect.fn.Return<void, ArchiveFault | SqlError.SqlError> {
  for (let tries = 1; ; tries++) {
    const outcome = yield* Effect.result(connection.query(statement, parameters))
    if (Result.isSuccess(outcome)) return
    if (!isLockTimeout(outcome.failure)) return yield* outcome.failure
    if (tries === Bounds.lockedTries)
      return yield* fault(
        "The table could not be locked: something reads the journal in one snapshot, such as journal verify, an export or a backup, or autovacuum is on this span. Run the command again once it has ended."
      )
    yield* Effect.sleep(Bounds.lockedMs)
  }
})

const dueRows = rowsOf(
  Schema.Struct({ span: Schema.Number, month: Schema.String, isSealed: Schema.Boolean, isNew: Schema.Boolean })
)
/** The spans with partitions that began before a month, and whose records were all written before its second hour. */
const dueStatement = `SELECT s.span, to_char(s.began_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
    EXISTS (SELECT FROM seals l WHERE l.span = s.span) AS "isSealed", s.span >= i.span - 1 AS "isNew"
  FROM spans s CROSS JOIN installation i
  WHERE to_char(s.began_at AT TIME ZONE 'UTC', 'YYYY-MM') < $1 AND s.span < i.span
    AND NOT EXISTS (SELECT FROM archived_spans x WHERE x.span = s.span)
    -- A sandbox that was started over has none of its earlier spans.
    AND to_regclass('journal_' || s.span) IS NOT NULL
    AND coalesce((SELECT j.written_at FROM journal j WHERE j.span = s.span ORDER BY j.epoch DESC, j.transaction DESC LIMIT 1), 0)
      < 1000 * extract(epoch FROM ($1 || '-01T01:00:00Z')::timestamptz)
  ORDER BY s.span`

const uncountedRow = firstOf(Schema.Struct({ sums: Schema.String, until: Schema.String }))
/** The sums that lack a record of a span, and the time of the first one: without the files they could never go on. */
const uncountedStatement = `SELECT p.sums, to_char(to_timestamp(j.at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS until
  FROM (SELECT 'sums of finance' AS sums, epoch, transaction, account, seq FROM finance_progress
    UNION ALL SELECT 'rollups', epoch, transaction, account, seq FROM rollup_progress) p
  CROSS JOIN LATERAL (
    SELECT j.at FROM journal j
      WHERE j.span = $1 AND (j.epoch, j.transaction, j.account, j.seq) > (p.epoch, p.transaction, p.account, p.seq)
      ORDER BY j.epoch, j.transaction LIMIT 1
  ) j LIMIT 1`

const lackingRow = oneOf(Schema.Struct({ states: Schema.Number, heads: Schema.Number, isWhole: Schema.Boolean }))
/** Accounts without a state to open from, and those with another last record than the seal says. */
const lackingStatement = (span: number) => `SELECT count(*) FILTER (WHERE t.state IS NULL) AS states,
    count(*) FILTER (WHERE j.hash IS DISTINCT FROM s.chain) AS heads,
    count(*) = (SELECT l.accounts FROM seals l WHERE l.span = ${span}) AS "isWhole"
  FROM sealed_accounts s LEFT JOIN journal_${span} j ON j.account = s.account AND j.seq = s.seq
    CROSS JOIN LATERAL (
      SELECT ${SpanOf.newest("s.account", "l.span <= (SELECT max(m.span) FROM seals m)")} AS span OFFSET 0
    ) newest
    LEFT JOIN sealed_accounts t ON t.span = newest.span AND t.account = s.account
  WHERE s.span = ${span}`

/** Refuses a span that could not be read as before, or that is not what its seal says. */
const check = Effect.fnUntraced(function* (connection: Connection, span: number) {
  const { heads, isWhole, states } = yield* lackingRow(connection.query(lackingStatement(span)))
  if (states > 0 || heads > 0 || !isWhole)
    return yield* fault(
      `Span ${span} is not what its seal says (${states} accounts without a state, ${heads} with another last record): run lotbook journal verify --full, and archive nothing before it finds no differences.`
    )
})

const factsRow = oneOf(
  Schema.Struct({
    database: Schema.String,
    seal: Schema.String,
    records: Schema.Number,
    entries: Schema.Number
  })
)
const factsStatement = `SELECT encode(keyed_hash('archive'), 'hex') AS database, encode(hash, 'hex') AS seal, records, entries
  FROM seals WHERE span = $1`

export interface Due {
  readonly span: number
  readonly month: string
}

/** The name of a span's file. Databases that share a folder have names of their own. */
const nameOf = ({ month, span }: Due, database: string): string =>
  `span-${String(span).padStart(5, "0")}-${month}-${database.slice(0, 8)}.lotbook`

/** Writes the file, and reads it back beside the partitions. */
const writeFile = Effect.fnUntraced(function* (connection: Connection, due: Due, folder: string) {
  const { month, span } = due
  const { database, entries, records, seal } = yield* factsRow(connection.query(factsStatement, [PgTypes.int2(span)]))
  const columns = yield* ArchivedRows.columnsOfBoth(connection)
  const names = {
    records: columns.records.map(({ name }) => name),
    entries: columns.entries.map(({ name }) => name)
  }
  const name = nameOf(due, database)
  const writer = yield* onDisk(folder, () => new SpanWriter(path.join(folder, name)))
  for (const section of sections)
    yield* ArchivedRows.each(connection, section, span, columns, (key, row) => {
      try {
        writer.add(section, key, row)
        return undefined
      } catch (error) {
        return Effect.fail(notWritten(folder, error))
      }
    })
  const written = yield* onDisk(folder, () => writer.finish({ span, month, database, seal, columns: names }))
  yield* Effect.scoped(
    Effect.gen(function* () {
      const file = yield* SpanFile.open(folder, name, written.checksum)
      const { rows } = file.header
      if (rows.records !== records || rows.entries !== entries || rows.order !== records)
        return yield* fault(
          `Span ${span} has ${rows.records} records and ${rows.entries} entries, and its seal says ${records} and ${entries}: run lotbook journal verify --full.`
        )
      for (const section of sections) {
        const stored = new StoredRows(file, section)
        yield* ArchivedRows.each(connection, section, span, columns, (_, row) => stored.compare(row))
        yield* stored.end
      }
    })
  )
  return { ...written, file: name }
})

const notWritten = (folder: string, error: unknown) =>
  fault(`The archive file cannot be written in ${folder}: ${error instanceof Error ? error.message : String(error)}`)

const onDisk = <A>(folder: string, work: () => A): Effect.Effect<A, ArchiveFault> =>
  Effect.try({ try: work, catch: (error) => notWritten(folder, error) })

/** Rows of a section of a file, which are compared one after the other. */
class StoredRows {
  private block = 0
  private rows: ReadonlyArray<string> = []
  private next = 0
  private readonly file: SpanFile.SpanFile
  private readonly section: (typeof sections)[number]

  constructor(file: SpanFile.SpanFile, section: (typeof sections)[number]) {
    this.file = file
    this.section = section
  }

  /** Undefined: the next row is this one. */
  compare(row: string): Effect.Effect<void, ArchiveFault> | undefined {
    if (this.next < this.rows.length) return this.rows[this.next++] === row ? undefined : Effect.fail(this.differs())
    if (this.block >= this.file.blocks(this.section)) return Effect.fail(this.differs())
    return Effect.flatMap(this.file.rows(this.section, this.block++), (rows) => {
      this.rows = rows
      this.next = 0
      return this.compare(row) ?? Effect.void
    })
  }

  readonly end = Effect.suspend(() =>
    this.next < this.rows.length || this.block < this.file.blocks(this.section)
      ? Effect.fail(this.differs())
      : Effect.void
  )

  private differs() {
    return fault(
      `The archive file ${this.file.name}, read back, is not what the tables have. Nothing was dropped. Try again.`
    )
  }
}

const versionRows = rowsOf(Schema.Struct({ version: Schema.String }))

/** From now on no older version starts; refuses while one runs. Those would not see that records are away. */
const barOlder = Effect.fnUntraced(function* (connection: Connection) {
  yield* connection.query(
    "INSERT INTO migrations (name, checksum, oldest) VALUES ('archive', 'archive', $1) ON CONFLICT DO NOTHING",
    [PgTypes.text(firstVersion)]
  )
  const running = yield* versionRows(connection.query("SELECT DISTINCT version FROM nodes WHERE NOT dead"))
  const older = running.find(({ version }) => isOlder(version, firstVersion))
  if (older !== undefined)
    return yield* fault(`A node of version ${older.version} runs, which reads no archive. Replace it first.`)
})

const keepStatement = "SELECT to_jsonb(keep_of_span($1))::text AS kept"
const keptRow = oneOf(Schema.Struct({ kept: Schema.String }))
const dropStatement = `SELECT drop_span(jsonb_populate_record(NULL::archived_spans, $1::text::jsonb
  || jsonb_build_object('file', $2::text, 'bytes', $3::bigint, 'checksum', '\\x' || $4::text)))`

export interface Archived extends Due {
  readonly file: string
  readonly bytes: number
}

const archiveOne = Effect.fnUntraced(function* (connection: Connection, due: Due, folder: string) {
  yield* check(connection, due.span)
  const { bytes, checksum, file } = yield* writeFile(connection, due, folder)
  yield* barOlder(connection)
  const { kept } = yield* keptRow(connection.query(keepStatement, [PgTypes.int2(due.span)]))
  yield* patiently(connection, dropStatement, [
    PgTypes.text(kept),
    PgTypes.text(file),
    PgTypes.int8(BigInt(bytes)),
    PgTypes.text(checksum.toString("hex"))
  ])
  return { ...due, file, bytes } satisfies Archived
})

/** The spans to archive, oldest first. Refuses if one is not sealed or not counted; one that is too new stays. */
const dueBefore = Effect.fnUntraced(function* (connection: Connection, month: string) {
  const due = yield* dueRows(connection.query(dueStatement, [PgTypes.text(month)]))
  const unsealed = due.find(({ isNew, isSealed }) => !isNew && !isSealed)
  if (unsealed !== undefined)
    return yield* fault(`Span ${unsealed.span} (${unsealed.month}) has no seal: run lotbook journal seal first.`)
  const old = due.filter(({ isNew }) => !isNew)
  for (const { month, span } of old) {
    const lag = yield* uncountedRow(connection.query(uncountedStatement, [PgTypes.int2(span)]))
    if (lag !== undefined)
      return yield* fault(
        `Span ${span} (${month}) is not counted: the ${lag.sums} are counted up to ${lag.until} UTC. A service counts on by itself; lotbook journal rebuild does it at once. Nothing was archived.`
      )
  }
  return old
})

/** Archives the spans before a month, YYYY-MM, into a folder, and calls `onSpan` after each. Returns how many. */
export const archive = <E>(month: string, folder: string, onSpan: (archived: Archived) => Effect.Effect<void, E>) =>
  alone(
    "journal archive",
    Effect.fnUntraced(function* (connection) {
      if (!fs.existsSync(folder)) return yield* fault(`There is no folder ${folder}. Make it first.`)
      const due = yield* dueBefore(connection, month)
      for (const one of due) yield* onSpan(yield* archiveOne(connection, one, folder))
      return due.length
    })
  )
