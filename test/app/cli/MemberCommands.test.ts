/**
 * `lotbook members` as an operator runs it: on the database and on a service by its address. Holds
 * contract/operators.md *Commands*.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemberCommands from "../../../src/app/cli/MemberCommands.ts"
import type { Storage } from "../../../src/app/service/Settings.ts"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { operator } from "../../Operator.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as TestServer from "../service/TestServer.ts"
import * as InProcess from "./InProcess.ts"

const program = ["--program", "demo-foodservice"]

const onDatabase = (...args: ReadonlyArray<string>) => InProcess.onDatabase("members", ...args)

const adjust = (id: string, amount: number) => [
  "adjust",
  "ada",
  ...program,
  "--id",
  id,
  `--amount=${amount}`,
  "--classification",
  "gift",
  "--reason",
  "Welcome"
]

layer(Scenario.layer, { excludeTestServices: true })("lotbook members on the database", (it) => {
  it.effect("shows, adjusts, tells what would be, and closes", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", 100)
      const shown = yield* onDatabase("show", "ada", ...program)
      assert.strictEqual(shown.code, 0, shown.err)
      assert.match(shown.out, /^ada in demo-foodservice: active\n/)
      assert.match(shown.out, /^points: 100 \(0 reserved, 100 available\)$/m)
      assert.match(shown.out, /^lot: 100 of 100 points, earned /m)
      assert.notInclude(shown.out, "card-ada")
      const dry = yield* onDatabase(...adjust("cli-1", 20), "--dry-run")
      assert.match(dry.out, /^Would post 20 points\.\npoints: 120 /)
      assert.match((yield* onDatabase(...adjust("cli-1", 20))).out, /^Posted 20 points as ent_/)
      const refused = yield* onDatabase(...adjust("cli-2", -500))
      assert.deepStrictEqual([refused.code, refused.out], [1, ""])
      assert.match(refused.err, /^insufficient_balance: /)
      const closed = yield* onDatabase("close", "ada", ...program, "--reason", "moved away", "--json")
      assert.nestedInclude(JSON.parse(closed.out), { "member.status": "closed" })
      assert.deepStrictEqual((yield* Scenario.verify()).found, [])
    })
  )

  it.effect("ends with 2 where it could not run: wrong values, beside a service", () =>
    Effect.gen(function* () {
      const wrong = yield* onDatabase(...adjust("cli 3", 1))
      assert.deepStrictEqual([wrong.code, wrong.err.split(" ")[0]], [2, "adjustment-id"])
      const { clientConfig } = yield* Database
      const service = yield* PgConnection.make(clientConfig)
      yield* service.query("SELECT pg_advisory_lock(7270004)")
      const beside = yield* onDatabase(...adjust("cli-4", 1))
      assert.strictEqual(beside.code, 2)
      assert.match(beside.err, /Give its address with --url/)
    }).pipe(Effect.scoped)
  )

  it.effect("lets no node join while it writes", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const node = yield* PgConnection.make(database.clientConfig)
      const joins = Effect.map(
        node.query("SELECT pg_try_advisory_lock_shared(7270004) AS joins"),
        ({ rows }) => rows[0]?.["joins"]
      )
      const open = () => Layer.merge(Layer.succeed(Database, database), Programs.layerFrom([Testing.demoProgram]))
      const during = MemberCommands.onDatabase(open, "write", () => joins)({} as Storage)
      assert.isFalse(yield* Effect.provideService(during, CurrentCaller, operator))
      // The backend whose connection was closed may take a moment to end.
      yield* Effect.repeat(joins, { until: (isFree) => isFree === true })
    }).pipe(Effect.scoped)
  )
})

const memory = MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer))

describe("lotbook members on a service", () => {
  it.live("sends the same by the operators' API, with the key of the environment", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* credit("ada", 100)
      const url = `http://127.0.0.1:${yield* TestServer.port}`
      const onService = (args: ReadonlyArray<string>, PROTO_ADMIN_KEY = "proto-dev-admin-key") =>
        InProcess.lotbook(["members", ...args, "--url", url], { PROTO_ADMIN_KEY })
      const shown = yield* onService(["show", "ada", ...program])
      assert.match(shown.out, /^points: 100 /m, shown.err)
      const suspended = yield* onService(["suspend", "ada", ...program, "--reason", "lost card"])
      assert.deepStrictEqual([suspended.code, suspended.out], [0, "ada in demo-foodservice: suspended\n"])
      const refused = yield* onService(["show", "nobody", ...program])
      assert.deepStrictEqual([refused.code, refused.err.split(":")[0]], [1, "not_found"])
      assert.deepStrictEqual((yield* onService(["show", "ada", ...program], "")).code, 2)
    }).pipe(
      Effect.provide(
        TestServer.layer(memory, [], undefined, [Testing.demoProgram], Pools.layer).pipe(
          Layer.provide(TestDatabase.layer)
        )
      )
    )
  )
})
