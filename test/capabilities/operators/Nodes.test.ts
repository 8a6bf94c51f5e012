/** contract/operators.md *Nodes*: the list tells what the tables say, whatever state they are in. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Nodes from "../../../src/capabilities/operators/Nodes.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const holder = "bbbbbbbbbbbb"

/** The pool of the service with this id. */
const pool = PeoplePool.layer.pipe(
  Layer.provide(
    Layer.effect(
      Database,
      Effect.map(Database, (database) => ({ ...database, holder }))
    )
  ),
  Layer.provideMerge(Layer.fresh(TestDatabase.layer))
)

layer(pool, { excludeTestServices: true })("the nodes of a database", (it) => {
  it.effect("are none before the first start, and all partitions have no node", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Nodes.read, { nodes: [], partitions: 256, unowned: 256 })
    })
  )

  it.effect(
    "are listed by address with role, partitions and age of their beats; those of dead nodes have no node",
    () =>
      Effect.gen(function* () {
        yield* TestDatabase.query(`INSERT INTO nodes (id, address, protocol, version, wants, leaves, dead, beat_at) VALUES
        ('aaaaaaaaaaaa', '10.0.0.4:1', 1, '0.1.0', true, false, true, 0),
        ('${holder}', '10.0.0.1:1', 1, '0.1.0', true, false, false,
          (extract(epoch FROM clock_timestamp() - interval '1 minute') * 1000)::bigint),
        ('cccccccccccc', '10.0.0.2:1', 1, '0.1.0', false, true, false, 4000000000000),
        ('dddddddddddd', '10.0.0.3:1', 2, '0.2.0', false, false, false, 4000000000000)`)
        yield* TestDatabase.query(`UPDATE partitions SET owner = CASE WHEN partition < 100 THEN '${holder}'
        WHEN partition < 150 THEN 'cccccccccccc' WHEN partition < 250 THEN 'aaaaaaaaaaaa' ELSE 'eeeeeeeeeeee' END`)
        const { nodes, unowned } = yield* Nodes.read
        assert.strictEqual(unowned, 106)
        assert.deepStrictEqual(
          nodes.map(({ address, is_this, partitions, protocol, role, version }) =>
            [address, role, partitions, protocol, version, is_this].join(" ")
          ),
          [
            "10.0.0.1:1 node 100 1 0.1.0 true",
            "10.0.0.2:1 leaving 50 1 0.1.0 false",
            "10.0.0.3:1 joining 0 2 0.2.0 false",
            "10.0.0.4:1 dead 100 1 0.1.0 false"
          ]
        )
        const [own, ahead] = nodes
        assert.isTrue((own?.beat_age_ms ?? 0) >= 60_000 && (own?.beat_age_ms ?? 0) < 120_000)
        // PostgreSQL's clock may have been set back since.
        assert.strictEqual(ahead?.beat_age_ms, 0)
      })
  )
})
