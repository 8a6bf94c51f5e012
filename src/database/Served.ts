/** Whether a service runs on a database: its nodes share a lock. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Locks from "./Locks.ts"
import { oneOf } from "./Values.ts"

const servedRow = oneOf(Schema.Struct({ served: Schema.Boolean }))

/** True while a node runs on the connection's database. */
export const isServed = (connection: PgConnection.PgConnection) =>
  Effect.map(
    servedRow(
      connection.query(
        `SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 0 AND objid = ${Locks.serving}
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS served`
      )
    ),
    ({ served }) => served
  )
