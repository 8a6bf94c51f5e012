/** A command that must not write beside a service: its nodes share a lock. */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import * as Locks from "./Locks.ts"
import { oneOf } from "./Values.ts"

const aloneRow = oneOf(Schema.Struct({ alone: Schema.Boolean }))

/**
 * False if a node runs on the connection's database. Else none joins, and none that has lost its session is confirmed
 * again, until the connection closes.
 */
export const keepAlone = (connection: PgConnection.PgConnection) =>
  Effect.map(aloneRow(connection.query(`SELECT pg_try_advisory_lock(${Locks.serving}) AS alone`)), ({ alone }) => alone)
