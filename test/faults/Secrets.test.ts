/**
 * A node dies while the password of the database changes by the guide, and while PostgreSQL has no connection left
 * (contract/configuration.md *Secrets in files*, contract/databases.md *Confirmed durability*).
 */
import { PgConnection } from "@effect/sql-pg"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Scope } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as TestPostgres from "../TestPostgres.ts"
import { enrolment, post } from "./Post.ts"
import { runFolder, until } from "./Processes.ts"
import { Service } from "./Service.ts"

/** Enough for two nodes and few others. */
const connections = 64

/** Longest time without an answer for all accounts after a node's death, ms. */
const outageMs = 6_000

describe("secrets, with a node's death", () => {
  const { folder, remove } = runFolder()
  const file = path.join(folder, "database-url")
  const services: Array<Service> = []
  let postgres: Awaited<ReturnType<typeof TestPostgres.start>>
  const scope = Scope.makeUnsafe()
  // Open before others take all connections: the few that PostgreSQL reserves for its owner are not free at once again.
  let watching: PgConnection.PgConnection

  const configOf = (password: string): TestPostgres.Config => ({
    ...postgres.clientConfig,
    username: "tills",
    database: "points",
    password: Redacted.make(password)
  })
  const asOwner = (statement: string) => Effect.runPromise(TestPostgres.query(postgres.clientConfig, statement))
  /** Writes the file of the URL, a line for each password. */
  const write = (...passwords: ReadonlyArray<string>) =>
    fs.writeFileSync(file, `${passwords.map((password) => TestPostgres.urlOf(configOf(password))).join("\n")}\n`)

  const startNode = async (name: string): Promise<Service> => {
    const own = path.join(folder, name)
    fs.mkdirSync(own)
    const service = await Service.start(own, [])
    services.push(service)
    return service
  }

  /**
   * The service's reads of the files that found another value. A sign-in that PostgreSQL refused may have it read them once
   * more at any time after the role's password changed.
   */
  const changesOf = (service: Service) =>
    service
      .logged("secrets_read")
      .flatMap(({ changed }) => (Array.isArray(changed) && changed.length > 0 ? [changed] : []))

  /** Kills a node; the other one must answer for all accounts in time. */
  const killAndAnswer = async (killed: Service, left: Service) => {
    await until("both nodes have accounts", async () => (await owners()).length === 2)
    await killed.kill()
    services.splice(services.indexOf(killed), 1)
    const killedAt = Date.now()
    await until(`the other node owns all\n${left.log}`, async () => (await owners()).length === 1)
    const member = `after-${killedAt}`
    await until(`the other node enrols\n${left.log}`, async () => {
      const status = await post(left.port, "/proto/v1/members/enroll", enrolment(member))
      assert.notStrictEqual(status, 500)
      return status === 201
    })
    await left.returned()
    assert.isBelow(Date.now() - killedAt, outageMs, left.log)
  }
  const owners = async () =>
    Effect.runPromise(watching.query("SELECT DISTINCT owner FROM partitions WHERE owner IS NOT NULL", [], false)).then(
      ({ rows }) => rows
    )

  beforeAll(async () => {
    postgres = await TestPostgres.start(path.join(folder, "data"), connections)
    await asOwner("CREATE ROLE tills LOGIN PASSWORD 'one'")
    await asOwner("CREATE DATABASE points OWNER tills")
    watching = await Effect.runPromise(
      Scope.provide(PgConnection.make({ ...postgres.clientConfig, database: "points" }), scope)
    )
    write("one")
    process.env["DATABASE_URL_FILE"] = file
    await startNode("first")
    await startNode("second")
  }, 120_000)

  afterAll(async () => {
    delete process.env["DATABASE_URL_FILE"]
    for (const service of services) await service.stop()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await postgres.stop()
    remove()
  })

  it("a password that changes by the guide stops no service, also if a node dies between its steps", async () => {
    const [first, second] = services as [Service, Service]
    write("one", "two")
    for (const service of services) {
      service.signal("SIGHUP")
      await until("the file was read", () => Promise.resolve(service.eventNames.includes("secrets_read")))
    }
    await asOwner("ALTER ROLE tills PASSWORD 'two'")
    await killAndAnswer(first, second)
    write("two")
    second.signal("SIGHUP")
    await startNode("third")
    assert.deepStrictEqual(changesOf(second), [["DATABASE_URL"], ["DATABASE_URL"]])
  }, 120_000)

  it("a password that changes without a signal is found in the file after the first refused sign-in", async () => {
    const [second, third] = services as [Service, Service]
    await asOwner("ALTER ROLE tills PASSWORD 'three'")
    write("three")
    for (const service of services)
      await until(`the file was read again\n${service.log}`, () =>
        Promise.resolve(changesOf(service).length > (service === second ? 2 : 0))
      )
    await killAndAnswer(third, second)
    await startNode("fourth")
  }, 120_000)

  it("a URL of another database and an empty file are refused, and the former password stays", async () => {
    const [second] = services as [Service]
    const reasonAfter = async (text: string) => {
      const before = second.logged("secrets_refused").length
      fs.writeFileSync(file, text)
      second.signal("SIGHUP")
      await until("the refusal", () => Promise.resolve(second.logged("secrets_refused").length > before))
      return String(second.logged("secrets_refused").at(-1)?.["reason"])
    }
    assert.include(await reasonAfter(""), "is empty")
    const other = TestPostgres.urlOf({ ...configOf("three"), database: "postgres" })
    assert.include(await reasonAfter(`${other}\n`), "DATABASE_URL differs in more than its password")
    assert.include(
      await reasonAfter("postgres://tills:x@127.0.0.1/points\npostgres://tills:y@127.0.0.1/other"),
      "second line"
    )
    write("three")
    assert.strictEqual(await post(second.port, "/proto/v1/members/enroll", enrolment("still-there")), 201)
  }, 60_000)

  it("a node's death while PostgreSQL has no connection left takes its accounts out as any death does", async () => {
    const [second, fourth] = services as [Service, Service]
    const taken = Scope.makeUnsafe()
    let isOver = false
    /** Takes every connection that comes free. */
    const take = async () => {
      while (!isOver) {
        const exit = await Effect.runPromiseExit(Scope.provide(PgConnection.make(configOf("three")), taken))
        if (Exit.isFailure(exit)) await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    const taking = [take(), take(), take()]
    try {
      await until("no connection is left", async () => {
        const exit = await Effect.runPromiseExit(Effect.scoped(PgConnection.make(configOf("three"))))
        return Exit.isFailure(exit)
      })
      await killAndAnswer(fourth, second)
    } finally {
      isOver = true
      await Promise.all(taking)
      await Effect.runPromise(Scope.close(taken, Exit.void))
    }
    assert.notInclude(second.eventNames, "durability_waiting", second.log)
  }, 120_000)
})
