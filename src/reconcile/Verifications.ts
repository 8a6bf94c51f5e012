/** Stores what a run of `journal verify` found, so that metrics tell when it last ran and what it said. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import { Database } from "../database/Database.ts"
import type { Choice, Verified } from "./Verify.ts"

const statement = `INSERT INTO verifications (seconds, share, program_id, accounts, records, entries, differences)
  VALUES ($1::float8, $2::float8::int, $3, $4::float8::bigint, $5::float8::bigint, $6::float8::bigint, $7::float8::bigint)`

/** False if the database is read-only, as a replica is. */
export const store = Effect.fnUntraced(function* (found: Verified, { program, share }: Choice, seconds: number) {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({
    ...clientConfig,
    applicationName: "lotbook journal verify",
    // A figure for metrics alone: a synchronous standby that is away must not hold up the command for ever.
    startupParameters: { ...clientConfig.startupParameters, synchronous_commit: "local" }
  })
  const [replica] = yield* connection.queryValues("SELECT pg_is_in_recovery()")
  if (replica?.[0] === true) return false
  const counts = [found.accounts, found.records, found.entries, found.differences].map(PgTypes.float8)
  yield* connection.query(statement, [
    PgTypes.float8(seconds),
    PgTypes.float8(share),
    PgTypes.text(program ?? null),
    ...counts
  ])
  return true
}, Effect.scoped)
