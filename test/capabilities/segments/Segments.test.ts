/**
 * contract/engagement.md *Segments*, *Rules of segments*: who is found, and how segments are kept, over HTTP on
 * PostgreSQL.
 */
import { PgConnection } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { hash } from "node:crypto"
import { enroll } from "../../../src/app/testing/Guests.ts"
import { connections } from "../../../src/base/database/Bounds.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool, WorkPool } from "../../../src/base/database/Pools.ts"
import * as Audience from "../../../src/capabilities/segments/Audience.ts"
import { birthdays } from "../../../src/capabilities/segments/AudienceSql.ts"
import { ruleOf } from "../../../src/capabilities/segments/Rules.ts"
import { maxConditions, maxRuleDepth } from "../../../src/contract/platform/Rules.ts"
import type { Preview, Segment } from "../../../src/contract/platform/Segments.ts"
import { said as sentence } from "../../../src/contract/Said.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { compile } from "../../../src/core/rules/Program.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupStore from "../../../src/reads/rollups/RollupStore.ts"
import { Rollups } from "../../../src/reads/rollups/Rollups.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { accrue } from "../../core/account/domain/Scenario.ts"
import * as RandomOf from "../../model/Random.ts"
import * as Scenario from "../../reads/reconcile/Scenario.ts"
import { demo, stamps, Traffic } from "../../reads/rollups/Traffic.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Rounds from "./SegmentRounds.ts"

const tokens = [
  {
    token_sha256: hash("sha256", "stamps-alone"),
    scopes: ["platform:read", "platform:write"] as const,
    programs: [stamps.id]
  },
  { token_sha256: hash("sha256", "reads-alone"), scopes: ["platform:read"] as const },
  { token_sha256: hash("sha256", "counts-alone"), scopes: ["audience:read"] as const }
]
const layer = Rollups.layer.pipe(
  Layer.provideMerge(Layer.merge(PgFeed.layer, RollupStore.layer)),
  Layer.provideMerge(TestServer.layer(PgJournal.layer, tokens, undefined, [demo, stamps], Pools.layer)),
  Layer.provideMerge(TestDatabase.layer)
)

const program_id = demo.id
const path = "/platform/v1/segments"
const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const put = (body: object, init = {}) =>
  TestServer.send(path, { name: "A", program_id, ...body }, { method: "PUT", ...init })
const list = (query: Record<string, string>) =>
  TestServer.send(`${path}?${new URLSearchParams({ program_id, ...query })}`, undefined, { method: "GET" })
const remove = (segment_id: string) => TestServer.send(`${path}/delete`, { segment_id })
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"]] as const)
const segmentOf = ({ body }: TestServer.Response) => body["segment"] as unknown as Segment
const preview = (body: object) =>
  Effect.map(TestServer.send(`${path}/preview`, { sample_size: 100, ...body }), ({ body: answer, status }) => {
    assert.strictEqual(status, 200, JSON.stringify(answer))
    return answer as unknown as Preview
  })
const sampled = (rules: object) =>
  Effect.map(preview({ program_id, rules }), ({ sample_member_ids }) => sample_member_ids.toSorted())

/** A rule of `levels` levels, its leaf included. */
const nested = (levels: number): object => (levels === 1 ? { has: "email" } : { not: nested(levels - 1) })
const many = (conditions: number) => ({
  any: [
    { all: Array.from({ length: Math.min(100, conditions - 1) }, () => ({ has: "email" })) },
    { all: Array.from({ length: Math.max(1, conditions - 100) }, () => ({ has: "phone" })) }
  ]
})

