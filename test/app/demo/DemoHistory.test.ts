/** The demo's past: sound, told the same by the figures and the ledger, and only ever for an empty database. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as Demo from "../../../src/app/demo/Demo.ts"
import * as DemoHistory from "../../../src/app/demo/DemoHistory.ts"
import { historyDays, planOf } from "../../../src/app/demo/DemoPlan.ts"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Connect from "../../../src/base/database/Connect.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Times from "../../../src/base/time/Times.ts"
import * as Analytics from "../../../src/capabilities/analytics/Analytics.ts"
import * as ProgramWrites from "../../../src/capabilities/programs/ProgramWrites.ts"
import type { Analytics as Figures } from "../../../src/contract/platform/Analytics.ts"
import { requests } from "../../../src/contract/protocol/Examples.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import type { RequestCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const zone = "America/New_York"
/** An evening in New York. */
const now = Date.parse("2026-11-25T23:30:00Z")
const dayMs = 86_400_000

const caller: RequestCaller = {
  kind: "token",
  keyId: "t",
  name: "reader",
  scopes: new Set(["platform:read"]),
  programs: undefined,
  sourceIp: undefined,
  requestId: undefined
}

const published = Layer.effectDiscard(
  Connect.apart((connection) =>
    ProgramWrites.write(connection, Testing.demoProgram, { by: "test", source: "file" }, 0, now)
  )
)
const over = <E, R>(programs: Layer.Layer<Programs, E, R>) =>
  Layer.mergeAll(Pools.layer, PgJournal.layer, PgFeed.layer, RollupStore.layer).pipe(
    Layer.provideMerge(WriteFreeze.layer(false).pipe(Layer.provide(PgJournal.layer))),
    Layer.provideMerge(programs),
    Layer.provideMerge(TestDatabase.layer)
  )
const database = over(Programs.layer.pipe(Layer.provide(published)))
const handlers = HandlersOf.layer.pipe(Layer.provide(Accounts.layer()))

/** With `now` as the time; pauses take real time, as PostgreSQL does. */
const inTime = Times.at(new Times.StandingTime(now))

/** Lines of the log meanwhile. */
const logOf = Effect.fnUntraced(function* <E, R>(effect: Effect.Effect<unknown, E, R>) {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  yield* Effect.provide(effect, Logger.layer([logger]))
  return lines
})

/** Seeds; gives what the log said. */
const seed = logOf(DemoHistory.seed).pipe(inTime)

const records = Effect.map(Scenario.byHand("SELECT count(*)::int AS n FROM journal"), ([row]) => Number(row?.["n"]))

const ask = (question: { readonly from: string; readonly until: string; readonly location_id?: string }) =>
  Effect.gen(function* () {
    const { ask } = yield* Analytics.make
    return yield* ask(question)
  }).pipe(inTime, Effect.provideService(CurrentCaller, caller), Effect.provide(RollupReads.layer))

/** The ledger's figures for a range and location, by local day: the same words as the figures'. */
const ledgerOf = (from: string, until: string, location?: string) =>
  Scenario.byHand(`SELECT to_char(occurred_at AT TIME ZONE '${zone}', 'YYYY-MM-DD') AS day,
      CASE operation WHEN 'accrual' THEN 'issued' WHEN 'redemption' THEN 'redeemed' WHEN 'reversal' THEN 'reversed'
        WHEN 'expiration' THEN 'expired' ELSE 'adjusted' END AS word,
      sum(CASE WHEN operation IN ('redemption', 'expiration') THEN -amount ELSE amount END)::int AS points
    FROM ledger_entries WHERE occurred_at >= '${from}' AND occurred_at < '${until}'
      ${location === undefined ? "" : `AND location_id = '${location}'`}
    GROUP BY 1, 2 HAVING sum(amount) <> 0 ORDER BY 1, 2`)

const words = ["adjusted", "expired", "issued", "redeemed", "reversed"] as const

