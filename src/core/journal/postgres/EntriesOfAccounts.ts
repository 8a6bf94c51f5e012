/**
 * The ledger entries of some accounts, for statements over them: out of the table and of the files of archived spans
 * (contract/databases.md *Archive*).
 */
import { Effect } from "effect"
import type { Query } from "../../../base/database/Pools.ts"
import { int8s } from "../../../base/database/Values.ts"
import type { Refused } from "../../../contract/Refused.ts"
import type { FileReads } from "../archive/ArchiveFiles.ts"
import type { Row } from "../archive/Scan.ts"
import * as Bounds from "../Bounds.ts"
import type { LedgerOperation } from "../Records.ts"
import * as ArchivedReads from "./ArchivedReads.ts"

const types = {
  account: "bigint",
  n: "bigint",
  unit: "unit",
  operation: "ledger_operation",
  amount: "bigint",
  expires_at: "timestamptz",
  related_n: "bigint",
  order_id: "text",
  adjustment_id: "text"
}
const names = Object.keys(types)
const columns = names.join(", ")
const definitions = Object.entries(types)
  .map(([name, type]) => `${name} ${type}`)
  .join(", ")

/** The entries of the accounts $1, those of files out of $2. `condition` holds for every account. */
const entriesWhere = (condition: string): string => `(
    SELECT ${columns} FROM ledger_entries WHERE account = ANY ($1) AND ${condition}
    UNION ALL SELECT ${columns} FROM json_to_recordset($2::text::json) AS filed (${definitions})
  )`

const jsonOf = (row: Row): string => JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name] ?? null])))

/** Entries in files as $2, some accounts at a time, so that few whole rows are in memory. */
const filedOf = Effect.fnUntraced(function* (
  query: Query,
  files: FileReads,
  accounts: ReadonlyArray<number>,
  operations: ReadonlyArray<string> | undefined
) {
  const kept: Array<string> = []
  for (let at = 0; at < accounts.length; at += Bounds.filedAccounts) {
    const some = accounts.slice(at, at + Bounds.filedAccounts)
    for (const row of yield* ArchivedReads.rowsOfAccounts(query, files, "entries", some))
      if (operations?.includes(row["operation"] ?? "") ?? true) kept.push(jsonOf(row))
  }
  return `[${kept.join()}]`
})

interface Sources {
  readonly query: Query
  readonly files: FileReads | undefined
}

interface Asked {
  readonly accounts: ReadonlyArray<number>
  /** Operations that the statement needs; undefined: all of them. */
  readonly operations?: ReadonlyArray<LedgerOperation>
}

/**
 * Asks a statement over the entries of accounts. `ask` gets a subquery with the columns account, n, unit, operation, amount, expires_at,
 * related_n, order_id and adjustment_id, and its two parameters, $1 and $2. Without a folder, or with a damaged file, `archived` where
 * an account has archived records.
 */
export const over = <A>(
  { files, query }: Sources,
  { accounts, operations }: Asked,
  ask: (entries: string, parameters: ReadonlyArray<unknown>) => Effect.Effect<A, Refused>
): Effect.Effect<A, Refused> =>
  ArchivedReads.orOfTables(query, files, {
    ofTables: ask(entriesWhere("accounts_here($1)"), [int8s(accounts), "[]"]),
    ofBoth: (files) =>
      Effect.flatMap(filedOf(query, files, accounts, operations), (filed) =>
        ask(entriesWhere("true"), [int8s(accounts), filed])
      )
  })
