/**
 * Migrates the database to this version: applies the numbered files of
 * `migrations/` in order, each in its own transaction. A lock lets two services
 * start at once. Released files never change; further ones are added.
 *
 * A file that is added begins with `-- Oldest: 0.2.0`, the oldest version that may run on its tables (contract/databases.md
 * *Versions*). Older ones are refused: at their start, and by the migration itself while a node of theirs runs.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { hash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { softwareVersion } from "../../contract/Version.ts"
import { causeOf, Database, DatabaseStartError, unusable } from "./Database.ts"
import * as Locks from "./Locks.ts"
import * as Roles from "./Roles.ts"
import { oneOf, rowsOf } from "./Values.ts"

/** Longest wait of a migration for a lock on a table, ms. Then it fails, and the start can be repeated. */
const lockTimeoutMs = 10_000
/** Times that a migration is applied where it and a node beside it lock tables in different orders: one of both is rolled back. */
const deadlockTries = 10
const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/

export interface Migration {
  readonly name: string
  readonly sql: string
  readonly checksum: string
  /** The oldest version that may run on its tables. */
  readonly oldest: string
}

const oldestLine = /^-- Oldest: (\d+\.\d+\.\d+)/

/** The first version whose databases are brought up to later ones. */
const firstRelease = "0.2.0"

const folder = path.join(import.meta.dirname, "..", "..", "..", "migrations")

export const load = (from: string = folder): ReadonlyArray<Migration> =>
  fs
    .readdirSync(from)
    .filter((name) => fileName.test(name))
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(from, name), "utf8")
      return { name, sql, checksum: hash("sha256", sql), oldest: oldestLine.exec(sql)?.[1] ?? firstRelease }
    })

/** True if a version is older than another one: by its three numbers. */
export const isOlder = (version: string, than: string): boolean => {
  const [own, other] = [version, than].map((text) => text.split(".").map(Number)) as [Array<number>, Array<number>]
  const place = own.findIndex((number, index) => number !== other[index])
  return place >= 0 && own[place]! < other[place]!
}

const failed = (message: string) => new DatabaseStartError({ message })

const Applied = Schema.Struct({ name: Schema.String, checksum: Schema.String, oldest: Schema.String })
type Applied = typeof Applied.Type
const appliedRows = rowsOf(Applied)
const madeRow = oneOf(Schema.Struct({ made: Schema.Boolean }))
const versionRows = rowsOf(Schema.Struct({ version: Schema.String }))
const relationRows = rowsOf(Schema.Struct({ name: Schema.String, mark: Schema.Boolean }))

/** The applied migrations, in order; none in an empty database. */
const appliedTo = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
  const { made } = yield* madeRow(connection.query("SELECT to_regclass('migrations') IS NOT NULL AS made"))
  return made ? yield* appliedRows(connection.query("SELECT name, checksum, oldest FROM migrations ORDER BY name")) : []
})

/**
 * Refuses a schema with other relations than Lotbook's: they belong to another program. Its mark is the table `migrations`
 * with its columns; other programs have a table of this name too.
 */
const refuseForeign = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, describe: string) {
  const relations = yield* relationRows(
    connection.query(
      `SELECT c.relname AS name, c.relname = 'migrations' AND (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = c.oid
        AND a.attname IN ('name', 'checksum', 'applied_at')) = 3 AS mark
      FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY 1`
    )
  )
  if (relations.length === 0 || relations.some(({ mark }) => mark)) return
  const names = relations.slice(0, 3).map(({ name }) => name)
  return yield* failed(
    `${describe} holds ${relations.length} relations of another program (${names.join(", ")}${relations.length > 3 ? ", …" : ""}). ` +
      "Give Lotbook a database of its own: CREATE DATABASE lotbook OWNER role"
  )
})

/** Refuses migrations while a node runs whose version is older than one of them allows. */
const refuseBesideOlder = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection,
  describe: string,
  missing: ReadonlyArray<Migration>
) {
  if (missing.length === 0) return
  const running = yield* versionRows(connection.query("SELECT DISTINCT version FROM nodes WHERE NOT dead ORDER BY 1"))
  for (const { version } of running) {
    const barred = missing.find(({ oldest }) => isOlder(version, oldest))
    if (barred === undefined) continue
    return yield* failed(
      `${describe} lacks ${barred.name}, on which ${barred.oldest} is the oldest version that may run, and a node of version ${version} runs. ` +
        "Stop every node of it, then start this version."
    )
  }
})

/** Refuses a database of another version, unless everything that this one does not know lets it run. */
const refuseOthers = (describe: string, applied: ReadonlyArray<Applied>, migrations: ReadonlyArray<Migration>) => {
  for (const { checksum, name, oldest } of applied) {
    const known = migrations.find((migration) => migration.name === name)
    const mayRun = !isOlder(softwareVersion, oldest)
    if (mayRun && (known === undefined || known.checksum === checksum)) continue
    const differs = mayRun
      ? "with other contents"
      : `which this version (${softwareVersion}) ${known === undefined ? "lacks, and" : "has: it now"} needs ${oldest} or later`
    return Effect.fail(
      failed(
        `${describe} is of another version: it has migration ${name}, ${differs}. ` +
          "Run the version that made it, or start this one on an empty database (embedded: another DATA_DIR)."
      )
    )
  }
  return Effect.void
}

