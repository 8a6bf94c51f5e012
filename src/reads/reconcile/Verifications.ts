/** Stores what a run of `journal verify` found, so that metrics tell when it last ran and what it said. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { Database } from "../../base/database/Database.ts"
import { int8, oneOf } from "../../base/database/Values.ts"
import type { Choice, Verified } from "./Verification.ts"

const statement = `INSERT INTO verifications (seconds, share, program_id, accounts, records, entries, differences, after_span)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

const replicaRow = oneOf(Schema.Struct({ isReplica: Schema.Boolean }))

/** False if the database is read-only, as a replica is. */
export const store = Effect.fnUntraced(function* (found: Verified, { program, share }: Choice, seconds: number) {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({
    ...clientConfig,
    applicationName: "lotbook journal verify",
    // A figure for metrics alone: a synchronous standby that is away must not hold up the command for ever.
    startupParameters: { ...clientConfig.startupParameters, synchronous_commit: "local" }
  })
  const { isReplica } = yield* replicaRow(connection.query(`SELECT pg_is_in_recovery() AS "isReplica"`))
  if (isReplica) return false
  yield* connection.query(statement, [
    PgTypes.float8(seconds),
    PgTypes.int4(share),
    PgTypes.text(program ?? null),
    ...[found.accounts, found.records, found.entries, found.differences].map(int8),
    PgTypes.int2(found.after ?? null)
  ])
  return true
}, Effect.scoped)
