/**
 * contract/engagement.md *Analytics*: equal to a count by hand, whatever the range, calendar and location; and what is
 * refused.
 */

import { PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Analytics from "../../../src/capabilities/analytics/Analytics.ts"
import * as Reads from "../../../src/capabilities/analytics/AnalyticsReads.ts"
import type { AnalyticsQuery } from "../../../src/contract/platform/Analytics.ts"
import { Sum } from "../../../src/contract/Values.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import type { Feed } from "../../../src/reads/feed/Feed.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { demo, stamps, Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Model from "./AnalyticsModel.ts"
import * as Rounds from "./AnalyticsRounds.ts"

const all = Layer.mergeAll(RollupReads.layer, Rollups.layer, Pools.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
  Layer.provideMerge(Programs.layerFrom([demo, stamps])),
  Layer.provideMerge(TestDatabase.layer)
)

const iso = (at: number) => new Date(at).toISOString()

layer(all, { excludeTestServices: true })("analytics", (it) => {
  it.effect("is what a count by hand finds, in any zone, range and bucket, with merges and refunds", () =>
    Effect.gen(function* () {
      const random = RandomOf.make(11, "questions")
      const traffic = new Traffic("a", RandomOf.make(11, "traffic"))
      yield* traffic.run(500)
      const told = yield* Rounds.tell(random, traffic, 200)
      yield* Scenario.countRollups
      const seen = new Set<string>()
      yield* Rounds.ask(random, traffic, told, 60, (question, answer, byHand) => {
        const what = `${question.program} ${iso(question.from)} ${iso(question.until)} ${question.zone} ${question.bucket}`
        assert.deepStrictEqual(Model.answered(answer), byHand, `${what} ${question.location}`)
        for (const [flow] of byHand.rewards) seen.add(flow.split(" ")[1] ?? "")
        for (const [column] of byHand.ledger) seen.add(column.split(" ")[2] ?? "")
        if (byHand.orders.repeat > 0) seen.add("repeat")
      })
      // Nothing was left to chance that should have been compared.
      const wanted = ["adjusted", "captured", "expired", "issued", "redeemed", "repeat", "reserved", "reversed"]
      assert.deepStrictEqual([...seen].toSorted(), wanted)
    })
  )

  it.effect("takes all figures from one snapshot: nobody is new who is not among all", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("s", RandomOf.make(12, "traffic"))
      yield* traffic.enroll("s-first")
      yield* Scenario.countRollups
      const reads = yield* RollupReads.RollupReads
      // A member joins, and is counted, between the reads of one answer.
      const joining = <A, E, R>(read: Effect.Effect<A, E, R>) =>
        Effect.tap(read, () => Effect.andThen(traffic.enroll(`s-${traffic.members.length}`), Scenario.countRollups))
      const world = yield* Effect.context<Feed | Journal | Rollups | RollupStore.RollupStore>()
      const between = RollupReads.RollupReads.of({
        ...reads,
        asOf: (program) => Effect.provideContext(joining(reads.asOf(program)), world),
        kinds: (programs) => Effect.provideContext(joining(reads.kinds(programs)), world)
      })
      const { answer } = yield* Effect.provideService(Analytics.make, RollupReads.RollupReads, between)
      const question = yield* Analytics.questionOf(demo, {}, traffic.now + 1)
      const { members } = (yield* answer(demo, question)).loyalty
      assert.isAbove(members.new, 0)
      assert.isAtMost(members.new, members.total)
      assert.strictEqual(
        members.by_tier.reduce((sum, { count }) => sum + count, 0),
        members.total
      )
    })
  )
})

