/** Redemptions by restaurant (contract/engagement.md *Redemptions by restaurant*; contract/people.md *Limited to restaurants*). */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Database } from "../../../src/base/database/Database.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { atPlacesStatement, everywhereStatement } from "../../../src/capabilities/analytics/RestaurantRedemptions.ts"
import type { RestaurantRedemptions } from "../../../src/contract/platform/RestaurantRedemptions.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as Plans from "../../base/database/Plans.ts"
import { issue, manual, reserve } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { type Member, Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Books from "../finance/Books.ts"
import * as Operators from "../operators/Operators.ts"

const day = 86_400_000
const program = Books.books(4)
const program_id = program.id
const noon = Date.UTC(2026, 9, 14, 16)
const now = Date.UTC(2026, 9, 31, 12)

const started = (name: string) => {
  const traffic = new Traffic(name, RandomOf.make(1, name))
  traffic.now = noon
  return traffic
}

/** Reserves at a place for an order. Returns the reservation. */
const reserved = Effect.fnUntraced(function* (traffic: Traffic, member: Member, id: string, place: string, more = {}) {
  const order = { ...Books.order(traffic, id, place, 500), status: "open" as const }
  yield* traffic.act(member, reserve(1, { reward: "small", redemption: `of-${id}`, order, ...more }))
  const hold = member.state.reservations.at(-1)!
  const end = (type: "capture" | "reverse") =>
    traffic.act(
      member,
      type === "capture"
        ? { type, reservation: hold.reservation, order: hold.order }
        : { type, reservation: hold.reservation, reason: "test" }
    )
  return { id: hold.reservation, capture: end("capture"), reverse: end("reverse") }
})

/** A guest who redeems at three restaurants, two that change hands on October 15. */
const world = Effect.gen(function* () {
  const traffic = started("redeems")
  const member = yield* traffic.enroll("eve", program)
  yield* traffic.act(member, manual(1_000))
  yield* traffic.act(member, issue("gift", { reward: "small", expires: noon + 300 * day }))
  const first = yield* reserved(traffic, member, "e1", "east")
  yield* first.capture
  const released = yield* reserved(traffic, member, "e2", "east")
  yield* released.reverse
  traffic.now += 60_000
  const back = yield* reserved(traffic, member, "w1", "west")
  yield* back.capture
  traffic.now += 3_600_000
  yield* back.reverse
  yield* reserved(traffic, member, "open", "east")
  const ofWallet = yield* reserved(traffic, member, "s1", "south", { issued: "gift" })
  yield* ofWallet.capture
  traffic.now += 4 * day
  const late = yield* reserved(traffic, member, "e3", "east")
  yield* late.capture
  // The hold of `open` has ended meanwhile, and is posted.
  yield* traffic.act(member, { type: "expire" })
  for (const location_id of ["east", "south"])
    yield* TestServer.send(
      `${Operators.api}/locations`,
      {
        location_id,
        name: location_id,
        franchisees: [
          { from: "2020-01-01", franchisee_id: "ada" },
          { from: "2026-10-18", franchisee_id: "harbour" }
        ]
      },
      { method: "PUT", headers: Operators.root }
    )
  return { member, first, back }
})

const asked = (headers: Record<string, string>, query = "", kind = "") =>
  TestServer.send(
    `/platform/v1/restaurants/redemptions${kind}?program_id=${program_id}&from=2026-10-01&to=2026-10-31${query}`,
    undefined,
    { method: "GET", headers }
  )

const told = (headers: Record<string, string>, query?: string) =>
  Effect.map(asked(headers, query), ({ body, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(body))
    return body as unknown as RestaurantRedemptions
  })

const idsOf = ({ redemptions }: RestaurantRedemptions) => redemptions.map(({ order_id }) => order_id).join(" ")

const limitedTo = (limits: object) =>
  Effect.map(Operators.issue({ scopes: ["members:read"], ...limits }), ({ secret }) => Operators.bearer(secret))

const rows = TestDatabase.query("SELECT * FROM finance_redemptions ORDER BY account, seq")

const at = <A, E, R>(test: Effect.Effect<A, E, R>) => Effect.andThen(TestClock.setTime(now), test)

describe("redemptions by restaurant", () => {
  it.effect("come by the page in one order, and whole as a file; what was not captured does not", () =>
    Effect.gen(function* () {
      const { back, first } = yield* world
      yield* Books.counted
      const whole = yield* limitedTo({})
      const page = yield* told(whole)
      assert.strictEqual(idsOf(page), "e3 w1 s1 e1")
      const common = { member_id: "eve", reward_id: "small", unit: "points", date: "2026-10-14" } as const
      assert.deepStrictEqual(page.redemptions.slice(1), [
        {
          ...common,
          ...{ reservation_id: back.id, order_id: "w1", location_id: "west", points: 60 },
          ...{ reserved_at: "2026-10-14T16:01:00.000Z", captured_at: "2026-10-14T16:01:00.000Z" },
          reversed_at: "2026-10-14T17:01:00.000Z"
        },
        {
          ...common,
          ...{ reservation_id: page.redemptions[2]!.reservation_id, order_id: "s1", location_id: "south", points: 0 },
          ...{ reserved_at: "2026-10-14T17:01:00.000Z", captured_at: "2026-10-14T17:01:00.000Z" },
          issued_reward_id: "gift"
        },
        {
          ...common,
          ...{ reservation_id: first.id, order_id: "e1", location_id: "east", points: 60 },
          ...{ reserved_at: "2026-10-14T16:00:00.000Z", captured_at: "2026-10-14T16:00:00.000Z" }
        }
      ])
      const found: Array<string> = []
      for (let cursor = ""; ; ) {
        const next = yield* told(whole, `&limit=1${cursor}`)
        found.push(idsOf(next))
        if (next.next_cursor === undefined) break
        cursor = `&cursor=${encodeURIComponent(next.next_cursor)}`
      }
      assert.strictEqual(found.join(" "), "e3 w1 s1 e1")
      assert.strictEqual(idsOf(yield* told(whole, "&location_id=east")), "e3 e1")
      const raw = String((yield* asked(whole, "&location_id=west", ".csv")).body["text"])
      assert.deepStrictEqual(raw.split("\r\n"), [
        "reservation_id,order_id,location_id,date,reserved_at,captured_at,reversed_at,member_id,reward_id,issued_reward_id,unit,points",
        `${back.id},w1,west,2026-10-14,2026-10-14T16:01:00.000Z,2026-10-14T16:01:00.000Z,2026-10-14T17:01:00.000Z,eve,small,,points,60`,
        ""
      ])
      const acts = yield* Scenario.byHand("SELECT action FROM audit WHERE action = 'redemption.export'")
      assert.strictEqual(acts.length, 1)
    }).pipe(Effect.provide(Books.layer()), at)
  )

  it.effect("of a limited caller are those within two days of when a restaurant is its, also by another's cursor", () =>
    Effect.gen(function* () {
      yield* world
      yield* Books.counted
      const ada = yield* limitedTo({ franchisee_ids: ["ada"] })
      const harbour = yield* limitedTo({ franchisee_ids: ["harbour"] })
      // Four days before the change, and on its day.
      assert.strictEqual(idsOf(yield* told(ada)), "e3 s1 e1")
      assert.strictEqual(idsOf(yield* told(harbour)), "e3")
      assert.strictEqual(idsOf(yield* told(yield* limitedTo({ brand_ids: ["none"] }))), "")
      const other = yield* asked(ada, "&location_id=west")
      assert.strictEqual(other.status, 403)
      assert.deepStrictEqual((yield* asked(ada, "&location_id=none")).body["errors"], other.body["errors"])
      const raw = String((yield* asked(harbour, "", ".csv")).body["text"])
      assert.notMatch(raw, /e1|west|south/)
      const { next_cursor } = yield* told(yield* limitedTo({}), "&limit=1")
      const taken = yield* asked(ada, `&cursor=${encodeURIComponent(next_cursor ?? "")}`)
      assert.deepStrictEqual([taken.status, taken.body["code"]], [400, "invalid_cursor"])
    }).pipe(Effect.provide(Books.layer()), at)
  )

  it.effect(
    "are the same counted at once, record by record, and after a rebuild; and are of whoever has them now",
    () =>
      Effect.gen(function* () {
        const { member } = yield* world
        const finance = yield* Finance
        while ((yield* finance.asOf) !== undefined) yield* finance.step(1)
        const singly = yield* rows
        assert.strictEqual(singly.length, 4)
        yield* Scenario.byHand("SELECT reset_rollups()")
        assert.deepStrictEqual(yield* rows, [])
        yield* Books.counted
        assert.deepStrictEqual(yield* rows, singly)
        const into = yield* started("into").enroll("fay", program)
        yield* Scenario.byHand(`INSERT INTO rollup_merges VALUES (${member.account}, ${into.account})`)
        const { redemptions } = yield* told(yield* limitedTo({}))
        assert.deepStrictEqual([...new Set(redemptions.map(({ member_id }) => member_id))], ["fay"])
      }).pipe(Effect.provide(Books.layer()), at)
  )

  it.effect("are read by one range of an index, of which a restaurant's page reads its own", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      yield* query(`INSERT INTO accounts (number, seq, balance, status, program_id, member_id, joined_at)
        VALUES (7, 1, 0, 'active', '${program_id}', 'm7', '2026-01-01')`)
      yield* query(`INSERT INTO finance_redemptions
          (account, seq, program_id, location_id, day, at, order_id, reward_id, unit, points, captured_at)
        SELECT 7, n, '${program_id}', 'place-' || n % 400, ${Date.UTC(2026, 0, 1)} + n / 400 * ${day}::bigint, n, 'o' || n, 'small',
          'points', 60, n FROM generate_series(0, 79999) n`)
      yield* TestDatabase.query("VACUUM ANALYZE finance_redemptions")
      const { clientConfig } = yield* Database
      const connection = yield* PgConnection.make({ ...clientConfig, startupParameters: { jit: "off" } })
      const { nodes, query: explained } = Plans.explaining(connection)
      const first = Date.UTC(2026, 0, 1)
      const range = [program_id, first, first + 200 * day, "", 0, 0, 0, 50]
      assert.strictEqual((yield* explained(everywhereStatement, range)).length, 50)
      const read = () => nodes.filter((node) => node["Relation Name"] === "finance_redemptions")
      assert.deepStrictEqual(
        read().map((node) => [node["Node Type"], Plans.readBy(node)]),
        [["Index Scan", 50]]
      )
      nodes.length = 0
      const places = [["place-7"], [0], [first * 2]]
      assert.strictEqual((yield* explained(atPlacesStatement, [...range, ...places])).length, 50)
      assert.deepStrictEqual(
        read().map((node) => [node["Node Type"], Plans.readBy(node)]),
        [["Index Scan", 50]]
      )
    }).pipe(Effect.provide(Books.layer()), at)
  )
})
