import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted, Schedule, Scope } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as EmbeddedPostgres from "../../../../src/base/database/embedded/EmbeddedPostgres.ts"
import * as Folder from "../../../../src/base/database/embedded/Folder.ts"
import { isAlive } from "../../../../src/base/database/embedded/Processes.ts"
import * as Runner from "../../../../src/base/database/embedded/Runner.ts"
import * as Folders from "../../../Folders.ts"
import { familyOf, signal, until } from "../../../faults/Processes.ts"

/** A folder that PostgreSQL's user can reach, gone with the scope. */
const dataDir = Effect.acquireRelease(
  Effect.sync(() => Folders.make("lotbook-test-embedded-")),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
)

const text = (file: string) => fs.readFileSync(file, "utf8")

describe("DATA_DIR: the embedded PostgreSQL", () => {
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
      assert.include(second.message, `lotbook service ${process.pid} already uses ${folder}`)
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

  it.live.skipIf(process.platform !== "linux")(
    "ends with its service, whatever keeps its shutdown waiting, and has every commit at the next start",
    () =>
      Effect.gen(function* () {
        const folder = yield* dataDir
        const service = Scope.makeUnsafe()
        const { clientConfig } = yield* Scope.provide(EmbeddedPostgres.make(folder), service)
        const family = familyOf(postmasterOf(folder))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* PgConnection.make(clientConfig)
            yield* session.query("CREATE TABLE kept AS SELECT 1 AS a")
          })
        )
        // As on a disk that takes its time for the last checkpoint.
        const checkpointers = family.filter((pid) => text(`/proc/${pid}/cmdline`).includes("checkpointer"))
        assert.lengthOf(checkpointers, 1)
        signal(checkpointers, "SIGSTOP")
        yield* Scope.close(service, Exit.void)
        // The server removes its pid file, for which the service waits, right before its process ends.
        yield* Effect.promise(() => until("all have ended", () => !family.some(isAlive), 5_000))
        const { clientConfig: next } = yield* EmbeddedPostgres.make(folder)
        const session = yield* PgConnection.make(next)
        assert.strictEqual((yield* session.query("SELECT a FROM kept")).rowCount, 1)
      }).pipe(Effect.scoped)
  )

  it.live("is one server if several services start at once on a new folder", () =>
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

  it.live("leaves no server behind where a service is told to stop while it starts one", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      const pidFile = path.join(folder, "postgres", "postmaster.pid")
      const scope = Scope.makeUnsafe()
      const starting = yield* Effect.forkChild(Scope.provide(EmbeddedPostgres.make(folder), scope))
      yield* Effect.repeat(Effect.yieldNow, { until: () => fs.existsSync(pidFile) })
      const exit = yield* Effect.andThen(Fiber.interrupt(starting), Fiber.await(starting))
      assert.isTrue(Exit.hasInterrupts(exit))
      yield* Scope.close(scope, Exit.asVoid(exit))
      assert.isFalse(fs.existsSync(pidFile))
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

  it.live.skipIf(process.getuid?.() !== 0)("takes no folder of another user that holds something, if it is root", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      fs.writeFileSync(path.join(folder, "letter.txt"), "")
      fs.chownSync(folder, 12_345, 12_345)
      const { base: instead } = yield* Effect.flatMap(Runner.find, (runner) => Folder.find(runner, folder))
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(instead, { recursive: true, force: true })))
      const attached = yield* Effect.exit(Effect.scoped(Layer.build(EmbeddedPostgres.layerAttached(folder))))
      assert.isTrue(Exit.isFailure(attached))
      assert.isFalse(fs.existsSync(instead), "a command makes no folder")
      yield* Effect.scoped(EmbeddedPostgres.make(folder))
      assert.strictEqual(fs.statSync(folder).uid, 12_345)
      assert.deepStrictEqual(fs.readdirSync(folder), ["letter.txt"])
      assert.isTrue(fs.existsSync(path.join(instead, "postgres", "PG_VERSION")))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(process.getuid?.() !== 0)("makes no empty database in place of data that it cannot reach", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      yield* Effect.scoped(EmbeddedPostgres.make(folder))
      fs.writeFileSync(path.join(folder, "letter.txt"), "")
      fs.chownSync(folder, 0, 0)
      const refused = yield* Effect.flip(Effect.scoped(EmbeddedPostgres.make(folder)))
      assert.match(refused.message, /cannot write the data folder .*, which has data.*chown/)
    }).pipe(Effect.scoped)
  )

  it.live("refuses a folder of another major version", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      fs.mkdirSync(path.join(folder, "postgres"))
      fs.writeFileSync(path.join(folder, "postgres", "PG_VERSION"), "17\n")
      const error = yield* Effect.flip(Effect.scoped(EmbeddedPostgres.make(folder)))
      assert.include(error.message, "was created by PostgreSQL 17")
      assert.strictEqual(text(path.join(folder, "postgres", "PG_VERSION")), "17\n")
    }).pipe(Effect.scoped)
  )
})

