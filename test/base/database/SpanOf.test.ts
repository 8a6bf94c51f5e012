/** Which spans an account's records lie in. Holds contract/databases.md *Spans*. */
import { PgConnection } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import * as SpanOf from "../../../src/base/database/SpanOf.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Plans from "./Plans.ts"

const accounts = 20_000
/** Each account has records in these spans. */
const spans = 3

layer(TestDatabase.layer, { excludeTestServices: true })("the newest span of an account", (it) => {
  it.effect("is found in its own rows, whatever statistics there are", () =>
    Effect.gen(function* () {
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make(clientConfig)
      const { nodes, query } = Plans.explaining(connection)
      yield* connection.query(`INSERT INTO account_spans (account, first_seq, first_n, span)
        SELECT account, 10 * span, 10 * span, span FROM generate_series(1, ${accounts}) account, generate_series(1, ${spans}) span`)
      const newest = (account: number, until: number) =>
        Effect.map(
          query(`SELECT ${SpanOf.newest("$1", "l.span <= $2")} AS span`, [BigInt(account), until]),
          ([row]) => row?.["span"]
        )
      for (const statistics of ["none", "fresh"]) {
        if (statistics === "fresh") yield* connection.query("ANALYZE account_spans")
        nodes.length = 0
        assert.strictEqual(yield* newest(7, spans), spans)
        assert.strictEqual(yield* newest(7, spans - 1), spans - 1)
        // An account without a row has its records in span 0.
        assert.strictEqual(yield* newest(accounts + 1, spans), 0)
        assert.isAtMost(
          nodes.reduce((sum, node) => sum + (node["Relation Name"] === "account_spans" ? Plans.readBy(node) : 0), 0),
          3 * spans,
          statistics
        )
      }
    })
  )
})
