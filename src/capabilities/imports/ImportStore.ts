/** Reads and writes imports, their rows and errors (migrations/0011_imports.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Locks from "../../base/database/Locks.ts"
import type { Query } from "../../base/database/Pools.ts"
import { int4s, int8, jsonb, oneOf, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { type Import, maxRows, RowError } from "../../contract/platform/Imports.ts"
import type { Refused } from "../../contract/Refused.ts"
import { detailOf, sentenceOf } from "../../contract/Said.ts"
import { fromMillis } from "../../contract/Values.ts"
import { searchKey } from "../../core/journal/SearchKey.ts"
import type { Rule } from "../../core/retention/Retention.ts"

const { int4, text, uuid } = PgTypes

export interface NewImport {
  readonly id: string
  readonly fingerprint: string
  readonly program: string
  readonly submitted: number
  readonly fileName: string | undefined
  /** The name of the caller. */
  readonly by: string
  /** ms. */
  readonly at: number
}

export interface StoredImport {
  /** Number of the import, in the order of creation. */
  readonly n: number
  readonly fingerprint: string
  readonly import: Import
}

/** The outcome of a row. One that is created may have errors: the rest of it was imported. */
export interface DoneRow {
  readonly row: number
  /** Number of the row in errors. */
  readonly shown: number
  readonly outcome: "created" | "updated" | "failed"
  readonly errors: ReadonlyArray<Omit<RowError, "row">>
  /** The member's account and its newest record; absent: the row has none. */
  readonly account?: number
  readonly seq?: number
  /** The account's record with the opening balance that the row posted. */
  readonly opening?: number | undefined
}

const columns = `n, import_id, fingerprint, program_id, file_name, submitted, created, updated, failed, created_by,
  created_at, completed_at, rows_deleted, taken_back_at, taken_back_by`

const Columns = Schema.Struct({
  n: Schema.Number,
  import_id: Schema.String,
  fingerprint: Schema.String,
  program_id: Schema.String,
  file_name: optional(Schema.String),
  submitted: Schema.Number,
  created: Schema.Number,
  updated: Schema.Number,
  failed: Schema.Number,
  created_by: Schema.String,
  created_at: Schema.Number,
  completed_at: optional(Schema.Number),
  rows_deleted: Schema.Boolean,
  taken_back_at: optional(Schema.Number),
  taken_back_by: optional(Schema.String)
})

/** A row that enrolled its member and has an error counts as created and as failed. */
export const statusOf = ({ created, failed, submitted }: Pick<Import, "created" | "failed" | "submitted">) =>
  failed === 0 ? "completed" : failed < submitted || created > 0 ? "partial" : "failed"

const storedOf = ({
  completed_at,
  created_at,
  file_name,
  fingerprint,
  n,
  rows_deleted,
  taken_back_at,
  taken_back_by,
  ...row
}: typeof Columns.Type): StoredImport => ({
  n,
  fingerprint,
  import: {
    ...row,
    ...(file_name === undefined ? undefined : { file_name }),
    status: completed_at === undefined ? "partial" : statusOf(row),
    created_at: fromMillis(created_at),
    ...(completed_at === undefined ? undefined : { completed_at: fromMillis(completed_at) }),
    ...(taken_back_at === undefined ? undefined : { taken_back_at: fromMillis(taken_back_at) }),
    ...(taken_back_by === undefined ? undefined : { taken_back_by }),
    ...(rows_deleted ? { rows_deleted } : undefined)
  }
})

const imports = rowsOf(Columns)

const first = (rows: ReturnType<Query>): Effect.Effect<StoredImport | undefined, Refused> =>
  Effect.map(imports(rows), ([row]) => row && storedOf(row))

/** Creates an import; undefined if it exists. */
export const begin = (query: Query, one: NewImport): Effect.Effect<StoredImport | undefined, Refused> =>
  first(
    query(
      `INSERT INTO imports (import_id, fingerprint, program_id, file_name, submitted, created_by, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT DO NOTHING RETURNING ${columns}`,
      [
        text(one.id),
        uuid(one.fingerprint),
        text(one.program),
        text(one.fileName ?? null),
        int4(one.submitted),
        text(one.by),
        int8(one.at)
      ]
    )
  )

