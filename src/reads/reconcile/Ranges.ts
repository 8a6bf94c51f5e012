/**
 * Splits the accounts into ranges with about the same number of rows, so that memory is bounded however accounts are
 * numbered, and however large one account is.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { rowsOf } from "../../base/database/Values.ts"
import type { Places } from "../../core/journal/archive/Scan.ts"
import type { SpanFile } from "../../core/journal/archive/SpanFile.ts"
import type { Table } from "./Difference.ts"

/** Accounts with `from` <= number < `until`. */
export interface Range {
  readonly from: number
  readonly until: number
  /** True for a single account with too many rows for a range: its records and ledger entries are read in pages. */
  readonly isLong: boolean
}

/** Account numbers that the service can assign are below this; rows outside belong to no account. */
export const numbersEnd = Number.MAX_SAFE_INTEGER

/** Tables that are scanned by index, with the columns of their key: the account, and the second column. */
export const keys: ReadonlyArray<readonly [table: Table, account: string, second: string | undefined]> = [
  ["journal", "account", "seq"],
  ["ledger_entries", "account", "n"],
  ["issued_rewards", "account", "issued_reward_id"],
  ["accounts", "number", undefined],
  ["members", "account", undefined],
  ["identities", "account", undefined],
  ["snapshots", "account", undefined],
  ["member_rollups", "account", undefined],
  ["rollup_member_lots", "account", undefined],
  ["rollup_orders", "account", "order_id"],
  ["rollup_buyers", "account", undefined],
  ["rollup_older", "account", undefined]
]

/** Marks: the account at every `rangeRows`-th row of a table. Skips along the index, the fastest way to count. */
const marksOf = ([table, account, second]: (typeof keys)[number], rangeRows: number): string => {
  const columns = second === undefined ? account : `${account}, ${second}`
  const next = (where: string) =>
    `SELECT ${account} AS account, ${second ?? account} AS second FROM ${table}
      WHERE ${account} BETWEEN -${numbersEnd} AND ${numbersEnd} ${where}
      ORDER BY ${columns} OFFSET ${rangeRows - 1} LIMIT 1`
  const after =
    second === undefined ? `AND ${account} > mark.account` : `AND (${columns}) > (mark.account, mark.second)`
  return `WITH RECURSIVE mark AS (
      (${next("")}) UNION ALL SELECT following.* FROM mark, LATERAL (${next(after)}) following
    ) SELECT account, count(*) AS times FROM mark GROUP BY account`
}

const marksStatement = (rangeRows: number) =>
  `SELECT account, max(times) AS times FROM (${keys
    .map((key) => `(${marksOf(key, rangeRows)})`)
    .join(" UNION ALL ")}) marks GROUP BY account ORDER BY account`

const markRows = rowsOf(Schema.Struct({ account: Schema.Number, times: Schema.Number }))

/**
 * Marks of files: the account at every `rangeRows` rows of all files together, counted by the block, with how often it is at one.
 * A range between two marks has besides, of each file, at most the block that began before it.
 */
export const marksOfFiles = (
  files: ReadonlyArray<Pick<SpanFile, "marks">>,
  rangeRows: number
): ReadonlyMap<number, number> => {
  const marks = new Map<number, number>()
  for (const section of ["records", "entries"] as const satisfies ReadonlyArray<Places>) {
    const own = new Map<number, number>()
    let sum = 0
    const blocks = files.flatMap((file) => [...file.marks(section)])
    for (const { account, rows } of blocks.sort((a, b) => a.account - b.account)) {
      if (sum >= rangeRows) {
        own.set(account, (own.get(account) ?? 0) + 1)
        sum = 0
      }
      sum += rows
    }
    for (const [account, times] of own) marks.set(account, Math.max(times, marks.get(account) ?? 0))
  }
  return marks
}

/**
 * Ranges between the marks, those of the tables and `others` (how often an account is at one). An account that spans several marks
 * becomes a range of its own.
 */
export const read = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  rangeRows: number,
  others: ReadonlyMap<number, number>
) {
  // Without statistics, a bitmap scan would sort all rows behind each mark; an index scan has their order.
  yield* connection.query("SET LOCAL enable_bitmapscan = off", [], false)
  const marks = new Map(others)
  for (const { account, times } of yield* markRows(connection.query(marksStatement(rangeRows))))
    marks.set(account, times + (others.get(account) ?? 0))
  yield* connection.query("SET LOCAL enable_bitmapscan = on", [], false)
  const ranges: Array<Range> = []
  let from = -numbersEnd
  const upTo = (until: number, isLong: boolean) => {
    if (until > from) ranges.push({ from, until, isLong })
    from = until
  }
  for (const [account, times] of [...marks].sort(([a], [b]) => a - b)) {
    upTo(account, false)
    if (times > 1) upTo(account + 1, true)
  }
  upTo(numbersEnd, false)
  return ranges
})
