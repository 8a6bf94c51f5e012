/** A service whose role owns nothing, as a process. Holds contract/databases.md *Roles*. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import { main } from "../../Built.ts"
import { until } from "../../faults/Processes.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestPostgres from "../../TestPostgres.ts"
import { lotbook } from "../cli/Lotbook.ts"

const adminKey = "proto-dev-admin-key"

/** A role of the server that owns nothing, gone with the scope. */
const freshRole = Effect.acquireRelease(
  Effect.gen(function* () {
    const { clientConfig } = yield* Database
    const role = `serves_${randomBytes(4).toString("hex")}`
    yield* TestDatabase.administer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`)
    const url = TestPostgres.urlOf(clientConfig).replace(/\/\/[^@]+@/, `//${role}:${role}@`)
    return { role, url }
  }),
  ({ role }) =>
    Effect.gen(function* () {
      yield* TestDatabase.query(`DROP OWNED BY ${role} CASCADE`)
      yield* TestDatabase.administer(`DROP ROLE ${role}`)
    }).pipe(Effect.orDie)
)

interface Serving {
  readonly call: (path: string, body?: object, key?: string) => Effect.Effect<{ status: number; body: never }>
  readonly output: () => string
}

/** A sandbox's process with this address of its database. */
const serving = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const env = {
        ...process.env,
        DATABASE_URL: url,
        PORT: "0",
        LOG_FORMAT: "json",
        PROGRAMS: "src/app/demo/program.demo.json",
        PROTO_SANDBOX_CLOCK: "2026-07-14T10:00:00Z"
      }
      const child = spawn(process.execPath, [main, "serve"], { env, stdio: ["ignore", "pipe", "pipe"] })
      let output = ""
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
      const port = await until("the service listens", () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`)
        return /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1]
      })
      await until("the service is ready", async () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${output}`)
        const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined)
        await response?.arrayBuffer()
        return response?.status === 200
      })
      return { child, port, output: () => output }
    }),
    ({ child }) =>
      Effect.promise(async () => {
        if (child.exitCode !== null) return
        const gone = new Promise((resolve) => child.once("exit", resolve))
        child.kill("SIGTERM")
        await gone
      })
  ).pipe(
    Effect.map(({ output, port }) => ({
      output,
      call: (path: string, body?: object, key = "proto-dev-token") =>
        Effect.promise(async () => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`, {
            method: body === undefined ? "GET" : path.startsWith("/platform") ? "PUT" : "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
            ...(body === undefined ? undefined : { body: JSON.stringify(body) })
          })
          const text = await response.text()
          return { status: response.status, body: (text === "" ? {} : JSON.parse(text)) as never }
        })
    }))
  ) satisfies Effect.Effect<Serving, unknown, unknown>

/** PostgreSQL's own words. */
const refusalOf = (error: unknown): unknown => {
  let inner = error
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause
  return inner
}

layer(TestDatabase.layer, { excludeTestServices: true })("a role that owns nothing", (it) => {
  it.effect("is refused before it has rights, and told of a role that is not there", () =>
    Effect.gen(function* () {
      const { url } = yield* freshRole
      const refused = yield* Effect.flip(Effect.sandbox(Effect.scoped(serving(url))))
      assert.match(String(refused), /permission denied/)
      const unknown = yield* lotbook(["migrate", "--grant", "nobody_here"])
      assert.strictEqual(unknown.code, 2)
      assert.match(unknown.err, /There is no role nobody_here\. Make it first: CREATE ROLE/)
    }).pipe(Effect.scoped)
  )

  it.effect("serves, resets a sandbox, and changes no log and no table", () =>
    Effect.gen(function* () {
      const { role, url } = yield* freshRole
      const granted = yield* lotbook(["migrate", "--grant", role])
      assert.strictEqual(granted.code, 0, granted.err)
      assert.include(granted.out, `${role} has the rights to serve`)

      const { call, output } = yield* serving(url)
      assert.notInclude(output(), "role_owns_tables")
      assert.include(output(), "role_sees_little")
      const put = yield* call("/platform/v1/members", {
        external_id: "ada",
        program_id: "demo-foodservice",
        display_name: "Ada"
      })
      assert.strictEqual(put.status, 200)
      const { member } = put.body as { readonly member: { readonly member_id: string } }
      const accrued = yield* call("/proto/v1/accruals", {
        context: Testing.context("key-of-order-1"),
        member_id: member.member_id,
        order: Testing.order("order-1", 1100)
      })
      assert.strictEqual(accrued.status, 201, JSON.stringify(accrued.body))
      const moved = yield* call("/admin/api/v1/clock", { advance: "P400D" }, adminKey)
      assert.strictEqual(moved.status, 200)
      const reset = yield* call("/admin/api/v1/clock", { reset: true }, adminKey)
      assert.strictEqual(reset.status, 200, JSON.stringify(reset.body))
      assert.deepStrictEqual(yield* TestDatabase.query("SELECT count(*)::int AS n FROM journal"), [{ n: 0 }])

      const { clientConfig } = yield* Database
      const asRole = {
        ...clientConfig,
        url: undefined,
        username: role,
        password: TestPostgres.configOf(0, role).password
      }
      // Begins spans, and has the owner's function make their partitions.
      for (const statement of ["SELECT begin_span(true)", "SELECT prepare_spans()"])
        yield* TestPostgres.query(asRole, statement)
      assert.deepStrictEqual(yield* TestDatabase.query("SELECT to_regclass('journal_3')::text AS made"), [
        { made: "journal_3" }
      ])
      assert.notInclude(output(), "could not be looked after")
      for (const statement of [
        "TRUNCATE journal",
        "INSERT INTO journal_3 SELECT * FROM journal",
        "UPDATE journal SET seq = seq",
        "UPDATE journal_0 SET seq = seq",
        "INSERT INTO ledger_entries_0 SELECT * FROM ledger_entries",
        "DELETE FROM audit",
        "ALTER TABLE journal DISABLE TRIGGER ALL",
        "DROP TABLE journal",
        "DELETE FROM migrations",
        "CREATE TABLE mine (a int)"
      ]) {
        const error = yield* Effect.flip(TestPostgres.query(asRole, statement))
        assert.match(String(refusalOf(error)), /permission denied|must be owner/, statement)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("does not migrate: the start names the command, and the owner's service says whose role it has", () =>
    Effect.gen(function* () {
      const { role, url } = yield* freshRole
      yield* lotbook(["migrate", "--grant", role])
      yield* TestDatabase.query(
        "DELETE FROM migrations WHERE name = (SELECT max(name) FROM migrations WHERE name LIKE '%.sql')"
      )
      const refused = yield* Effect.flip(Effect.sandbox(Effect.scoped(serving(url))))
      assert.match(
        String(refused),
        /lacks \d{4}_\w+\.sql: run lotbook migrate on it with the role that owns the tables/
      )
    }).pipe(Effect.scoped)
  )
})
