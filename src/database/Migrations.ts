/**
 * Brings the database to this version: the numbered files of `migrations/`, in
 * order, each in a transaction of its own, under a lock, so that two services
 * may start at once. A database that is ahead or differs is refused.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { causeOf, Database, DatabaseStartError } from "./Database.ts"

const migrationLock = 7_270_003
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
  /** Checksums of former wordings that databases may have instead, whose differences a later file takes away. */
  readonly formerly?: ReadonlyArray<string> | undefined
}

/** Of `begin_era`, which 0004 replaces, and of it and `any_claimed`, which 0006 does. */
const formerly: Readonly<Record<string, ReadonlyArray<string>>> = {
  "0003_claims_in_eras.sql": ["a902d26bf415591c38f6014462981ff0a1a4b9775844ba7b969d45fea2cc5e2b"],
  "0005_eras_one_by_one.sql": [
    "70a6157c361c9d639b4d47c88d9fa6adb1909fec1de15b4f733de020213ec306",
    "f80eddbeead83429395f52c8d14cc0125ccddde86bf088429400d06547fe4ab4"
  ]
}

const folder = path.join(import.meta.dirname, "..", "..", "migrations")

export const load = (from: string = folder): ReadonlyArray<Migration> =>
  fs
    .readdirSync(from)
    .filter((name) => fileName.test(name))
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(from, name), "utf8")
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex"), formerly: formerly[name] }
    })

const failed = (message: string) => new DatabaseStartError({ message })

/** A file's statements, all or none: `EXECUTE` takes several at once, in the caller's transaction. */
const apply = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, migration: Migration) {
  yield* connection.query("BEGIN", [], false)
  yield* connection.query("SELECT set_config('lotbook.migration', $1, true)", [migration.sql])
  yield* connection.query("DO $$ BEGIN EXECUTE current_setting('lotbook.migration'); END $$", [], false)
  yield* connection.query("INSERT INTO migrations (name, checksum) VALUES ($1, $2)", [
    migration.name,
    migration.checksum
  ])
  yield* connection.query("COMMIT", [], false)
})

const bring = Effect.fnUntraced(
  function* (migrations: ReadonlyArray<Migration>) {
    const { clientConfig, describe } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    yield* connection.query(`SELECT pg_advisory_lock(${migrationLock})`)
    yield* connection.query(
      "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
    )
    const applied = (yield* connection.query("SELECT name, checksum FROM migrations ORDER BY name")).rows
    for (const row of applied) {
      const known = migrations.find((migration) => migration.name === row["name"])
      if (known === undefined) {
        return yield* failed(
          `${describe} has migration ${String(row["name"])}, which this version does not know. Run the version that made it, or a later one.`
        )
      }
      if (![known.checksum, ...(known.formerly ?? [])].includes(String(row["checksum"]))) {
        return yield* failed(
          `Migration ${known.name} was changed after ${describe} had applied it. Restore the file as it was.`
        )
      }
    }
    const missing = migrations.filter((migration) => !applied.some((row) => row["name"] === migration.name))
    for (const migration of missing) yield* apply(connection, migration)
    return missing.map((migration) => migration.name)
  },
  Effect.scoped,
  Effect.catchTag("SqlError", (error) => Effect.fail(failed(`A migration failed: ${causeOf(error)}`)))
)

/** Names of the migrations that were applied now. */
export const run = (migrations: ReadonlyArray<Migration> = load()) => bring(migrations)

/** Refuses a database that is not exactly of this version; changes nothing. */
export const check = Effect.gen(function* () {
  const { clientConfig, describe } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  const [there] = (yield* connection.query("SELECT to_regclass('migrations') IS NOT NULL AS made")).rows
  const rows =
    there?.["made"] === true ? (yield* connection.query("SELECT name FROM migrations ORDER BY name")).rows : []
  const applied = rows.map((row) => String(row["name"]))
  const known = load().map(({ name }) => name)
  if (applied.join() === known.join()) return
  const missing = known.filter((name) => !applied.includes(name))
  return yield* failed(
    missing.length > 0
      ? `${describe} lacks ${missing.join(", ")}: start this version's service on it once.`
      : `${describe} is of a later version: use that one.`
  )
}).pipe(
  Effect.scoped,
  Effect.catchTag("SqlError", (error) => Effect.fail(failed(`The database does not answer: ${causeOf(error)}`)))
)
