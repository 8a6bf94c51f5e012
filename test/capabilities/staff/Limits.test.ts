/**
 * contract/operators.md *Limits*: people give within the limits of their roles, over HTTP: at once, on two services, over
 * midnight in the programme's zone.
 */
import { assert, it } from "@effect/vitest"
import type { Context } from "effect"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { credit, earn, enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { Journal } from "../../../src/core/journal/Journal.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { WriteFreeze } from "../../../src/core/journal/WriteFreeze.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { bearer, get, issue, post } from "../operators/Operators.ts"
import { hire, page } from "./Clerks.ts"

const program_id = Testing.demoProgram.id
const serviceOn = <E, R>(journal: Layer.Layer<Journal, E, R | Database>) =>
  TestServer.layer(journal, [], undefined, [Testing.demoProgram], Pools.layer)
const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))
const layer = Layer.orDie(Layer.provideMerge(serviceOn(memory), TestDatabase.layer))
const service = serviceOn(PgJournal.layer)

type Headers = Record<string, string>

/** The first test ends on this day in New York, which is the demo programme's zone. */
const today = "1970-01-01"

const members = `/members/${program_id}`
const adjustment = (adjustment_id: string, amount: number, more: object = {}) => ({
  adjustment_id,
  amount,
  classification: amount < 0 ? "correction" : "gift",
  reason: "late order",
  qualifies_for_tier: false,
  ...more
})
const give = (headers: Headers, member: string, id: string, amount: number, more: object = {}) =>
  post(`${members}/${member}/adjustments`, adjustment(id, amount, more), headers)
const reward = (headers: Headers, member: string, issued_reward_id: string) =>
  post(`${members}/${member}/rewards`, { issued_reward_id, reward_id: "free-bowl", reason: "slow lunch" }, headers)
const move = (headers: Headers, from: string, order: string, to: string, more: object = {}) =>
  post(`${members}/${from}/orders/${order}/move`, { to, reason: "wrong card", ...more }, headers)
const set = (change: object, headers?: Headers) => post("/staff/limits", { reason: "tested", ...change }, headers)

/** Status, code, and limit of a problem. */
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"], body["limit"]] as const)
const statusOf = Effect.map(({ status }: TestServer.Response) => status)
const done = [201, undefined, undefined] as const