it.layer(layer, { excludeTestServices: true })("segments", (it) => {
  it.effect("are kept as they were sent, listed newest first, replaced and deleted", () =>
    Effect.gen(function* () {
      for (const member of ["ann", "bob"]) yield* enroll(member)
      const rules = { any: [{ status: ["active"] }, { profile: { has_email: true } }] }
      const first = segmentOf(yield* put({ segment_id: "first", rules }))
      assert.deepInclude(first, { segment_id: "first", program_id, mode: "dynamic", rules })
      const made = segmentOf(yield* put({ name: "Listed", member_ids: ["ann", "bob", "ann"] }))
      assert.match(made.segment_id, /^seg_/)
      assert.deepInclude(made, { mode: "static", member_count: 2 })
      assert.deepStrictEqual(
        yield* preview({ segment_id: made.segment_id, sample_size: 1 }).pipe(
          Effect.map((one) => [one.segment_id, one.estimated_size, one.sample_member_ids.length])
        ),
        [made.segment_id, 2, 1]
      )
      const page = yield* list({ limit: "1" })
      assert.deepStrictEqual(
        (page.body["segments"] as ReadonlyArray<Segment>).map(({ segment_id }) => segment_id),
        [made.segment_id]
      )
      const next = yield* list({ limit: "1", cursor: String(page.body["next_cursor"]) })
      assert.deepStrictEqual(
        (next.body["segments"] as ReadonlyArray<Segment>).map(({ segment_id }) => segment_id),
        ["first"]
      )
      const again = segmentOf(yield* put({ segment_id: "first", name: "Other", member_ids: ["bob"] }))
      assert.deepInclude(again, { name: "Other", mode: "static", member_count: 1, created_at: first.created_at })
      assert.deepStrictEqual((yield* preview({ segment_id: "first" })).sample_member_ids, ["bob"])
      // A caller who may not see members is told how many, and not who.
      const counted = yield* TestServer.send(`${path}/preview`, { segment_id: "first" }, as("counts-alone"))
      assert.deepInclude(counted.body, { estimated_size: 1, sample_member_ids: [] })
      assert.strictEqual((yield* remove("first")).status, 200)
      assert.deepStrictEqual(yield* said(list({ segment_id: "first" })), [404, "not_found"])
      assert.deepStrictEqual(yield* said(remove("first")), [404, "not_found"])
    })
  )

  // contract/engagement.md *Archive*
  it.effect("are archived where nothing in use needs them, and take no changes until they are restored", () =>
    Effect.gen(function* () {
      const archive = (segment_id: string, archived: boolean) =>
        TestServer.send(`${path}/archive`, { segment_id, archived })
      const rules = { has: "email" } as const
      const naming = { segment_id: "kept-naming", rules: { in_segment: "kept" } }
      const campaign = { campaign_id: "kept", program_id, name: "Kept", segment_id: "kept", reward_id: "free-bowl" }
      const engage = (method: string, at: string, body: object) =>
        TestServer.send(`/platform/v1/campaigns${at}`, body, { method })
      const made = segmentOf(yield* put({ segment_id: "kept", rules }))
      yield* engage("PUT", "", campaign)
      assert.deepStrictEqual(yield* said(archive("kept", true)), [409, "conflict"])
      assert.strictEqual((yield* engage("POST", "/status", { campaign_id: "kept", status: "archived" })).status, 200)
      yield* put(naming)
      assert.deepStrictEqual(yield* said(archive("kept", true)), [409, "conflict"])
      assert.strictEqual(segmentOf(yield* archive("kept-naming", true)).version, 2)
      const archived = segmentOf(yield* archive("kept", true))
      assert.deepInclude(archived, { segment_id: "kept", rules, version: made.version + 1 })
      assert.isDefined(archived.archived_at)
      // A repeated request changes nothing.
      assert.deepStrictEqual(segmentOf(yield* archive("kept", true)), archived)
      assert.strictEqual((yield* preview({ segment_id: "kept" })).segment_id, "kept")
      for (const [why, change] of Object.entries({
        put: put({ segment_id: "kept", rules }),
        restore: archive("kept-naming", false),
        status: engage("POST", "/status", { campaign_id: "kept", status: "draft" })
      }))
        assert.deepStrictEqual(yield* said(change), [409, "invalid_state"], why)
      for (const [why, change] of Object.entries({
        named: put({ ...naming, segment_id: "kept-other" }),
        campaign: engage("PUT", "", { ...campaign, campaign_id: "kept-other" })
      }))
        assert.deepStrictEqual(yield* said(change), [422, "validation_failed"], why)
      assert.deepStrictEqual(yield* said(remove("kept")), [409, "conflict"])
      assert.isUndefined(segmentOf(yield* archive("kept", false)).archived_at)
      assert.strictEqual((yield* archive("kept-naming", false)).status, 200)
      assert.strictEqual((yield* engage("POST", "/status", { campaign_id: "kept", status: "draft" })).status, 200)
      assert.strictEqual((yield* put({ segment_id: "kept", rules })).status, 200)
    })
  )

  it.effect("leave connections to others, however many are counted at once", () =>
    Effect.gen(function* () {
      const database = yield* WorkPool
      const audience = yield* Audience.ofRule(database.query, demo, ruleOf({ has: "email" }))
      const answered = Latch.makeUnsafe(false)
      const counted = yield* Effect.forkChild(
        Effect.replicateEffect(Audience.evaluated(database, audience, answered.await), connections.work + 1, {
          concurrency: "unbounded"
        }),
        { startImmediately: true }
      )
      assert.deepStrictEqual(yield* database.query("SELECT 1 AS one"), [{ one: 1 }])
      answered.openUnsafe()
      assert.strictEqual((yield* Fiber.join(counted)).length, connections.work + 1)
    }).pipe(Effect.provide(Pools.layer))
  )

  it.effect("are refused where they are unsound, of other programmes, or for other callers", () =>
    Effect.gen(function* () {
      yield* enroll("sound")
      yield* put({ segment_id: "of-demo", rules: { has: "email" } })
      const wrong: ReadonlyArray<readonly [body: object, at: string]> = [
        [{}, "/rules"],
        [{ rules: { has: "email" }, member_ids: [] }, "/rules"],
        [{ rules: {} }, "/rules"],
        [{ rules: { has: "e-mail" } }, "/rules/has"],
        [{ rules: { unknown: 1 } }, "/rules/unknown"],
        [{ rules: { all: [] } }, "/rules/all"],
        [
          { rules: { all: [{ any: [{ event: { type: "x", minimum_count: 0 } }] }] } },
          "/rules/all/0/any/0/event/minimum_count"
        ],
        [{ rules: { not: { order: { within_days: 1.5 } } } }, "/rules/not/order/within_days"],
        [{ rules: { any: [{ not: { order: { within_days: 761 } } }] } }, "/rules/any/0/not/order/within_days"],
        [{ rules: { event: { type: "visit", within_days: 761 } } }, "/rules/event/within_days"],
        [{ rules: { attribute: { name: "a" } } }, "/rules/attribute"],
        [{ rules: { attribute: { name: "a", equals: { b: 1 } } } }, "/rules/attribute/equals"],
        [{ rules: { attribute: { name: "a", equals: "\u0000" } } }, "/rules/attribute/equals"],
        [{ rules: { balance: { unit: "points" } } }, "/rules/balance"],
        [{ rules: { profile: {} } }, "/rules/profile"],
        // Names that the programme does not have, each at its place.
        [{ rules: { tier: ["starter", "gold"] } }, "/rules/tier/1"],
        [{ rules: { any: [{ has: "email" }, { not: { tier_ids: ["gold"] } }] } }, "/rules/any/1/not/tier_ids/0"],
        [{ rules: { all: [{ balance: { unit: "stamps", at_least: 1 } }] } }, "/rules/all/0/balance/unit"],
        [{ rules: { expiring: { unit: "credits", amount: 1, within_days: 1 } } }, "/rules/expiring/unit"],
        [{ rules: { in_segment: "nothing" } }, "/rules/in_segment"],
        [{ rules: { all: [{ in_segment: "of-demo" }, { in_segment: "nothing" }] } }, "/rules/all/1/in_segment"],
        [{ program_id: stamps.id, rules: { in_segment: "of-demo" } }, "/rules/in_segment"],
        [{ member_ids: ["nobody"] }, "/member_ids/0"]
      ]
      for (const [body, at] of wrong) {
        const { body: answer, status } = yield* put({ segment_id: "wrong", ...body })
        const errors = answer["errors"] as ReadonlyArray<{ readonly path: string }> | undefined
        assert.deepStrictEqual([status, errors?.[0]?.path], [422, at], JSON.stringify([body, answer]))
        if ("rules" in body && !("member_ids" in body)) {
          const previewed = yield* TestServer.send(`${path}/preview`, { program_id, ...body })
          const [fault] = previewed.body["errors"] as ReadonlyArray<{ readonly path: string }>
          assert.deepStrictEqual([previewed.status, fault?.path], [422, at], JSON.stringify(body))
        }
      }
      const { body: unknown } = yield* put({ member_ids: ["sound", "nobody", "no-one"] })
      assert.deepStrictEqual(unknown["errors"], [
        { path: "/member_ids/1", ...sentence`is no member of programme ${program_id}` },
        { path: "/member_ids/2", ...sentence`is no member of programme ${program_id}` }
      ])
      const other = { segment_id: "of-demo", program_id: stamps.id, rules: { has: "email" } }
      assert.deepStrictEqual(yield* said(put(other)), [409, "conflict"])
      assert.deepStrictEqual(yield* said(put({ rules: { has: "email" } }, as("stamps-alone"))), [403, "forbidden"])
      assert.deepStrictEqual(yield* said(put({ rules: { has: "email" } }, as("reads-alone"))), [403, "forbidden"])
      const ask = (body: object, token: string) => said(TestServer.send(`${path}/preview`, body, as(token)))
      assert.deepStrictEqual(yield* ask({ segment_id: "of-demo" }, "stamps-alone"), [403, "forbidden"])
      assert.deepStrictEqual(yield* ask({ segment_id: "of-demo" }, "reads-alone"), [200, undefined])
    })
  )

  it.effect(
    `have at most ${maxRuleDepth} levels and ${maxConditions} conditions, with the segments that they name`,
    () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* put({ segment_id: "deep", rules: nested(maxRuleDepth) })).status, 200)
        assert.deepStrictEqual(yield* said(put({ rules: nested(maxRuleDepth + 1) })), [422, "validation_failed"])
        // The deepest that a body may be is read, and refused as rules; a deeper one is not read.
        const nestedBy = (levels: number) => {
          const rules = `${'{"not":'.repeat(levels)}{"has":"email"}${"}".repeat(levels)}`
          const body = `{"name":"A","program_id":"${program_id}","rules":${rules}}`
          return said(TestServer.send(path, body, { method: "PUT" }))
        }
        assert.deepStrictEqual(yield* nestedBy(60), [422, "validation_failed"])
        for (const levels of [65, 100_000]) assert.deepStrictEqual(yield* nestedBy(levels), [400, "invalid_json"])

        assert.strictEqual((yield* put({ segment_id: "large", rules: many(maxConditions) })).status, 200)
        assert.deepStrictEqual(yield* said(put({ rules: many(maxConditions + 1) })), [422, "validation_failed"])
        // One that names it has a condition more.
        assert.deepStrictEqual(yield* said(put({ rules: { in_segment: "large" } })), [422, "validation_failed"])
        yield* put({ segment_id: "large", rules: many(maxConditions - 1) })
        assert.strictEqual((yield* put({ segment_id: "names-it", rules: { in_segment: "large" } })).status, 200)
        // Its later change would be too much for the one that names it.
        assert.deepStrictEqual(yield* said(put({ segment_id: "large", rules: many(maxConditions) })), [409, "conflict"])
        assert.strictEqual((yield* preview({ segment_id: "names-it" })).estimated_size >= 0, true)
      })
  )

  it.effect("never name each other in a circle, through later changes and races neither", () =>
    Effect.gen(function* () {
      const refused = [422, "validation_failed"] as const
      assert.deepStrictEqual(yield* said(put({ segment_id: "me", rules: { in_segment: "me" } })), refused)
      yield* put({ segment_id: "c0", rules: { has: "email" } })
      for (const n of [1, 2, 3]) yield* put({ segment_id: `c${n}`, rules: { not: { in_segment: `c${n - 1}` } } })
      assert.deepStrictEqual(yield* said(put({ segment_id: "c0", rules: { any: [{ in_segment: "c3" }] } })), refused)
      for (let round = 0; round < 5; round++) {
        const ids = [`race-a${round}`, `race-b${round}`]
        for (const segment_id of ids) yield* put({ segment_id, rules: { has: "email" } })
        const answers = yield* Effect.all(
          ids.map((segment_id, place) => said(put({ segment_id, rules: { in_segment: ids[1 - place] } }))),
          { concurrency: 2 }
        )
        assert.deepStrictEqual(answers.map(([status]) => status).toSorted(), [200, 422])
      }
    })
  )

  it.effect("stay while a campaign or another segment uses them", () =>
    Effect.gen(function* () {
      yield* put({ segment_id: "used", rules: { has: "email" } })
      yield* put({ segment_id: "user", rules: { in_segment: "used" } })
      assert.deepStrictEqual(yield* said(remove("used")), [409, "conflict"])
      yield* remove("user")
      yield* TestDatabase.query(`INSERT INTO campaigns (campaign_id, program_id, name, segment_id, action, holdout_percent,
          attribution_days, status, created_at, updated_at)
        VALUES ('uses', '${program_id}', 'A', 'used', '{}', 0, 7, 'draft', 0, 0)`)
      assert.deepStrictEqual(yield* said(remove("used")), [409, "conflict"])
      yield* TestDatabase.query("DELETE FROM campaigns WHERE campaign_id = 'uses'")
      assert.strictEqual((yield* remove("used")).status, 200)
    })
  )

  it.effect("are not found by a campaign that is made while they are deleted", () =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* put({ segment_id: "going", rules: { has: "email" } })
        const { clientConfig } = yield* Database
        const deleting = yield* PgConnection.make(clientConfig)
        yield* deleting.query("BEGIN", [], false)
        yield* deleting.query("DELETE FROM segments WHERE segment_id = 'going'", [], false)
        const action = { credit: { amount: 5, reason: "thanks" } }
        const facts = { name: "A", program_id, segment_id: "going", action }
        const made = yield* Effect.forkChild(TestServer.send("/platform/v1/campaigns", facts, { method: "PUT" }))
        // A transaction sees one moment of pg_stat_activity, so that another connection looks.
        const waits = (yield* PgConnection.make(clientConfig)).query(
          `SELECT FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%KEY SHARE%'`,
          [],
          false
        )
        yield* Effect.repeat(waits, { until: ({ rows }) => rows.length > 0 || made.pollUnsafe() !== undefined })
        yield* deleting.query("COMMIT", [], false)
        assert.deepStrictEqual(yield* said(Fiber.join(made)), [422, "validation_failed"])
      })
    )
  )

  it.effect("send nothing of a client's to PostgreSQL as text", () =>
    Effect.gen(function* () {
      const { query } = yield* PeoplePool
      const text = (word: string, number: number) =>
        Effect.map(
          Audience.ofRule(
            query,
            demo,
            ruleOf(
              Rounds.decoded({
                tier: ["vip", "regular"],
                consent: { purpose: word, channel: word },
                attribute: { name: word, in: [word, number] },
                attributes: { [word]: word },
                event: {
                  type: word,
                  minimum_value: number,
                  within_days: number,
                  property: { name: word, equals: word }
                },
                order: { location_id: word, minimum_spend: number, minimum_count: number, within_days: number },
                balance: { at_least: number },
                expiring: { amount: number, within_days: number },
                inactive_days: number,
                joined_within_days: number
              })
            )
          ),
          (audience) => Audience.membersOf(audience, 0, () => "$1")
        )
      const hostile = "'; DROP TABLE segments; --"
      assert.strictEqual(yield* text(hostile, 7), yield* text("$$\\'\"", 9))
      assert.deepStrictEqual(yield* sampled({ attributes: { [hostile]: hostile } }), [])
    })
  )

  it.effect("find birthdays in every month's days, on 1 March where 29 February is missing", () =>
    Effect.sync(() => {
      const found = (iso: string, days: number) => birthdays(demo, Date.parse(iso), days)
      assert.deepStrictEqual(found("2027-02-28T12:00:00Z", 1), [228, 301, 229])
      assert.deepStrictEqual(found("2028-02-28T12:00:00Z", 2), [228, 229, 301])
      assert.deepStrictEqual(found("2026-12-31T12:00:00Z", 1), [1231, 101])
      // The day before still, in New York.
      assert.deepStrictEqual(found("2026-07-14T03:59:59.999Z", 0), [713])
      assert.deepStrictEqual(found("2026-07-14T04:00:00.000Z", 0), [714])
      // The programme's own zone counts, and not that of its tier policy.
      const tokyo = compile({ ...demo.file, time_zone: "Asia/Tokyo" })
      assert.deepStrictEqual(birthdays(tokyo, Date.parse("2026-07-14T14:59:59.999Z"), 0), [714])
      assert.deepStrictEqual(birthdays(tokyo, Date.parse("2026-07-14T15:00:00.000Z"), 0), [715])
    })
  )
})

