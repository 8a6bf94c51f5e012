/** contract/people.md *Asking a manager*: a gift beyond a limit is kept, given once as the one who approves, or declined. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll, ledgerOf } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { get, post, root } from "../operators/Operators.ts"
import { person } from "../staff/Clerks.ts"

const program_id = Testing.demoProgram.id
const layer = TestServer.layer(PgJournal.layer, [], undefined, [Testing.demoProgram], Pools.layer).pipe(
  Layer.provideMerge(TestDatabase.layer)
)

type Headers = Record<string, string>

const points = (amount: number) => ({
  type: "points",
  amount,
  classification: "service_recovery",
  qualifies_for_tier: false
})
const reason = "A party waited for an hour"
const ask = (headers: Headers, member_id: string, gift: object) =>
  post("/asks", { program_id, member_id, gift, reason }, headers)
const approve = (headers: Headers, id: unknown, look: unknown) => post(`/asks/${id}/approve`, { look }, headers)
const decline = (headers: Headers, id: unknown, note = "A dessert is enough") =>
  post(`/asks/${id}/decline`, { note }, headers)
const asksOf = (headers: Headers) =>
  Effect.map(
    get(`/asks?program_id=${program_id}`, headers),
    ({ body }) => body["asks"] as ReadonlyArray<Record<string, unknown>>
  )
const give = (headers: Headers, member: string, adjustment_id: string, amount: number) =>
  post(
    `/members/${program_id}/${member}/adjustments`,
    { ...points(amount), type: undefined, adjustment_id, reason },
    headers
  )
const givenTo = (member: string) => Effect.map(ledgerOf(member), (entries) => entries.map(({ amount }) => amount))
const audited = (action: string) =>
  Effect.map(get(`/audit?action=${action}`, root), ({ body }) =>
    (body["entries"] as ReadonlyArray<{ readonly actor: { readonly name: string }; readonly changes: object }>).map(
      ({ actor, changes }) => [actor.name, changes] as const
    )
  )

it.layer(layer, { excludeTestServices: true })("a gift that is asked for", (it) => {
  it.effect("is given once, as the one who approves, within her own limits, and audited as both", () =>
    Effect.gen(function* () {
      yield* enroll("asked-one")
      const clerk = yield* person("ask-clerk", "support")
      const manager = yield* person("ask-manager", "manager")
      assert.strictEqual((yield* give(clerk, "asked-one", "beyond", 2_000)).status, 403)
      const made = yield* ask(clerk, "asked-one", points(2_000))
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      assert.deepInclude(made.body, { status: "open", is_own: true, asked_by: "ask-clerk", balance_after: 2_000 })
      const [waiting] = yield* asksOf(manager)
      assert.deepInclude(waiting, { ask_id: made.body["ask_id"], is_own: false, balance_after: 2_000 })
      // The clerk's own limit holds for the clerk still.
      assert.strictEqual((yield* approve(clerk, waiting?.["ask_id"], waiting?.["look"])).status, 403)
      const both = yield* Effect.all(
        [manager, yield* person("ask-other", "manager")].map((one) =>
          approve(one, waiting?.["ask_id"], waiting?.["look"])
        ),
        { concurrency: 2 }
      )
      assert.sameMembers(
        both.map(({ status }) => status),
        [200, 409]
      )
      assert.deepStrictEqual(yield* givenTo("asked-one"), [2_000])
      const by = both.find(({ status }) => status === 200)?.body["decided_by"]
      const [own] = yield* asksOf(clerk)
      assert.deepInclude(own, { status: "done", decided_by: by })
      const [adjusted] = yield* audited("member.adjust")
      assert.strictEqual(adjusted?.[0], by)
      assert.deepStrictEqual((yield* audited("ask.make"))[0]?.[0], "ask-clerk")
      const [approved] = yield* audited("ask.approve")
      assert.strictEqual(approved?.[0], by)
      assert.deepInclude(approved?.[1], {
        after: { ask_id: made.body["ask_id"], asked_by: "ask-clerk", ...points(2_000) }
      })
      const counted = yield* TestDatabase.query(
        "SELECT user_id, points::int FROM given_days WHERE points > 0 AND user_id LIKE 'ask-%'"
      )
      assert.deepStrictEqual(
        counted.map(({ points }) => points),
        [2_000]
      )
      assert.strictEqual(counted[0]?.["user_id"], by)
    })
  )

  it.effect("is looked at again if the guest has changed, and is a reward too", () =>
    Effect.gen(function* () {
      yield* enroll("asked-two")
      // Has no right to give at all.
      const marketer = yield* person("ask-marketer", "marketer")
      const manager = yield* person("ask-manager", "manager")
      assert.strictEqual((yield* give(marketer, "asked-two", "never", 5)).status, 403)
      const made = yield* ask(marketer, "asked-two", { type: "reward", reward_id: "free-bowl" })
      const { ask_id, look } = made.body
      yield* give(manager, "asked-two", "meanwhile", 7)
      assert.strictEqual((yield* approve(manager, ask_id, look)).status, 409)
      const now = (yield* asksOf(manager)).find((one) => one["ask_id"] === ask_id)
      assert.deepInclude(now, { has_changed: true, status: "open" })
      assert.strictEqual((yield* approve(manager, ask_id, now?.["look"])).status, 200)
      const rewards = yield* TestDatabase.query(
        `SELECT reward_id FROM issued_rewards WHERE issued_reward_id = '${ask_id}'`
      )
      assert.deepStrictEqual(
        rewards.map(({ reward_id }) => reward_id),
        ["free-bowl"]
      )
      assert.strictEqual((yield* decline(manager, ask_id)).status, 409)
    })
  )

  it.effect("is an order from its receipt, too, given once, with what it earns", () =>
    Effect.gen(function* () {
      yield* enroll("asked-receipt")
      const clerk = yield* person("ask-clerk", "support")
      const manager = yield* person("ask-manager", "manager")
      const placed_at = new Date(Date.now() - 86_400_000).toISOString()
      const receipt = {
        ...{ location_id: "harbor", number: "4711", business_date: placed_at.slice(0, 10), placed_at },
        amount: { amount: 20_000, currency: "USD" }
      }
      const add = (headers: Headers) =>
        post(`/members/${program_id}/asked-receipt/receipts`, { ...receipt, reason }, headers)
      assert.strictEqual((yield* add(clerk)).status, 403)
      const made = yield* ask(clerk, "asked-receipt", { type: "receipt", ...receipt })
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      assert.deepInclude(made.body, { earns: 2_000, balance_after: 2_000 })
      const { ask_id, look } = made.body
      assert.strictEqual((yield* approve(manager, ask_id, look)).status, 200)
      assert.deepStrictEqual(yield* givenTo("asked-receipt"), [2_000])
      assert.strictEqual((yield* add(clerk)).status, 200)
      const again = yield* ask(clerk, "asked-receipt", { type: "receipt", ...receipt })
      assert.strictEqual(again.body["refused"], "The receipt was added meanwhile.")
      yield* decline(manager, again.body["ask_id"])
    })
  )

  it.effect("is as it was looked at after a request that is repeated without an effect", () =>
    Effect.gen(function* () {
      yield* enroll("asked-repeat")
      const clerk = yield* person("ask-clerk", "support")
      const manager = yield* person("ask-manager", "manager")
      yield* give(manager, "asked-repeat", "once", 7)
      const { ask_id, look } = (yield* ask(clerk, "asked-repeat", points(2_200))).body
      assert.strictEqual((yield* give(manager, "asked-repeat", "once", 7)).status, 200)
      const now = (yield* asksOf(manager)).find((one) => one["ask_id"] === ask_id)
      assert.deepStrictEqual([now?.["look"], now?.["has_changed"]], [look, undefined])
      assert.strictEqual((yield* approve(manager, ask_id, look)).status, 200)
    })
  )

  it.effect("comes back with a note, is over after a day, and is gone after a week", () =>
    Effect.gen(function* () {
      yield* enroll("asked-three")
      const clerk = yield* person("ask-clerk", "support")
      const manager = yield* person("ask-manager", "manager")
      const first = (yield* ask(clerk, "asked-three", points(3_000))).body
      assert.strictEqual((yield* decline(yield* person("ask-analyst", "analyst"), first["ask_id"])).status, 403)
      assert.strictEqual((yield* decline(manager, first["ask_id"])).status, 200)
      const declined = (yield* asksOf(clerk)).find((one) => one["ask_id"] === first["ask_id"])
      assert.deepInclude(declined, { status: "declined", decided_by: "ask-manager", note: "A dessert is enough" })
      assert.strictEqual((yield* approve(manager, first["ask_id"], first["look"])).status, 409)
      const second = (yield* ask(clerk, "asked-three", points(4_000))).body
      yield* TestDatabase.query(`UPDATE asks SET ends_at = 1 WHERE ask_id = '${second["ask_id"]}'`)
      assert.strictEqual((yield* approve(manager, second["ask_id"], second["look"])).status, 409)
      assert.isUndefined((yield* asksOf(manager)).find((one) => one["ask_id"] === second["ask_id"]))
      const over = (yield* asksOf(clerk)).find((one) => one["ask_id"] === second["ask_id"])
      assert.strictEqual(over?.["status"], "over")
      assert.deepStrictEqual(yield* givenTo("asked-three"), [])
      yield* TestDatabase.query("UPDATE asks SET asked_at = 1")
      assert.deepStrictEqual(yield* asksOf(clerk), [])
      yield* ask(clerk, "asked-three", points(1))
      const kept = yield* TestDatabase.query("SELECT count(*)::int AS kept FROM asks")
      assert.strictEqual(kept[0]?.["kept"], 1)
    })
  )

  it.effect("is given by the next who approves, if the one before was killed over it, and not twice", () =>
    Effect.gen(function* () {
      yield* enroll("asked-four")
      const clerk = yield* person("ask-clerk", "support")
      const manager = yield* person("ask-manager", "manager")
      const { ask_id, look } = (yield* ask(clerk, "asked-four", points(2_500))).body
      assert.strictEqual((yield* approve(manager, ask_id, look)).status, 200)
      // Killed after the gift, before the row said so.
      yield* TestDatabase.query(`UPDATE asks SET status = 'doing', decided_at = 1 WHERE ask_id = '${ask_id}'`)
      assert.strictEqual((yield* decline(manager, ask_id)).status, 409)
      assert.strictEqual((yield* approve(yield* person("ask-third", "manager"), ask_id, look)).status, 200)
      assert.deepStrictEqual(yield* givenTo("asked-four"), [2_500])
    })
  )

  it.effect("stays open if it is refused, and 20 of a person are the most", () =>
    Effect.gen(function* () {
      yield* enroll("asked-five")
      const clerk = yield* person("ask-busy", "support")
      const manager = yield* person("ask-manager", "manager")
      yield* post(`/members/${program_id}/asked-five/status`, { status: "suspended", reason: "tested" }, root)
      const made = (yield* ask(clerk, "asked-five", points(10))).body
      assert.isString(made["refused"])
      assert.strictEqual((yield* approve(manager, made["ask_id"], made["look"])).body["code"], "member_not_active")
      const [open] = yield* asksOf(clerk)
      assert.strictEqual(open?.["status"], "open")
      for (let n = 1; n < 20; n++) assert.strictEqual((yield* ask(clerk, "asked-five", points(n))).status, 201)
      assert.strictEqual((yield* ask(clerk, "asked-five", points(20))).status, 409)
      assert.strictEqual((yield* ask(clerk, "nobody", points(20))).status, 404)
    })
  )
})
