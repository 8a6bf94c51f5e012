/** An embedded PostgreSQL of the benchmark's own, with the settings and the durability of the service's. */
import { Effect } from "effect"
import * as EmbeddedPostgres from "../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as TestPostgres from "../TestPostgres.ts"

interface Postgres {
  readonly url: string
  readonly checkpoint: Effect.Effect<void>
  /** Position in the write-ahead log, bytes. */
  readonly walBytes: Effect.Effect<number>
}

/** The server of a data folder, for as long as the scope lives. */
export const make = Effect.fnUntraced(function* (folder: string) {
  const { clientConfig } = yield* EmbeddedPostgres.make(folder)
  const query = (statement: string) => Effect.orDie(TestPostgres.query(clientConfig, statement))
  const postgres: Postgres = {
    url: TestPostgres.urlOf(clientConfig),
    checkpoint: Effect.asVoid(query("CHECKPOINT")),
    walBytes: Effect.map(query("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS bytes"), ([row]) =>
      Number(row?.["bytes"])
    )
  }
  return postgres
})
