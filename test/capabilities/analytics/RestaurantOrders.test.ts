/** Orders by restaurant (contract/engagement.md *Orders by restaurant*; contract/people.md *Limited to restaurants*). */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Database } from "../../../src/base/database/Database.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { atPlacesStatement, everywhereStatement } from "../../../src/capabilities/analytics/RestaurantOrders.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Plans from "../../base/database/Plans.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Operators from "../operators/Operators.ts"

const day = 86_400_000
const program_id = "demo-foodservice"
const now = Date.UTC(2026, 9, 31, 12)
const at = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.andThen(TestClock.setTime(now), test)

/** Orders of a business day, one an hour, from noon on. */
const ordered = (location: string, date: string, ids: ReadonlyArray<string>) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    Effect.andThen(
      query(`INSERT INTO rollup_sales (program_id, span, start, location_id, orders, spend)
        VALUES ('${program_id}', 0, ${Date.parse(date)}, '${location}', ${ids.length}, 100)`),
      Effect.forEach(ids, (id, hour) =>
        query(`INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by, is_closed)
          VALUES (${location.length}, '${id}', '${program_id}', ${Date.parse(date) + (12 + hour) * 3_600_000}, '${location}',
            ${Date.parse(date)}, 100, 1, ${id === "w1"})`)
      )
    )
  )

const world = Effect.gen(function* () {
  const { query } = yield* PeoplePool
  for (const number of [4, 5])
    yield* query(`INSERT INTO accounts (number, seq, balance, status, program_id, member_id, joined_at)
      VALUES (${number}, 1, 0, 'active', '${program_id}', 'm${number}', '2026-01-01')`)
  yield* ordered("east", "2026-10-14", ["e1", "e2"])
  yield* ordered("east", "2026-10-15", ["e3"])
  yield* ordered("west", "2026-10-14", ["w1", "w2"])
  yield* ordered("south", "2026-10-15", ["s1"])
  const franchisees = [
    { from: "2024-03-01", franchisee_id: "ada" },
    { from: "2026-10-15", franchisee_id: "harbour" }
  ]
  yield* TestServer.send(
    `${Operators.api}/locations`,
    { location_id: "east", name: "East", franchisees },
    { method: "PUT", headers: Operators.root }
  )
})

const asked = (headers: Record<string, string>, query = "from=2026-10-01&to=2026-10-31", kind = "") =>
  TestServer.send(`/platform/v1/restaurants/orders${kind}?program_id=${program_id}&${query}`, undefined, {
    method: "GET",
    headers
  })

interface Page {
  readonly orders: ReadonlyArray<{ readonly order_id: string }>
  readonly next_cursor?: string
}

const told = (headers: Record<string, string>, query?: string) =>
  Effect.map(asked(headers, query), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as Page
  })

const idsOf = ({ orders }: Page) => orders.map(({ order_id }) => order_id).join(" ")

const limitedTo = (limits: object) =>
  Effect.map(Operators.issue({ scopes: ["members:read"], ...limits }), ({ secret }) => Operators.bearer(secret))

