/** Compares what says where records lie, `spans`, `account_spans` and `accounts.span`, with the partitions that they lie in. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { rowsOf } from "../../base/database/Values.ts"
import * as Bounds from "./Bounds.ts"
import type { Difference } from "./Difference.ts"

const foundRows = rowsOf(Schema.Struct({ account: Schema.Number, span: Schema.Number }))

/** A record of each span that should be in an earlier or a later one. */
const outsideStatement = `SELECT found.account, s.span FROM spans s LEFT JOIN spans n ON n.span = s.span + 1 CROSS JOIN LATERAL (
    (SELECT j.account FROM journal j WHERE j.span = s.span AND (j.epoch, j.transaction) <= (s.epoch, s.transaction)
      ORDER BY j.epoch, j.transaction LIMIT 1)
    UNION ALL
    (SELECT j.account FROM journal j WHERE j.span = s.span AND (j.epoch, j.transaction) > (n.epoch, n.transaction)
      ORDER BY j.epoch, j.transaction LIMIT 1)
  ) found
  UNION ALL
  (SELECT j.account, j.span FROM journal j WHERE j.span > (SELECT max(span) FROM spans) LIMIT 1)`

/** Accounts with another first record or entry of a span than `account_spans` says, in the spans after one that lie in tables. */
const firstStatement = (
  after: number
) => `SELECT coalesce(j.account, a.account) AS account, coalesce(j.span, a.span) AS span
  FROM (SELECT account, span, min(seq) AS seq FROM journal WHERE span > ${after} GROUP BY account, span) j
    FULL JOIN (
      SELECT * FROM account_spans WHERE span > ${after} AND span <> ALL (ARRAY(SELECT x.span FROM archived_spans x))
    ) a ON a.account = j.account AND a.span = j.span
    LEFT JOIN (SELECT account, span, min(n) AS n FROM ledger_entries WHERE span > ${after} GROUP BY account, span) e
      ON e.account = j.account AND e.span = j.span
  WHERE a.first_seq IS DISTINCT FROM j.seq OR a.first_n <> e.n ORDER BY 1, 2 LIMIT ${Bounds.maxPrinted}`

/** Accounts whose newest span is another one than the rows of `account_spans` after a span say. */
const newestStatement = (after: number) => `SELECT a.number AS account, a.span FROM accounts a
    JOIN (SELECT account, max(span) AS span FROM account_spans WHERE span > ${after} GROUP BY account) s ON s.account = a.number
  WHERE a.span <> s.span ORDER BY 1 LIMIT ${Bounds.maxPrinted}`

/** Accounts with a later span than one, without a row of `account_spans` after it. Span 0 has no such rows. */
const lostStatement = (after: number) => `SELECT a.number AS account, a.span FROM accounts a
  WHERE a.span > ${after} AND NOT EXISTS (SELECT FROM account_spans s WHERE s.account = a.number AND s.span > ${after})
  ORDER BY 1 LIMIT ${Bounds.maxPrinted}`

/**
 * Accounts whose rows say that they have records in the spans after one, while nothing else does: no walk over these spans comes
 * to them. It reads all of `accounts`, so indexes do not help it.
 */
export const lost = (connection: PgConnection.PgConnection, after = 0) =>
  Effect.map(foundRows(connection.query(lostStatement(Math.max(0, after)))), (rows) =>
    rows.map(
      ({ account, span }): Difference => ({
        table: "accounts",
        account,
        message: `span is ${span}; account_spans has no such row`
      })
    )
  )

/** Those of the spans after one, in the connection's snapshot. */
export const differences = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, after = 0) {
  const outside = yield* foundRows(connection.query(outsideStatement))
  const first = yield* foundRows(connection.query(firstStatement(after)))
  const newest = yield* foundRows(connection.query(newestStatement(after)))
  return [
    ...outside.map(
      ({ account, span }): Difference => ({
        table: "journal",
        account,
        message: `has a record in span ${span} that was not written while that was the present one`
      })
    ),
    ...first.map(
      ({ account, span }): Difference => ({
        table: "account_spans",
        account,
        row: `span ${span}`,
        message: "says another first record or entry of the span than its partitions"
      })
    ),
    ...newest.map(
      ({ account, span }): Difference => ({
        table: "accounts",
        account,
        message: `span is ${span}; account_spans says another one`
      })
    )
  ]
})
