import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as net from "node:net"
import { Database } from "../../../src/base/database/Database.ts"
import * as StartChecks from "../../../src/base/database/StartChecks.ts"
import * as TestDatabase from "../../TestDatabase.ts"

it.effect("a PostgreSQL that keeps what it commits is accepted", () =>
  StartChecks.run.pipe(Effect.provide(TestDatabase.layer))
)

for (const value of ["off", "local"]) {
  it.effect(`synchronous_commit = ${value} is refused, and the refusal says what to set`, () =>
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make(clientConfig)
      yield* connection.query(
        `ALTER DATABASE ${clientConfig.database ?? ""} SET synchronous_commit = ${value}`,
        [],
        false
      )
      const error = yield* Effect.flip(StartChecks.run)
      assert.include(error.message, `synchronous_commit = ${value}`)
      assert.include(error.message, "Set synchronous_commit to on")
    }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
  )
}

it.effect("an encoding other than UTF8 is refused before anything is made", () =>
  Effect.gen(function* () {
    const database = yield* Database
    const admin = yield* PgConnection.make(database.clientConfig)
    const name = `${database.clientConfig.database ?? ""}_latin`
    yield* admin.query(
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
      [],
      false
    )
    const latin = { ...database, clientConfig: { ...database.clientConfig, database: name } }
    const { message } = yield* Effect.flip(Effect.provideService(StartChecks.run, Database, latin))
    assert.match(message, /has the encoding LATIN1; UTF8 is needed/)
    yield* admin.query(`DROP DATABASE ${name} WITH (FORCE)`, [], false)
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)

it.effect("the start knows whether its connection is encrypted", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* StartChecks.run, { isEncrypted: false })
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a PostgreSQL that accepts and does not answer ends the start", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    // AuthenticationOk and ReadyForQuery; then nothing.
    const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])
    const silent = net.createServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.write(welcome)
        socket.once("data", () => Deferred.doneUnsafe(asked, Effect.void))
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void silent.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => void silent.close())
    )
    const address = silent.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const clientConfig = { host: "127.0.0.1", port, username: "lotbook" }
    const ending = yield* Effect.forkChild(
      Effect.flip(Effect.provideService(StartChecks.run, Database, { clientConfig, describe: "db" }))
    )
    yield* Deferred.await(asked)
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* Fiber.join(ending)).message, "db accepts connections, but has not answered for 30 s.")
  }).pipe(Effect.scoped)
)

it.live("a pooler that refuses the settings of a session is named, with what to do", () =>
  Effect.gen(function* () {
    // PgBouncer's answer to a start message.
    const text = ["SFATAL", "C08P01", "Munsupported startup parameter: tcp_keepalives_idle", "", ""].join("\0")
    const length = Buffer.alloc(4)
    length.writeInt32BE(Buffer.byteLength(text) + 4)
    const refusal = Buffer.concat([Buffer.from("E"), length, Buffer.from(text)])
    const pooler = net.createServer(
      (socket) => void socket.once("data", () => socket.end(refusal)).on("error", () => {})
    )
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void pooler.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => void pooler.close())
    )
    const address = pooler.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const clientConfig = { host: "127.0.0.1", port, username: "lotbook" }
    const error = yield* Effect.flip(Effect.provideService(StartChecks.run, Database, { clientConfig, describe: "db" }))
    assert.strictEqual(
      error.message,
      "db cannot be used: unsupported startup parameter: tcp_keepalives_idle. DATABASE_URL leads to a connection pooler: give the address of PostgreSQL itself"
    )
  }).pipe(Effect.scoped)
)

it.live("a PostgreSQL that does not answer is refused by name", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(StartChecks.run)
    assert.match(error.message, /^the till's PostgreSQL cannot be used: .*ECONNREFUSED/)
  }).pipe(
    Effect.provideService(Database, {
      clientConfig: { host: "127.0.0.1", port: 1, username: "nobody" },
      describe: "the till's PostgreSQL"
    })
  )
)

it.effect("a wrong password is told in PostgreSQL's words, not as a server that is away", () =>
  Effect.gen(function* () {
    const database = yield* Database
    const clientConfig = { ...database.clientConfig, password: Redacted.make("wrong") }
    const error = yield* Effect.flip(Effect.provideService(StartChecks.run, Database, { ...database, clientConfig }))
    assert.match(error.message, /cannot be used: password authentication failed/)
  }).pipe(Effect.provide(TestDatabase.layer))
)
