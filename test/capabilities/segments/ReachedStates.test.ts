/**
 * contract/operators.md *Limits*: a guest whose tier or points a person changes counts as one whose attributes she
 * sets: the gift of each campaign into whose audience the guest newly comes by it.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { post } from "../operators/Operators.ts"
import { person, said } from "../staff/Clerks.ts"
import type { Headers } from "../staff/Marketing.ts"
import { ask, layer, program_id } from "../staff/Marketing.ts"

const counted = (user: string) =>
  Effect.map(
    TestDatabase.query(`SELECT coalesce(sum(points), 0)::int AS points FROM given_days WHERE user_id = '${user}'`),
    ([row]) => row?.["points"]
  )
const become = (headers: Headers, campaign_id: string, status: string) =>
  Effect.asVoid(ask("POST", "/campaigns/status", headers, { campaign_id, status }))
const credits = (amount: number) => ({ action: { credit: { amount, reason: "bonus" } } })

/** An active campaign, for the members that rules choose. */
const activate = (headers: Headers, id: string, facts: object, rules: object) =>
  Effect.gen(function* () {
    yield* ask("PUT", "/segments", headers, { segment_id: id, program_id, name: id, rules })
    const put = { campaign_id: id, program_id, name: id, segment_id: id, ...facts }
    assert.deepStrictEqual(yield* said(ask("PUT", "/campaigns", headers, put)), [200])
    yield* become(headers, id, "active")
  })

const adjust = (headers: Headers, member: string, id: string, amount: number, more: object = {}) =>
  said(
    post(
      `/members/${program_id}/${member}/adjustments`,
      {
        ...{ adjustment_id: `${member}-${id}`, amount, reason: "late order", qualifies_for_tier: false },
        ...{ classification: amount < 0 ? "correction" : "gift", ...more }
      },
      headers
    )
  )
const qualifies = { qualifies_for_tier: true }
const refused = [403, "points_per_action", 1_000]

