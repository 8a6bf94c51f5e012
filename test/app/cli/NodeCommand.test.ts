/** `lotbook nodes` on the database: a table for people, and the answer of the API as JSON. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestDatabase from "../../TestDatabase.ts"
import { onDatabase } from "./InProcess.ts"

layer(TestDatabase.layer, { excludeTestServices: true })("lotbook nodes", (it) => {
  it.effect("says that no service runs, else lists the nodes, and counts the partitions without one", () =>
    Effect.gen(function* () {
      const before = yield* onDatabase("nodes")
      assert.deepStrictEqual(
        [before.code, before.out],
        [0, "No node: no service of this database runs.\n256 of 256 partitions have no node.\n"]
      )
      yield* TestDatabase.query(`INSERT INTO nodes (id, address, protocol, version, wants, beat_at)
        VALUES ('aaaaaaaaaaaa', '10.0.0.5:3300', 1, '0.1.0', true, 4000000000000)`)
      yield* TestDatabase.query("UPDATE partitions SET owner = 'aaaaaaaaaaaa' WHERE partition > 0")
      const { code, out } = yield* onDatabase("nodes")
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(out.split("\n"), [
        "address        role  partitions  last beat  version  id",
        "10.0.0.5:3300  node  255         0.0 s ago  0.1.0    aaaaaaaaaaaa",
        "1 of 256 partitions have no node.",
        ""
      ])
      const json = JSON.parse((yield* onDatabase("nodes", "--json")).out)
      assert.deepInclude(json, { partitions: 256, unowned: 1 })
      assert.deepInclude(json.nodes[0], { id: "aaaaaaaaaaaa", role: "node", beat_age_ms: 0, is_this: false })
    })
  )
})
