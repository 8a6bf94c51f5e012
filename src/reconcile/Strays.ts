/** Rows outside of what the service ever writes: of accounts, eras and epochs that there are not. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import * as Bounds from "./Bounds.ts"
import * as Claims from "./Claims.ts"
import type { Difference } from "./Difference.ts"
import { keys, numbersEnd } from "./Ranges.ts"

type Connection = PgConnection.PgConnection

/** All of them, in the connection's snapshot. Claims of strange accounts are left to the scan of all claims. */
export const differences = Effect.fnUntraced(function* (connection: Connection) {
  const found: Array<Difference> = []
  for (const [table, account] of keys) {
    const [row] = yield* connection.queryValues(
      `SELECT count(*)::float8, min(${account})::float8 FROM ${table} WHERE ${account} > ${numbersEnd - 1} OR ${account} < -${numbersEnd}`
    )
    const count = Number(row?.[0])
    if (count === 0) continue
    found.push({
      table,
      account: Number(row?.[1]),
      message: `${count} rows have account numbers that the service never assigns`
    })
  }
  const [present] = yield* connection.queryValues("SELECT max(era)::float8 FROM eras")
  const [lost] = yield* connection.queryValues(
    `SELECT count(*)::float8, min(account)::float8 FROM claims WHERE ${Claims.lost(Number(present?.[0]))}`
  )
  if (Number(lost?.[0]) > 0) {
    const message = `${String(lost?.[0])} claims are in an era that has not begun, so that no look-up finds them`
    found.push({ table: "claims", account: Number(lost?.[1]), message })
  }
  const [ahead] = yield* connection.queryValues(
    "SELECT count(*)::float8, min(account)::float8 FROM journal WHERE epoch > (SELECT epoch FROM installation) OR epoch < 1"
  )
  if (Number(ahead?.[0]) > 0) {
    const message = `${String(ahead?.[0])} records are of an epoch that has not begun`
    found.push({ table: "journal", account: Number(ahead?.[1]), message })
  }
  return [...found, ...(yield* heldTwice(connection))]
})

/** Claims whose key occurs more than once over all eras. */
const heldTwice = Effect.fnUntraced(function* (connection: Connection) {
  // Sorts the whole table: no index covers the keys of all eras.
  yield* connection.query("SET LOCAL enable_seqscan = on", [], false)
  const rows = yield* connection.queryValues(
    `SELECT c.account::float8, c.seq::float8, c.era::float8, c.key::text FROM claims c
      JOIN (SELECT key FROM claims GROUP BY key HAVING count(*) > 1 LIMIT ${Bounds.maxPrinted}) twice USING (key)
      ORDER BY c.key, c.era`
  )
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)
  return rows.map(
    ([account, seq, era, key]): Difference => ({
      table: "claims",
      account: Number(account),
      row: `seq ${String(seq)}`,
      message: `${String(key)}, in era ${String(era)}, is held more than once`
    })
  )
})
