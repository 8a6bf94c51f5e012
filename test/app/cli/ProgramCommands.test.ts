/** `lotbook programs` as an operator runs it: on the database and on a service by its address. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as Operators from "../../capabilities/operators/Operators.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "../service/TestServer.ts"
import * as InProcess from "./InProcess.ts"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-programs-"))

const onDatabase = (...args: ReadonlyArray<string>) => InProcess.onDatabase("programs", ...args)

const onService = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(TestServer.port, (port) =>
    InProcess.lotbook(["programs", ...args, "--url", `http://127.0.0.1:${port}`], {
      PROTO_ADMIN_KEY: "proto-dev-admin-key"
    })
  )

/** A file with the demo programme under another id. */
const fileOf = (program_id: string, more: object = {}) => {
  const file = path.join(folder, `${program_id}.json`)
  fs.writeFileSync(file, JSON.stringify({ ...Testing.demoProgram.file, program_id, ...more }))
  return file
}

const published = Programs.layer.pipe(
  Layer.provide(
    Layer.effectDiscard(
      Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
    )
  )
)
const served = TestServer.layerFor(PgJournal.layer, published, Pools.layer).pipe(
  Layer.provide(MemoryJournal.MemoryStorage.layer),
  Layer.provideMerge(TestDatabase.layer)
)

/** Exit code and what is printed where. */
const said = Effect.map(({ code, err, out }: InProcess.Ran) => [code, out.trim(), code === 0 ? "" : err.trim()])

/** A sandbox whose clock stands in the past. */
const sandbox = Layer.effectDiscard(
  Effect.flatMap(PeoplePool, ({ query }) =>
    Effect.andThen(
      query("UPDATE installation SET environment = 'sandbox'"),
      query("UPDATE sandbox_clock SET now = 1784023200000")
    )
  )
)
const onSandbox = Layer.provideMerge(sandbox, Layer.provideMerge(Pools.layer, TestDatabase.layer))

layer(onSandbox, { excludeTestServices: true })("on a sandbox", (it) => {
  it.effect("a version has the sandbox's time, its entry of the audit the machine's", () =>
    Effect.gen(function* () {
      const began = Date.now()
      yield* onDatabase("publish", fileOf("club"))
      const { query } = yield* PeoplePool
      const [row] = yield* query(`SELECT (extract(epoch from published_at) * 1000)::float8 AS published,
        (SELECT at::float8 FROM audit WHERE action = 'program.publish') AS audited FROM programs`)
      assert.strictEqual(row?.["published"], 1_784_023_200_000)
      assert.isAtLeast(Number(row?.["audited"]), began)
    })
  )
})

layer(served, { excludeTestServices: true })("lotbook programs", (it) => {
  it.effect("publishes, refuses and lists on the database, beside a service that follows", () =>
    Effect.gen(function* () {
      const file = fileOf("club")
      const publish = () => said(onDatabase("publish", file, "--expected-version", "0"))
      assert.deepStrictEqual(yield* publish(), [0, "club: published version 1", ""])
      assert.deepStrictEqual(yield* publish(), [1, "", "conflict: Version 1 is in force."])
      const { code, out } = yield* onDatabase("list")
      assert.strictEqual(code, 0)
      assert.include(out, "club: Corner Bowl Rewards, version 1, live, 0 members")
    })
  )

  it.effect("lists without members for a token that is limited to restaurants", () =>
    Effect.gen(function* () {
      const { secret } = yield* Operators.issue({ scopes: ["programs:read"], location_ids: ["loc-east"] })
      const port = yield* TestServer.port
      const args = ["programs", "list", "--url", `http://127.0.0.1:${port}`]
      const { code, out } = yield* InProcess.lotbook(args, { PROTO_ADMIN_KEY: secret })
      assert.strictEqual(code, 0)
      assert.match(out, /^demo-foodservice: Corner Bowl Rewards, version 1, live$/m)
    })
  )

  it.effect("says in one line where a file is not JSON", () =>
    Effect.gen(function* () {
      const broken = path.join(folder, "broken.json")
      fs.writeFileSync(broken, "vm\n")
      const why = `${broken}: not JSON: line 1, column 1: a value is expected`
      assert.deepStrictEqual(yield* said(onDatabase("publish", broken)), [2, "", why])
    })
  )

  it.effect("validates, goes back, shows and retires on a service", () =>
    Effect.gen(function* () {
      yield* onDatabase("publish", fileOf("diner"))
      const validated = yield* onService("validate", fileOf("diner", { name: "Other", currency: "EUR" }))
      assert.strictEqual(validated.code, 1)
      assert.include(validated.out, "error /")
      const { description: _, ...undescribed } = Testing.demoProgram.file
      const card = { unit: "points", threshold: 900, reward_id: "one-off", resets: false }
      const shorter = path.join(folder, "diner.json")
      fs.writeFileSync(shorter, JSON.stringify({ ...undescribed, program_id: "diner", stamp_card: card }))
      const lines = (yield* onService("validate", shorter)).out.split("\n")
      assert.isTrue(lines.some((line) => line.startsWith("removed /description: ")))
      assert.include(lines, `added /stamp_card: ${JSON.stringify(card)}`)
      yield* (yield* Programs).refresh
      const { code, out } = yield* onService("rollback", "diner", "--version", "1")
      assert.deepStrictEqual([code, out.trim()], [0, "diner: published version 2"])
      assert.strictEqual(JSON.parse((yield* onService("show", "diner")).out).program_id, "diner")
      assert.deepStrictEqual(yield* said(onService("retire", "diner", "--reason", "over")), [0, "diner: retired", ""])
    })
  )
})

it("leaves no files behind", () => fs.rmSync(folder, { recursive: true }))