export const find = (query: Query, id: string): Effect.Effect<StoredImport | undefined, Refused> =>
  first(query(`SELECT ${columns} FROM imports WHERE import_id = $1`, [text(id)]))

/** Nobody else runs rows of an import, or completes it, until the transaction ends. Call it before anything is read. */
export const hold = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query(`SELECT pg_advisory_xact_lock(${Locks.importRows}, hashtext($1))`, [text(id)]))

/**
 * Imports that run are passed over: they hold the lock of `hold`. The import itself stays for good, because its key says that its
 * rows were imported.
 */
export const retention: Rule = {
  kept: "import_rows",
  clock: "service",
  deletes: `WITH old AS MATERIALIZED (SELECT n, import_id FROM imports
        WHERE coalesce(completed_at, created_at) < $1 AND NOT rows_deleted
        ORDER BY coalesce(completed_at, created_at) LIMIT $2 / ${maxRows}),
      held AS MATERIALIZED (SELECT n FROM old WHERE pg_try_advisory_xact_lock(${Locks.importRows}, hashtext(import_id))),
      rows AS (DELETE FROM import_rows r USING held WHERE r.import = held.n),
      errors AS (DELETE FROM import_errors e USING held WHERE e.import = held.n),
      emptied AS (UPDATE imports i SET rows_deleted = true FROM held WHERE i.n = held.n RETURNING 1)
    SELECT count(*) AS deleted, count(*) > 0 AS more FROM emptied`,
  oldest: "SELECT min(coalesce(completed_at, created_at)) AS oldest FROM imports WHERE NOT rows_deleted"
}

const doneRows = rowsOf(Schema.Struct({ row: Schema.Number }))

/** Those of the rows that have an outcome, of an unfinished import. */
export const rowsDone = (
  query: Query,
  n: number,
  rows: ReadonlyArray<number>
): Effect.Effect<ReadonlySet<number>, Refused> =>
  Effect.map(
    doneRows(query("SELECT row FROM import_rows WHERE import = $1 AND row = ANY ($2)", [int8(n), int4s(rows)])),
    (rows) => new Set(rows.map(({ row }) => row))
  )

/** Stores the outcomes of rows with their errors, in one statement. Requires: the import is held, and unfinished. */
export const record = (query: Query, n: number, rows: ReadonlyArray<DoneRow>): Effect.Effect<void, Refused> => {
  const errors = rows.flatMap(({ errors, row, shown }) =>
    errors.map((error, place) => ({ ...error, row, shown, n: place }))
  )
  return Effect.asVoid(
    query(
      `WITH done AS (
          INSERT INTO import_rows (import, row, outcome, account, seq, opening)
            SELECT $1, d.row, d.outcome, d.account, d.seq, d.opening
            FROM jsonb_to_recordset($2) d(row int, outcome text, account bigint, seq bigint, opening bigint)
          ON CONFLICT DO NOTHING RETURNING row
        )
        INSERT INTO import_errors (import, n, row, path, code, detail)
          SELECT $1, e.n, e.shown, e.path, e.code, e.detail
          FROM jsonb_to_recordset($3) e(n int, row int, shown int, path text, code text, detail text)
            JOIN done ON done.row = e.row`,
      [int8(n), jsonb(rows), jsonb(errors)]
    )
  )
}

/** Completes an import. Requires: every row has an outcome, and the import is held. */
export const complete = (query: Query, n: number, at: number): Effect.Effect<StoredImport, Refused> =>
  Effect.gen(function* () {
    yield* query(
      `UPDATE imports i SET created = d.created, updated = d.updated, failed = d.failed, completed_at = $2
        FROM (
          SELECT count(*) FILTER (WHERE outcome = 'created') AS created,
            count(*) FILTER (WHERE outcome = 'updated') AS updated,
            (SELECT count(DISTINCT row) FROM import_errors WHERE import = $1) AS failed
          FROM import_rows WHERE import = $1
        ) d
        WHERE i.n = $1 AND i.completed_at IS NULL`,
      [int8(n), int8(at)]
    )
    return storedOf(yield* oneOf(Columns)(query(`SELECT ${columns} FROM imports WHERE n = $1`, [int8(n)])))
  })

