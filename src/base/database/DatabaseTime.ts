/** A database's words about time. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { machineTime } from "../time/Times.ts"
import * as ClockCheck from "./ClockCheck.ts"
import { oneOf } from "./Values.ts"

/** PostgreSQL's time, and its time at the newest stored beat or commit, ms. */
export const timeStatement = `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "databaseMs",
    greatest((SELECT at FROM newest_beat), (SELECT max(beat_at) FROM nodes),
      (SELECT written_at FROM journal ORDER BY epoch DESC, transaction DESC LIMIT 1)) AS "newestMs"`
export const timeRow = oneOf(Schema.Struct({ databaseMs: Schema.Number, newestMs: Schema.NullOr(Schema.Number) }))

/** Most difference between the clocks that a command accepts, ms. */
const commandToleranceMs = 30_000

/** Why a command may not post at this machine's time; undefined: it may. */
export const clockFault = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
  const clock = yield* machineTime
  const check = new ClockCheck.ClockCheck(clock, commandToleranceMs)
  yield* ClockCheck.ask(check, clock, timeRow(connection.query(timeStatement)))
  return check.fault
})