it.layer(layer, { excludeTestServices: true })("an adjustment counts the gift of a campaign", (it) => {
  it.effect("into whose audience it brings a guest by the tier, once, also where the tier itself triggers it", () =>
    Effect.gen(function* () {
      for (const member of ["ada", "abe", "amy"]) yield* enroll(member)
      const [olga, ana] = [yield* person("olga", "owner"), yield* person("ana", "support")]
      const tier = { tier: ["regular", "vip"] }
      yield* activate(olga, "rich", { ...credits(7_000), trigger: { on: "order.accrued" } }, tier)
      assert.deepStrictEqual(yield* adjust(ana, "ada", "1", 499, qualifies), [201])
      assert.deepStrictEqual(yield* adjust(ana, "abe", "1", 500), [201], "of points that count for no tier")
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* adjust(ana, "ada", "2", 1, { ...qualifies, ...more }), refused)
      assert.strictEqual(yield* counted("ana"), 999)
      yield* become(olga, "rich", "archived")
      yield* activate(olga, "risen", { ...credits(30), trigger: { on: "tier.changed", direction: "up" } }, tier)
      assert.deepStrictEqual(yield* adjust(ana, "ada", "3", 1, qualifies), [201])
      assert.deepStrictEqual(yield* adjust(ana, "ada", "4", 1, qualifies), [201])
      assert.strictEqual(yield* counted("ana"), 999 + 1 + 30 + 1)
      yield* become(olga, "risen", "archived")
      // Nobody newly comes from the one tier into the other.
      yield* activate(olga, "any", credits(7_000), { not: { tier: ["starter"] } })
      assert.deepStrictEqual(yield* adjust(ana, "ada", "5", 2, qualifies), [201])
      assert.deepStrictEqual(yield* adjust(ana, "amy", "1", 500, qualifies), refused)
      yield* become(olga, "any", "archived")
    })
  )

  it.effect("into whose audience it brings a guest by the points, given or taken", () =>
    Effect.gen(function* () {
      yield* enroll("bea")
      const [olga, ben] = [yield* person("olga", "owner"), yield* person("ben", "support")]
      yield* activate(olga, "full", credits(40), { balance: { at_least: 500 } })
      yield* activate(olga, "none", credits(30), { all: [{ balance: { at_most: 0 } }, { status: ["active"] }] })
      yield* activate(olga, "soon", credits(2), { expiring: { amount: 10, within_days: 30 } })
      yield* activate(olga, "vips", credits(9_000), { all: [{ balance: { at_least: 500 } }, { tier: ["vip"] }] })
      const steps = [
        [450, {}, 450],
        [50, {}, 50 + 40],
        [100, {}, 100],
        [-600, {}, 600 + 30],
        [9, { expires_at: new Date(Date.now() + 20 * 86_400_000).toISOString() }, 9],
        [1, { expires_at: new Date(Date.now() + 20 * 86_400_000).toISOString() }, 1 + 2]
      ] as const
      let all = 0
      for (const [n, [amount, more, counts]] of steps.entries()) {
        assert.deepStrictEqual(yield* adjust(ben, "bea", String(n), amount, more), [201], String(n))
        all += counts
        assert.strictEqual(yield* counted("ben"), all, String(n))
      }
      for (const id of ["full", "none", "soon", "vips"]) yield* become(olga, id, "archived")
    })
  )

  it.effect("and of two at once, which together bring a guest in, counts it once", () =>
    Effect.gen(function* () {
      const [olga, cem] = [yield* person("olga", "owner"), yield* person("cem", "manager")]
      yield* activate(olga, "pair", credits(70), { balance: { at_least: 500 } })
      const members = Array.from({ length: 6 }, (_, n) => `cy-${n}`)
      for (const member of members) {
        yield* enroll(member)
        const both = [adjust(cem, member, "1", 300), adjust(cem, member, "2", 300)]
        assert.deepStrictEqual(yield* Effect.all(both, { concurrency: "unbounded" }), [[201], [201]])
      }
      assert.strictEqual(yield* counted("cem"), members.length * (600 + 70))
      yield* become(olga, "pair", "archived")
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a merge and an opening balance count the gift of a campaign", (it) => {
  it.effect("into whose audience they bring a guest by the points or the tier", () =>
    Effect.gen(function* () {
      for (const member of ["dan", "dee", "dot"]) yield* enroll(member)
      for (const member of ["dan", "dee"]) yield* earn(member, `${member}-1`, 3_000)
      const [olga, max] = [yield* person("olga", "owner"), yield* person("max", "manager")]
      yield* activate(olga, "tiered", credits(700), { tier: ["regular", "vip"] })
      const merge = (more: object = {}) =>
        said(post(`/members/${program_id}/merge`, { from: "dan", into: "dee", reason: "twice", ...more }, max))
      yield* post("/staff/max/limits", { points_per_action: 999, reason: "tested" })
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* merge(more), [403, "points_per_action", 999])
      yield* post("/staff/max/limits", { points_per_action: 5_000, reason: "tested" })
      assert.deepStrictEqual(yield* merge(), [200])
      assert.strictEqual(yield* counted("max"), 300 + 700)
      yield* become(olga, "tiered", "archived")

      yield* activate(olga, "rich", credits(4_000), { balance: { at_least: 500 } })
      const sent = (idempotency_key: string, rows: ReadonlyArray<object>, more: object = {}) =>
        ask("POST", "/imports/members", max, { program_id, rows, idempotency_key, ...more })
      const row = { member_id: "dot", opening_balance: 500 }
      assert.deepStrictEqual(yield* said(sent("one-row-of-dot", [row])), [201])
      assert.strictEqual(yield* counted("max"), 1_000 + 500 + 4_000)
      // A guest whom the row enrols counts as the row runs.
      yield* post("/staff/max/limits", { points_per_day: 6_000, reason: "tested" })
      const { body } = yield* sent("one-row-of-new", [{ member_id: "dora", opening_balance: 500 }])
      const { errors } = body["import"] as { readonly errors: ReadonlyArray<Readonly<Record<string, unknown>>> }
      assert.deepStrictEqual(
        errors.map(({ code, path }) => [code, path]),
        [["limit_exceeded", "/opening_balance"]]
      )
      yield* become(olga, "rich", "archived")
    })
  )

  it.effect("and a row that finds its guest by identity alone counts no enrolment", () =>
    Effect.gen(function* () {
      yield* enroll("eve")
      const [olga, mia] = [yield* person("olga", "owner"), yield* person("mia", "manager")]
      const trigger = { on: "member.enrolled", include_imports: true }
      yield* activate(olga, "hello", { ...credits(900), trigger }, { status: ["active"] })
      yield* post("/staff/mia/limits", { points_per_day: 500, reason: "tested" })
      const identity = (name: string) => ({ type: "loyalty_id", value: `card-${name}`, issuer: "x" })
      const rows = [{ identity: identity("eve"), display_name: "Eve" }]
      const sent = (more: object) => ask("POST", "/imports/members", mia, { program_id, rows, ...more })
      const { body } = yield* sent({ idempotency_key: "row-by-identity" })
      assert.deepInclude(body["import"], { updated: 1, failed: 0 })
      assert.deepStrictEqual(
        yield* said(sent({ rows: [{ identity: identity("new") }], idempotency_key: "row-of-a-new-one" })),
        [403, "points_per_day", 500]
      )
      yield* become(olga, "hello", "archived")
    })
  )
})