layer(Layer.provideMerge(Pools.layer, TestDatabase.layer), { excludeTestServices: true })(
  "customer data and campaigns",
  (it) => {
    it.effect("counts profiles and consent as they come, change, move and go, many in a statement", () =>
      Effect.gen(function* () {
        const { query } = yield* PeoplePool
        const counted = Reads.profiles(query, "demo")
        assert.deepStrictEqual(yield* counted, { total: 0, marketing_consented: 0, with_email: 0, with_phone: 0 })
        for (const statement of [
          `INSERT INTO accounts SELECT n, 1, NULL, 0, 'active', CASE WHEN n = 9 THEN 'other' ELSE 'demo' END, 'm-' || n, now()
            FROM generate_series(1, 9) n`,
          `INSERT INTO profiles (account, program_id, member_id, email, phone, created_at, updated_at)
            SELECT number, program_id, member_id, CASE WHEN number % 2 = 0 THEN 'a@b.c' END,
              CASE WHEN number > 6 THEN '+491' END, 0, 0 FROM accounts`,
          `INSERT INTO current_consents SELECT number, purpose, channel, number <> 3, NULL, 0
            FROM accounts, (VALUES ('marketing', ''), ('marketing', 'sms'), ('analytics', '')) c(purpose, channel)`,
          "UPDATE profiles SET email = NULL, phone = '+492' WHERE account = 2",
          "UPDATE current_consents SET granted = false WHERE account IN (4, 5)",
          "INSERT INTO profiles SELECT * FROM profiles WHERE account = 1 ON CONFLICT DO NOTHING",
          "DELETE FROM profiles WHERE account = 8",
          "DELETE FROM current_consents WHERE account = 8"
        ])
          yield* query(statement)
        assert.deepStrictEqual(yield* counted, { total: 7, marketing_consented: 4, with_email: 2, with_phone: 2 })
        assert.deepStrictEqual(yield* Reads.profiles(query, "other"), {
          total: 1,
          marketing_consented: 1,
          with_email: 0,
          with_phone: 1
        })
      })
    )

    it.effect("reckons sums exactly up to 2^53 − 1, and goes on to count beyond", () =>
      Effect.gen(function* () {
        const { query } = yield* PeoplePool
        const sums = (amount: string) =>
          query(
            "INSERT INTO rollup_points VALUES ('sums', 'points', $1::text::numeric, 0) ON CONFLICT (program_id, unit) DO UPDATE SET posted = excluded.posted",
            [PgTypes.text(amount)]
          )
        const outstanding = Effect.map(Reads.points(query, "sums"), ([points]) => points?.posted)
        for (const [amount, shown] of [
          ["9007199254740991", 9_007_199_254_740_991],
          ["-9007199254740991", -9_007_199_254_740_991],
          // Even numbers are exact up to 2^54.
          ["9007199254740994", 9_007_199_254_740_994],
          ["10000000000000000000", 10_000_000_000_000_000_000]
        ] as const) {
          yield* sums(amount)
          const found = yield* outstanding
          assert.strictEqual(found, shown)
          assert.strictEqual(Schema.encodeUnknownSync(Sum)(found), shown)
        }
        assert.throws(() => Schema.encodeUnknownSync(Sum)(0.5))
      })
    )

    it.effect("counts imports and runs that began in the range, and all campaigns", () =>
      Effect.gen(function* () {
        const { query } = yield* PeoplePool
        for (const statement of [
          `INSERT INTO imports (import_id, fingerprint, program_id, submitted, failed, created_at, completed_at,
              created_by)
            SELECT 'i-' || n, gen_random_uuid(), CASE WHEN n = 6 THEN 'other' ELSE 'demo' END, 9,
              n % 3, n, CASE WHEN n < 5 THEN n END, 'test' FROM generate_series(1, 6) n`,
          `INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, holdout_percent, attribution_days, status,
              created_at, updated_at)
            SELECT 'c-' || n, CASE WHEN n = 4 THEN 'other' ELSE 'demo' END, '', '', '{}', 0, 7, 'draft', 0, 0
            FROM generate_series(1, 4) n`,
          `INSERT INTO campaign_runs (run_id, campaign_id, scope, segment_id, action, selected, issued, started_at)
            SELECT 'r-' || n, 'c-' || 1 + n % 2 * 3, n, '', '{}', 10 * n, n, n FROM generate_series(1, 5) n`
        ])
          yield* query(statement)
        const range = { program: "demo", from: 2, until: 5, location: undefined }
        assert.deepStrictEqual(yield* Reads.imports(query, range), { total: 3, completed: 1, failed_rows: 3 })
        assert.deepStrictEqual(yield* Reads.campaigns(query, range), {
          configured: 3,
          runs: 2,
          members_targeted: 60,
          rewards_issued: 6
        })
      })
    )
  }
)

