/** contract/operators.md *Limits*: an owner limits one person below the role; of both the lesser holds. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { get, post } from "../operators/Operators.ts"
import { hire, page } from "./Clerks.ts"

const program_id = Testing.demoProgram.id
const memory = MemoryJournal.layer.pipe(Layer.provideMerge(MemoryJournal.MemoryStorage.layer))
const service = TestServer.layer(memory, [], undefined, [Testing.demoProgram], Pools.layer)
const layer = Layer.orDie(Layer.provideMerge(service, TestDatabase.layer))

type Headers = Record<string, string>
type Of = Readonly<Record<string, unknown>>

const members = `/members/${program_id}`
const give = (headers: Headers, adjustment_id: string, amount: number) =>
  post(
    `${members}/ada/adjustments`,
    { adjustment_id, amount, classification: "gift", reason: "r", qualifies_for_tier: false },
    headers
  )
const reward = (headers: Headers, issued_reward_id: string) =>
  post(`${members}/ada/rewards`, { issued_reward_id, reward_id: "free-bowl", reason: "r" }, headers)
const limit = (user: string, limits: object, headers?: Headers) =>
  post(`/staff/${user}/limits`, { reason: "tested", ...limits }, headers)
const said = Effect.map(({ body, status }: TestServer.Response) => [status, body["code"], body["limit"]] as const)
const statusOf = Effect.map(({ status }: TestServer.Response) => status)

const ofSupport = { points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10, orders_moved_per_day: 20 }
const clerk = (name: string, role: "support" | "manager" | "owner" = "support") =>
  Effect.andThen(hire(name, role), page(name))
const person = (user: string) =>
  Effect.map(get("/staff"), ({ body }) => (body["users"] as ReadonlyArray<Of>).find(({ user_id }) => user_id === user))

it.layer(layer)("the limits of one person", (it) => {
  it.effect("bind her alone, in all that she causes, and tell who may", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      yield* enroll("bob")
      yield* earn("ada", "ada-1", 900)
      const [ana, bea] = [yield* clerk("ana"), yield* clerk("bea")]
      const own = { points_per_action: 100, points_per_day: 150, rewards_per_day: 1, orders_moved_per_day: 0 }
      assert.deepStrictEqual((yield* limit("ana", own)).body["limits"], own)
      const refused = yield* give(ana, "a-1", 101)
      assert.deepStrictEqual(
        [refused.status, refused.body["detail"], refused.body["limit"]],
        [
          403,
          "You may give or take 100 points at once; this is 101. At most now: 100. Roles that may: owner, manager, support.",
          { name: "points_per_action", allowed: 100, left: 100, roles: ["owner", "manager", "support"] }
        ]
      )
      assert.strictEqual(yield* statusOf(give(ana, "a-2", 100)), 201)
      assert.deepInclude((yield* said(give(ana, "a-3", 60)))[2], { name: "points_per_day", allowed: 150, left: 50 })
      assert.strictEqual(yield* statusOf(reward(ana, "ana-1")), 201)
      assert.deepInclude((yield* said(reward(ana, "ana-2")))[2], { name: "rewards_per_day", allowed: 1, left: 0 })
      const moved = post(`${members}/ada/orders/ada-1/move`, { to: "bob", reason: "r" }, ana)
      assert.deepInclude((yield* said(moved))[2], { name: "orders_moved_per_day", allowed: 0 })
      // A colleague of the role has the role's.
      assert.strictEqual(yield* statusOf(give(bea, "b-1", 1_000)), 201)
    })
  )

  it.effect("are shown, to her as what holds, and end where they are absent", () =>
    Effect.gen(function* () {
      const eve = yield* clerk("eve")
      const own = { points_per_action: 10, rewards_per_day: 2 }
      yield* limit("eve", own)
      assert.deepStrictEqual((yield* person("eve"))?.["limits"], own)
      assert.deepStrictEqual((yield* get("/staff/me", eve)).body["limits"], { ...ofSupport, ...own })
      yield* limit("eve", { rewards_per_day: 2 })
      assert.deepStrictEqual((yield* person("eve"))?.["limits"], { rewards_per_day: 2 })
      const entries = (yield* get("/audit?action=staff.limits")).body["entries"] as ReadonlyArray<Of>
      assert.deepInclude(entries[0], {
        subject: { type: "user", id: "eve" },
        reason: "tested",
        changes: { before: { points_per_action: 10 }, after: {} }
      })
      yield* limit("eve", {})
      assert.notProperty(yield* person("eve"), "limits")
      assert.deepStrictEqual((yield* get("/staff/me", eve)).body["limits"], ofSupport)
    })
  )

  it.effect("lie below the role's; a role that is lowered holds all the same", () =>
    Effect.gen(function* () {
      yield* enroll("ada")
      const gil = yield* clerk("gil")
      const above = yield* limit("gil", { points_per_action: 1_001, points_per_day: 5_000, rewards_per_day: 11 })
      assert.deepStrictEqual(
        [above.status, (above.body["errors"] as ReadonlyArray<Of>).map(({ path }) => path)],
        [422, ["/points_per_action", "/rewards_per_day"]]
      )
      yield* limit("gil", { points_per_action: 500 })
      yield* post("/staff/limits", { role: "support", ...ofSupport, points_per_action: 200, reason: "r" })
      assert.deepInclude((yield* said(give(gil, "g-1", 201)))[2], { allowed: 200, roles: ["owner", "manager"] })
      yield* post("/staff/limits", { role: "support", ...ofSupport, reason: "r" })
      assert.deepInclude((yield* said(give(gil, "g-2", 501)))[2], { allowed: 500 })
    })
  )

  it.effect("are set by owners alone, for no owner, and end with somebody's becoming one", () =>
    Effect.gen(function* () {
      const [olga, mia] = [yield* clerk("olga", "owner"), yield* clerk("mia", "manager")]
      yield* clerk("kim")
      yield* clerk("otto", "owner")
      assert.strictEqual(yield* statusOf(limit("kim", { points_per_day: 5 }, mia)), 403)
      assert.strictEqual(yield* statusOf(limit("nobody", { points_per_day: 5 }, olga)), 404)
      assert.strictEqual(yield* statusOf(limit("otto", { points_per_day: 5 }, olga)), 422)
      assert.strictEqual(yield* statusOf(limit("otto", {}, olga)), 200)
      assert.strictEqual(yield* statusOf(limit("kim", { points_per_day: 5 }, olga)), 200)
      yield* post("/staff/kim/role", { role: "manager", reason: "r" }, olga)
      assert.deepStrictEqual((yield* person("kim"))?.["limits"], { points_per_day: 5 })
      yield* post("/staff/kim/role", { role: "owner", reason: "r" }, olga)
      assert.notProperty(yield* person("kim"), "limits")
    })
  )
})
