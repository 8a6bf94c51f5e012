/** `lotbook export --guests` and a move in of what it wrote: the same guests. Holds contract/exports.md *Guests*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { Database } from "../../../src/base/database/Database.ts"
import { folder, written } from "../../capabilities/moving/Files.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as InProcess from "./InProcess.ts"
import { urlOf } from "./Lotbook.ts"

const program = ["--program", "demo-foodservice"]
const lists = ["--faults", path.join(folder, "faults.csv"), "--left", path.join(folder, "left.csv")]

/** A guest with something in every column. */
const whole = {
  external_id: "k-1",
  display_name: "Ada Martin",
  email: "ada@example.com",
  phone: "+4915112345678",
  birth_date: "1990-04-03",
  joined_at: "2021-05-06T07:08:09.000Z",
  attributes: { favourite: "soup", table: { number: 4 } },
  identities: [{ type: "loyalty_id", value: "card-k-1" }],
  "lifetime:points": 9000,
  "period_sum:points": 400,
  orders: 12,
  tier_id: "vip",
  tier_until: "2098-12-31T00:00:00.000Z",
  lots: [
    { unit: "points", amount: 100, earned_at: "2026-05-01T00:00:00.000Z", expires_at: "2098-12-31T00:00:00.000Z" },
    { unit: "points", amount: 50, earned_at: "2026-06-20T00:00:00.000Z", expires_at: null }
  ],
  rewards: [{ reward_id: "one-off", code: "CODE-K-1", issued_at: "2026-07-01T00:00:00.000Z" }],
  consents: [
    { purpose: "marketing", granted: true, recorded_at: "2023-01-01T00:00:00.000Z", source: "web" },
    { purpose: "marketing", channel: "sms", granted: false, recorded_at: "2023-02-01T00:00:00.000Z" }
  ]
}

/** Lots of the same instants are spent as one: two that are posted within a millisecond may come in either order. */
const inOneOrder = (guest: object) => {
  const { lots } = guest as { readonly lots: ReadonlyArray<object> }
  return { ...guest, lots: lots.map((lot) => JSON.stringify(lot)).toSorted() }
}

/** Runs work on accounts of their own, whose connections are closed afterwards. */
const onAccounts = <A, E>(work: Effect.Effect<A, E, Layer.Success<typeof Scenario.service> | Database>) =>
  Effect.scoped(Effect.provide(work, Layer.fresh(Scenario.service)))

layer(TestDatabase.layer, { excludeTestServices: true })("lotbook export --guests", (it) => {
  it.effect("writes guests whom a move in makes again, to the point and the date", () =>
    Effect.gen(function* () {
      const database = yield* Database
      // The other Lotbook: the same programme, and nobody.
      yield* onAccounts(Effect.void)
      const name = `${database.clientConfig.database}_copy`
      yield* TestDatabase.administer(`CREATE DATABASE ${name} TEMPLATE ${database.clientConfig.database}`)
      yield* Effect.addFinalizer(() => Effect.orDie(TestDatabase.administer(`DROP DATABASE ${name} WITH (FORCE)`)))
      const copy = { ...database, clientConfig: { ...database.clientConfig, database: name } }
      const on = (target: Database["Service"], ...args: ReadonlyArray<string>) =>
        InProcess.lotbook([...args, ...program], { DATABASE_URL: urlOf(target) })
      const guestsOf = (target: Database["Service"], file: string) =>
        Effect.map(on(target, "export", "--guests", file, "--plain"), (ran) => {
          assert.strictEqual(ran.code, 0, ran.err)
          const rows = fs.readFileSync(file, "utf8").split("\n").slice(0, -1)
          const guests = rows.map((row): { readonly member_id: string; readonly external_id: string | null } =>
            JSON.parse(row)
          )
          return { ran, guests: guests.toSorted((one, other) => (one.member_id < other.member_id ? -1 : 1)) }
        })

      yield* onAccounts(Scenario.lives(3))
      const first = yield* on(
        database,
        ...["move-in", "run", ...written({ "guests.jsonl": `${JSON.stringify(whole)}\n` }), ...lists]
      )
      assert.strictEqual(first.code, 0, first.out + first.err)
      const closed = yield* InProcess.onDatabase("members", "close", "m-2", ...program, "--reason", "moved away")
      assert.strictEqual(closed.code, 0, closed.err)

      const file = path.join(folder, "out.jsonl")
      const out = yield* guestsOf(database, file)
      assert.match(out.ran.out, /^guests: 3, of whom 0 are suspended here$/m)
      assert.match(out.ran.out, /^left out: 1 who are closed, merged or erased; 0 balances below zero$/m)
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      const ada = out.guests.find(({ external_id }) => external_id === "k-1")
      assert.deepInclude(ada, whole)

      const moved = yield* on(copy, "move-in", "run", file, ...lists)
      assert.strictEqual(moved.code, 0, moved.out + moved.err)
      const again = yield* guestsOf(copy, path.join(folder, "again.jsonl"))
      assert.deepStrictEqual(again.guests.map(inOneOrder), out.guests.map(inOneOrder))
      const reconciled = yield* on(copy, "move-in", "reconcile", file, ...lists)
      assert.strictEqual(reconciled.code, 0, reconciled.out)
    }).pipe(Effect.scoped)
  )
})
