/** The names of restaurants, their newest orders and their franchisees (contract/operators.md *Locations*, *Franchisees and brands*). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Operators from "./Operators.ts"

const now = Date.UTC(2026, 6, 14, 12, 20)
const day = 86_400_000

const put = (facts: object, headers: Record<string, string> = Operators.root) =>
  TestServer.send(`${Operators.api}/locations`, facts, { method: "PUT", headers })

const list = (query = "?program_id=demo-foodservice", headers?: Record<string, string>) =>
  Effect.map(Operators.get(`/locations${query}`, headers), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body["locations"] as ReadonlyArray<Record<string, unknown>>
  })

/** An order's row of the figures: of its quarter of an hour, its day of UTC and its business day. */
const ordered = (location: string, at: number, program = "demo-foodservice") =>
  Effect.flatMap(PeoplePool, ({ query }) =>
    query(`INSERT INTO rollup_sales (program_id, span, start, location_id, orders, spend)
      SELECT '${program}', span, start, '${location}', 1, 900 FROM (VALUES
        (900000, ${Math.floor(at / 900_000) * 900_000}), (${day}, ${Math.floor(at / day) * day}),
        (0, ${Math.floor(at / day) * day})) s (span, start)
      ON CONFLICT (program_id, span, start, location_id) DO UPDATE SET orders = rollup_sales.orders + 1`)
  )

