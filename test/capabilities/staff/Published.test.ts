/**
 * contract/programmes.md *Rewards of one order*: a person with limits publishes no programme that gives more than she may,
 * by an order or by an automation for a tier.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Publishing from "../../../src/capabilities/programs/Publishing.ts"
import { said as sentence } from "../../../src/contract/Said.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import * as ProgramStore from "../../../src/core/programs/ProgramStore.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as PgFeed from "../../../src/reads/feed/PgFeed.ts"
import * as RollupReads from "../../../src/reads/rollups/RollupReads.ts"
import * as TestServer from "../../app/service/TestServer.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { post } from "../operators/Operators.ts"
import { person, said } from "./Clerks.ts"
import type { Headers } from "./Marketing.ts"

const { file, id: program_id } = Testing.demoProgram
const published = Programs.layerFromRead(ProgramStore.inForce).pipe(
  Layer.provide(
    Layer.effectDiscard(
      Publishing.publishFiles([{ file: "program.demo.json", program: Testing.demoProgram }], "changed")
    )
  )
)
const rollups = RollupReads.layer.pipe(Layer.provide(PgFeed.layer))
const service = TestServer.layerFor(PgJournal.layer, published, Pools.layer, [], Date.UTC(2026, 6, 14), rollups)
const layer = Layer.orDie(Layer.provideMerge(service, TestDatabase.layer))

const publish = (program: object, by: Headers) => post("/programs/publish", { program }, by)
const gift = (add: number) => ({
  ...file,
  promotions: [
    { promotion_id: "much", name: "Much", effect: { add }, minimum_spend: { amount: 9_000, currency: "USD" } }
  ]
})
const tiers = (vip: number) => ({
  ...file,
  tiers: file.tiers.map((tier) => (tier.tier_id === "vip" ? { ...tier, minimum: vip } : tier))
})

it.layer(layer)("a person with limits", (it) => {
  it.effect("publishes no more points for an order than she may give at once, and is told before", () =>
    Effect.gen(function* () {
      const [mia, olga] = [yield* person("mia", "manager"), yield* person("olga", "owner")]
      // The order gives 750 by the rate of the highest tier.
      const much = gift(10_000_000)
      const told = yield* post("/programs/validate", much, mia)
      assert.deepInclude(told.body["warnings"], {
        path: "",
        message:
          "The role manager may give or take 50000 points at once; this is 10000750. At most now: 50000. Roles that may: owner."
      })
      assert.notInclude(JSON.stringify((yield* post("/programs/validate", much, olga)).body), "10000750")
      assert.deepStrictEqual(yield* said(publish(much, mia)), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* said(publish(gift(49_250), mia)), [200])
      assert.deepStrictEqual(yield* said(publish(gift(49_251), mia)), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* said(publish(much, olga)), [200])
      assert.deepStrictEqual(yield* said(publish({ ...much, name: "Others" }, mia)), [200], "the rate is in force")
      assert.deepStrictEqual(yield* said(publish(file, mia)), [200])
      const back = post(`/programs/${program_id}/rollback`, { version: 3 }, mia)
      assert.deepStrictEqual(yield* said(back), [403, "points_per_action", 50_000])
      const [given] = yield* TestDatabase.query("SELECT count(*)::int AS days FROM given_days")
      assert.strictEqual(given?.["days"], 0)
    })
  )

  it.effect("publishes no easier tier while an automation gives for it", () =>
    Effect.gen(function* () {
      const [mona, olga] = [yield* person("mona", "manager"), yield* person("olga", "owner")]
      const facts = {
        action: { credit: { amount: 5, reason: "bonus" } },
        trigger: { on: "tier.changed", direction: "up" },
        limit: { amount: 100_000 }
      }
      const campaign = { campaign_id: "risen", program_id, name: "risen", ...facts }
      const sent = (path: string, body: object, method: string) =>
        TestServer.send(`/platform/v1/campaigns${path}`, body, { method, headers: olga })
      const become = (status: string, by = olga) =>
        said(
          TestServer.send(
            "/platform/v1/campaigns/status",
            { campaign_id: "risen", status },
            { method: "POST", headers: by }
          )
        )
      assert.strictEqual((yield* sent("", campaign, "PUT")).status, 200)
      assert.deepStrictEqual(yield* become("active"), [200])
      assert.deepStrictEqual((yield* publish(tiers(1_499), mona)).body["errors"], [
        {
          path: "/program/tiers",
          ...sentence`must not become easier to reach while the automation ${"risen"} is active, which gives for it: pause it, and who resumes it is counted`
        }
      ])
      assert.deepStrictEqual(yield* said(publish(tiers(1_501), mona)), [200])
      for (const status of ["paused", "active", "paused"])
        assert.deepStrictEqual(yield* become(status, mona), [200], "the gifts are olga's")
      assert.deepStrictEqual(yield* said(publish(tiers(1_400), mona)), [200])
      // Rises that the publication brings about are told later.
      assert.deepStrictEqual(yield* become("active", mona), [403, "points_per_action", 50_000])
      assert.deepStrictEqual(yield* become("active"), [200])
      assert.deepStrictEqual(yield* said(publish(tiers(1_300), olga)), [200])
    })
  )
})
