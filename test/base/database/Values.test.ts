/** Values between PostgreSQL and the service: one codec a type, both ways, at their bounds. */
import { PgConnection, PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Schema } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import {
  firstOf,
  instant,
  int8,
  int8s,
  jsonb,
  oneOf,
  optional,
  register,
  rowsOf,
  xid8
} from "../../../src/base/database/Values.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const bounds = [0, -1, 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53 - 1)]
/** Every hundredth year that a timestamp may have, at odd ms. */
const years = Array.from(
  { length: 100 },
  (_, n) => Date.UTC(2000, n % 12, 1 + (n % 28), 3, 7, 11, n) + (n * 100 - 1999) * 31_556_952_000
)
const instants = [
  ...years,
  0,
  -1,
  1,
  Date.UTC(1969, 11, 31),
  Date.UTC(2000, 0, 1),
  Date.UTC(2026, 6, 14, 12, 0, 0, 123)
]

layer(TestDatabase.layer)("values of the database", (it) => {
  const query = (statement: string, parameters: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make(clientConfig)
      return (yield* connection.query(statement, parameters)).rows
    }).pipe(Effect.scoped)

  it.effect("a bigint is a number, exact to 2^53 both ways, alone and in arrays", () =>
    Effect.gen(function* () {
      const Row = Schema.Struct({ n: Schema.Number, text: Schema.String })
      const rows = yield* rowsOf(Row)(query("SELECT n, n::text AS text FROM unnest($1) AS n", [int8s(bounds)]))
      assert.deepStrictEqual(
        rows,
        bounds.map((n) => ({ n, text: String(n) }))
      )
      for (const n of bounds) {
        const found = yield* firstOf(Row)(query("SELECT $1 AS n, $1::text AS text", [int8(n)]))
        assert.deepStrictEqual(found, { n, text: String(n) })
      }
      const [array] = yield* query("SELECT $1 AS ns", [int8s(bounds)])
      assert.deepStrictEqual(array!["ns"], bounds)
    })
  )

  it.effect("a timestamptz is ms since 1970, before it and before 2000 too; parts of a ms are left out", () =>
    Effect.gen(function* () {
      const Row = Schema.Struct({ at: Schema.Number, ms: Schema.Number })
      for (const at of instants) {
        const found = yield* firstOf(Row)(
          query("SELECT $1 AS at, (extract(epoch FROM $1) * 1000)::bigint AS ms", [instant(at)])
        )
        assert.deepStrictEqual(found, { at, ms: at })
      }
      const [row] = yield* query("SELECT '1999-12-31T23:59:59.9999Z'::timestamptz AS at", [])
      assert.strictEqual(row!["at"], Date.UTC(1999, 11, 31, 23, 59, 59, 999))
    })
  )

  it.effect("a transaction id is a bigint, up to 2^64 - 1", () =>
    Effect.gen(function* () {
      const Row = Schema.Struct({ id: Schema.BigInt, text: Schema.String })
      for (const id of [0n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
        const found = yield* oneOf(Row)(query("SELECT $1 AS id, $1::text AS text", [xid8(id)]))
        assert.deepStrictEqual(found, { id, text: String(id) })
      }
    })
  )

  it.effect("a connection with types of its own has the same codecs once they are registered", () =>
    Effect.gen(function* () {
      const types = PgTypes.makeRegistry()
      register(types)
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make({ ...clientConfig, types })
      const { rows } = yield* connection.query("SELECT $1 AS n, $2 AS ns, $3 AS at", [
        int8(2 ** 40),
        int8s(bounds),
        instant(instants[1]!)
      ])
      assert.deepStrictEqual(rows[0], { n: 2 ** 40, ns: bounds, at: instants[1] })
    })
  )

  it.effect("json goes both ways; NULL of an optional column is undefined", () =>
    Effect.gen(function* () {
      const Row = Schema.Struct({
        value: Schema.Struct({ a: Schema.Array(Schema.Number) }),
        none: optional(Schema.Number)
      })
      const found = yield* firstOf(Row)(query("SELECT $1 AS value, $2 AS none", [jsonb({ a: [1, 2] }), int8(null)]))
      assert.deepStrictEqual(found, { value: { a: [1, 2] }, none: undefined })
      assert.isUndefined(yield* firstOf(Row)(query("SELECT WHERE false", [])))
    })
  )

  it.effect("a row that is not as its schema says is a defect that names the column", () =>
    Effect.gen(function* () {
      const Row = Schema.Struct({ n: Schema.Number })
      const exit = yield* Effect.exit(firstOf(Row)(query("SELECT 'one' AS n", [])))
      assert.isTrue(Exit.isFailure(exit))
      if (Exit.isFailure(exit)) assert.include(Cause.pretty(exit.cause), '["n"]')
    })
  )
})
