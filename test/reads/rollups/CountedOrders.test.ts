/** contract/engagement.md *Analytics*: orders that were closed before version 0.4 count in no figure after the upgrade. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import * as TestDatabase from "../../TestDatabase.ts"

const migration = new URL("../../../migrations/0035_counted_orders.sql", import.meta.url)

/** Rows as version 0.3.0 wrote them: a guest with an order of 10.00, a voided one and one that was refunded in parts; a guest with a voided one. */
const written = [
  `INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by, delta, is_closed)
    VALUES (64, 'kept', 'p', 900000, 'here', 0, 1000, 64, 0, false), (64, 'voided', 'p', 1000000, 'here', 0, 700, 64, -700, true),
      (64, 'in-parts', 'p', 2000000, NULL, 0, 500, 64, -500, false), (128, 'only', 'p', 900000, 'here', 0, 0, 128, 0, true)`,
  "INSERT INTO rollup_buyers VALUES (64, 'p', 3, 1000, 2000000, 1000000), (128, 'p', 1, 0, 900000, NULL)",
  `INSERT INTO rollup_sales (program_id, span, start, location_id, orders, spend) VALUES ('p', 0, 0, 'here', 3, 1000),
    ('p', 86400000, 0, 'here', 3, 1000), ('p', 900000, 900000, 'here', 3, 1000), ('p', 0, 0, '', 1, 0),
    ('p', 86400000, 0, '', 1, 0), ('p', 900000, 1800000, '', 1, 0)`
]

it.effect("an upgrade takes closed orders out of what was counted before", () =>
  Effect.gen(function* () {
    for (const statement of written) yield* TestDatabase.query(statement)
    const text = yield* Effect.promise(() => readFile(migration, "utf8"))
    const recount = /^select recount_orders[^;]*;/m.exec(text)?.[0] ?? ""
    // Twice, because nothing may be taken out again.
    for (const statement of [recount, recount]) yield* TestDatabase.query(statement)
    assert.deepStrictEqual(
      yield* TestDatabase.query(
        "SELECT account::int, orders::int, spend::int, last_order::int, order_before FROM rollup_buyers"
      ),
      [{ account: 64, orders: 1, spend: 1000, last_order: 900_000, order_before: null }]
    )
    assert.deepStrictEqual(
      yield* TestDatabase.query(
        'SELECT location_id, orders::int, spend::int FROM rollup_sales ORDER BY location_id COLLATE "C", span'
      ),
      [0, 0, 0, 1, 1, 1].map((orders) => ({ location_id: orders === 1 ? "here" : "", orders, spend: orders * 1_000 }))
    )
    assert.deepStrictEqual(
      yield* TestDatabase.query(
        'SELECT location_id, quarter::int, closed::int FROM rollup_activity ORDER BY location_id COLLATE "C", quarter'
      ),
      [
        { location_id: "", quarter: 900_000, closed: 2 },
        { location_id: "", quarter: 1_800_000, closed: 1 },
        { location_id: "here", quarter: 900_000, closed: 2 }
      ]
    )
  }).pipe(Effect.provide(TestDatabase.layer))
)