const KeptRow = Schema.Struct({
  row: Schema.Number,
  outcome: Schema.Literals(["created", "updated", "failed"]),
  account: optional(Schema.Number),
  seq: optional(Schema.Number),
  opening: optional(Schema.Number)
})
export type KeptRow = typeof KeptRow.Type
const keptRows = rowsOf(KeptRow)

/** All rows of an import, in their order. */
export const rowsKept = (query: Query, n: number): Effect.Effect<ReadonlyArray<KeptRow>, Refused> =>
  keptRows(
    query("SELECT row, outcome, account, seq, opening FROM import_rows WHERE import = $1 ORDER BY row", [int8(n)])
  )

/** Notes that an import was taken back; undefined: it was before. Requires: it is held. */
export const takenBack = (
  query: Query,
  n: number,
  { at, by }: Pick<NewImport, "at" | "by">
): Effect.Effect<StoredImport | undefined, Refused> =>
  first(
    query(
      `UPDATE imports SET taken_back_at = $2, taken_back_by = $3 WHERE n = $1 AND taken_back_at IS NULL RETURNING ${columns}`,
      [int8(n), int8(at), text(by)]
    )
  )

interface ImportFilter {
  readonly program: string
  /** `n` of the previous page's last import. */
  readonly before: number | undefined
  readonly limit: number
}

/** A page of imports, newest first. */
export const list = (
  query: Query,
  { before, limit, program }: ImportFilter
): Effect.Effect<ReadonlyArray<StoredImport>, Refused> =>
  Effect.map(
    imports(
      query(
        `SELECT ${columns} FROM imports WHERE program_id = $1 AND ($2 IS NULL OR n < $2) ORDER BY n DESC LIMIT $3`,
        [text(program), int8(before ?? null), int8(limit)]
      )
    ),
    (rows) => rows.map(storedOf)
  )

/** An error of a row. */
interface StoredError {
  /** Index among the errors of its row. */
  readonly n: number
  readonly error: RowError
}

/** An error as callers see it. Only its sentence is stored. */
export const errorShown = (error: DoneRow["errors"][number]): DoneRow["errors"][number] => ({
  ...error,
  ...detailOf(sentenceOf(error.detail))
})

const errorRows = rowsOf(Schema.Struct({ n: Schema.Number, ...RowError.fields }))

/** Errors in the order of rows, after the error `after`. Without `limit` all of them. */
export const errors = (
  query: Query,
  n: number,
  after: { readonly row: number; readonly n: number } = { row: 0, n: 0 },
  limit?: number
): Effect.Effect<ReadonlyArray<StoredError>, Refused> =>
  Effect.map(
    errorRows(
      query(
        `SELECT n, row, path, code, detail FROM import_errors WHERE import = $1 AND (row, n) > ($2, $3)
          ORDER BY row, n LIMIT $4`,
        [int8(n), int4(after.row), int4(after.n), int8(limit ?? null)]
      )
    ),
    (rows) => rows.map(({ n, row, ...error }) => ({ n, error: { row, ...errorShown(error) } }))
  )

const addressRows = rowsOf(Schema.Struct({ account: Schema.Number, email: Schema.String }))

/** The members of a programme that have these e-mail addresses now, by the address in lower case. */
export const addressOwners = Effect.fnUntraced(function* (
  query: Query,
  program: string,
  emails: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<number>>, Refused> {
  const found = yield* addressRows(
    query("SELECT account, email FROM profiles WHERE program_id = $1 AND email_key = ANY ($2::text[])", [
      text(program),
      texts([...new Set(emails.map(searchKey))])
    ])
  )
  const alike = Map.groupBy(found, ({ email }) => email.toLowerCase())
  return new Map([...alike].map(([email, rows]) => [email, rows.map(({ account }) => account)]))
})
