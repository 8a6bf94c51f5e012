import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem, Redacted, Scope } from "effect"
import { NodeFileSystem } from "@effect/platform-node"
import * as fs from "node:fs"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../src/database/EmbeddedPostgres.ts"

/** A folder that PostgreSQL's user can reach, gone with the scope. */
const dataDir = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped({ prefix: "lotbook-test-embedded-" })
  yield* files.chmod(folder, 0o755)
  return folder
}).pipe(Effect.provide(NodeFileSystem.layer))

const text = (file: string) => fs.readFileSync(file, "utf8")

describe("§6 DATA_DIR: the embedded PostgreSQL", () => {
  it.live("keeps its data over a stop, refuses a second owner, and needs its password", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      const pidFile = path.join(folder, "postgres", "postmaster.pid")
      const first = Scope.makeUnsafe()
      const { clientConfig } = yield* Scope.provide(EmbeddedPostgres.make(folder), first)
      assert.strictEqual(fs.statSync(path.join(folder, "postgres", "lotbook.password")).mode & 0o777, 0o600)
      yield* Effect.scoped(
        Effect.flatMap(PgConnection.make(clientConfig), (sql) => sql.query("CREATE TABLE kept (a int)", [], false))
      )

      const second = yield* Effect.flip(Effect.scoped(EmbeddedPostgres.make(folder)))
      assert.include(second.message, `lotbook service ${process.pid} uses ${folder} already`)
      assert.isTrue(fs.existsSync(pidFile), "a refused service leaves the owner's server alone")

      const wrong = { ...clientConfig, password: Redacted.make("wrong") }
      assert.isTrue(Exit.isFailure(yield* Effect.exit(Effect.scoped(PgConnection.make(wrong)))))

      yield* Scope.close(first, Exit.void)
      assert.isFalse(fs.existsSync(pidFile), "the server stops with its scope")

      const again = yield* EmbeddedPostgres.make(folder)
      const sql = yield* PgConnection.make(again.clientConfig)
      assert.strictEqual((yield* sql.query("SELECT 1 FROM pg_tables WHERE tablename = 'kept'")).rowCount, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is one server where several services start at once on a new folder", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      const exits = yield* Effect.all(
        Array.from({ length: 3 }, () => Effect.exit(EmbeddedPostgres.make(folder))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.deepStrictEqual(fs.readdirSync(folder).sort(), ["postgres", "postgres.log"])
    }).pipe(Effect.scoped)
  )

  it.live("starts where a pid file names a program that is not PostgreSQL", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      yield* Effect.scoped(EmbeddedPostgres.make(folder))
      fs.writeFileSync(
        path.join(folder, "postgres", "postmaster.pid"),
        `${process.pid}\n${folder}\n1\n1\n\n\n\nready\n`
      )
      yield* EmbeddedPostgres.make(folder)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a folder of another major version", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      fs.mkdirSync(path.join(folder, "postgres"))
      fs.writeFileSync(path.join(folder, "postgres", "PG_VERSION"), "17\n")
      const error = yield* Effect.flip(Effect.scoped(EmbeddedPostgres.make(folder)))
      assert.include(error.message, "was made by PostgreSQL 17")
      assert.strictEqual(text(path.join(folder, "postgres", "PG_VERSION")), "17\n")
    }).pipe(Effect.scoped)
  )
})
