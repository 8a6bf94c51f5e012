/** Checks the seals of spans: each one's hash covers the one before it, and its digest the accounts that it has sealed. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { oneOf, rowsOf } from "../../base/database/Values.ts"
import { SealedAccount } from "../../core/journal/postgres/StoredRows.ts"
import type { Difference, Table } from "./Difference.ts"

/** The fields of a `SealedAccount` as arguments of `json_build_object`. */
export const sealedFields = Object.keys(SealedAccount.fields)
  .map((name) => `'${name}', ${name}`)
  .join(", ")

/** The digest of a span's accounts. */
const digestOf = (span: string): string => `sha256(coalesce(
    (SELECT string_agg(uuid_send(a.hash), ''::bytea ORDER BY a.account) FROM sealed_accounts a WHERE a.span = ${span}), ''))`

const chainStatements: ReadonlyArray<readonly [table: Table, statement: string]> = [
  [
    "seals",
    `SELECT s.span, 'the seal was changed, or the one before it was' AS message FROM seals s
      WHERE s.hash IS DISTINCT FROM seal_hash(s)`
  ],
  [
    "seals",
    `SELECT max(s.span) AS span, 'seals before it are missing' AS message FROM seals s HAVING count(*) <> max(s.span) + 1`
  ],
  [
    "seals",
    `SELECT s.span, 'the span is not over' AS message FROM seals s WHERE s.span >= (SELECT i.span FROM installation i)`
  ]
]
const digestStatement = (
  spans: "all" | "last"
) => `SELECT s.span, 'the accounts are not those of the seal' AS message FROM seals s
  WHERE ${spans === "all" ? "true" : "s.span = (SELECT max(l.span) FROM seals l)"} AND s.digest <> ${digestOf("s.span")}`

const foundRows = rowsOf(Schema.Struct({ span: Schema.Number, message: Schema.String }))

/** Those of all seals; of the accounts, those of `spans`. */
export const differences = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, spans: "all" | "last") {
  const found: Array<Difference> = []
  for (const [table, statement] of [...chainStatements, ["sealed_accounts", digestStatement(spans)] as const])
    for (const { message, span } of yield* foundRows(connection.query(statement)))
      found.push({ table, row: `span ${span}`, message })
  return found
})

const newestRow = oneOf(Schema.Struct({ span: Schema.Number, era: Schema.Number }))

/** The last sealed span (-1: none), and the era of claims in which the next one began. */
export const newest = (connection: PgConnection.PgConnection) =>
  newestRow(
    connection.query(`SELECT s.span, coalesce((SELECT n.era FROM spans n WHERE n.span = s.span + 1), 0) AS era
      FROM (SELECT coalesce(max(span), -1) AS span FROM seals) s`)
  )
