/** An embedded PostgreSQL of the benchmark's own, with the settings and the durability of the service's. */
import { Effect, Redacted } from "effect"
import { Client } from "pg"
import * as EmbeddedPostgres from "../../src/database/embedded/EmbeddedPostgres.ts"

export interface Postgres {
  readonly url: string
  readonly checkpoint: Effect.Effect<void>
  /** Position in the write-ahead log, bytes. */
  readonly walBytes: Effect.Effect<number>
}

/** The server of a data folder, for as long as the scope lives. */
export const make = Effect.fnUntraced(function* (folder: string) {
  const { clientConfig } = yield* EmbeddedPostgres.make(folder)
  const { host, password, port, username } = clientConfig
  if (!Redacted.isRedacted(password)) throw new Error("the embedded server has a password")
  const url = `postgres://${username}:${Redacted.value(password)}@${host}:${port}/postgres`
  const client = new Client({ connectionString: url, application_name: "lotbook bench" })
  // The server is stopped under this connection when a benchmark is interrupted.
  client.on("error", () => undefined)
  yield* Effect.promise(() => client.connect())
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => client.end())))
  const postgres: Postgres = {
    url,
    checkpoint: Effect.asVoid(Effect.promise(() => client.query("checkpoint"))),
    walBytes: Effect.map(
      Effect.promise(() => client.query("select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes")),
      ({ rows }) => Number(rows[0]?.bytes)
    )
  }
  return postgres
})