const toldOf = ({ loyalty }: Figures) =>
  loyalty.ledger_by_bucket.flatMap(({ start, ...one }) =>
    words.flatMap((word) =>
      one[word] === 0
        ? []
        : [{ day: new Date(start).toLocaleDateString("sv", { timeZone: zone }), word, points: one[word] }]
    )
  )

describe("the plan of the demo's past", () => {
  it("depends on the time alone", () => {
    assert.deepStrictEqual(planOf(now, zone), planOf(now, zone))
    assert.notDeepEqual(planOf(now, zone), planOf(now + dayMs, zone))
  })

  it("ends before the present time, and begins so many days ago", () => {
    for (const at of [now, now - 5 * 3_600_000, now - 14 * 3_600_000]) {
      const { days, start } = planOf(at, zone)
      assert.strictEqual(days.length, historyDays + 1)
      assert.approximately(at - start, historyDays * dayMs, dayMs + 3_600_000)
      const times = days.flatMap(({ requests }) => [...requests.values()].flat().map((request) => request.at))
      assert.isAbove(times.length, 600)
      assert.isBelow(Math.max(...times), at)
      assert.isAtLeast(Math.min(...times), start)
    }
  })

  it("has lunch and dinner, and most guests on Saturdays", () => {
    const orders = planOf(now, zone).days.flatMap(({ requests }) =>
      [...requests.values()].flat().filter(({ type }) => type === "accrue")
    )
    const share = (format: Intl.DateTimeFormatOptions, wanted: ReadonlyArray<string>) =>
      orders.filter(({ at }) =>
        wanted.includes(new Date(at).toLocaleString("en-GB", { timeZone: zone, hourCycle: "h23", ...format }))
      ).length / orders.length
    assert.isAbove(share({ hour: "2-digit" }, ["11", "12", "13"]), 0.4)
    assert.isAbove(share({ hour: "2-digit" }, ["18", "19"]), 0.2)
    assert.strictEqual(share({ hour: "2-digit" }, ["00", "01", "02", "03", "04", "05", "06", "07"]), 0)
    assert.isAbove(share({ weekday: "short" }, ["Sat"]), 1 / 7)
  })
})