/** Runs all statements of a file: `EXECUTE` accepts several, in the caller's transaction. */
const applyOnce = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, migration: Migration) {
  yield* connection.query("BEGIN", [], false)
  yield* connection.query("SELECT set_config('lotbook.migration', $1, true)", [migration.sql])
  yield* connection.query("DO $$ BEGIN EXECUTE current_setting('lotbook.migration'); END $$", [], false)
  const { checksum, name, oldest } = migration
  yield* connection.query("INSERT INTO migrations (name, checksum, oldest) VALUES ($1, $2, $3)", [
    name,
    checksum,
    oldest
  ])
  yield* connection.query("COMMIT", [], false)
})

const codeOf = ({ reason: { cause } }: Parameters<typeof causeOf>[0]): unknown =>
  cause instanceof Error && "code" in cause ? cause.code : undefined

const isDeadlock = (error: Parameters<typeof causeOf>[0]): boolean => codeOf(error) === "40P01"

/** Applies a file in a transaction, again after a deadlock. */
const apply = (connection: PgConnection.PgConnection, migration: Migration) =>
  applyOnce(connection, migration).pipe(
    Effect.onError(() => Effect.ignore(connection.query("ROLLBACK", [], false))),
    Effect.tapError((error) =>
      isDeadlock(error)
        ? Effect.logWarning(`Migration ${migration.name} and a node waited for each other, and it is applied again`)
        : Effect.void
    ),
    Effect.retry({ times: deadlockTries - 1, while: isDeadlock })
  )

/** The remedy where a role lacks a right: since PostgreSQL 15 only the owner may make tables. */
const remedyOf = (error: Parameters<typeof causeOf>[0]): string =>
  codeOf(error) === "42501"
    ? ". Give the role of DATABASE_URL a database that it owns: CREATE DATABASE lotbook OWNER role"
    : ""

const bring = Effect.fnUntraced(
  function* (migrations: ReadonlyArray<Migration>) {
    const { clientConfig, describe } = yield* Database
    const connection = yield* PgConnection.make(clientConfig)
    yield* connection.query(`SELECT pg_advisory_lock(${Locks.migration})`)
    yield* refuseForeign(connection, describe)
    // A statement that waits for a long transaction would block every statement after it.
    yield* connection.query(`SET lock_timeout = ${lockTimeoutMs}`)
    yield* connection.query(
      "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, checksum text NOT NULL, oldest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
    )
    const applied = yield* appliedTo(connection)
    yield* refuseOthers(describe, applied, migrations)
    const missing = migrations.filter((migration) => !applied.some(({ name }) => name === migration.name))
    if (applied.length > 0) yield* refuseBesideOlder(connection, describe, missing)
    for (const migration of missing) yield* apply(connection, migration)
    return missing.map((migration) => migration.name)
  },
  Effect.scoped,
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(Database, ({ describe }) =>
      Effect.fail(failed(`A migration of ${describe} failed: ${causeOf(error)}${remedyOf(error)}`))
    )
  )
)

/** Applies missing migrations; returns their names. */
export const run = (migrations: ReadonlyArray<Migration> = load()) => bring(migrations)

/** Refuses a database that does not have exactly this version's migrations; changes nothing. */
export const check = Effect.gen(function* () {
  const { clientConfig, describe } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  const applied = yield* appliedTo(connection)
  const migrations = load()
  yield* refuseOthers(describe, applied, migrations)
  const missing = migrations.filter((migration) => !applied.some(({ name }) => name === migration.name))
  if (missing.length === 0) return
  return yield* failed(
    `${describe} lacks ${missing.map(({ name }) => name).join(", ")}: run lotbook migrate on it with the role that owns the tables, or start this version's service with it.`
  )
}).pipe(
  Effect.scoped,
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(Database, ({ describe }) => Effect.fail(unusable(describe, error)))
  )
)

/** The database as a service finds it at its start. */
export interface Prepared {
  /** Names of the migrations that were applied. */
  readonly applied: ReadonlyArray<string>
  /** The service's role. */
  readonly role: string
  /** True if that role owns the tables. */
  readonly isOwner: boolean
  /** True if it sees other roles' transactions and locks. */
  readonly seesOthers: boolean
}

/** Applies missing migrations, or refuses them if the role does not own the tables (contract/databases.md *Roles*). */
export const prepare: Effect.Effect<Prepared, DatabaseStartError, Database> = Effect.gen(function* () {
  const database = yield* Database
  const { owner, owns, role, seesOthers } = yield* Effect.scoped(
    Effect.gen(function* () {
      const connection = yield* PgConnection.make(database.clientConfig)
      return { ...(yield* Roles.ownership(connection)), seesOthers: yield* Roles.seesOthers(connection) }
    })
  ).pipe(Effect.catchTag("SqlError", (error) => Effect.fail(unusable(database.describe, error))))
  const isOwner = owner === null || owns
  const applied = isOwner ? yield* run() : yield* Effect.as(check, [])
  return { applied, role, isOwner, seesOthers }
})
