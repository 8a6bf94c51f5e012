/**
 * contract/operators.md *Limits*: what campaigns give because of what a person does to guests counts for her, before she
 * does it. Honest work is never stopped by it.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { post } from "../operators/Operators.ts"
import { person, said } from "../staff/Clerks.ts"
import type { Headers } from "../staff/Marketing.ts"
import { ask, layer, program_id } from "../staff/Marketing.ts"

const counted = (user: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT coalesce(sum(points), 0)::int AS points, coalesce(sum(rewards), 0)::int AS rewards
        FROM given_days WHERE user_id = '${user}'`
    ),
    ([row]) => [row?.["points"], row?.["rewards"]]
  )

const become = (headers: Headers, campaign_id: string, status: string) =>
  Effect.asVoid(ask("POST", "/campaigns/status", headers, { campaign_id, status }))

const credits = (amount: number) => ({ action: { credit: { amount, reason: "bonus" } } })

/** An active campaign, for the members that rules choose. */
const activate = (headers: Headers, id: string, facts: object, rules?: object) =>
  Effect.gen(function* () {
    if (rules !== undefined) yield* ask("PUT", "/segments", headers, { segment_id: id, program_id, name: id, rules })
    const aimed = rules === undefined ? {} : { segment_id: id }
    const put = yield* ask("PUT", "/campaigns", headers, { campaign_id: id, program_id, name: id, ...aimed, ...facts })
    assert.strictEqual(put.status, 200, JSON.stringify(put.body))
    yield* become(headers, id, "active")
  })

const set = (headers: Headers, member_id: string, facts: object) =>
  said(ask("PUT", "/members", headers, { program_id, member_id, ...facts }))
const attribute = (name: string, equals: string | boolean) => ({ attribute: { name, equals } })