// No service runs on this database: what is due stays as the history has it.
const history = Layer.mergeAll(Rollups.layer, Pools.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(PgFeed.layer, PgJournal.layer, RollupStore.layer)),
  Layer.provideMerge(Programs.layerFrom([demo, stamps])),
  Layer.provideMerge(TestDatabase.layer)
)

it.layer(history, { excludeTestServices: true })("segments of a random history", (it) => {
  it.effect("find the members that match by hand: each rule alone, negated, combined, in both spellings", () =>
    Effect.gen(function* () {
      const random = RandomOf.make(5, "rules")
      const traffic = new Traffic("s", RandomOf.make(5, "traffic"))
      yield* traffic.run(400)
      yield* Scenario.countRollups
      const world = yield* Rounds.worldOf(random, traffic, 150)
      let matched = 0
      yield* Rounds.ask(random, world, 250, ({ now, program, rules }, sql, byHand) => {
        matched += byHand.length
        assert.deepStrictEqual(sql, byHand, `${program.id} at ${now}: ${JSON.stringify(rules)}`)
      })
      assert.isAbove(matched, 500)
    })
  )

  it.effect("find the members of a tier that lasts through the following period, and no longer", () =>
    Effect.gen(function* () {
      const traffic = new Traffic("lasting", RandomOf.make(5, "lasting"))
      const [december, january, later] = ["2026-12-31T12:00:00Z", "2027-01-02T12:00:00Z", "2028-01-02T12:00:00Z"]
      const earned = [
        { december: 15_000, january: 0 },
        { december: 15_000, january: 3_000 },
        { december: 6_000, january: 15_000 },
        { december: 0, january: 6_000 },
        { december: 0, january: 0 }
      ]
      const members = yield* Effect.forEach(earned, (_, n) => traffic.enroll(`lasting-${n}`))
      for (const when of ["december", "january"] as const) {
        traffic.now = Date.parse({ december, january }[when])
        for (const [n, member] of members.entries()) {
          const spend = earned[n]![when]
          if (spend > 0) yield* traffic.act(member, accrue(`lasting-${when}-${n}`, spend))
        }
      }
      yield* Scenario.countRollups
      for (const [instant, vip, regular] of [
        [january, [0, 1, 2], [3]],
        [later, [2], [1, 3]],
        ["2029-01-02T12:00:00Z", [], []]
      ] as const) {
        const tiers = yield* Effect.forEach(["vip", "regular", "starter"], (tier) =>
          Rounds.found(demo, Rounds.decoded({ tier: [tier] }), Date.parse(instant))
        )
        const own = tiers.map((ids) => ids.flatMap((id) => (id.startsWith("lasting-") ? [Number(id.slice(8))] : [])))
        const starter = [0, 1, 2, 3, 4].filter((n) => ![...vip, ...regular].some((other) => other === n))
        assert.deepStrictEqual(own, [[...vip], [...regular], starter], instant)
      }
    })
  )
})
