/** Rows outside of what the service ever writes: of accounts, eras and epochs that there are not. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { oneOf, rowsOf } from "../../base/database/Values.ts"
import * as Bounds from "./Bounds.ts"
import * as Claims from "./Claims.ts"
import type { Difference } from "./Difference.ts"
import { numbersEnd, keys as tables } from "./Ranges.ts"

type Connection = PgConnection.PgConnection

const foundRow = oneOf(Schema.Struct({ count: Schema.Number, least: Schema.NullOr(Schema.Number) }))
const eraRow = oneOf(Schema.Struct({ present: Schema.Number }))
const heldRows = rowsOf(
  Schema.Struct({ account: Schema.Number, seq: Schema.Number, place: Schema.String, key: Schema.String })
)

/**
 * All of them, in the connection's snapshot. Claims of strange accounts are left to the scan of all claims. `keys`: also
 * claims whose key is held more than once.
 */
export const differences = Effect.fnUntraced(function* (connection: Connection, keys: "with keys" | "without keys") {
  const found: Array<Difference> = []
  const look = Effect.fnUntraced(function* (
    table: Difference["table"],
    where: string,
    message: (count: number) => string,
    account = "account"
  ) {
    const statement = `SELECT count(*) AS count, min(${account}) AS least FROM ${table} WHERE ${where}`
    const { count, least } = yield* foundRow(connection.query(statement))
    if (least !== null) found.push({ table, account: least, message: message(count) })
  })
  for (const [table, account] of tables)
    yield* look(
      table,
      `${account} > ${numbersEnd - 1} OR ${account} < -${numbersEnd}`,
      (count) => `${count} rows have account numbers that the service never assigns`,
      account
    )
  const { present } = yield* eraRow(connection.query("SELECT max(era) AS present FROM eras"))
  yield* look(
    "claims",
    Claims.lost(present),
    (count) => `${count} claims are in an era that has not begun, so that no look-up finds them`
  )
  yield* look(
    "journal",
    "epoch > (SELECT epoch FROM installation) OR epoch < 1",
    (count) => `${count} records are of an epoch that has not begun`
  )
  return keys === "without keys" ? found : [...found, ...(yield* heldTwice(connection))]
})

/** NOT MATERIALIZED: as it is read twice, all claims and keys would else be written to a temporary file. */
export const twiceStatement = `WITH held AS NOT MATERIALIZED (SELECT account, seq, key, 'era ' AS place, era::int AS number FROM claims
    UNION ALL SELECT account, seq, key, 'span ', span::int FROM keys)
  SELECT c.account, c.seq, c.place || c.number AS place, c.key FROM held c
  JOIN (SELECT key FROM held GROUP BY key HAVING count(*) > 1 LIMIT ${Bounds.maxPrinted}) twice USING (key)
  ORDER BY c.key, c.place || c.number`

/** Claims whose key occurs more than once over all eras, and spans with keys. */
const heldTwice = Effect.fnUntraced(function* (connection: Connection) {
  // Sorts the whole table: no index covers the keys of all eras.
  yield* connection.query("SET LOCAL enable_seqscan = on", [], false)
  const rows = yield* heldRows(connection.query(twiceStatement))
  yield* connection.query("SET LOCAL enable_seqscan = off", [], false)
  return rows.map(
    ({ account, key, place, seq }): Difference => ({
      table: "claims",
      account,
      row: `seq ${seq}`,
      message: `${key}, in ${place}, is held more than once`
    })
  )
})