const postmasterOf = (folder: string): number =>
  Number(text(path.join(folder, "postgres", "postmaster.pid")).split("\n")[0])

const backendsOf = (connection: PgConnection.PgConnection, name: string) =>
  Effect.map(connection.query("SELECT pid FROM pg_stat_activity WHERE application_name = $1", [name]), ({ rows }) =>
    rows.map((row) => Number(row["pid"]))
  )

/** A session as soon as the server gives one. */
const connected = (config: Parameters<typeof PgConnection.make>[0]) =>
  Effect.retry(PgConnection.make(config), { schedule: Schedule.spaced("20 millis"), times: 500 })

/** Waits until the service holds the owner's lock. */
const owned = (session: PgConnection.PgConnection) =>
  Effect.repeat(
    Effect.map(
      session.query(
        `SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
          WHERE l.locktype = 'advisory' AND l.granted AND a.application_name = 'lotbook service ${process.pid}'`
      ),
      ({ rowCount }) => rowCount === 1
    ),
    { until: (isOwned) => isOwned, schedule: Schedule.spaced("20 millis") }
  )

describe("an embedded PostgreSQL that ends while its service runs", () => {
  /** Fate of the server; `stays`: the same server goes on. */
  const endings: ReadonlyArray<
    [string, (folder: string, session: PgConnection.PgConnection) => Effect.Effect<unknown>, stays?: boolean]
  > = [
    [
      "killed whole",
      (folder) =>
        // The others end by themselves once the first one is gone: some may be quicker than their signal.
        Effect.sync(() => signal(familyOf(postmasterOf(folder)), "SIGKILL"))
    ],
    [
      "killed, a busy backend outliving it for a while",
      (folder, session) =>
        Effect.gen(function* () {
          // Backends that wait notice the end; one that computes does not, and keeps the shared memory.
          yield* Effect.forkDetach(
            Effect.exit(session.query("SELECT count(*) FROM generate_series(1, 3000000) a", [], false))
          )
          yield* Effect.yieldNow
          process.kill(postmasterOf(folder), "SIGKILL")
        })
    ],
    [
      "ending since a backend was killed",
      (_, session) =>
        Effect.map(Effect.orDie(backendsOf(session, `lotbook service ${process.pid}`)), (pids) => {
          for (const pid of pids) process.kill(pid, "SIGKILL")
        })
    ],
    [
      "ending the owner's session",
      (_, session) =>
        session
          .query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'lotbook service ${process.pid}'`
          )
          .pipe(Effect.orDie),
      true
    ]
  ]
  for (const [name, end, stays = false] of endings) {
    it.live(`${name}: it is back at the same port, owned, and stops with its service`, () =>
      Effect.gen(function* () {
        const folder = yield* dataDir
        const service = Scope.makeUnsafe()
        const { clientConfig } = yield* Scope.provide(EmbeddedPostgres.make(folder), service)
        const before = postmasterOf(folder)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* PgConnection.make(clientConfig)
            yield* session.query("CREATE TABLE kept AS SELECT 1 AS a")
            yield* end(folder, session)
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* connected(clientConfig)
            assert.strictEqual((yield* session.query("SELECT a FROM kept")).rowCount, 1)
            // A server answers until it has noticed that it ends.
            const isSame = yield* Effect.try(() => postmasterOf(folder) === before)
            if (isSame !== stays) yield* Effect.fail("only the service restarts a server")
          }).pipe(Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 }))
        )
        yield* Effect.scoped(
          Effect.flatMap(connected(clientConfig), owned).pipe(
            Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 500 })
          )
        )
        const second = yield* Effect.flip(Effect.scoped(EmbeddedPostgres.make(folder)))
        assert.include(second.message, `lotbook service ${process.pid} already uses ${folder}`)
        yield* Scope.close(service, Exit.void)
        assert.isFalse(fs.existsSync(path.join(folder, "postgres", "postmaster.pid")), "it stops with its scope")
      }).pipe(Effect.scoped)
    )
  }

  it.live("a service that is stopped during its start leaves no server running", () =>
    Effect.gen(function* () {
      const folder = yield* dataDir
      for (const pauseMs of [0, 100, 260, 400]) {
        const service = Scope.makeUnsafe()
        yield* Scope.provide(EmbeddedPostgres.make(folder), service)
        process.kill(postmasterOf(folder), "SIGKILL")
        yield* Effect.sleep(pauseMs)
        yield* Scope.close(service, Exit.void)
        const again = yield* Effect.exit(Effect.scoped(EmbeddedPostgres.make(folder)))
        assert.isTrue(Exit.isSuccess(again), "the next service starts")
      }
    }).pipe(Effect.scoped)
  )
})
