/** `journal verify --anchor` and `backup check`, on a database and on a copy of it that is older than the anchor. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { generateKeyPairSync } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Profiles from "../../../src/capabilities/members/Profiles.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as Folders from "../../Folders.ts"
import { operator } from "../../Operator.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"
import { urlOf } from "./Lotbook.ts"

const program_id = "demo-foodservice"

/** Runs work on accounts of their own, whose connections are closed afterwards. */
const onAccounts = <A, E>(
  database: Database["Service"],
  work: Effect.Effect<A, E, Layer.Success<typeof Scenario.service> | PeoplePool>
) =>
  Effect.scoped(
    Effect.provide(
      work,
      Layer.fresh(Scenario.service).pipe(
        Layer.provideMerge(Pools.layer),
        Layer.provide(Layer.succeed(Database, database))
      )
    )
  )

const erase = (member_id: string) =>
  Effect.gen(function* () {
    const profiles = yield* Profiles.make((yield* PeoplePool).query)
    const program = (yield* Programs).get(program_id)
    if (program === undefined) throw new Error("the demo's programme is there")
    yield* Effect.provideService(profiles.erase(program, { member_id, reason: "asked" }), CurrentCaller, operator)
  })

const keyIn = (folder: string) => {
  const file = path.join(folder, "anchor.pem")
  const { privateKey } = generateKeyPairSync("ed25519")
  fs.writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }))
  return file
}

