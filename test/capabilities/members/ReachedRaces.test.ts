/**
 * contract/operators.md *Limits*: requests at once cause nothing that is not counted. Each of two alone would cause nothing;
 * one of them counts what both cause.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
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

const credits = (amount: number) => ({ action: { credit: { amount, reason: "bonus" } } })

const activate = (headers: Headers, id: string, facts: object) =>
  Effect.gen(function* () {
    const put = yield* ask("PUT", "/campaigns", headers, { campaign_id: id, program_id, name: id, ...facts })
    assert.strictEqual(put.status, 200, JSON.stringify(put.body))
    yield* ask("POST", "/campaigns/status", headers, { campaign_id: id, status: "active" })
  })

/** A campaign for guests with both attributes. */
const forBoth = (headers: Headers, id: string, amount: number) =>
  Effect.gen(function* () {
    const attribute = (name: string) => ({ attribute: { name, equals: true } })
    const rules = { all: [attribute("x"), attribute("y")] }
    yield* ask("PUT", "/segments", headers, { segment_id: id, program_id, name: id, rules })
    yield* activate(headers, id, { ...credits(amount), segment_id: id })
  })

const set = (headers: Headers, member_id: string, attributes: object) =>
  said(ask("PUT", "/members", headers, { program_id, member_id, attributes }))

/** A pair may come one after the other by chance; several do not. */
const pairs = 6
const members = (name: string) => Array.from({ length: pairs }, (_, n) => `${name}-${n}`)
const atOnce = { concurrency: "unbounded" } as const

it.layer(layer, { excludeTestServices: true })("requests at once", (it) => {
  it.effect("two adjustments that together reach a tier count the automation's gift once", () =>
    Effect.gen(function* () {
      const [olga, ana] = [yield* person("olga", "owner"), yield* person("ana", "support")]
      yield* post("/staff/limits", {
        role: "support",
        points_per_action: 1_000,
        points_per_day: 50_000,
        reason: "test"
      })
      yield* activate(olga, "risen", { ...credits(700), trigger: { on: "tier.changed", direction: "up" } })
      const adjust = (member: string, n: number) =>
        said(
          post(
            `/members/${program_id}/${member}/adjustments`,
            {
              adjustment_id: `${member}-${n}`,
              amount: 300,
              classification: "gift",
              reason: "late order",
              qualifies_for_tier: true
            },
            ana
          )
        )
      for (const member of members("ada")) {
        yield* enroll(member)
        assert.deepStrictEqual(yield* Effect.all([adjust(member, 1), adjust(member, 2)], atOnce), [[201], [201]])
      }
      assert.strictEqual(yield* counted("ana"), pairs * (2 * 300 + 700))
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "risen", status: "archived" })
    })
  )

  it.effect("two attributes that together bring a guest into an audience count once", () =>
    Effect.gen(function* () {
      const [olga, bea] = [yield* person("olga", "owner"), yield* person("bea", "support")]
      yield* forBoth(olga, "both", 40)
      for (const member of members("bo")) {
        yield* enroll(member)
        yield* Effect.all([set(bea, member, { x: true }), set(bea, member, { y: true })], atOnce)
      }
      // Guests whom both requests would enrol.
      for (const member of members("bob"))
        yield* Effect.all([set(bea, member, { x: true }), set(bea, member, { y: true })], atOnce)
      assert.strictEqual(yield* counted("bea"), 2 * pairs * 40)
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "both", status: "archived" })
    })
  )

  it.effect("a row of an import and a request that together bring a guest into an audience count once", () =>
    Effect.gen(function* () {
      const [olga, cem] = [yield* person("olga", "owner"), yield* person("cem", "manager")]
      yield* forBoth(olga, "imported", 50)
      const rows = members("cia").map((member_id) => ({ member_id, attributes: { x: true } }))
      for (const { member_id } of rows) yield* enroll(member_id)
      const imported = said(
        ask("POST", "/imports/members", cem, { program_id, rows, idempotency_key: "import-and-request" })
      )
      const all = rows.map(({ member_id }) => set(cem, member_id, { y: true }))
      yield* Effect.all([imported, ...all], atOnce)
      assert.strictEqual(yield* counted("cem"), pairs * 50)
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "imported", status: "archived" })
    })
  )

  it.effect("two merges that together bring a guest into an audience count once", () =>
    Effect.gen(function* () {
      const [olga, dan] = [yield* person("olga", "owner"), yield* person("dan", "manager")]
      yield* forBoth(olga, "merged", 60)
      const merge = (from: string, into: string) =>
        said(post(`/members/${program_id}/merge`, { from, into, reason: "twice" }, dan))
      for (const member of members("dot")) {
        const [one, other] = [`${member}-x`, `${member}-y`]
        for (const each of [member, one, other]) yield* enroll(each)
        yield* set(olga, one, { x: true })
        yield* set(olga, other, { y: true })
        assert.deepStrictEqual(yield* Effect.all([merge(one, member), merge(other, member)], atOnce), [[200], [200]])
      }
      assert.strictEqual(yield* counted("dan"), pairs * 60)
    })
  )

  it.effect("an attribute that no audience reads is set beside any changes of its guest", () =>
    Effect.gen(function* () {
      const [olga, eli] = [yield* person("olga", "owner"), yield* person("eli", "support")]
      yield* forBoth(olga, "unread", 70)
      yield* enroll("eve")
      const named = (n: number) =>
        said(ask("PUT", "/members", olga, { program_id, member_id: "eve", display_name: `Eve ${n}` }))
      const numbers = Array.from({ length: 60 }, (_, n) => n)
      const notes = Effect.forEach(numbers.slice(0, 8), (note) => set(eli, "eve", { note }))
      const [told] = yield* Effect.all([notes, Effect.forEach(numbers, named, { concurrency: 6 })], atOnce)
      assert.deepStrictEqual(
        told,
        numbers.slice(0, 8).map(() => [200])
      )
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "unread", status: "archived" })
    })
  )
})
