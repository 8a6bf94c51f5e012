/** Holds contract/databases.md *Retention* of imports: errors and rows go after 90 days, what an import is known for stays. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { retention } from "../../../src/capabilities/imports/ImportStore.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { keptMs, round } from "../../core/retention/Rounds.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const program_id = Testing.demoProgram.id
const path = "/platform/v1/imports"
const layer = Layer.provideMerge(
  TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer),
  TestDatabase.layer
)

const rowsOf = (name: string) => [
  { external_id: name, display_name: "Ada", opening_balance: 10 },
  { display_name: "?" }
]
const send = (name: string) =>
  TestServer.send(`${path}/members`, { idempotency_key: `key-of-${name}`, program_id, rows: rowsOf(name) })
const get = (query: string) => TestServer.send(`${path}${query}`, undefined, { method: "GET" })
const idOf = ({ body }: TestServer.Response) => (body["import"] as { readonly import_id: string }).import_id

/** Moves an import to a time, ms. */
const moved = (id: string, at: number, isComplete = true) =>
  TestDatabase.query(
    `UPDATE imports SET created_at = ${at}, completed_at = ${isComplete ? at : "NULL"} WHERE import_id = '${id}'`
  )
const count = (table: string) =>
  Effect.map(TestDatabase.query(`SELECT count(*)::int AS n FROM ${table}`), ([row]) => Number(row?.["n"]))

it.effect("an import loses its errors after 90 days, and keeps its counts, its key and its place in the list", () =>
  Effect.gen(function* () {
    const limit = keptMs("import_rows")
    const old = idOf(yield* send("old"))
    const young = idOf(yield* send("young"))
    yield* moved(old, -limit - 1)
    yield* moved(young, -limit)
    yield* round(retention)

    const shown = yield* get(`?import_id=${old}`)
    assert.deepInclude(shown.body["import"], {
      submitted: 2,
      created: 1,
      failed: 1,
      status: "partial",
      rows_deleted: true
    })
    assert.notProperty(shown.body["import"], "errors")
    const errors = yield* get(`/errors?import_id=${old}`)
    assert.deepStrictEqual([errors.status, errors.body["code"]], [404, "not_found"])
    const kept = yield* get(`/errors?import_id=${young}`)
    assert.lengthOf(kept.body["errors"] as ReadonlyArray<unknown>, 1)
    assert.strictEqual(yield* count("import_errors"), 1)

    const again = yield* send("old")
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.deepInclude(again.body["import"], { import_id: old, created: 1, failed: 1, rows_deleted: true })
    const list = yield* get(`?program_id=${program_id}`)
    assert.lengthOf(list.body["imports"] as ReadonlyArray<unknown>, 2)
  }).pipe(Effect.provide(layer))
)

it.effect("an import that was cut off 90 days ago does not go on, so that no row is done twice", () =>
  Effect.gen(function* () {
    const limit = keptMs("import_rows")
    const id = idOf(yield* send("cut"))
    yield* moved(id, -limit - 1, false)
    assert.isAbove(yield* count("import_rows"), 0)
    yield* round(retention)
    assert.strictEqual(yield* count("import_rows"), 0)
    yield* TestDatabase.query("UPDATE profiles SET display_name = 'Changed since'")
    const again = yield* send("cut")
    assert.deepStrictEqual([again.status, again.body["code"]], [409, "conflict"])
    const [profile] = yield* TestDatabase.query("SELECT display_name FROM profiles")
    assert.strictEqual(profile?.["display_name"], "Changed since")
  }).pipe(Effect.provide(layer))
)