layer(database, { excludeTestServices: true })("the demo's past", (it) => {
  it.effect("is taken whole, and verifies", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* seed, [])
      const { accounts, found } = yield* Scenario.verify()
      assert.deepStrictEqual(found, [])
      assert.strictEqual(accounts, 70)
    })
  )

  it.effect("has the reservations that the documentation's examples name", () =>
    Effect.gen(function* () {
      const rows = yield* Scenario.byHand(`SELECT DISTINCT reservation_id FROM ledger_entries
        WHERE operation = 'redemption' AND order_id LIKE 'demo-reward-order-%' ORDER BY 1`)
      assert.deepStrictEqual(
        rows.map(({ reservation_id }) => reservation_id),
        [requests["redemption.capture"].reservation_id, requests["redemption.reverse"].reservation_id]
      )
    })
  )

  it.effect("has orders that its promotions gave to, in each of the two months", () =>
    Effect.gen(function* () {
      const rows =
        yield* Scenario.byHand(`SELECT reason, count(*) FILTER (WHERE occurred_at < '2026-10-27') > 3 AS before,
          count(*) FILTER (WHERE occurred_at >= '2026-10-27') > 3 AS after
        FROM ledger_entries WHERE operation = 'accrual' AND reason LIKE 'promotions:%' GROUP BY 1 ORDER BY 1`)
      assert.deepStrictEqual(rows, [
        { reason: "promotions: drinks-at-lunch", before: true, after: true },
        { reason: "promotions: green-bowl", before: true, after: true }
      ])
    })
  )

  it.effect("is told the same by the figures and by the ledger", () =>
    Effect.gen(function* () {
      yield* Effect.provide(Scenario.countRollups, Rollups.layer)
      for (const location of [undefined, "harbor"]) {
        // Midnights in New York.
        const [from, until] = ["2026-09-26T04:00:00.000Z", "2026-11-26T05:00:00.000Z"]
        const named = location === undefined ? {} : { location_id: location }
        const told = yield* ask({ from, until, ...named })
        assert.deepStrictEqual(toldOf(told), (yield* ledgerOf(from, until, location)) as ReturnType<typeof toldOf>)
        // Closed orders count in no figure of orders.
        const [orders] = yield* Scenario.byHand(`WITH closed AS (
            SELECT j.account, v->>'order' AS order_id FROM journal j, json_array_elements(j.events::json) v
            WHERE v->>'type' = 'order_adjusted' AND (v->>'closes' = 'true' OR v->>'left' = 'none'))
          SELECT count(*)::int AS n FROM ledger_entries e WHERE operation = 'accrual'
            AND NOT EXISTS (SELECT FROM closed c WHERE c.account = e.account AND c.order_id = e.order_id)
            ${location === undefined ? "" : `AND location_id = '${location}'`}`)
        assert.strictEqual(told.loyalty.orders.count, Number(orders?.["n"]))
      }
      const [sum] = yield* Scenario.byHand("SELECT sum(amount)::int AS points FROM ledger_entries")
      const { loyalty } = yield* ask({ from: "2026-10-27T04:00:00.000Z", until: "2026-11-26T05:00:00.000Z" })
      assert.strictEqual(loyalty.balances[0]?.outstanding, Number(sum?.["points"]))
    })
  )

  it.effect("gives every chart of the last 30 days something to show, and the 30 days before too", () =>
    Effect.gen(function* () {
      const { customer_data, loyalty } = yield* ask({
        from: "2026-10-27T04:00:00.000Z",
        until: "2026-11-26T05:00:00.000Z"
      })
      const shown = (name: string) => loyalty.ledger_by_bucket.filter((one) => one[name as "issued"] !== 0).length
      for (const word of words) assert.isAbove(shown(word), 0, word)
      assert.strictEqual(shown("issued"), 30)
      assert.isTrue(loyalty.members.by_tier.every(({ count }) => count > 5))
      assert.isAbove(loyalty.orders.by_location.length, 3)
      assert.isAbove(loyalty.balances[0]?.expiring_by_month.length ?? 0, 2)
      const flows = (name: string) => loyalty.rewards.reduce((all, one) => all + one[name as "captured"], 0)
      for (const name of ["reserved", "captured", "reversed", "expired", "issued", "redeemed"])
        assert.isAbove(flows(name), 0, name)
      assert.isAbove(loyalty.campaigns.rewards_issued, 10)
      assert.isBelow(loyalty.campaigns.rewards_issued, loyalty.campaigns.members_targeted)
      assert.isAbove(customer_data.events.by_type.length, 3)
      assert.strictEqual(customer_data.imports.failed_rows, 1)
      const before = yield* ask({ from: "2026-09-27T04:00:00.000Z", until: "2026-10-27T04:00:00.000Z" })
      assert.isAbove(before.loyalty.orders.count, 100)
      assert.isAbove(loyalty.orders.count, before.loyalty.orders.count)
    })
  )

  it.effect("is not added to by another start, nor do the documentation's members come twice", () =>
    Effect.gen(function* () {
      const before = yield* records
      assert.deepStrictEqual(yield* seed, [])
      assert.deepStrictEqual(yield* logOf(Effect.provide(Demo.seed, handlers)), [])
      assert.strictEqual(yield* records, before)
    })
  )
})

layer(database, { excludeTestServices: true })("a database with a record", (it) => {
  it.effect("gets no past", () =>
    Effect.gen(function* () {
      yield* Effect.provide(Guests.enroll("first"), handlers)
      yield* seed
      assert.strictEqual(yield* records, 1)
    })
  )
})

layer(over(Programs.layerFrom([{ ...Testing.demoProgram, id: "another-programme" }])), { excludeTestServices: true })(
  "another programme",
  (it) => {
    it.effect("gets no past", () =>
      Effect.gen(function* () {
        yield* seed
        assert.strictEqual(yield* records, 0)
      })
    )
  }
)