describe("locations", () => {
  it.effect("are listed by name, with their newest orders, and those that only orders name", () =>
    Effect.gen(function* () {
      yield* put({ location_id: "loc-west", name: "west End" })
      yield* put({ location_id: "loc-east", name: "East Side", address: "12 Canal Street", brand: "Corner Bowl" })
      yield* ordered("loc-east", now - 10_000_000)
      yield* ordered("loc-east", now - 3_000_000)
      // A Wednesday, a Monday within the four weeks up to it, and a Tuesday before them.
      yield* ordered("loc-popup", now - 20 * day)
      yield* ordered("loc-popup", now - 43 * day)
      yield* ordered("loc-popup", now - 49 * day)
      yield* ordered("loc-former", now - 100 * day)
      yield* ordered("loc-other", now, "another")
      yield* ordered("", now)
      assert.deepStrictEqual(yield* list(), [
        {
          location_id: "loc-east",
          name: "East Side",
          address: "12 Canal Street",
          brand: "Corner Bowl",
          last_order_at: "2026-07-14T11:30:00.000Z",
          last_order_on: "2026-07-14"
        },
        { location_id: "loc-west", name: "west End" },
        // However long ago its newest order is.
        { location_id: "loc-former", last_order_on: "2026-04-05" },
        { location_id: "loc-popup", last_order_on: "2026-06-24", order_weekdays: [1, 3] }
      ])
      assert.deepStrictEqual(yield* list(""), yield* list())
    }).pipe(Effect.provide(Operators.layer()), (served) => Effect.andThen(TestClock.setTime(now), served))
  )

  it.effect("are replaced as a whole, and each change is in the audit once", () =>
    Effect.gen(function* () {
      const facts = { location_id: "loc-east", name: "East Side", time_zone: "America/New_York" }
      const first = yield* put(facts)
      assert.deepStrictEqual([first.status, first.body], [200, facts])
      yield* put(facts)
      yield* put({ location_id: "loc-east", name: "East Side II" })
      assert.deepStrictEqual(yield* list(), [{ location_id: "loc-east", name: "East Side II" }])
      const { body } = yield* Operators.get("/audit?subject=loc-east")
      assert.deepStrictEqual(
        (body["entries"] as ReadonlyArray<Record<string, unknown>>).map(({ action, changes }) => [action, changes]),
        [
          [
            "location.change",
            { before: { name: "East Side", time_zone: "America/New_York" }, after: { name: "East Side II" } }
          ],
          ["location.create", { after: facts }]
        ]
      )
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("are closed for good and opened again, and keep their names", () =>
    Effect.gen(function* () {
      yield* ordered("loc-east", now - 100 * day)
      const open = { location_id: "loc-east", name: "East Side" }
      const closed = { ...open, closed: true }
      assert.deepStrictEqual((yield* put(closed)).body, closed)
      assert.deepStrictEqual(yield* list(), [{ ...closed, last_order_on: "2026-04-05" }])
      yield* put(open)
      assert.deepStrictEqual(yield* list(), [{ ...open, last_order_on: "2026-04-05" }])
      const { body } = yield* Operators.get("/audit?subject=loc-east")
      assert.deepStrictEqual(
        (body["entries"] as ReadonlyArray<Record<string, unknown>>).map(({ changes }) => changes),
        [{ before: { closed: true }, after: {} }, { after: closed }]
      )
      assert.strictEqual((yield* put({ ...open, closed: false })).status, 422)
    }).pipe(Effect.provide(Operators.layer()), (served) => Effect.andThen(TestClock.setTime(now), served))
  )

  it.effect("have franchisees and brands from a day on, with what was before, and each change is in the audit", () =>
    Effect.gen(function* () {
      const first = {
        location_id: "loc-east",
        name: "East Side",
        franchisees: [{ from: "2024-03-01", franchisee_id: "ada" }],
        brands: [{ from: "2024-03-01", brand_id: "bowl" }, { from: "2025-01-01" }]
      }
      assert.deepStrictEqual((yield* put(first)).body, first)
      const sold = { ...first, franchisees: [...first.franchisees, { from: "2026-10-15", franchisee_id: "harbour" }] }
      assert.deepStrictEqual((yield* put(sold)).body, sold)
      yield* put(sold)
      assert.deepStrictEqual(yield* list(), [sold])
      yield* put({ location_id: "loc-east", name: "East Side" })
      assert.deepStrictEqual(yield* list(), [{ location_id: "loc-east", name: "East Side" }])
      const { body } = yield* Operators.get("/audit?subject=loc-east")
      const { brands, franchisees } = sold
      assert.deepStrictEqual(
        (body["entries"] as ReadonlyArray<Record<string, unknown>>).map(({ changes }) => changes),
        [
          { before: { franchisees, brands }, after: {} },
          { before: { franchisees: first.franchisees }, after: { franchisees } },
          { after: first }
        ]
      )
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("say what is wrong, and change nothing then", () =>
    Effect.gen(function* () {
      const faults = yield* Effect.forEach(
        [
          { location_id: "l", name: "" },
          { location_id: "l" },
          { location_id: "l", name: "L", time_zone: "+02:00" },
          { location_id: "l", name: "L", brands: [{ from: "2026-02-30", brand_id: "b" }] },
          { location_id: "l", name: "L", franchisees: [] },
          { location_id: "l", name: "L", franchisees: [{ from: "2026-02-02" }, { from: "2026-02-02" }] },
          { location_id: "l", name: "L", brands: [{ from: "2026-02-02" }, { from: "2026-02-01", brand_id: "b" }] }
        ],
        (facts) => put(facts)
      )
      assert.deepStrictEqual(
        faults.map(({ body, status }) => [status, (body["errors"] as ReadonlyArray<{ path: string }>)[0]?.path]),
        [
          [422, "/name"],
          [422, "/name"],
          [422, "/time_zone"],
          [422, "/brands/0/from"],
          [422, "/franchisees"],
          [422, "/franchisees/1/from"],
          [422, "/brands/1/from"]
        ]
      )
      assert.deepStrictEqual(yield* list(), [])
    }).pipe(Effect.provide(Operators.layer()))
  )

  it.effect("tell a franchisee the weekdays of its own days alone (contract/people.md *Limited to restaurants*)", () =>
    Effect.gen(function* () {
      const handed = (location_id: string, from: string) =>
        put({
          location_id,
          name: location_id,
          franchisees: [
            { from: "2026-01-01", franchisee_id: "former" },
            { from, franchisee_id: "harbour" }
          ]
        })
      yield* handed("loc-one", "2026-07-06")
      yield* handed("loc-two", "2026-07-10")
      // A Tuesday and a Wednesday; a Friday and a Wednesday of before.
      for (const days of [0, 6, 11, 13])
        for (const location of ["loc-one", "loc-two"]) yield* ordered(location, now - days * day)
      const weekdays = (headers?: Record<string, string>) =>
        Effect.map(list(undefined, headers), (all) => all.map(({ order_weekdays }) => order_weekdays))
      const of = (franchisee: string) =>
        Effect.flatMap(Operators.issue({ scopes: ["figures:read"], franchisee_ids: [franchisee] }), ({ secret }) =>
          weekdays(Operators.bearer(secret))
        )
      const all = [2, 3, 5]
      assert.deepStrictEqual(yield* weekdays(), [all, all])
      assert.deepStrictEqual(yield* of("harbour"), [[2, 3], undefined])
      assert.deepStrictEqual(yield* of("former"), [undefined, undefined])
    }).pipe(Effect.provide(Operators.layer()), (served) => Effect.andThen(TestClock.setTime(now), served))
  )

  it.effect(
    "are read by everybody who may see figures of the programme, and named by publishers of all programmes",
    () =>
      Effect.gen(function* () {
        const token = (scopes: ReadonlyArray<string>, programs?: ReadonlyArray<string>) =>
          Effect.map(Operators.issue({ scopes, ...(programs === undefined ? {} : { programs }) }), ({ secret }) =>
            Operators.bearer(secret)
          )
        const reader = yield* token(["figures:read"], ["demo-foodservice"])
        const limited = yield* token(["programs:publish", "figures:read"], ["demo-foodservice"])
        const publisher = yield* token(["programs:publish"])
        const facts = { location_id: "loc-east", name: "East Side" }
        const statuses = yield* Effect.forEach([reader, limited, publisher], (headers) => put(facts, headers))
        assert.deepStrictEqual(
          statuses.map(({ status }) => status),
          [403, 403, 200]
        )
        assert.deepStrictEqual(yield* list("", reader), [facts])
        assert.strictEqual((yield* Operators.get("/locations?program_id=another", reader)).status, 403)
      }).pipe(Effect.provide(Operators.layer()))
  )
})
