/** contract/operators.md *Limits*: a tier that comes without a person's act counts nothing for the person. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credit, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Gifts from "../../../src/capabilities/members/Gifts.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import * as Reached from "../../../src/capabilities/segments/Reached.ts"
import { Accounts } from "../../../src/core/account/Accounts.ts"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as Given from "../../../src/desk/surface/Given.ts"
import { memberOf } from "../../../src/desk/surface/MemberOf.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import { operator } from "../../Operator.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { post } from "../operators/Operators.ts"
import { person, said } from "../staff/Clerks.ts"
import { ask } from "../staff/Marketing.ts"

const program_id = Testing.demoProgram.id
const published = Programs.layer.pipe(
  Layer.provide(
    Layer.effectDiscard(
      Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
    )
  )
)
const layer = TestServer.layerFor(PgJournal.layer, published, Pools.layer).pipe(
  Layer.provide(MemoryJournal.MemoryStorage.layer),
  Layer.provideMerge(TestDatabase.layer)
)

const up = { type: "tier_changed", at: 0, from: "starter", to: "regular", places: [0, 1], amount: 300 } as const
const down = { ...up, from: "regular", to: "starter", places: [1, 0] } as const

const counted = Effect.map(
  TestDatabase.query("SELECT coalesce(sum(points), 0)::int AS points FROM given_days WHERE user_id = 'ana'"),
  ([row]) => row?.["points"]
)

/** The demo programme whose second tier begins at an amount. */
const withTierFrom = (minimum: number) => {
  const file = structuredClone(Testing.demoProgram.file)
  const tiers = file.tiers?.map((tier, place) => (place === 1 ? { ...tier, minimum } : tier))
  return { ...file, tiers }
}

it.layer(layer, { excludeTestServices: true })("a tier that is due while a person gives", (it) => {
  it.effect("counts nothing for her, whatever she gives; one that her gift brings counts", () =>
    Effect.gen(function* () {
      const [olga, ana] = [yield* person("olga", "owner"), yield* person("ana", "support")]
      const adjust = (member: string, amount: number, qualifies_for_tier: boolean, by = ana) => {
        const adjustment_id = `${member}-${amount}-${qualifies_for_tier}`
        const facts = { adjustment_id, amount, classification: "gift", reason: "late order", qualifies_for_tier }
        return said(post(`/members/${program_id}/${member}/adjustments`, facts, by))
      }
      const members = ["fay", "flo", "fox", "fee"]
      for (const member of members) {
        yield* enroll(member)
        assert.deepStrictEqual(yield* adjust(member, member === "fee" ? 100 : 300, true, olga), [201])
      }
      const trigger = { on: "tier.changed", direction: "up", once: "event" }
      const action = { credit: { amount: 30_000, reason: "bonus" } }
      const facts = { campaign_id: "risen", program_id, name: "risen", trigger, action }
      assert.deepStrictEqual(yield* said(ask("PUT", "/campaigns", olga, facts)), [200])
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "risen", status: "active" })
      // A tier that is due counts as much as the gift brings beyond it: nothing where both go up.
      const reached = yield* Reached.make
      const guest = { accounts: [], before: {}, after: {}, isImported: false }
      const caused = (due: ReadonlyArray<AccountEvent>, events: ReadonlyArray<AccountEvent> = [up]) =>
        Effect.map(reached.by(Testing.demoProgram, { guest, due, events }), ({ amounts }) => amounts.points).pipe(
          Effect.provideService(CurrentCaller, { ...operator, kind: "user", keyId: "ana", role: "support" })
        )
      assert.deepStrictEqual(yield* Effect.all([caused([]), caused([up]), caused([down])]), [30_000, 0, 30_000])
      // One that is due is not the higher one that an audience may ask for.
      const higher = { ...up, to: "vip", places: [0, 2] } as const
      assert.strictEqual(yield* caused([up], [higher]), 0, "one change, and one gift")
      const aimed = { segment_id: "vips", program_id, name: "vips", rules: { tier: ["vip"] } }
      assert.deepStrictEqual(yield* said(ask("PUT", "/segments", olga, aimed)), [200])
      yield* ask("PUT", "/campaigns", olga, { ...facts, campaign_id: "aimed", segment_id: "vips" })
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "aimed", status: "active" })
      assert.strictEqual(yield* caused([up], [higher]), 30_000)
      yield* ask("POST", "/campaigns/status", olga, { campaign_id: "aimed", status: "archived" })
      // The guests with 300 are in the second tier from now on, and no record says so.
      assert.deepStrictEqual(yield* said(post("/programs/publish", { program: withTierFrom(200) }, olga)), [200])
      assert.deepStrictEqual(yield* adjust("fay", 1, true), [201])
      assert.deepStrictEqual(yield* adjust("flo", 1, false), [201])
      const reward = { issued_reward_id: "r-1", reward_id: "free-bowl", reason: "late order" }
      assert.deepStrictEqual(yield* said(post(`/members/${program_id}/fox/rewards`, reward, ana)), [201])
      assert.deepStrictEqual(yield* counted, 2)
      assert.deepStrictEqual(yield* adjust("fee", 150, true), [403, "points_per_action", 1_000])
    })
  )
})

it.layer(layer, { excludeTestServices: true })("a membership that ends", (it) => {
  it.effect("is looked at again if an order has come since, and counts what ends", () =>
    Effect.gen(function* () {
      yield* enroll("gus")
      yield* credit("gus", 100)
      yield* person("bob", "support")
      const [accounts, given] = [yield* Accounts, yield* Given.make]
      let looks = 0
      const look = memberOf(accounts, program_id, "gus").pipe(
        Effect.map((resident) => ({ program: Testing.demoProgram, resident, state: resident.state })),
        Effect.tap(() => (looks++ === 0 ? credit("gus", 300) : Effect.void))
      )
      const action = { type: "set_status", status: "closed", reason: "asked" } as const
      yield* Gifts.ended(given, look, (counted) =>
        Effect.succeed(accounts.execute(program_id, "gus", { action, guards: {}, counted }))
      ).pipe(Effect.provideService(CurrentCaller, { ...operator, kind: "user", keyId: "bob", role: "support" }))
      const rows = yield* TestDatabase.query("SELECT points::int AS points FROM given_days WHERE user_id = 'bob'")
      assert.deepStrictEqual([looks, rows], [2, [{ points: 400 }]])
    })
  )
})