const asked = (query: AnalyticsQuery) =>
  Effect.map(Effect.flip(Analytics.questionOf(demo, query, Date.UTC(2026, 6, 14))), ({ errors = [] }) =>
    errors.map(({ message, path }) => `${path} ${message}`)
  )
const question = (query: AnalyticsQuery, now = Date.UTC(2026, 6, 14, 10, 5)) => Analytics.questionOf(demo, query, now)

layer(TestServer.layer(MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))))(
  "a question of analytics",
  (it) => {
    it.effect("is about 30 local days with the present one where nothing else is said, in the tier policy's zone", () =>
      Effect.gen(function* () {
        const { bucket, from, timeZone, until } = yield* question({})
        assert.deepStrictEqual(
          [bucket, timeZone, iso(from), iso(until)],
          ["day", "America/New_York", "2026-06-15T04:00:00.000Z", "2026-07-14T10:15:00.000Z"]
        )
        const ended = yield* question({ until: "2026-04-01T00:00:00Z", time_zone: "europe/BERLIN" })
        assert.deepStrictEqual([ended.zone, iso(ended.from)], ["Europe/Berlin", "2026-03-02T23:00:00.000Z"])
        assert.strictEqual(iso(ended.until), "2026-04-01T00:00:00.000Z")
      })
    )

    it.effect("reaches from the quarter of an hour of its start to the end of that of its last instant", () =>
      Effect.gen(function* () {
        const { from, until } = yield* question({ from: "2026-07-14T09:14:59Z", until: "2026-07-14T09:15:00.001Z" })
        assert.deepStrictEqual([iso(from), iso(until)], ["2026-07-14T09:00:00.000Z", "2026-07-14T09:30:00.000Z"])
      })
    )

    it.effect("is refused with a range of nothing or of too much, and with a zone that is none", () =>
      Effect.gen(function* () {
        const at = "2026-07-14T00:00:00Z"
        assert.deepStrictEqual(yield* asked({ from: at, until: at }), ["/from must be before the end of the range"])
        assert.deepStrictEqual(yield* asked({ from: "2016-01-01T00:00:00Z" }), [
          "/from must be at most 3700 days before the end of the range"
        ])
        for (const time_zone of ["+01:00", "Europe/Nowhere", "UTC+1"])
          assert.deepStrictEqual(yield* asked({ time_zone }), [
            "/time_zone must be an IANA time zone such as Europe/Berlin"
          ])
      })
    )

    it.effect("is refused over HTTP by its parameters, programme and key", () =>
      Effect.gen(function* () {
        const get = (query: string, authorization = "Bearer proto-dev-token") =>
          Effect.map(
            TestServer.send(`/platform/v1/analytics${query}`, undefined, { method: "GET", headers: { authorization } }),
            ({ body, status }) => [status, body["code"]]
          )
        assert.deepStrictEqual(yield* get("?bucket=hour"), [422, "validation_failed"])
        assert.deepStrictEqual(yield* get("?from=yesterday"), [422, "validation_failed"])
        assert.deepStrictEqual(yield* get("?colour=red"), [422, "validation_failed"])
        assert.deepStrictEqual(yield* get("?time_zone=Mars"), [422, "validation_failed"])
        assert.deepStrictEqual(yield* get("?program_id=none"), [404, "not_found"])
        assert.deepStrictEqual(yield* get("", ""), [401, "unauthorized"])
        assert.deepStrictEqual(yield* get("", "Bearer proto-dev-admin-key"), [401, "unauthorized"])
      })
    )
  }
)