describe("orders by restaurant", () => {
  it.effect("come by the page in one order, and whole as a file", () =>
    Effect.gen(function* () {
      yield* world
      const whole = yield* limitedTo({})
      const page = yield* told(whole)
      assert.strictEqual(idsOf(page), "s1 e3 w2 w1 e2 e1")
      assert.deepStrictEqual(page.orders[3], {
        order_id: "w1",
        location_id: "west",
        business_date: "2026-10-14",
        accrued_at: "2026-10-14T12:00:00.000Z",
        member_id: "m4",
        eligible_spend: { amount: 0, currency: "USD" },
        closed: true
      } as object as (typeof page.orders)[number])
      const found: Array<string> = []
      for (let cursor = ""; ; ) {
        const next = yield* told(whole, `from=2026-10-01&to=2026-10-31&limit=1${cursor}`)
        found.push(idsOf(next))
        if (next.next_cursor === undefined) break
        cursor = `&cursor=${encodeURIComponent(next.next_cursor)}`
      }
      assert.strictEqual(found.join(" "), "s1 e3 w2 w1 e2 e1")
      assert.strictEqual(idsOf(yield* told(whole, "from=2026-10-14&to=2026-10-14&location_id=east")), "e2 e1")
      const raw = String((yield* asked(whole, "location_id=west", ".csv")).body["text"])
      assert.deepStrictEqual(raw.split("\r\n"), [
        "order_id,location_id,business_date,accrued_at,member_id,eligible_spend,currency,closed",
        "w2,west,2026-10-14,2026-10-14T13:00:00.000Z,m4,100,USD,",
        "w1,west,2026-10-14,2026-10-14T12:00:00.000Z,m4,0,USD,true",
        ""
      ])
    }).pipe(Effect.provide(Operators.layer()), at)
  )

  it.effect("of a limited caller are those of its restaurants and days, also by another's cursor", () =>
    Effect.gen(function* () {
      yield* world
      const ada = yield* limitedTo({ franchisee_ids: ["ada"] })
      const harbour = yield* limitedTo({ franchisee_ids: ["harbour"] })
      assert.strictEqual(idsOf(yield* told(ada)), "e2 e1")
      assert.strictEqual(idsOf(yield* told(harbour)), "e3")
      assert.strictEqual(idsOf(yield* told(yield* limitedTo({ brand_ids: ["none"] }))), "")
      const other = yield* asked(ada, "location_id=west")
      assert.strictEqual(other.status, 403)
      assert.deepStrictEqual((yield* asked(ada, "location_id=none")).body["errors"], other.body["errors"])
      const raw = String((yield* asked(harbour, "", ".csv")).body["text"])
      assert.notInclude(raw, "e1")
      assert.notInclude(raw, "west")
      const { next_cursor } = yield* told(yield* limitedTo({}), "from=2026-10-01&to=2026-10-31&limit=1")
      const taken = yield* asked(ada, `from=2026-10-01&to=2026-10-31&cursor=${encodeURIComponent(next_cursor ?? "")}`)
      assert.deepStrictEqual([taken.status, taken.body["code"]], [400, "invalid_cursor"])
    }).pipe(Effect.provide(Operators.layer()), at)
  )
})

describe("a page of orders by restaurant", () => {
  it.effect("is one range of an index: it reads no more than the orders of its restaurants' days", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* query(`INSERT INTO accounts (number, seq, balance, status, program_id, member_id, joined_at)
        VALUES (7, 1, 0, 'active', '${program_id}', 'm7', '2026-01-01')`)
      // 40 restaurants, 200 days, 10 orders a day of each.
      const first = Date.UTC(2026, 0, 1)
      yield* query(`INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by)
        SELECT 7, 'o' || n, '${program_id}', n, 'place-' || n % 40, ${first} + n / 400 * ${day}::bigint, 100, 1
          FROM generate_series(0, 79999) n`)
      yield* TestDatabase.query("VACUUM ANALYZE rollup_orders")
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make({ ...clientConfig, startupParameters: { jit: "off" } })
      const { nodes, query: explained } = Plans.explaining(connection)
      const read = () => {
        const found = nodes.filter((node) => node["Relation Name"] === "rollup_orders")
        nodes.length = 0
        return found.reduce((sum, node) => sum + Plans.readBy(node), 0)
      }
      const end = first + 200 * day
      const range = [program_id, first, end]
      const places = [["place-7"], [first], [end]]
      for (const [cursor, isAtOnce] of [
        [[end, "", 0, ""], true],
        [[first + 100 * day, "place-7", 40_007, "o40007"], false]
      ] as const) {
        const asked = [...range, ...cursor, 50]
        assert.strictEqual((yield* explained(everywhereStatement, asked)).length, 50)
        assert.isAtMost(read(), 100, `everywhere ${isAtOnce}`)
        assert.strictEqual((yield* explained(atPlacesStatement, [...asked, ...places])).length, 50)
        assert.isAtMost(read(), 100, `at places ${isAtOnce}`)
      }
    }).pipe(Effect.provide(Operators.layer()), at)
  )
})