const counted = (user: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT day::text, points::int, rewards::int FROM given_days WHERE user_id = '${user}' ORDER BY day`
    ),
    (rows) => rows.map(({ day, points, rewards }) => [day, points, rewards])
  )

const moved = (user: string) =>
  Effect.map(TestDatabase.query(`SELECT moves::int FROM given_days WHERE user_id = '${user}'`), (rows) =>
    rows.map(({ moves }) => moves)
  )

const sum = (entries: ReadonlyArray<{ readonly amount: number }>) =>
  entries.reduce((total, { amount }) => total + amount, 0)

/** A clerk with a name of its own, who has signed in. */
const clerk = (name: string, role: "support" | "manager" | "owner" = "support") =>
  Effect.andThen(hire(name, role), page(name))

it.layer(layer)("a day of limits", (it) => {
  it.effect("that began in another zone of the programme counts until its end", () =>
    Effect.gen(function* () {
      yield* enroll("zoe")
      yield* hire("zac", "support")
      yield* TestClock.setTime(Date.UTC(1970, 0, 1, 20))
      const before = yield* page("zac")
      for (let n = 1; n <= 5; n++) assert.strictEqual(yield* statusOf(give(before, "zoe", `z-${n}`, 1_000)), 201)
      // The zone in which the day began had another date than the present one has.
      yield* TestDatabase.query("UPDATE given_days SET day = '1969-12-31' WHERE user_id = 'zac'")
      for (const more of [{ dry_run: true }, {}]) {
        const [status, , limit] = yield* said(give(before, "zoe", "z-6", 1, more))
        assert.deepStrictEqual([status, (limit as { readonly left: number }).left], [403, 0])
      }
      const { body } = yield* get("/staff/me", before)
      assert.deepStrictEqual(body["given_today"], [{ program_id, points: 5_000, rewards: 0, orders_moved: 0 }])
      // Midnight in New York.
      yield* TestClock.setTime(Date.UTC(1970, 0, 2, 5) - 1)
      assert.strictEqual(yield* statusOf(give(yield* page("zac"), "zoe", "z-6", 1)), 403)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* statusOf(give(yield* page("zac"), "zoe", "z-6", 1)), 201)
    })
  )
})

it.layer(layer)("a person's limits", (it) => {
  it.effect("begin anew at midnight in the programme's zone", () =>
    Effect.gen(function* () {
      yield* enroll("jo")
      yield* hire("jan", "support")
      // 23:59:59 in New York, when it is the next day in UTC.
      yield* TestClock.setTime(Date.UTC(1970, 0, 1, 4, 59, 59))
      const before = yield* page("jan")
      for (let n = 1; n <= 5; n++) assert.strictEqual(yield* statusOf(give(before, "jo", `j-${n}`, 1_000)), 201)
      assert.strictEqual(yield* statusOf(give(before, "jo", "j-6", 1)), 403)
      yield* TestClock.adjust(1_000)
      const after = yield* page("jan")
      // A retry of what was given yesterday is not of today.
      assert.strictEqual(yield* statusOf(give(after, "jo", "j-5", 1_000)), 200)
      assert.strictEqual(yield* statusOf(give(after, "jo", "j-6", 1)), 201)
      assert.deepStrictEqual(yield* counted("jan"), [
        ["1969-12-31", 5_000, 0],
        [today, 1, 0]
      ])
    })
  )

  it.effect("refuse what is beyond one, and say which, what is left, and who may", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const ana = yield* clerk("ana")
      const tooMuch = yield* give(ana, "ada", "a-0", 1_001)
      assert.deepStrictEqual(tooMuch.body, {
        type: "/problems/limit-exceeded",
        title: "Limit exceeded",
        status: 403,
        detail:
          "The role support may give or take 1000 points at once; this is 1001. At most now: 1000. Roles that may: owner, manager.",
        instance: `/admin/api/v1${members}/ada/adjustments`,
        code: "limit_exceeded",
        limit: { name: "points_per_action", allowed: 1_000, left: 1_000, roles: ["owner", "manager"] }
      })
      for (let n = 1; n <= 4; n++) assert.deepStrictEqual(yield* said(give(ana, "ada", `a-${n}`, 1_000)), done)
      assert.deepStrictEqual(yield* said(give(ana, "ada", "a-5", 900)), done)
      const day = { name: "points_per_day", allowed: 5_000, left: 100, roles: ["owner", "manager"] }
      assert.deepStrictEqual(yield* said(give(ana, "ada", "a-6", 101)), [403, "limit_exceeded", day])
      assert.deepStrictEqual(yield* said(give(ana, "ada", "a-7", 100)), done)
      for (let n = 1; n <= 10; n++) assert.deepStrictEqual(yield* said(reward(ana, "ada", `ana-${n}`)), done)
      const rewards = { name: "rewards_per_day", allowed: 10, left: 0, roles: ["owner", "manager"] }
      assert.deepStrictEqual(yield* said(reward(ana, "ada", "ana-11")), [403, "limit_exceeded", rewards])
      assert.deepStrictEqual(yield* counted("ana"), [[today, 5_000, 10]])
      // The sum is of the person: a colleague has one of her own.
      assert.deepStrictEqual(yield* said(give(yield* clerk("bea"), "ada", "b-1", 1_000)), done)
    })
  )

  it.effect("hold neither owners, nor keys, nor tokens", () =>
    Effect.gen(function* () {
      yield* enroll("cem")
      const owner = yield* clerk("olga", "owner")
      const token = bearer((yield* issue({ scopes: ["points:give", "members:read"] })).secret)
      for (const [name, headers] of [
        ["owner", owner],
        ["token", token],
        ["root", undefined]
      ] as const)
        for (const n of [1, 2])
          assert.deepStrictEqual(
            yield* said(post(`${members}/cem/adjustments`, adjustment(`${name}-${n}`, 600_000), headers)),
            done,
            name
          )
      // Gifts of an owner are counted, in case she becomes something else.
      assert.deepStrictEqual(yield* counted("olga"), [[today, 1_200_000, 0]])
    })
  )

  it.effect("count a replay once, also after the sum is reached, and a conflict not at all", () =>
    Effect.gen(function* () {
      for (const member of ["dee", "eli"]) yield* enroll(member)
      const dora = yield* clerk("dora")
      yield* set({ role: "support", points_per_action: 1_000, points_per_day: 1_000, rewards_per_day: 1 })
      assert.strictEqual(yield* statusOf(give(dora, "dee", "d-1", 1_000)), 201)
      assert.strictEqual(yield* statusOf(give(dora, "dee", "d-1", 1_000)), 200)
      assert.strictEqual(yield* statusOf(give(dora, "dee", "d-1", 1_000, { dry_run: true })), 200)
      assert.strictEqual(yield* statusOf(reward(dora, "dee", "dora-1")), 201)
      assert.strictEqual(yield* statusOf(reward(dora, "dee", "dora-1")), 200)
      assert.deepStrictEqual(yield* counted("dora"), [[today, 1_000, 1]])
      yield* set({ role: "support", points_per_day: 3_000 })
      // With other facts, and for somebody else.
      assert.deepStrictEqual((yield* said(give(dora, "dee", "d-1", 900)))[1], "conflict")
      assert.deepStrictEqual((yield* said(give(dora, "eli", "d-1", 1_000)))[1], "conflict")
      // Gifts that a till has made before are not hers.
      yield* post(`${members}/dee/adjustments`, adjustment("till-1", 70))
      assert.strictEqual(yield* statusOf(give(dora, "dee", "till-1", 70)), 200)
      assert.deepStrictEqual(yield* counted("dora"), [[today, 1_000, 1]])
      yield* set({ role: "support", points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10 })
    })
  )

  it.effect("give back what was refused; dry runs count nothing", () =>
    Effect.gen(function* () {
      yield* enroll("fay")
      yield* credit("fay", 9_000)
      const flo = yield* clerk("flo")
      assert.deepStrictEqual((yield* said(give(flo, "nobody", "f-1", 1_000)))[1], "not_found")
      assert.deepStrictEqual((yield* said(reward(flo, "nobody", "flo-1")))[1], "not_found")
      yield* post(`${members}/fay/status`, { status: "suspended", reason: "r" })
      assert.deepStrictEqual((yield* said(give(flo, "fay", "f-1", 1_000)))[1], "member_not_active")
      yield* post(`${members}/fay/status`, { status: "active", reason: "r" })
      const freeze = yield* WriteFreeze
      yield* freeze.set(true)
      assert.deepStrictEqual((yield* said(give(flo, "fay", "f-1", 1_000)))[1], "write_frozen")
      yield* freeze.set(false)
      assert.deepStrictEqual(yield* counted("flo"), [[today, 0, 0]])
      assert.strictEqual(yield* statusOf(give(flo, "fay", "f-3", 1_000, { dry_run: true })), 200)
      assert.deepStrictEqual((yield* said(give(flo, "fay", "f-4", 1_001, { dry_run: true })))[1], "limit_exceeded")
      assert.deepStrictEqual(yield* counted("flo"), [[today, 0, 0]])
      for (let n = 5; n < 10; n++) assert.strictEqual(yield* statusOf(give(flo, "fay", `f-${n}`, 1_000)), 201)
      const limit = { name: "points_per_day", allowed: 5_000, left: 0, roles: ["owner", "manager"] }
      assert.deepStrictEqual(yield* said(give(flo, "fay", "f-10", 1, { dry_run: true })), [
        403,
        "limit_exceeded",
        limit
      ])
    })
  )

  it.effect("count a moved order once, by its key", () =>
    Effect.gen(function* () {
      for (const member of ["gil", "hal", "ida"]) yield* enroll(member)
      yield* earn("gil", "gil-1", 9_000)
      const gus = yield* clerk("gus")
      assert.strictEqual(yield* statusOf(move(gus, "gil", "gil-1", "hal", { dry_run: true })), 200)
      assert.deepStrictEqual(yield* moved("gus"), [])
      const key = { ...gus, "idempotency-key": "gus-moves-gil-1" }
      assert.strictEqual(yield* statusOf(move(key, "gil", "gil-1", "hal")), 200)
      // As after a crash between the move and its stored answer.
      yield* TestDatabase.query("DELETE FROM keyed_requests")
      assert.strictEqual(yield* statusOf(move(key, "gil", "gil-1", "hal")), 200)
      assert.deepStrictEqual(yield* moved("gus"), [1])
      // A move back and forth counts anew; one that is refused does not.
      assert.strictEqual(yield* statusOf(move(gus, "hal", "gil-1", "ida")), 200)
      assert.deepStrictEqual((yield* said(move(gus, "gil", "gil-1", "ida")))[1], "invalid_state")
      assert.deepStrictEqual((yield* said(move(gus, "gil", "unknown", "ida")))[1], "not_found")
      assert.deepStrictEqual(yield* moved("gus"), [2])
    })
  )
})

it.layer(TestDatabase.layer, { excludeTestServices: true })("two services on one database", (it) => {
  it.effect("let fifty gifts at once give exactly the day's sum, and a change holds on the other at once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const two = [yield* Layer.build(Layer.fresh(service)), yield* Layer.build(Layer.fresh(service))] as const
        type Served = Context.Context<Layer.Success<typeof service>>
        const on = <A, E, R>(index: number, work: Effect.Effect<A, E, R>) =>
          Effect.provideContext(work, two[index % 2] as Served)
        yield* on(0, Effect.andThen(enroll("kim"), hire("kay", "support")))
        const pages = [yield* on(0, page("kay")), yield* on(1, page("kay"))]
        const gifts = (name: string, amount: number) =>
          Effect.all(
            Array.from({ length: 50 }, (_, n) =>
              on(n, statusOf(give(pages[n % 2] ?? {}, "kim", `${name}-${n}`, amount)))
            ),
            { concurrency: "unbounded" }
          )
        const statuses = yield* gifts("k", 300)
        assert.deepStrictEqual(
          [201, 403].map((status) => statuses.filter((one) => one === status).length),
          [16, 34]
        )
        assert.deepStrictEqual(
          (yield* counted("kay")).map(([, points]) => points),
          [4_800]
        )
        assert.strictEqual(
          yield* on(
            0,
            Effect.map(ledgerOf("kim"), (entries) => sum(entries))
          ),
          4_800
        )

        // One command fifty times, on both.
        yield* on(0, set({ role: "support", points_per_day: 5_100 }))
        const same = yield* Effect.all(
          Array.from({ length: 50 }, (_, n) => on(n, statusOf(give(pages[n % 2] ?? {}, "kim", "once", 300)))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          [201, 200].map((status) => same.filter((one) => one === status).length),
          [1, 49]
        )
        assert.deepStrictEqual(
          (yield* counted("kay")).map(([, points]) => points),
          [5_100]
        )
        assert.strictEqual(yield* on(1, statusOf(give(pages[1] ?? {}, "kim", "more", 1))), 403)
        yield* on(1, set({ role: "support", points_per_day: 5_101 }))
        assert.strictEqual(yield* on(0, statusOf(give(pages[0] ?? {}, "kim", "more", 1))), 201)
      })
    )
  )
})

it.layer(layer)("the limits of the roles", (it) => {
  it.effect("are listed for who may see the people, and changed by owners of all programmes", () =>
    Effect.gen(function* () {
      const standing = [
        { role: "owner" },
        {
          role: "manager",
          points_per_action: 50_000,
          points_per_day: 500_000,
          rewards_per_day: 500,
          orders_moved_per_day: 500
        },
        { role: "marketer" },
        {
          role: "support",
          points_per_action: 1_000,
          points_per_day: 5_000,
          rewards_per_day: 10,
          orders_moved_per_day: 20
        },
        { role: "analyst" },
        { role: "developer" },
        { role: "finance" },
        {
          role: "franchisee",
          points_per_action: 1_000,
          points_per_day: 5_000,
          rewards_per_day: 10,
          orders_moved_per_day: 20
        }
      ]
      const owner = yield* clerk("olga", "owner")
      const manager = yield* clerk("mia", "manager")
      const support = yield* clerk("sue")
      for (const headers of [owner, manager]) {
        const { body, status } = yield* get("/staff/limits", headers)
        assert.deepStrictEqual([status, body["limits"]], [200, standing])
      }
      assert.strictEqual(yield* statusOf(get("/staff/limits", support)), 403)
      // A clerk sees her own; an owner has none.
      const { role: _, ...limits } = standing[3] ?? { role: "" }
      assert.deepStrictEqual((yield* get("/staff/me", support)).body["limits"], limits)
      assert.notProperty((yield* get("/staff/me", owner)).body, "limits")
      for (const headers of [manager, support])
        assert.deepStrictEqual((yield* said(set({ role: "support", points_per_day: 1 }, headers)))[1], "forbidden")
      const limited = bearer((yield* issue({ scopes: ["staff:write"], programs: [program_id] })).secret)
      assert.deepStrictEqual((yield* said(set({ role: "support" }, limited)))[1], "forbidden")
      const narrow = bearer((yield* issue({ scopes: ["staff:write"] })).secret)
      assert.deepStrictEqual((yield* said(set({ role: "support" }, narrow)))[1], "forbidden")

      const changed = yield* set({ role: "support", points_per_action: 50, rewards_per_day: 0 }, owner)
      assert.deepStrictEqual(
        [changed.status, changed.body],
        [200, { role: "support", points_per_action: 50, rewards_per_day: 0 }]
      )
      const { body } = yield* get("/staff/limits")
      assert.deepStrictEqual((body["limits"] as typeof standing)[3], changed.body as (typeof standing)[3])
      const entries = (yield* get("/audit?action=staff.limits")).body["entries"] as ReadonlyArray<object>
      assert.lengthOf(entries, 1)
      assert.deepInclude(entries[0], {
        actor: { kind: "user", name: "olga", user_id: "olga", role: "owner" },
        subject: { type: "role", id: "support" },
        reason: "tested",
        changes: {
          before: { points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10, orders_moved_per_day: 20 },
          after: { points_per_action: 50, rewards_per_day: 0 }
        }
      })
    })
  )

  it.effect("are whole numbers from 0 on, of a role that is not the owner's", () =>
    Effect.gen(function* () {
      for (const [wrong, at] of [
        [{ role: "owner", points_per_day: 5 }, "/role"],
        [{ role: "boss" }, "/role"],
        [{ role: "support", points_per_day: -1 }, "/points_per_day"],
        [{ role: "support", rewards_per_day: 0.5 }, "/rewards_per_day"],
        [{ role: "support", points_per_month: 5 }, "/points_per_month"]
      ] as const) {
        const { body, status } = yield* set(wrong)
        assert.deepStrictEqual([status, (body["errors"] as ReadonlyArray<{ path: string }>)[0]?.path], [422, at])
      }
    })
  )
})
