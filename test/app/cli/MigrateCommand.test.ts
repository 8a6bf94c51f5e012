/** `lotbook migrate` as a deployment runs it: before a start, again, and from several machines at once. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Migrations from "../../../src/base/database/Migrations.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { lotbook } from "./Lotbook.ts"

const names = Migrations.load().map(({ name }) => name)

layer(TestDatabase.layer, { excludeTestServices: true })("lotbook migrate", (it) => {
  it.effect("applies each file once where several run at the same time, and nothing when run again", () =>
    Effect.gen(function* () {
      yield* TestDatabase.query("DROP SCHEMA public CASCADE")
      yield* TestDatabase.query("CREATE SCHEMA public")
      const both = yield* Effect.all([lotbook(["migrate"]), lotbook(["migrate"])], { concurrency: "unbounded" })
      for (const { code, err } of both) assert.strictEqual(code, 0, err)
      const said = both.map(({ out }) => out.trim().replace(/^\S+ \S+ \S+ /, "")).toSorted()
      assert.deepStrictEqual(said, ["has every migration already", `now has ${names.join(", ")}`])
      yield* Migrations.check
      const again = yield* lotbook(["migrate"])
      assert.strictEqual(again.code, 0, again.err)
      assert.match(again.out, /has every migration already/)
    })
  )

  it.effect("ends with 2 and leaves a database of another version alone", () =>
    Effect.gen(function* () {
      yield* TestDatabase.query("UPDATE migrations SET checksum = 'another' WHERE name = '0002_claims.sql'")
      const refused = yield* lotbook(["migrate"])
      assert.strictEqual(refused.code, 2)
      assert.match(refused.err, /0002_claims\.sql/)
    })
  )
})
