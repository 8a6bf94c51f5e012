/** Rows read from the table `journal`. */
import type { PgConnection } from "@effect/sql-pg"
import type { StoredRecord } from "../Records.ts"

export const recordColumns = `account::float8 AS account, seq::float8 AS seq, at::float8 AS at, version::float8 AS version, events,
  reply, program_version::float8 AS program_version, actor, origin, balances, hash`

export const recordOf = (row: PgConnection.Row): StoredRecord => ({
  account: Number(row["account"]),
  seq: Number(row["seq"]),
  at: Number(row["at"]),
  version: Number(row["version"]),
  events: String(row["events"]),
  reply: String(row["reply"]),
  programVersion: Number(row["program_version"]),
  actor: row["actor"] === null ? undefined : String(row["actor"]),
  origin: row["origin"] === null ? undefined : String(row["origin"]),
  balances: String(row["balances"]),
  hash: String(row["hash"])
})
