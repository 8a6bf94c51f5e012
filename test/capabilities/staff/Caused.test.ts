/**
 * contract/operators.md *Limits*: they bind what people cause, by whichever request: stamp cards that a gift fills, what
 * is taken away, memberships that end, merges, campaigns, imports, moved orders.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import { serviceNow } from "../../../src/base/time/Times.ts"
import { said as sentence } from "../../../src/contract/Said.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { post } from "../operators/Operators.ts"
import { person, said } from "./Clerks.ts"
import { coffee } from "./Coffee.ts"

const stamps = coffee(10)

const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))
const service = TestServer.layer(memory, [], undefined, [Testing.demoProgram, stamps], Pools.layer)
const layer = Layer.orDie(Layer.provideMerge(service, TestDatabase.layer))

type Headers = Record<string, string>

const demo = Testing.demoProgram.id
const engagement = (path: string, body: object, headers: Headers, method = "POST") =>
  TestServer.send(`/platform/v1${path}`, body, { method, headers })
const adjust = (
  headers: Headers,
  member: string,
  id: string,
  amount: number,
  program: string = demo,
  more: object = {}
) =>
  post(
    `/members/${program}/${member}/adjustments`,
    {
      adjustment_id: id,
      amount,
      classification: amount < 0 ? "correction" : "gift",
      reason: "late order",
      qualifies_for_tier: false,
      ...more
    },
    headers
  )
const enrollWithCard = (member: string) =>
  Testing.call("member.enroll", {
    context: Testing.context(),
    program_id: stamps.id,
    member_id: member,
    identity: { type: "external", value: member }
  })

const counted = (user: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT sum(points)::int AS points, sum(rewards)::int AS rewards, sum(moves)::int AS moves
        FROM given_days WHERE user_id = '${user}'`
    ),
    ([row]) => [row?.["points"], row?.["rewards"], row?.["moves"]]
  )

it.layer(layer)("limits bind", (it) => {
  it.effect("the rewards of stamp cards that a gift fills, before it is given", () =>
    Effect.gen(function* () {
      yield* enrollWithCard("ada")
      const ana = yield* person("ana", "support")
      // 95 stamps fill nine cards.
      assert.deepStrictEqual(yield* said(adjust(ana, "ada", "a-1", 95, stamps.id)), [201])
      assert.deepStrictEqual(yield* counted("ana"), [95, 9, 0])
      // 5 more fill the tenth, 15 more two.
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(adjust(ana, "ada", "a-2", 15, stamps.id, more)), [403, "rewards_per_day", 1])
      assert.deepStrictEqual(yield* said(adjust(ana, "ada", "a-3", 5, stamps.id)), [201])
      assert.deepStrictEqual(yield* said(adjust(ana, "ada", "a-3", 5, stamps.id)), [200])
      assert.deepStrictEqual(yield* counted("ana"), [100, 10, 0])
      assert.deepStrictEqual(yield* said(adjust(ana, "ada", "a-4", 10, stamps.id)), [403, "rewards_per_day", 0])
      assert.deepStrictEqual(yield* said(adjust(ana, "ada", "a-5", 9, stamps.id)), [201])
    })
  )

  it.effect("gifts at once that fill cards: never more rewards than are left", () =>
    Effect.gen(function* () {
      const bea = yield* person("bea", "support")
      for (let n = 0; n < 8; n++) yield* enrollWithCard(`b${n}`)
      const all = yield* Effect.all(
        Array.from({ length: 8 }, (_, n) => said(adjust(bea, `b${n % 4}`, `b-${n}`, 25, stamps.id))),
        { concurrency: "unbounded" }
      )
      const [, rewards = 0] = yield* counted("bea")
      const issued = yield* Effect.forEach([0, 1, 2, 3], (n) =>
        Effect.map(
          Testing.call("issued_reward.list", { context: Testing.context(), program_id: stamps.id, member_id: `b${n}` }),
          (handled) => {
            if (handled._tag !== "Answer") throw new Error("the rewards are listed")
            return (handled.body as unknown as { readonly issued_rewards: ReadonlyArray<object> }).issued_rewards.length
          }
        )
      )
      const total = issued.reduce((sum, one) => sum + one, 0)
      assert.strictEqual(total, rewards, JSON.stringify(all))
      assert.isAtMost(total, 10)
    })
  )

  it.effect("what is taken away", () =>
    Effect.gen(function* () {
      yield* enroll("cem")
      yield* credit("cem", 9_000)
      const cleo = yield* person("cleo", "support")
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(adjust(cleo, "cem", "c-1", -1_001, demo, more)), [
          403,
          "points_per_action",
          1_000
        ])
      assert.deepStrictEqual(yield* said(adjust(cleo, "cem", "c-1", -1_000)), [201])
      assert.deepStrictEqual(yield* counted("cleo"), [1_000, 0, 0])
      const cancel = (id: string, headers: Headers) =>
        post(`/members/${demo}/cem/rewards/${id}/cancel`, { reason: "mistake" }, headers)
      for (let n = 0; n < 11; n++)
        yield* post(`/members/${demo}/cem/rewards`, { issued_reward_id: `cem-${n}`, reward_id: "free-bowl" })
      for (let n = 0; n < 10; n++) assert.deepStrictEqual(yield* said(cancel(`cem-${n}`, cleo)), [200])
      assert.deepStrictEqual(yield* said(cancel("cem-0", cleo)), [200])
      assert.deepStrictEqual(yield* said(cancel("cem-10", cleo)), [403, "rewards_per_day", 0])
    })
  )

  it.effect("the balance that ends with a membership", () =>
    Effect.gen(function* () {
      for (const member of ["dee", "don", "dot"]) yield* enroll(member)
      yield* credit("dee", 1_001)
      yield* credit("don", 900)
      yield* credit("dot", 60_000)
      const dora = yield* person("dora", "support")
      const close = (member: string) =>
        post(`/members/${demo}/${member}/status`, { status: "closed", reason: "asked" }, dora)
      assert.deepStrictEqual(yield* said(close("dee")), [403, "points_per_action", 1_000])
      assert.deepStrictEqual(yield* said(close("don")), [200])
      assert.deepStrictEqual(yield* said(close("don")), [200])
      assert.deepStrictEqual(yield* counted("dora"), [900, 0, 0])
      const boss = yield* person("dag", "manager")
      const erased = engagement(`/members/erase`, { program_id: demo, member_id: "dot", reason: "asked" }, boss)
      assert.deepStrictEqual(yield* said(erased), [403, "points_per_action", 50_000])
    })
  )

  it.effect("the unused rewards that end with a membership, or go with a merge", () =>
    Effect.gen(function* () {
      const wallets = { wes: 11, wyn: 2, wim: 1, wed: 0 }
      for (const [member, rewards] of Object.entries(wallets)) {
        yield* enroll(member)
        for (let n = 0; n < rewards; n++)
          yield* post(`/members/${demo}/${member}/rewards`, {
            issued_reward_id: `${member}-${n}`,
            reward_id: "free-bowl"
          })
      }
      const [wanda, walt] = [yield* person("wanda", "support"), yield* person("walt", "manager")]
      yield* post("/staff/walt/limits", { rewards_per_day: 10, reason: "tested" })
      const close = (member: string) =>
        post(`/members/${demo}/${member}/status`, { status: "closed", reason: "asked" }, wanda)
      const erase = engagement("/members/erase", { program_id: demo, member_id: "wes", reason: "asked" }, walt)
      const merge = (from: string, more: object = {}) =>
        post(`/members/${demo}/merge`, { from, into: "wed", reason: "twice", ...more }, walt)
      const refused = [403, "rewards_per_day", 10]
      for (const all of [close("wes"), erase, merge("wes", { dry_run: true }), merge("wes")])
        assert.deepStrictEqual(yield* said(all), refused)
      assert.deepStrictEqual(yield* said(close("wim")), [200])
      assert.deepStrictEqual(yield* counted("wanda"), [0, 1, 0])
      assert.deepStrictEqual(yield* said(merge("wyn")), [200])
      assert.deepStrictEqual(yield* counted("walt"), [0, 2, 0])
    })
  )

  it.effect("no command with a blank reason: it is refused as one without", () =>
    Effect.gen(function* () {
      yield* enroll("noa")
      const olga = yield* person("olga", "owner")
      const blank = { reason: " \t " }
      const asked = {
        adjustment: adjust(olga, "noa", "n-1", 5, demo, blank),
        reward: post(`/members/${demo}/noa/rewards`, { issued_reward_id: "n", reward_id: "free-bowl", ...blank }, olga),
        status: post(`/members/${demo}/noa/status`, { status: "suspended", ...blank }, olga),
        limits: post("/staff/limits", { role: "support", ...blank }, olga),
        retirement: post(`/programs/${demo}/retire`, blank, olga),
        erasure: engagement("/members/erase", { program_id: demo, member_id: "noa", ...blank }, olga)
      }
      for (const [name, one] of Object.entries(asked)) {
        const { body, status } = yield* one
        const [fault] = (body["errors"] ?? []) as ReadonlyArray<{ readonly path: string }>
        assert.deepStrictEqual([status, fault?.path], [422, "/reason"], name)
      }
    })
  )

  it.effect("the balance that a merge takes from one member", () =>
    Effect.gen(function* () {
      for (const member of ["eli", "eva", "eno"]) yield* enroll(member)
      yield* credit("eli", 50_001)
      yield* credit("eno", 400)
      const emma = yield* person("emma", "manager")
      const merge = (from: string, more: object = {}) =>
        post(`/members/${demo}/merge`, { from, into: "eva", reason: "twice", ...more }, emma)
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(merge("eli", more)), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* said(merge("eno")), [200])
      assert.deepStrictEqual(yield* counted("emma"), [400, 0, 0])
    })
  )

  it.effect("the number of orders that move, and not their points", () =>
    Effect.gen(function* () {
      for (const member of ["gil", "hal"]) yield* enroll(member)
      yield* earn("gil", "gil-1", 90_000)
      const gus = yield* person("gus", "support")
      yield* post("/staff/limits", { role: "support", points_per_day: 5, orders_moved_per_day: 2, reason: "tested" })
      const move = (from: string, to: string, more: object = {}) =>
        post(`/members/${demo}/${from}/orders/gil-1/move`, { to, reason: "wrong card", ...more }, gus)
      assert.deepStrictEqual(yield* said(move("gil", "hal")), [200])
      assert.deepStrictEqual(yield* said(move("hal", "gil")), [200])
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(move("gil", "hal", more)), [403, "orders_moved_per_day", 0])
      assert.deepStrictEqual(yield* counted("gus"), [0, 0, 2])
      // Known before, too.
      const own = yield* TestServer.send("/admin/api/v1/staff/me", undefined, { method: "GET", headers: gus })
      assert.deepStrictEqual(own.body["given_today"], [{ program_id: demo, points: 0, rewards: 0, orders_moved: 2 }])
      yield* post("/staff/limits", {
        role: "support",
        points_per_action: 1_000,
        points_per_day: 5_000,
        rewards_per_day: 10,
        orders_moved_per_day: 20,
        reason: "tested"
      })
    })
  )
})

it.layer(layer)("a moved order counts", (it) => {
  const move = (program: string, order: string, from: string, to: string, headers?: Headers, more: object = {}) =>
    post(`/members/${program}/${from}/orders/${order}/move`, { to, reason: "wrong card", ...more }, headers)

  it.effect("the points that its guest has spent, which the next one can spend again", () =>
    Effect.gen(function* () {
      for (const member of ["pia", "pio", "pal"]) yield* enroll(member)
      yield* earn("pia", "pia-1", 5_000)
      const earned = 500
      const pam = yield* person("pam", "support")
      const limited = (points_per_action: number) =>
        post("/staff/pam/limits", { points_per_action, points_per_day: earned + 100, reason: "tested" })
      yield* limited(100)
      assert.deepStrictEqual(yield* said(move(demo, "pia-1", "pia", "pio", pam)), [200])
      assert.deepStrictEqual(yield* counted("pam"), [0, 0, 1], "nothing was spent")
      yield* credit("pio", 0 - earned + 50)
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(move(demo, "pia-1", "pio", "pal", pam, more)), [
          403,
          "points_per_action",
          100
        ])
      assert.deepStrictEqual(yield* said(move(demo, "pia-1", "pio", "pal")), [200])
      yield* credit("pal", 0 - earned)
      yield* limited(earned)
      const key = { ...pam, "idempotency-key": "pam-moves" }
      for (let repeated = 0; repeated < 2; repeated++)
        assert.deepStrictEqual(yield* said(move(demo, "pia-1", "pal", "pia", key)), [200])
      assert.deepStrictEqual(yield* counted("pam"), [earned, 0, 2], "once for a key")
    })
  )

  it.effect("the rewards that it brings about", () =>
    Effect.gen(function* () {
      const olga = yield* person("olga", "owner")
      for (const member of ["rae", "ria", "roy"]) {
        yield* enrollWithCard(member)
        if (member !== "rae") yield* adjust(olga, member, `nine-${member}`, 9, stamps.id)
      }
      const now = yield* serviceNow
      const order = Testing.order("rae-1", 500, Testing.placedAt(now), stamps.id)
      yield* Testing.call("accrual.post", { context: Testing.context(), member_id: "rae", order })
      const pat = yield* person("pat", "support")
      yield* post("/staff/pat/limits", { rewards_per_day: 1, reason: "tested" })
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(move(stamps.id, "rae-1", "rae", "ria", pat, more)), [200])
      assert.deepStrictEqual(yield* counted("pat"), [0, 1, 1])
      assert.deepStrictEqual(yield* said(move(stamps.id, "rae-1", "ria", "roy", pat)), [403, "rewards_per_day", 0])
      assert.deepStrictEqual(yield* counted("pat"), [0, 1, 1])
    })
  )
})

it.layer(layer)("what is given to many counts", (it) => {
  const campaign = (id: string, more: object, headers: Headers) =>
    engagement(
      "/campaigns",
      { campaign_id: id, program_id: demo, name: id, segment_id: "all", ...more },
      headers,
      "PUT"
    )
  const status = (id: string, to: string, headers: Headers) =>
    engagement("/campaigns/status", { campaign_id: id, status: to }, headers)
  const credits = (amount: number, limit?: object) => ({
    action: { credit: { amount, reason: "bonus" } },
    ...(limit && { limit })
  })

  it.effect("a campaign's limit once, when it is activated, and what a raise adds", () =>
    Effect.gen(function* () {
      const ina = yield* person("ina", "manager")
      const olga = yield* person("olga", "owner")
      const segment = { segment_id: "all", program_id: demo, name: "all", rules: { status: ["active"] } }
      assert.deepStrictEqual(yield* said(engagement("/segments", segment, ina, "PUT")), [200])

      assert.deepStrictEqual(yield* said(campaign("open", credits(10), ina)), [200])
      assert.deepStrictEqual(yield* said(status("open", "active", ina)), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* said(status("open", "active", olga)), [200])
      // More to each of them is more.
      assert.deepStrictEqual(yield* said(campaign("open", credits(11), ina)), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* said(campaign("open", { ...credits(10), name: "other" }, ina)), [200])

      assert.deepStrictEqual(yield* said(campaign("some", credits(10, { amount: 30_000 }), ina)), [200])
      for (const to of ["active", "paused", "active"])
        assert.deepStrictEqual(yield* said(status("some", to, ina)), [200])
      assert.deepStrictEqual(yield* counted("ina"), [30_000, 0, 0])
      assert.deepStrictEqual(yield* said(campaign("some", credits(10, { rewards: 4_000 }), ina)), [200])
      assert.deepStrictEqual(yield* counted("ina"), [40_000, 0, 0])
      assert.deepStrictEqual(yield* said(campaign("some", credits(10, { amount: 90_001 }), ina)), [
        403,
        "points_per_action",
        50_000
      ])

      const bowls = (rewards: number) => ({ action: { issue_reward: { reward_id: "free-bowl" } }, limit: { rewards } })
      const trigger = { on: "member.enrolled" }
      yield* campaign("bowls", { ...bowls(501), trigger }, ina)
      assert.deepStrictEqual(yield* said(status("bowls", "active", ina)), [403, "rewards_per_day", 500])
      yield* campaign("bowls", { ...bowls(500), trigger }, ina)
      assert.deepStrictEqual(yield* said(status("bowls", "active", ina)), [200])
      assert.deepStrictEqual(yield* counted("ina"), [40_000, 500, 0])
    })
  )

  it.effect("a campaign without a limit, and tell what is left beside what was given before", () =>
    Effect.gen(function* () {
      yield* enroll("ivy")
      const ivo = yield* person("ivo", "manager")
      yield* post("/staff/ivo/limits", { points_per_action: 50_000, points_per_day: 60_000, reason: "tested" })
      assert.deepStrictEqual(yield* said(adjust(ivo, "ivy", "i-1", 20_000)), [201])
      assert.deepStrictEqual(yield* said(campaign("endless", credits(10), ivo)), [200])
      assert.deepStrictEqual(yield* said(status("endless", "active", ivo)), [403, "points_per_action", 40_000])
    })
  )

  it.effect(
    "all that is left of a campaign, if she gives it another gift or audience than who was counted for it",
    () =>
      Effect.gen(function* () {
        const [mona, odo] = [yield* person("mona", "manager"), yield* person("odo", "owner")]
        for (const segment_id of ["many", "friends"]) {
          const segment = { segment_id, program_id: demo, name: segment_id, rules: { status: ["active"] } }
          assert.deepStrictEqual(yield* said(engagement("/segments", segment, odo, "PUT")), [200])
        }
        const rich = (amount: number, segment_id: string, headers: Headers, name = "rich") =>
          said(campaign("rich", { ...credits(amount, { amount: 1_000_000 }), segment_id, name }, headers))
        const refused = [403, "points_per_action", 50_000]
        assert.deepStrictEqual(yield* rich(100, "many", odo), [200])
        assert.deepStrictEqual(yield* said(status("rich", "active", odo)), [200])
        assert.deepStrictEqual(yield* rich(100, "many", mona, "other"), [200])
        assert.deepStrictEqual(yield* rich(100, "friends", mona), refused)
        assert.deepStrictEqual(yield* rich(90, "many", mona), refused)
        assert.deepStrictEqual(yield* said(status("rich", "paused", mona)), [200])
        assert.deepStrictEqual(yield* rich(100, "friends", mona), [200])
        assert.deepStrictEqual(yield* said(status("rich", "active", mona)), refused)
        assert.deepStrictEqual(yield* said(status("rich", "active", odo)), [200])
        assert.deepStrictEqual(yield* rich(100, "many", odo), [200])

        const small = (segment_id: string) =>
          said(campaign("small", { ...credits(10, { amount: 900 }), segment_id }, mona))
        assert.deepStrictEqual(yield* small("many"), [200])
        assert.deepStrictEqual(yield* said(status("small", "active", mona)), [200])
        assert.deepStrictEqual(yield* small("friends"), [200])
        assert.deepStrictEqual(yield* counted("mona"), [900, 0, 0], "once for her own")
      })
  )

  it.effect("a test of a campaign, which gives for real", () =>
    Effect.gen(function* () {
      yield* enroll("jo")
      const jan = yield* person("jan", "manager")
      yield* campaign("try", { ...credits(30_000), segment_id: "all" }, jan)
      const test = (key: string) =>
        engagement("/campaigns/test", { campaign_id: "try", member_id: "jo" }, { ...jan, "idempotency-key": key })
      yield* post("/staff/limits", {
        role: "manager",
        points_per_action: 50_000,
        points_per_day: 50_000,
        reason: "tested"
      })
      assert.deepStrictEqual(yield* said(test("test-key-1")), [200])
      assert.deepStrictEqual(yield* said(test("test-key-2")), [403, "points_per_day", 20_000])
    })
  )

  it.effect("what lower amounts leave room for, beside what was given before", () =>
    Effect.gen(function* () {
      yield* enroll("lea")
      const lou = yield* person("lou", "manager")
      yield* post("/staff/limits", {
        role: "manager",
        points_per_action: 50_000,
        points_per_day: 500_000,
        reason: "tested"
      })
      yield* campaign("less", credits(40_000, { rewards: 1 }), lou)
      assert.deepStrictEqual(yield* said(status("less", "active", lou)), [200])
      yield* TestDatabase.query(
        "UPDATE campaigns SET triggered_grants = 1, triggered_points = 40000 WHERE campaign_id = 'less'"
      )
      // 40,000 were given, and 99 grants of 400 are left.
      assert.deepStrictEqual(yield* said(campaign("less", credits(400, { rewards: 100 }), lou)), [200])
      assert.deepStrictEqual(yield* counted("lou"), [40_000 + 99 * 400, 0, 0])
    })
  )

  it.effect("a new round of a campaign without a limit, and a change of whom it reaches", () =>
    Effect.gen(function* () {
      yield* enroll("mo")
      const mia = yield* person("mia", "manager")
      const otto = yield* person("otto", "owner")
      const some = { segment_id: "some", program_id: demo, name: "some", rules: { status: ["active"] } }
      for (const id of ["all", "some"])
        yield* engagement("/segments", { ...some, segment_id: id, name: id }, otto, "PUT")
      for (const [id, more] of [
        ["free", {}],
        ["hello", { segment_id: undefined, trigger: { on: "member.enrolled" } }]
      ] as const) {
        yield* campaign(id, { ...credits(10), ...more }, otto)
        assert.deepStrictEqual(yield* said(status(id, "active", otto)), [200])
      }
      const refused = [403, "points_per_action", 50_000]
      const run = (headers: Headers, more: object = {}) =>
        engagement("/campaigns/run", { campaign_id: "free", ...more }, headers)
      assert.deepStrictEqual(yield* said(run(mia, { run_key: "again" })), refused)
      yield* TestDatabase.query(`INSERT INTO campaign_runs
        (run_id, campaign_id, run_key, scope, segment_id, action, started_by, started_at, completed_at)
        VALUES ('run-1', 'free', 'december', 1, 'all', '{}', 'otto', 0, 0)`)
      assert.deepStrictEqual(yield* said(run(mia)), refused, "its members would get it once more")
      for (const more of [{ segment_id: "some" }, { schedule: { repeat: { cron: "0 * * * *" } } }])
        assert.deepStrictEqual(yield* said(campaign("free", { ...credits(10), ...more }, mia)), refused)
      const often = { segment_id: undefined, trigger: { on: "order.accrued", once: "event" } }
      assert.deepStrictEqual(yield* said(campaign("hello", { ...credits(10), ...often }, mia)), refused)
      assert.deepStrictEqual(yield* said(campaign("free", { ...credits(10), name: "other" }, mia)), [200])
      assert.deepStrictEqual(yield* said(campaign("free", { ...credits(10), segment_id: "some" }, otto)), [200])
    })
  )

  it.effect("stamps of a campaign as the most cards that its recipients may fill", () =>
    Effect.gen(function* () {
      const nora = yield* person("nora", "manager")
      yield* post("/staff/nora/limits", { rewards_per_day: 12, reason: "tested" })
      const segment = { segment_id: "full", program_id: stamps.id, name: "full", rules: { status: ["active"] } }
      yield* engagement("/segments", segment, nora, "PUT")
      const put = (id: string, amount: number, limit: object) =>
        said(campaign(id, { ...credits(amount, limit), program_id: stamps.id, segment_id: "full" }, nora))
      // Each of them may lack one stamp.
      assert.deepStrictEqual(yield* put("one", 1, { rewards: 13 }), [200])
      assert.deepStrictEqual(yield* said(status("one", "active", nora)), [403, "rewards_per_day", 12])
      assert.deepStrictEqual(yield* put("one", 1, { rewards: 5 }), [200])
      assert.deepStrictEqual(yield* said(status("one", "active", nora)), [200])
      assert.deepStrictEqual(yield* counted("nora"), [5, 5, 0])
      assert.deepStrictEqual(yield* put("one", 1, { rewards: 6 }), [200])
      assert.deepStrictEqual(yield* counted("nora"), [6, 6, 0])
      yield* TestDatabase.query(
        "UPDATE campaigns SET triggered_grants = 3, triggered_points = 3 WHERE campaign_id = 'one'"
      )
      for (const to of ["draft", "active"]) assert.deepStrictEqual(yield* said(status("one", to, nora)), [200])
      assert.deepStrictEqual(yield* counted("nora"), [6, 6, 0], "once")
      // 11 stamps fill two cards of a guest who has nine; 40 are enough for three guests.
      assert.deepStrictEqual(yield* put("eleven", 11, { amount: 40 }), [200])
      assert.deepStrictEqual(yield* said(status("eleven", "active", nora)), [200])
      assert.deepStrictEqual(yield* counted("nora"), [46, 12, 0])
      // A card of fewer stamps would give more than she was counted for.
      const publish = (threshold: number, by: Headers) => {
        const stamp_card = { ...stamps.file.stamp_card, threshold }
        return post("/programs/publish", { program: { ...stamps.file, stamp_card } }, by)
      }
      const refused = yield* publish(5, nora)
      assert.deepStrictEqual(
        [refused.status, (refused.body["errors"] as ReadonlyArray<{ readonly path: string }>).map(({ path }) => path)],
        [422, ["/program/stamp_card"]]
      )
      assert.deepStrictEqual(yield* said(publish(12, nora)), [200])
      for (const id of ["one", "eleven"]) assert.deepStrictEqual(yield* said(status(id, "paused", nora)), [200])
      assert.deepStrictEqual(yield* said(publish(5, nora)), [200])
      assert.deepStrictEqual(yield* said(status("eleven", "active", nora)), [200])
      const back = yield* post(`/programs/${stamps.id}/rollback`, { version: 2 }, nora)
      assert.deepInclude(back.body["errors"], {
        path: "/version",
        ...sentence`must not fill with fewer stamps while the campaign ${"eleven"} is active, which credits them: pause it, and who resumes it is counted`
      })
      const olga = yield* person("olga-card", "owner")
      assert.deepStrictEqual(yield* said(publish(4, olga)), [200])
    })
  )

  it.effect("a test with stamps that may fill a card", () =>
    Effect.gen(function* () {
      yield* enrollWithCard("nia")
      const ned = yield* person("ned", "manager")
      yield* post("/staff/limits", { role: "manager", rewards_per_day: 1, reason: "tested" })
      const segment = { segment_id: "cards", program_id: stamps.id, name: "cards", rules: { status: ["active"] } }
      yield* engagement("/segments", segment, ned, "PUT")
      yield* campaign("stamp", { ...credits(9), program_id: stamps.id, segment_id: "cards" }, ned)
      const test = (key: string) =>
        engagement("/campaigns/test", { campaign_id: "stamp", member_id: "nia" }, { ...ned, "idempotency-key": key })
      assert.deepStrictEqual(yield* said(test("stamp-key-1")), [200])
      assert.deepStrictEqual(yield* said(test("stamp-key-2")), [403, "rewards_per_day", 0])
      yield* post("/staff/limits", { role: "manager", points_per_action: 50_000, reason: "tested" })
    })
  )
})

it.layer(layer)("an import counts", (it) => {
  it.effect("the sum of an import's opening balances", () =>
    Effect.gen(function* () {
      const kay = yield* person("kay", "manager")
      const rows = (amount: number) => [
        { external_id: "k-1", opening_balance: amount },
        { external_id: "k-2", opening_balance: 30_000 }
      ]
      const send = (amount: number, more: object = {}) =>
        engagement(
          "/imports/members",
          { program_id: demo, idempotency_key: "import-kay", rows: rows(amount), ...more },
          kay
        )
      for (const more of [{ dry_run: true }, {}])
        assert.deepStrictEqual(yield* said(send(20_001, more)), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* said(send(20_000)), [201])
      assert.deepStrictEqual(yield* said(send(20_000)), [201])
      assert.deepStrictEqual(yield* counted("kay"), [50_000, 0, 0])
    })
  )

  it.effect("the cards that an import's stamps fill with those that its guests have", () =>
    Effect.gen(function* () {
      const [lea, lou] = [yield* person("lea", "manager"), yield* person("lou", "owner")]
      for (const member of ["l-1", "l-2"]) {
        yield* enrollWithCard(member)
        assert.deepStrictEqual(yield* said(adjust(lou, member, `nine-${member}`, 9, stamps.id)), [201])
      }
      yield* post("/staff/limits", { role: "manager", rewards_per_day: 1, reason: "tested" })
      const send = (key: string) =>
        engagement(
          "/imports/members",
          {
            program_id: stamps.id,
            idempotency_key: `import-${key}`,
            rows: ["l-1", "l-2"].map((member_id) => ({ member_id, opening_balance: 1 }))
          },
          lea
        )
      const { body, status } = yield* send("lea")
      const { errors } = body["import"] as { readonly errors: ReadonlyArray<Readonly<Record<string, unknown>>> }
      assert.deepStrictEqual([status, errors.map(({ code }) => code)], [201, ["limit_exceeded"]])
      assert.deepStrictEqual(yield* counted("lea"), [2, 1, 0])
      yield* post("/staff/limits", { role: "manager", points_per_action: 50_000, reason: "tested" })
      // The same rows again: the first gives nothing and counts nothing.
      assert.strictEqual((yield* send("lea-again")).status, 201)
      assert.deepStrictEqual(yield* counted("lea"), [4, 2, 0])
    })
  )
})
