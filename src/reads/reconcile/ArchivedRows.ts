/** The rows of a span's partitions as its file has them (contract/databases.md *Archive*), a page at a time. */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { rowsOf } from "../../base/database/Values.ts"
import { type Key, keyOf, type Section } from "../../core/journal/archive/Sections.ts"
import * as Bounds from "./Bounds.ts"

type Connection = PgConnection.PgConnection

/** The columns of a table, and their types. */
interface Column {
  readonly name: string
  readonly type: string
}

const columnRows = rowsOf(Schema.Struct({ name: Schema.String, type: Schema.String }))

export const columnsOf = (connection: Connection, table: "journal" | "ledger_entries") =>
  columnRows(
    connection.query(
      `SELECT attname::text AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
        WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`
    )
  )

const keys = {
  records: ["account", "seq"],
  entries: ["account", "n"],
  order: ["epoch", "transaction", "account", "seq"]
}
const tables = { records: "journal", entries: "ledger_entries", order: "journal" } as const

/** Texts of times do not depend on the database's settings. */
export const textSettings = "SELECT set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false)"

interface Columns {
  readonly records: ReadonlyArray<Column>
  readonly entries: ReadonlyArray<Column>
}

export const columnsOfBoth = (connection: Connection) =>
  Effect.all({ records: columnsOf(connection, "journal"), entries: columnsOf(connection, "ledger_entries") })

const pageRows = rowsOf(Schema.Struct({ key: Schema.Array(Schema.String), row: Schema.String }))

const pageStatement = (section: Section, span: number, columns: Columns): string => {
  const key = keys[section]
  const names = section === "order" ? key : columns[section].map(({ name }) => name)
  const place = key.map((name, index) => `$${index + 1}::text::${name === "transaction" ? "xid8" : "bigint"}`)
  return `SELECT ARRAY[${key.map((name) => `${name}::text`).join(", ")}] AS key,
      json_build_array(${names.map((name) => `${name}::text`).join(", ")})::text AS row
    FROM ${tables[section]}_${span} WHERE (${key.join(", ")}) > (${place.join(", ")})
    ORDER BY ${key.join(", ")} LIMIT ${Bounds.archivedPage}`
}

const smallest = "-9223372036854775808"

/** Calls `visit` with every row of a section, in the order of its keys. */
export const each = Effect.fnUntraced(function* <E>(
  connection: Connection,
  section: Section,
  span: number,
  columns: Columns,
  visit: (key: Key, row: string) => Effect.Effect<void, E> | undefined
): Effect.fn.Return<void, E | SqlError.SqlError> {
  const statement = pageStatement(section, span, columns)
  let after = section === "order" ? ["-1", "0", smallest, smallest] : [smallest, smallest]
  for (;;) {
    const page = yield* pageRows(connection.query(statement, after.map(PgTypes.text)))
    for (const { key, row } of page) {
      const [a = 0n, b, c, d] = key.map(BigInt)
      const visited = visit(keyOf(a, b, c, d), row)
      if (visited !== undefined) yield* visited
    }
    const last = page.at(-1)
    if (last === undefined || page.length < Bounds.archivedPage) return
    after = [...last.key]
  }
})
