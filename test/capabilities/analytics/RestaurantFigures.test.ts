/** Figures by restaurant (contract/engagement.md *Figures by restaurant*; contract/people.md *Limited to restaurants*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "../operators/Operators.ts"
import * as People from "../staff/People.ts"

const now = Date.UTC(2026, 9, 31, 12)

/** An order of a business day, with the points that it earned at noon. */
const ordered = (location: string, date: string, spend: number, account = 1) =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    Effect.andThen(
      Effect.andThen(
        query(`INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by)
          VALUES (${account}, '${location} ${date}', 'demo-foodservice', ${Date.parse(date) + 64_800_000}, '${location}',
            ${Date.parse(date)}, ${spend}, ${account})`),
        query(`INSERT INTO rollup_sales (program_id, span, start, location_id, orders, spend)
          VALUES ('demo-foodservice', 0, ${Date.parse(date)}, '${location}', 1, ${spend})`)
      ),
      query(`INSERT INTO rollup_activity (program_id, unit, location_id, quarter, orders, eligible_spend, issued, redeemed,
          reversed, expired, adjusted)
        VALUES ('demo-foodservice', 'points', '${location}', ${Date.parse(date) + 64_800_000}, 1, ${spend}, ${spend / 100},
          5, 1, 0, -2)`)
    )
  )

const world = Effect.gen(function* () {
  yield* ordered("east", "2026-10-14", 1_000)
  yield* ordered("east", "2026-10-15", 2_000)
  yield* ordered("west", "2026-10-14", 4_000)
  yield* ordered("south", "2026-10-20", 8_000)
  yield* TestServer.send(
    `${Operators.api}/locations`,
    {
      location_id: "east",
      name: "East Side",
      franchisees: [
        { from: "2024-03-01", franchisee_id: "ada" },
        { from: "2026-10-15", franchisee_id: "harbour" }
      ]
    },
    { method: "PUT", headers: Operators.root }
  )
})

const asked = (headers: Record<string, string>, query = "from=2026-10-01&to=2026-10-31") =>
  TestServer.send(`/platform/v1/restaurants/figures?program_id=demo-foodservice&${query}`, undefined, {
    method: "GET",
    headers
  })

interface Figures {
  readonly restaurants: ReadonlyArray<{
    readonly location_id: string
    readonly orders: number
    readonly eligible_spend: { readonly amount: number }
    readonly guests?: number
    readonly points: ReadonlyArray<object>
  }>
  readonly by_day: ReadonlyArray<{ readonly date: string; readonly orders: number }>
}

const told = (headers: Record<string, string>, query?: string) =>
  Effect.map(asked(headers, query), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as Figures
  })

const sumsOf = ({ restaurants }: Figures) =>
  restaurants.map(({ eligible_spend, location_id, orders }) => [location_id, orders, eligible_spend.amount])

const limitedTo = (limits: object) =>
  Effect.map(Operators.issue({ scopes: ["figures:read", "programs:read"], ...limits }), ({ secret }) =>
    Operators.bearer(secret)
  )

const at = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.andThen(TestClock.setTime(now), test)

