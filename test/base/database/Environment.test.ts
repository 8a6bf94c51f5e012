/** The kind of a database never changes. Holds contract/databases.md *Live or sandbox*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import * as Environment from "../../../src/base/database/Environment.ts"
import * as TestDatabase from "../../TestDatabase.ts"

layer(Layer.fresh(TestDatabase.layer), { excludeTestServices: true })("the kind of a database", (it) => {
  it.effect("is that of its first start, and the other is refused with what to do", () =>
    Effect.gen(function* () {
      yield* Environment.settle("sandbox")
      yield* Environment.settle("sandbox")
      const refused = yield* Effect.flip(Environment.settle("live"))
      assert.match(refused.message, /is a sandbox database: start with --sandbox-clock, or use another/)
      const sql = yield* Effect.flatMap(Database, ({ clientConfig }) => PgConnection.make(clientConfig))
      yield* sql.query("UPDATE installation SET environment = 'live'", [], false)
      const other = yield* Effect.flip(Environment.settle("sandbox"))
      assert.match(other.message, /is a live database: start without --sandbox-clock, or use another/)
    }).pipe(Effect.scoped)
  )
})
