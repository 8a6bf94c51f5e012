/**
 * contract/engagement.md *Triggers*: each event gives exactly once, wherever the service is killed, and one member gets no
 * more than the frequency says.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as path from "node:path"
import * as Guests from "../../../src/app/testing/Guests.ts"
import * as Random from "../../model/Random.ts"
import { countRollups } from "../../reads/reconcile/Scenario.ts"
import * as Victims from "../../Victims.ts"
import * as World from "./CampaignWorld.ts"
import * as Triggers from "./TriggerWorld.ts"

/** `TRIGGER_KILLS=100` kills so often. */
const kills = Number(process.env["TRIGGER_KILLS"] ?? 3)
const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000)
const victim = path.join(import.meta.dirname, "CampaignVictim.ts")
const sum = (all: ReadonlyArray<number>) => all.reduce((one, other) => one + other, 0)
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`)

it.layer(World.layer, { excludeTestServices: true })("a trigger", (it) => {
  it.effect(
    "gives exactly once after kill -9, again and again, and all that was given counts towards a new limit",
    () =>
      Effect.gen(function* () {
        const campaigns = yield* Triggers.active("killed", { on: "member.enrolled" })
        const random = Random.make(seed, "kills")
        const members: Array<string> = []
        for (let kill = 0; kill < kills; kill++) {
          const more = names(`k${kill}-`, kill === 0 ? 300 : 40)
          members.push(...more)
          yield* Effect.forEach(more, Guests.enroll, { concurrency: 32 })
          yield* countRollups
          // Of a batch of 256, some or all are given when the service is killed.
          const rewards = random.whole(1, kill === 0 ? 200 : 30)
          assert.strictEqual(yield* Victims.run(victim, String(rewards)), "SIGKILL")
        }
        yield* campaigns.put(Triggers.trigger("killed", { on: "member.enrolled" }, { limit: { rewards: 1 } }))
        yield* Triggers.goOn("killed")
        const { issued, skipped } = yield* Triggers.triggered("killed")
        const wallets = yield* World.wallets(members)
        const told = `FAULTS_SEED=${seed}`
        assert.deepStrictEqual([sum(wallets), Math.max(...wallets)], [issued, 1], told)
        assert.strictEqual(issued + sum(skipped.map(({ count }) => count)), members.length, told)
        yield* Triggers.rest
      })
  )

  it.effect("gives one member no more than its frequency after kill -9, twice", () =>
    Effect.gen(function* () {
      yield* Triggers.active("often", { on: "order.accrued", once: "event" }, { frequency: { times: 3, days: 30 } })
      const members = names("o", 4)
      yield* Effect.forEach(members, Guests.enroll)
      for (const order of ["a", "b", "c", "d", "e"])
        yield* Effect.forEach(members, (member) => Triggers.order(member, `${member}-${order}`, 100))
      yield* countRollups
      for (const rewards of [3, 5]) assert.strictEqual(yield* Victims.run(victim, String(rewards)), "SIGKILL")
      yield* Triggers.goOn("often")
      assert.deepStrictEqual(yield* World.wallets(members), [3, 3, 3, 3])
      const { issued, skipped } = yield* Triggers.triggered("often")
      assert.deepStrictEqual([issued, skipped], [12, [{ code: "frequency_reached", count: 8 }]])
    })
  )
})