it.layer(layer, { excludeTestServices: true })("attributes that a person sets count", (it) => {
  it.effect("the gift of a campaign whose audience a guest newly comes into by them", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "abe"]) yield* enroll(member)
      const [olga, ana] = [yield* person("olga", "owner"), yield* person("ana", "support")]
      const refused = [403, "points_per_action", 1_000]
      yield* activate(olga, "rich", credits(30_000), { all: [attribute("vip", true), attribute("city", "Bern")] })
      // Not both are true yet.
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: { vip: true } }), [200])
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: { city: "Bern" } }), refused)
      assert.deepStrictEqual(yield* set(ana, "new", { attributes: { vip: true, city: "Bern" } }), refused)
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: { shoe: 42, city: "Ulm" } }), [200])
      const honest = { display_name: "Ada", email: "ada@example.com", birth_date: "1990-01-03" }
      for (const member of ["ada", "new"])
        assert.deepStrictEqual(yield* set(ana, member, { ...honest, consent: { marketing: true } }), [200])
      yield* become(olga, "rich", "paused")
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: { city: "Bern" } }), refused)
      // An owner has no limits, and who is in the audience comes into it by nothing.
      assert.deepStrictEqual(yield* set(olga, "ada", { attributes: { city: "Bern" } }), [200])
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: { city: "Bern", shoe: 43 } }), [200])
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: null }), [200])
      assert.deepStrictEqual(yield* counted("ana"), [0, 0])
      yield* become(olga, "rich", "archived")
      assert.deepStrictEqual(yield* set(ana, "ada", { attributes: { vip: true, city: "Bern" } }), [200])

      yield* activate(olga, "small", credits(40), { not: attribute("barred", true) })
      yield* activate(
        olga,
        "bowl",
        { reward_id: "free-bowl" },
        { any: [attribute("pet", "cat"), attribute("pet", "dog")] }
      )
      assert.deepStrictEqual(yield* set(ana, "abe", { attributes: { barred: true } }), [200])
      assert.deepStrictEqual(yield* counted("ana"), [0, 0])
      assert.deepStrictEqual(yield* set(ana, "abe", { attributes: { barred: null } }), [200])
      assert.deepStrictEqual(yield* set(ana, "abe", { attributes: { pet: "cat" } }), [200])
      assert.deepStrictEqual(yield* set(ana, "abe", { attributes: { pet: "dog" } }), [200])
      assert.deepStrictEqual(yield* counted("ana"), [40, 1])
      for (const id of ["small", "bowl"]) yield* become(olga, id, "archived")
    })
  )

  it.effect("where the audience has a list of members beside them", () =>
    Effect.gen(function* () {
      for (const member of ["sue", "sam"]) yield* enroll(member)
      const [olga, sid] = [yield* person("olga", "owner"), yield* person("sid", "support")]
      yield* ask("PUT", "/segments", olga, { segment_id: "list", program_id, name: "list", member_ids: ["sue"] })
      const listed = { in_segment: "list" }
      yield* activate(olga, "listed", credits(3_000), { all: [listed, attribute("sa", true)] })
      yield* activate(olga, "others", credits(4_000), { all: [{ not: listed }, attribute("sb", true)] })
      for (const name of ["sa", "sb"])
        assert.deepStrictEqual(yield* set(sid, "sue", { attributes: { [name]: true } }), [
          403,
          "points_per_action",
          1_000
        ])
      for (const id of ["listed", "others"]) yield* become(olga, id, "archived")
    })
  )

  it.effect("the gift to the member whom a guest newly names", () =>
    Effect.gen(function* () {
      for (const member of ["bea", "ben"]) yield* enroll(member)
      const [otto, ben] = [yield* person("otto", "owner"), yield* person("ben", "support")]
      const trigger = { on: "order.accrued", to: "referrer", where: { first_order: true } }
      yield* activate(otto, "friends", { ...credits(600), trigger, frequency: { times: 9, days: 30 } })
      const named = (member: string, referred_by: string | null) => set(ben, member, { attributes: { referred_by } })
      assert.deepStrictEqual(yield* named("bea", "ben"), [200])
      assert.deepStrictEqual(yield* named("bea", "ben"), [200])
      assert.deepStrictEqual(yield* named("bea", null), [200])
      assert.deepStrictEqual(yield* counted("ben"), [600, 0])
      yield* post("/staff/ben/limits", { points_per_day: 1_000, reason: "tested" })
      // A member may join by the name later, and be merged into one who was there before the guest.
      assert.deepStrictEqual(yield* named("bea", "nobody"), [403, "points_per_day", 400])
      assert.deepStrictEqual(yield* named("bob", "ben"), [403, "points_per_day", 400])
      // A guest who is new may come after the referrer does.
      assert.deepStrictEqual(yield* named("bob", "nobody"), [403, "points_per_day", 400])
      yield* become(otto, "friends", "archived")
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a guest to whom a campaign has given for good", (it) => {
  it.effect("counts nothing when she is brought in again, by an attribute or a tier", () =>
    Effect.gen(function* () {
      const members = ["fay", "flo", "fox"]
      for (const member of members) yield* enroll(member)
      const [olga, finn] = [yield* person("olga", "owner"), yield* person("finn", "support")]
      yield* activate(olga, "run", credits(30), attribute("vip", true))
      const segment_id = "run"
      yield* activate(olga, "ever", { ...credits(500), segment_id, trigger: { on: "order.accrued" } })
      yield* activate(olga, "each", { ...credits(7), segment_id, trigger: { on: "order.accrued", once: "event" } })
      yield* activate(olga, "risen", { ...credits(700), trigger: { on: "tier.changed", direction: "up" } })
      // Fay got what each of them gives, Flo is held out.
      yield* TestDatabase.query(`INSERT INTO campaign_events
          (campaign_id, event_id, account, occurred_at, due_at, action, receiver, outcome, at)
        SELECT c.campaign_id, c.campaign_id || a.member_id, a.number, 0, 0, c.action, a.number,
            CASE a.member_id WHEN 'fay' THEN 'issued' ELSE 'holdout' END, 0
          FROM campaigns c, accounts a WHERE c.campaign_id IN ('ever', 'each', 'risen') AND a.member_id IN ('fay', 'flo')`)
      yield* TestDatabase.query(`WITH made AS (INSERT INTO campaign_runs
            (run_id, campaign_id, scope, segment_id, action, started_by, started_at, completed_at)
          VALUES ('run-1', 'run', 1, 'run', '{}', 'olga', 0, 0) RETURNING n)
        INSERT INTO campaign_targets (run, account, scope, member_id, outcome, at)
          SELECT n, number, 1, member_id, CASE member_id WHEN 'fay' THEN 'issued' ELSE 'holdout' END, 0
            FROM made, accounts WHERE member_id IN ('fay', 'flo')`)
      for (const member of members) {
        assert.deepStrictEqual(yield* set(finn, member, { attributes: { vip: true } }), [200])
        const adjustment = { adjustment_id: `up-${member}`, amount: 600, classification: "gift", reason: "late order" }
        const path = `/members/${program_id}/${member}/adjustments`
        yield* post("/staff/finn/limits", { points_per_day: 5_000, points_per_action: 1_000, reason: "tested" })
        const adjusted = said(post(path, { ...adjustment, qualifies_for_tier: true }, finn))
        assert.deepStrictEqual(yield* adjusted, member === "fox" ? [403, "points_per_action", 1_000] : [201])
      }
      assert.deepStrictEqual(yield* counted("finn"), [2 * (7 + 600) + 30 + 500 + 7, 0])
      // Runs with keys give to everybody again.
      yield* TestDatabase.query(`INSERT INTO campaign_runs
          (run_id, campaign_id, run_key, scope, segment_id, action, started_by, started_at, completed_at)
        VALUES ('run-2', 'run', 'week-48', 2, 'run', '{}', 'olga', 0, 0)`)
      assert.deepStrictEqual(yield* set(finn, "fay", { attributes: { vip: null } }), [200])
      assert.deepStrictEqual(yield* set(finn, "fay", { attributes: { vip: true } }), [200])
      assert.deepStrictEqual(yield* counted("finn"), [2 * (7 + 600) + 30 + 500 + 7 + 30 + 7, 0])
      for (const id of ["run", "ever", "each", "risen"]) yield* become(olga, id, "archived")
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a campaign to referrers", (it) => {
  it.effect("counts for a guest who becomes one of its audience, though it has given for her own first order", () =>
    Effect.gen(function* () {
      for (const member of ["ora", "oda"]) yield* enroll(member)
      const [olga, orla] = [yield* person("olga", "owner"), yield* person("orla", "support")]
      const trigger = { on: "order.accrued", to: "referrer", where: { first_order: true } }
      const often = { frequency: { times: 50, days: 30 } }
      yield* activate(
        olga,
        "ambassadors",
        { ...credits(3_000), segment_id: "ambassadors", trigger, ...often },
        attribute("a", true)
      )
      yield* TestDatabase.query(`INSERT INTO campaign_events
          (campaign_id, event_id, account, occurred_at, due_at, action, receiver, outcome, at)
        SELECT 'ambassadors', 'first', friend.number, 0, 0, c.action, other.number, 'issued', 0
          FROM campaigns c, accounts friend, accounts other
          WHERE c.campaign_id = 'ambassadors' AND friend.member_id = 'ora' AND other.member_id = 'oda'`)
      assert.deepStrictEqual(yield* set(orla, "ora", { attributes: { a: true } }), [403, "points_per_action", 1_000])
      // She was referred already: nobody gets anything for her again.
      assert.deepStrictEqual(yield* set(orla, "ora", { attributes: { referred_by: "oda" } }), [200])
      assert.deepStrictEqual(yield* counted("orla"), [0, 0])
      yield* become(olga, "ambassadors", "archived")
    })
  )
})

it.layer(layer, { excludeTestServices: true })("events that a person records count", (it) => {
  it.effect("the gift of a campaign whose audience a guest may come into by them, and are in the audit", () =>
    Effect.gen(function* () {
      for (const member of ["flo", "fay", "fin"]) yield* enroll(member)
      const [olga, fred] = [yield* person("olga", "owner"), yield* person("fred", "manager")]
      yield* post("/staff/fred/limits", { points_per_action: 1_000, reason: "tested" })
      const walk = { event: { type: "walk", property: { name: "far", equals: true }, minimum_value: 100 } }
      yield* activate(olga, "walkers", credits(600), { all: [{ has: "email" }, walk] })
      yield* activate(olga, "resters", credits(2_000), { not: { event: { type: "run" } } })
      const far = { type: "walk", properties: { far: true }, value_minor_units: 100 }
      const event = (key: string, member_id: string, facts: object = far) => ({
        ...{ program_id, idempotency_key: `event-of-a-guest-${key}`, member_id, ...facts }
      })
      const record = (...of: Parameters<typeof event>) => said(ask("POST", "/events", fred, event(...of)))
      const others = [
        { ...far, type: "swim" },
        { ...far, type: "run" },
        { ...far, value_minor_units: 99 },
        { ...far, currency: "EUR" },
        { type: "walk", value_minor_units: 100 }
      ]
      for (const [n, facts] of others.entries())
        assert.deepStrictEqual(yield* record(`other-${n}`, "flo", facts), [201], JSON.stringify(facts))
      assert.deepStrictEqual(yield* counted("fred"), [0, 0])
      for (const status of [201, 200]) assert.deepStrictEqual(yield* record("1", "flo"), [status])
      assert.deepStrictEqual(yield* counted("fred"), [600, 0], "a replay counts once")
      const batch = (...events: ReadonlyArray<object>) => said(ask("POST", "/events/batch", fred, { events }))
      const both = batch(event("2", "fay"), event("3", "fin"))
      assert.deepStrictEqual(yield* both, [403, "points_per_action", 1_000])
      assert.deepStrictEqual(yield* batch(event("4", "fay"), event("5", "fay")), [200])
      assert.deepStrictEqual(yield* counted("fred"), [1_200, 0], "a guest counts once")
      // A guest who contains one to whom the campaign has given for good gets nothing more of it.
      for (const member of ["fee", "few"]) yield* enroll(member)
      yield* TestDatabase.query(`WITH made AS (INSERT INTO campaign_runs
            (run_id, campaign_id, scope, segment_id, action, started_by, started_at, completed_at)
          VALUES ('walked', 'walkers', 1, 'walkers', '{}', 'olga', 0, 0) RETURNING n)
        INSERT INTO campaign_targets (run, account, scope, member_id, outcome, at)
          SELECT n, number, 1, member_id, 'issued', 0 FROM made, accounts WHERE member_id = 'few'`)
      yield* post(`/members/${program_id}/merge`, { from: "few", into: "fee", reason: "twice" }, olga)
      assert.deepStrictEqual(yield* record("6", "fee"), [201])
      assert.deepStrictEqual(yield* counted("fred"), [1_200, 0])
      yield* become(olga, "walkers", "archived")
      assert.deepStrictEqual(yield* both, [200])
      assert.deepStrictEqual(yield* counted("fred"), [1_200, 0])
      const told = yield* TestDatabase.query(
        `SELECT subject_id, count(*)::int AS events FROM audit WHERE action = 'event.record' AND actor_name = 'fred'
          AND changes::json -> 'after' ->> 'event_id' IS NOT NULL GROUP BY 1 ORDER BY 1`
      )
      assert.deepStrictEqual(told, [
        { subject_id: "fay", events: 3 },
        { subject_id: "fee", events: 1 },
        { subject_id: "fin", events: 1 },
        { subject_id: "flo", events: 6 }
      ])
      yield* become(olga, "resters", "archived")
    })
  )

  it.effect("and an event with the key of an earlier one and other facts is another command", () =>
    Effect.gen(function* () {
      const [olga, fritz] = [yield* person("olga", "owner"), yield* person("fritz", "manager")]
      yield* post("/staff/fritz/limits", { points_per_action: 1_000, reason: "tested" })
      const idempotency_key = "event-of-two-guests"
      const record = (member_id: string, type: string) =>
        said(ask("POST", "/events", fritz, { program_id, idempotency_key, member_id, type }))
      yield* activate(olga, "cheap", credits(1), { event: { type: "cheap" } })
      yield* activate(olga, "dear", credits(3_000), { event: { type: "dear" } })
      for (const member of ["foy", "fun"]) yield* enroll(member)
      assert.deepStrictEqual(yield* record("foy", "cheap"), [201])
      yield* TestDatabase.query("DELETE FROM behaviour WHERE member_id = 'foy'")
      for (const member of ["foy", "fun"])
        assert.deepStrictEqual(yield* record(member, "dear"), [403, "points_per_action", 1_000])
      assert.deepStrictEqual(yield* record("fun", "cheap"), [201])
      assert.deepStrictEqual(yield* counted("fritz"), [2, 0])
      for (const id of ["cheap", "dear"]) yield* become(olga, id, "archived")
    })
  )
})

it.layer(layer, { excludeTestServices: true })("an import counts", (it) => {
  it.effect("the gift of campaigns for each guest because of it, before it runs", () =>
    Effect.gen(function* () {
      for (const member of ["cem", "cia"]) yield* enroll(member)
      const [olga, mia] = [yield* person("olga", "owner"), yield* person("mia", "manager")]
      yield* activate(olga, "hello", { ...credits(100), trigger: { on: "member.enrolled", include_imports: true } })
      yield* activate(olga, "vips", credits(1_000), attribute("vip", true))
      const sent = (rows: ReadonlyArray<object>, more: object) =>
        ask("POST", "/imports/members", mia, { program_id, rows, ...more })
      const many = Array.from({ length: 501 }, (_, n) => ({ external_id: `many-${n}` }))
      for (const more of [{ dry_run: true }, { idempotency_key: "many-guests" }])
        assert.deepStrictEqual(yield* said(sent(many, more)), [403, "points_per_action", 50_000])
      const rows = [
        { external_id: "cat" },
        { external_id: "cat", attributes: { vip: true } },
        { external_id: "cat", attributes: { vip: true, shoe: 42 } },
        { member_id: "cem", attributes: { vip: true } },
        { member_id: "cia", display_name: "Cia", attributes: { shoe: 42 } }
      ]
      const { body } = yield* sent(rows, { dry_run: true })
      const { warnings } = body["import"] as { readonly warnings: ReadonlyArray<{ readonly detail: string }> }
      assert.include(
        warnings.map(({ detail }) => detail),
        "Because of them campaigns may give 2100 points and 0 rewards, which count for you."
      )
      assert.deepStrictEqual(yield* counted("mia"), [0, 0])
      for (const idempotency_key of ["five-rows-1", "five-rows-1", "five-rows-2"])
        assert.deepStrictEqual(yield* said(sent(rows, { idempotency_key })), [201])
      assert.deepStrictEqual(yield* counted("mia"), [2_100, 0], "whom it finds as it leaves them counts nothing")
      for (const id of ["hello", "vips"]) yield* become(olga, id, "archived")
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a tier that a person raises counts", (it) => {
  it.effect("the gift of automations for it, by an adjustment and by a merge", () =>
    Effect.gen(function* () {
      for (const member of ["dee", "don", "dot"]) yield* enroll(member)
      const [olga, dora] = [yield* person("olga", "owner"), yield* person("dora", "support")]
      const trigger = { on: "tier.changed", direction: "up", once: "event" }
      yield* activate(olga, "risen", { ...credits(700), trigger })
      yield* activate(olga, "fallen", { ...credits(9_000), trigger: { ...trigger, direction: "down" } })
      const adjust = (adjustment_id: string, amount: number, qualifies_for_tier: boolean, more: object = {}) =>
        said(
          post(
            `/members/${program_id}/dee/adjustments`,
            { adjustment_id, amount, classification: "gift", reason: "late order", qualifies_for_tier, ...more },
            dora
          )
        )
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* adjust("d-1", 600, true, more), [403, "points_per_action", 1_000])
      assert.deepStrictEqual(yield* adjust("d-2", 600, false), [201])
      assert.deepStrictEqual(yield* adjust("d-3", 400, true), [201])
      assert.deepStrictEqual(yield* counted("dora"), [1_000, 0])
      assert.deepStrictEqual(yield* adjust("d-4", 200, true), [201])
      assert.deepStrictEqual(yield* adjust("d-4", 200, true), [200])
      assert.deepStrictEqual(yield* counted("dora"), [1_900, 0])

      for (const member of ["don", "dot"]) yield* earn(member, `${member}-1`, 3_000)
      const max = yield* person("max", "manager")
      const merge = (more: object) =>
        said(post(`/members/${program_id}/merge`, { from: "don", into: "dot", reason: "twice", ...more }, max))
      yield* post("/staff/max/limits", { points_per_action: 999, reason: "tested" })
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* merge(more), [403, "points_per_action", 999])
      yield* post("/staff/max/limits", { points_per_action: 1_000, reason: "tested" })
      assert.deepStrictEqual(yield* merge({}), [200])
      assert.deepStrictEqual(yield* counted("max"), [1_000, 0])
      for (const id of ["risen", "fallen"]) yield* become(olga, id, "archived")
    })
  )

  it.effect("the gift of automations for points that expire on a date of her own", () =>
    Effect.gen(function* () {
      yield* enroll("gil")
      const [olga, gus] = [yield* person("olga", "owner"), yield* person("gus", "support")]
      yield* activate(olga, "hurry", { ...credits(999), trigger: { on: "points.expiring" } })
      const inDays = (days: number) => ({ expires_at: new Date(Date.now() + days * 86_400_000).toISOString() })
      const adjust = (adjustment_id: string, amount: number, more: object = {}) =>
        said(
          post(
            `/members/${program_id}/gil/adjustments`,
            { adjustment_id, amount, classification: "gift", reason: "late", qualifies_for_tier: false, ...more },
            gus
          )
        )
      assert.deepStrictEqual(yield* adjust("g-1", 2), [201])
      // No warning of it is still to come.
      assert.deepStrictEqual(yield* adjust("g-2", 2, inDays(6)), [201])
      assert.deepStrictEqual(yield* counted("gus"), [4, 0])
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* adjust("g-3", 2, { ...inDays(9), ...more }), [403, "points_per_action", 1_000])
      assert.deepStrictEqual(yield* adjust("g-4", 1, inDays(9)), [201])
      assert.deepStrictEqual(yield* counted("gus"), [1_004, 0])
      yield* become(olga, "hurry", "archived")
    })
  )

  it.effect("a merge counts what campaigns give for attributes that the member gets by it", () =>
    Effect.gen(function* () {
      for (const member of ["eva", "eno"]) yield* enroll(member)
      const [olga, emma] = [yield* person("olga", "owner"), yield* person("emma", "manager")]
      yield* activate(olga, "vip", credits(60_000), attribute("vip", true))
      assert.deepStrictEqual(yield* set(olga, "eva", { attributes: { vip: true } }), [200])
      const merge = said(post(`/members/${program_id}/merge`, { from: "eva", into: "eno", reason: "twice" }, emma))
      assert.deepStrictEqual(yield* merge, [403, "points_per_action", 50_000])
      yield* become(olga, "vip", "archived")
      assert.deepStrictEqual(yield* merge, [200])
    })
  )
})

const { tier_policy: _, ...file } = Testing.demoProgram.file
const lifelong = Testing.programOf({
  ...file,
  tiers: file.tiers.map((tier) => ({ ...tier, qualification_metric_id: "lifetime-earned" }))
})
const ofLifelong = TestServer.layer(PgJournal.layer, [], undefined, [lifelong], Pools.layer)

it.layer(Layer.orDie(Layer.provideMerge(ofLifelong, TestDatabase.layer)), { excludeTestServices: true })(
  "where all that is earned counts for tiers",
  (it) => {
    it.effect("opening balances and adjustments count the gift of automations for the tier", () =>
      Effect.gen(function* () {
        for (const member of ["hal", "hex"]) yield* enroll(member)
        yield* credit("hal", 400)
        const [olga, max] = [yield* person("olga", "owner"), yield* person("max", "manager")]
        yield* activate(olga, "risen", { ...credits(20_000), trigger: { on: "tier.changed", direction: "up" } })
        yield* activate(olga, "fallen", { ...credits(90_000), trigger: { on: "tier.changed", direction: "down" } })
        const sent = (idempotency_key: string, rows: ReadonlyArray<object>, dry_run = false) =>
          said(
            ask("POST", "/imports/members", max, { program_id, rows, ...(dry_run ? { dry_run } : { idempotency_key }) })
          )
        const rows = [
          { member_id: "new-1", opening_balance: 500 },
          { member_id: "hal", opening_balance: 100 },
          { member_id: "hex", opening_balance: 499 }
        ]
        const beyond = [...rows, { member_id: "new-2", opening_balance: 9_000 }]
        assert.deepStrictEqual(yield* sent("four-guests", beyond, true), [403, "points_per_action", 50_000])
        assert.deepStrictEqual(yield* sent("four-guests", beyond), [403, "points_per_action", 50_000])
        for (const key of ["three-guests-1", "three-guests-1"]) assert.deepStrictEqual(yield* sent(key, rows), [201])
        assert.deepStrictEqual(yield* counted("max"), [41_099, 0])
        const facts = { amount: 1, classification: "gift", reason: "late", qualifies_for_tier: false }
        const adjusted = post(`/members/${program_id}/hex/adjustments`, { adjustment_id: "h-1", ...facts }, max)
        assert.deepStrictEqual(yield* said(adjusted), [201])
        assert.deepStrictEqual(yield* counted("max"), [61_100, 0])
      })
    )
  }
)