describe("figures by restaurant", () => {
  it.effect("tell orders of business days and points, of one restaurant or all, and refuse a range that is none", () =>
    Effect.gen(function* () {
      yield* world
      const whole = yield* limitedTo({})
      const all = yield* told(whole)
      assert.deepStrictEqual(sumsOf(all), [
        ["east", 2, 3_000],
        ["south", 1, 8_000],
        ["west", 1, 4_000]
      ])
      assert.deepStrictEqual(all.restaurants[0]?.points, [
        { unit: "points", issued: 30, redeemed: 10, reversed: 2, adjusted: -4 }
      ])
      assert.deepStrictEqual(
        all.by_day.map(({ date, orders }) => [date, orders]),
        [
          ["2026-10-14", 2],
          ["2026-10-15", 1],
          ["2026-10-20", 1]
        ]
      )
      assert.deepStrictEqual(sumsOf(yield* told(whole, "location_id=west")), [["west", 1, 4_000]])
      assert.deepStrictEqual(sumsOf(yield* told(whole, "to=2026-10-14&from=2026-10-14&location_id=east")), [
        ["east", 1, 1_000]
      ])
      for (const query of ["from=2026-10-02&to=2026-10-01", "from=2024-01-01&to=2026-01-01", "from=yesterday"])
        assert.strictEqual((yield* asked(whole, query)).status, 422, query)
    }).pipe(Effect.provide(Operators.layer()), at)
  )

  it.effect("of a franchisee are those of the days on which a restaurant is his, and of no other one", () =>
    Effect.gen(function* () {
      yield* world
      assert.deepStrictEqual(sumsOf(yield* told(yield* limitedTo({ franchisee_ids: ["ada"] }))), [["east", 1, 1_000]])
      const harbour = yield* told(yield* limitedTo({ franchisee_ids: ["harbour"] }))
      assert.deepStrictEqual(sumsOf(harbour), [["east", 1, 2_000]])
      assert.deepStrictEqual(harbour.restaurants[0]?.points, [
        { unit: "points", issued: 20, redeemed: 5, reversed: 1, adjusted: -2 }
      ])
      assert.deepStrictEqual(
        harbour.by_day.map(({ date }) => date),
        ["2026-10-15"]
      )
      const west = yield* limitedTo({ location_ids: ["west"] })
      assert.deepStrictEqual(sumsOf(yield* told(west, "location_id=west")), [["west", 1, 4_000]])
      const other = yield* asked(west, "location_id=east")
      assert.strictEqual(other.status, 403)
      assert.deepStrictEqual((yield* asked(west, "location_id=none")).body["errors"], other.body["errors"])
      const nothing = yield* told(yield* limitedTo({ brand_ids: ["none"] }))
      assert.deepStrictEqual([nothing.restaurants, nothing.by_day], [[], []])
    }).pipe(Effect.provide(Operators.layer()), at)
  )

  it.effect(
    "count a guest once at each restaurant, a franchisee's on his days, and none of ranges that are long or too old",
    () =>
      Effect.gen(function* () {
        yield* world
        yield* ordered("west", "2026-10-20", 500, 2)
        yield* ordered("west", "2026-10-21", 500, 2)
        const closed = Effect.flatMap(PeoplePool, ({ query }) =>
          query("UPDATE rollup_orders SET counts = false WHERE order_id LIKE 'south %'")
        )
        const guestsOf = ({ restaurants }: Figures) =>
          restaurants.map(({ guests, location_id }) => [location_id, guests])
        yield* closed
        const whole = yield* limitedTo({})
        assert.deepStrictEqual(guestsOf(yield* told(whole)), [
          ["east", 1],
          ["south", 0],
          ["west", 2]
        ])
        const ada = yield* limitedTo({ franchisee_ids: ["ada"] })
        assert.deepStrictEqual(guestsOf(yield* told(ada)), [["east", 1]])
        const none = [
          ["east", undefined],
          ["south", undefined],
          ["west", undefined]
        ]
        assert.deepStrictEqual(guestsOf(yield* told(whole, "from=2026-08-30&to=2026-10-31")), none)
        yield* ordered("east", "2024-06-01", 500)
        assert.deepStrictEqual(guestsOf(yield* told(whole, "from=2024-06-01&to=2024-06-02")), [["east", undefined]])
      }).pipe(Effect.provide(Operators.layer()), at)
  )

  it.effect("come with the names of the caller's restaurants and programmes alone", () =>
    Effect.gen(function* () {
      yield* world
      const named = (headers: Record<string, string>) =>
        Effect.map(Operators.get("/locations", headers), ({ body }) => body["locations"])
      assert.deepStrictEqual(yield* named(yield* limitedTo({ franchisee_ids: ["ada"] })), [
        { location_id: "east", name: "East Side" }
      ])
      assert.deepStrictEqual(yield* named(yield* limitedTo({ franchisee_ids: ["harbour"] })), [
        { location_id: "east", name: "East Side", last_order_on: "2026-10-15" }
      ])
      const { body } = yield* Operators.get("/programs", yield* limitedTo({ location_ids: ["west"] }))
      assert.deepStrictEqual(body["programs"], [
        { program_id: "demo-foodservice", name: "Corner Bowl Rewards", version: 1, status: "live" }
      ])
    }).pipe(Effect.provide(Operators.layer()), at)
  )
})

describe("a franchisee", () => {
  it.effect("is invited with a limit alone, and one without has no restaurant", () =>
    Effect.gen(function* () {
      yield* world
      const without = yield* People.invite("none@example.com", "franchisee")
      assert.deepStrictEqual(
        [without.status, (without.body["errors"] as ReadonlyArray<{ path: string }>)[0]?.path],
        [422, "/franchisee_ids"]
      )
      const { page, user } = yield* People.person("franchisee", { franchisee_ids: ["ada"] })
      assert.deepStrictEqual(sumsOf(yield* told(page)), [["east", 1, 1_000]])
      const { query } = yield* PeoplePool
      yield* query("UPDATE users SET franchisee_ids = NULL WHERE user_id = $1", [user.user_id])
      yield* Operators.issue({})
      assert.deepStrictEqual(sumsOf(yield* told(page)), [])
    }).pipe(Effect.provide(Operators.layer()), at)
  )
})