layer(TestDatabase.layer, { excludeTestServices: true })("anchors", (it) => {
  it.effect("find a cut tail, and name who and what a restore of an older copy brings back to life", () =>
    Effect.gen(function* () {
      const database = yield* Database
      const folder = Folders.make("lotbook-anchor-")
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true })))
      const anchor = path.join(folder, "anchor.json")
      const anchored = ["--anchor", anchor, "--anchor-key", keyIn(folder)]
      yield* onAccounts(
        database,
        Effect.gen(function* () {
          for (const guest of ["ada", "ben", "cleo"]) yield* enroll(guest)
          for (let n = 0; n < 5; n++) yield* credit("ben", 10)
        })
      )
      const issued = yield* InProcess.onDatabase("tokens", "create", "--name", "Till", "--scope", "protocol:read")
      const [token = ""] = issued.err.split(" ")

      // The copy is the backup: what follows is not in it.
      const name = `${database.clientConfig.database}_copy`
      yield* TestDatabase.administer(`CREATE DATABASE ${name} TEMPLATE ${database.clientConfig.database}`)
      yield* Effect.addFinalizer(() => Effect.orDie(TestDatabase.administer(`DROP DATABASE ${name} WITH (FORCE)`)))
      const copy = { ...database, clientConfig: { ...database.clientConfig, database: name } }
      const onCopy = (...args: ReadonlyArray<string>) => InProcess.lotbook(args, { DATABASE_URL: urlOf(copy) })
      yield* onAccounts(database, Effect.andThen(erase("ada"), credit("ben", 7)))
      yield* InProcess.onDatabase("tokens", "revoke", token, "--reason", "lost")

      const written = yield* InProcess.onDatabase("journal", "verify", ...anchored)
      assert.strictEqual(written.code, 0, written.out + written.err)
      assert.match(written.out, /the operators' figures up to record \d+ of account \d+/)
      assert.include(written.out, `Anchor written to ${anchor}`)
      const agreed = yield* InProcess.onDatabase("journal", "verify", ...anchored)
      assert.strictEqual(agreed.code, 0, agreed.out + agreed.err)
      assert.match(agreed.out, /agrees with the anchor of \d{4}-/)

      const checked = yield* onCopy("backup", "check", ...anchored)
      assert.strictEqual(checked.code, 1, checked.out + checked.err)
      assert.match(checked.out, /The copy lacks 2 of its records/)
      assert.include(checked.out, `Erased guest is back: ada in ${program_id}`)
      assert.include(checked.out, `Revoked token is back: ${token}`)
      const applied = yield* onCopy("backup", "check", ...anchored, "--apply")
      assert.include(applied.out, "Erased ada")
      const again = yield* onCopy("backup", "check", ...anchored)
      assert.notInclude(again.out, "is back:")
      assert.strictEqual((yield* onCopy("journal", "verify")).code, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("a copy that lacks a record between others is found by its check, which counts it", () =>
    Effect.gen(function* () {
      const folder = Folders.make("lotbook-anchor-")
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true })))
      const anchored = ["--anchor", path.join(folder, "anchor.json"), "--anchor-key", keyIn(folder)]
      const database = yield* Database
      yield* onAccounts(
        database,
        Effect.gen(function* () {
          yield* enroll("dora")
          for (let n = 0; n < 4; n++) yield* credit("dora", 10)
        })
      )
      // Other tests' transactions may hold the newest records back for a moment: the anchor counts those before the horizon.
      yield* Effect.repeat(
        TestDatabase.query("SELECT max(transaction) < pg_snapshot_xmin(pg_current_snapshot()) AS shown FROM journal"),
        { until: ([row]) => row?.["shown"] === true }
      )
      assert.strictEqual((yield* InProcess.onDatabase("journal", "verify", ...anchored)).code, 0)
      const name = `${database.clientConfig.database}_hole`
      yield* TestDatabase.administer(`CREATE DATABASE ${name} TEMPLATE ${database.clientConfig.database}`)
      yield* Effect.addFinalizer(() => Effect.orDie(TestDatabase.administer(`DROP DATABASE ${name} WITH (FORCE)`)))
      const copy = { ...database, clientConfig: { ...database.clientConfig, database: name } }
      const [row] = yield* Effect.provideService(
        Scenario.byHand(
          `DELETE FROM journal WHERE seq = 3 AND account = (SELECT number FROM accounts WHERE member_id = 'dora')
            RETURNING account::float8 AS account`
        ),
        Database,
        copy
      )
      const checked = yield* InProcess.lotbook(["backup", "check", ...anchored], { DATABASE_URL: urlOf(copy) })
      assert.strictEqual(checked.code, 1, checked.out + checked.err)
      assert.match(checked.out, /The copy lacks 1 of its records/)
      assert.match(checked.out + checked.err, /seq 4\D+follows 2: the records between are missing/)
      assert.include(checked.out + checked.err, String(row?.["account"]))
    }).pipe(Effect.scoped)
  )

  it.effect("are refused if they were changed, are of another key or another database", () =>
    Effect.gen(function* () {
      const folder = Folders.make("lotbook-anchor-")
      yield* Effect.addFinalizer(() => Effect.sync(() => fs.rmSync(folder, { recursive: true })))
      const anchor = path.join(folder, "anchor.json")
      const key = keyIn(folder)
      const verify = (...args: ReadonlyArray<string>) => InProcess.onDatabase("journal", "verify", ...args)
      assert.match((yield* verify("--anchor", anchor)).err, /--anchor needs --anchor-key/)
      const none = yield* verify("--anchor", anchor, "--anchor-key", `${key}.none`)
      assert.match(none.err, /There is no key .*openssl genpkey -algorithm ed25519/)
      assert.strictEqual((yield* verify("--anchor", anchor, "--anchor-key", key)).code, 0)
      const text = fs.readFileSync(anchor, "utf8")
      fs.writeFileSync(anchor, text.replace(/"revoked_tokens":\[[^\]]*\]/, '"revoked_tokens":["tok_x"]'))
      assert.match((yield* verify("--anchor", anchor, "--anchor-key", key)).err, /was changed/)
      fs.writeFileSync(anchor, text)
      assert.match(
        (yield* verify("--anchor", anchor, "--anchor-key", keyIn(Folders.make("lotbook-anchor-")))).err,
        /not signed by this key/
      )
      // Databases of the tests are copies of one, with its secret.
      yield* Scenario.byHand("UPDATE installation SET secret = secret || 'x'")
      const other = yield* verify("--anchor", anchor, "--anchor-key", key)
      assert.deepStrictEqual([other.code, other.err], [2, "The anchor belongs to another database.\n"])
    }).pipe(Effect.scoped)
  )
})
