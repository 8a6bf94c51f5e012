/** Reads and writes imports, their rows and errors (migrations/0011_imports.sql). */
import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AdminQuery, Row } from "../surface/AdminDatabase.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { Import, RowError } from "../contract/platform/Imports.ts"
import { fromMillis } from "../contract/Values.ts"

const { float8, text } = PgTypes

export interface NewImport {
  readonly id: string
  readonly key: string
  readonly fingerprint: string
  readonly program: string
  readonly submitted: number
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

/** The outcome of a row. */
export interface DoneRow {
  readonly row: number
  readonly outcome: "created" | "updated" | "failed"
  readonly errors: ReadonlyArray<Omit<RowError, "row">>
}

const columns = `n::float8 AS n, import_id, fingerprint::text AS fingerprint, program_id, submitted::float8 AS submitted,
  created::float8 AS created, updated::float8 AS updated, failed::float8 AS failed, created_by,
  created_at::float8 AS created_at,
  completed_at::float8 AS completed_at`

const statusOf = (submitted: number, failed: number, isComplete: boolean): Import["status"] => {
  if (!isComplete) return "partial"
  return failed === 0 ? "completed" : failed < submitted ? "partial" : "failed"
}

const storedOf = (row: Row): StoredImport => {
  const [submitted, failed, completed] = [Number(row["submitted"]), Number(row["failed"]), row["completed_at"]]
  return {
    n: Number(row["n"]),
    fingerprint: String(row["fingerprint"]),
    import: {
      import_id: String(row["import_id"]),
      program_id: String(row["program_id"]),
      status: statusOf(submitted, failed, completed !== null),
      submitted,
      created: Number(row["created"]),
      updated: Number(row["updated"]),
      failed,
      created_by: String(row["created_by"]),
      created_at: fromMillis(Number(row["created_at"])),
      ...(completed === null ? undefined : { completed_at: fromMillis(Number(completed)) })
    }
  }
}

const firstOf = (rows: ReadonlyArray<Row>): StoredImport | undefined =>
  rows[0] === undefined ? undefined : storedOf(rows[0])

/** Creates an import; undefined if one with its key exists. */
export const begin = (query: AdminQuery, one: NewImport): Effect.Effect<StoredImport | undefined, Refused> =>
  Effect.map(
    query(
      `INSERT INTO imports (import_id, key, fingerprint, program_id, submitted, created_by, created_at)
        VALUES ($1::text, $2::text::uuid, $3::text::uuid, $4::text, $5::float8::int, $6::text, $7::float8::bigint)
        ON CONFLICT DO NOTHING RETURNING ${columns}`,
      [
        text(one.id),
        text(one.key),
        text(one.fingerprint),
        text(one.program),
        float8(one.submitted),
        text(one.by),
        float8(one.at)
      ]
    ),
    firstOf
  )

export const find = (query: AdminQuery, id: string): Effect.Effect<StoredImport | undefined, Refused> =>
  Effect.map(query(`SELECT ${columns} FROM imports WHERE import_id = $1::text`, [text(id)]), firstOf)

/** Numbers of the rows that have an outcome, of an unfinished import. */
export const rowsDone = (query: AdminQuery, n: number): Effect.Effect<ReadonlySet<number>, Refused> =>
  Effect.map(
    query("SELECT row::float8 AS row FROM import_rows WHERE import = $1::float8::bigint", [float8(n)]),
    (rows) => new Set(rows.map(({ row }) => Number(row)))
  )

/** Stores the outcomes of rows with their errors, in one statement. */
export const record = (query: AdminQuery, n: number, rows: ReadonlyArray<DoneRow>): Effect.Effect<void, Refused> => {
  const errors = rows.flatMap(({ errors, row }) => errors.map((error, place) => ({ ...error, row, n: place })))
  return Effect.asVoid(
    query(
      `WITH done AS (
          INSERT INTO import_rows (import, row, outcome)
            SELECT $1::float8::bigint, d.row, d.outcome
            FROM json_to_recordset($2::text::json) d(row int, outcome text)
          ON CONFLICT DO NOTHING RETURNING row
        )
        INSERT INTO import_errors (import, n, row, path, code, detail)
          SELECT $1::float8::bigint, e.n, e.row, e.path, e.code, e.detail
          FROM json_to_recordset($3::text::json) e(n int, row int, path text, code text, detail text)
            JOIN done ON done.row = e.row`,
      [float8(n), text(JSON.stringify(rows)), text(JSON.stringify(errors))]
    )
  )
}

/** Completes an import. Requires: every row has an outcome, and a transaction is open. */
export const complete = (query: AdminQuery, n: number, at: number): Effect.Effect<StoredImport, Refused> =>
  Effect.gen(function* () {
    yield* query(
      `UPDATE imports i SET created = d.created, updated = d.updated, failed = d.failed, completed_at = $2::float8::bigint
        FROM (
          SELECT count(*) FILTER (WHERE outcome = 'created') AS created,
            count(*) FILTER (WHERE outcome = 'updated') AS updated, count(*) FILTER (WHERE outcome = 'failed') AS failed
          FROM import_rows WHERE import = $1::float8::bigint
        ) d
        WHERE i.n = $1::float8::bigint AND i.completed_at IS NULL`,
      [float8(n), float8(at)]
    )
    yield* query("DELETE FROM import_rows WHERE import = $1::float8::bigint", [float8(n)])
    const [row] = yield* query(`SELECT ${columns} FROM imports WHERE n = $1::float8::bigint`, [float8(n)])
    return storedOf(row!)
  })

interface ImportFilter {
  readonly program: string
  /** `n` of the previous page's last import. */
  readonly before: number | undefined
  readonly limit: number
}

/** A page of imports, newest first. */
export const list = (
  query: AdminQuery,
  { before, limit, program }: ImportFilter
): Effect.Effect<ReadonlyArray<StoredImport>, Refused> =>
  Effect.map(
    query(
      `SELECT ${columns} FROM imports
        WHERE program_id = $1::text AND ($2::float8 IS NULL OR n < $2::float8::bigint)
        ORDER BY n DESC LIMIT $3::float8::bigint`,
      [text(program), float8(before ?? null), float8(limit)]
    ),
    (rows) => rows.map(storedOf)
  )

/** An error of a row. */
interface StoredError {
  /** Index among the errors of its row. */
  readonly n: number
  readonly error: RowError
}

/** Errors in the order of rows, after the error `after`. Without `limit` all of them. */
export const errors = (
  query: AdminQuery,
  n: number,
  after: { readonly row: number; readonly n: number } = { row: 0, n: 0 },
  limit?: number
): Effect.Effect<ReadonlyArray<StoredError>, Refused> =>
  Effect.map(
    query(
      `SELECT n::float8 AS n, row::float8 AS row, path, code, detail FROM import_errors
        WHERE import = $1::float8::bigint AND (row, n) > ($2::float8::int, $3::float8::int)
        ORDER BY row, n LIMIT $4::float8::bigint`,
      [float8(n), float8(after.row), float8(after.n), float8(limit ?? null)]
    ),
    (rows) =>
      rows.map((row) => ({
        n: Number(row["n"]),
        error: {
          row: Number(row["row"]),
          path: String(row["path"]),
          code: String(row["code"]),
          detail: String(row["detail"])
        }
      }))
  )
