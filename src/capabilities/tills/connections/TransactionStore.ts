/** Reads and writes what came over connections (migrations/0047_connections.sql). */
import { Effect, Schema } from "effect"
import type { Query } from "../../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../../base/database/Values.ts"
import { Became, type ConnectionTransaction } from "../../../contract/admin/Connections.ts"
import type { Refused } from "../../../contract/Refused.ts"
import { fromMillis } from "../../../contract/Values.ts"

export const State = Schema.Literals(["begun", "done", "refused", "kept"])

const listed = rowsOf(
  Schema.Struct({
    n: Schema.Number,
    transaction_id: Schema.String,
    type: Schema.String,
    state: State,
    restaurant: optional(Schema.String),
    check_id: optional(Schema.String),
    became: optional(Became),
    reason: optional(Schema.String),
    at: Schema.Number,
    ended_at: optional(Schema.Number)
  })
)

interface TransactionFilter {
  readonly connection: number
  /** `n` of the previous page's last one. */
  readonly before: number | undefined
  /** ms. */
  readonly since: number
  readonly limit: number
}

interface ListedTransaction {
  readonly n: number
  readonly shown: ConnectionTransaction
}

/** A page of a connection's transactions, newest first. */
export const list = (
  query: Query,
  { before, connection, limit, since }: TransactionFilter
): Effect.Effect<ReadonlyArray<ListedTransaction>, Refused> =>
  Effect.map(
    listed(
      query(
        `SELECT n, transaction_id, type, state, restaurant, check_id, became, reason, at, ended_at FROM connection_transactions
          WHERE connection = $1 AND at >= $2 AND ($3 IS NULL OR n < $3) ORDER BY n DESC LIMIT $4`,
        [int8(connection), int8(since), int8(before ?? null), int8(limit)]
      )
    ),
    (rows) =>
      rows.map(({ at, became, check_id, ended_at, n, reason, restaurant, state, ...row }) => ({
        n,
        shown: {
          ...row,
          status: state,
          ...(restaurant === undefined ? undefined : { restaurant }),
          ...(check_id === undefined ? undefined : { check_id }),
          ...(became === undefined ? undefined : { became }),
          ...(reason === undefined ? undefined : { reason }),
          at: fromMillis(at),
          ...(ended_at === undefined ? undefined : { ended_at: fromMillis(ended_at) })
        }
      }))
  )
