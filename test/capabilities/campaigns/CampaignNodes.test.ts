/**
 * contract/engagement.md *Runs*: a run continues on another node than the one that is asked, and is stopped, awaited and
 * taken over by any node.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Scope } from "effect"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Database } from "../../../src/base/database/Database.ts"
import * as Bounds from "../../../src/capabilities/campaigns/Bounds.ts"
import { CampaignRuns } from "../../../src/capabilities/campaigns/CampaignRuns.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import { between, layerOver } from "./CampaignService.ts"
import * as World from "./CampaignWorld.ts"

type Parts = Layer.Success<ReturnType<typeof layerOver>>
/** Runs an effect on a node. */
type On = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Exclude<R, Parts>>

const node = Effect.gen(function* () {
  const context = yield* Layer.build(layerOver(Layer.succeed(Database, yield* Database)))
  const on: On = (effect) => Effect.provide(effect, context)
  return on
})

const pair = <A, E>(test: (first: On, second: On) => Effect.Effect<A, E, Database | Scope.Scope>) =>
  Effect.gen(function* () {
    return yield* test(yield* node, yield* node)
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        between.issue = (issue) => issue
      })
    ),
    Effect.scoped,
    Effect.provide(TestDatabase.layer)
  )

const drain = Effect.flatMap(CampaignRuns, (runs) => runs.drain)
const round = Effect.flatMap(CampaignRuns, (runs) => runs.round)

describe("a run on another node", () => {
  it.effect("is the run of the same Idempotency-Key, whichever node takes the copy, and no second one", () =>
    pair((first, second) =>
      Effect.gen(function* () {
        yield* first(World.active("keyed", 3))
        // A copy that came before the first result was stored.
        const run = Effect.updateService(World.run({ campaign_id: "keyed" }), CurrentCaller, (caller) => ({
          ...caller,
          idempotencyKey: "key-of-the-run"
        }))
        const made = yield* first(run)
        const copied = yield* second(run)
        assert.strictEqual(copied.run_id, made.run_id)
        assert.lengthOf(yield* first(World.listed("keyed")), 1)
        const other = yield* second(World.run({ campaign_id: "keyed" }))
        assert.notStrictEqual(other.run_id, made.run_id)
      })
    )
  )

  it.effect("is answered at its end by the node that was asked", () =>
    pair((asked, worker) =>
      Effect.gen(function* () {
        yield* asked(World.active("asked", 3))
        const answer = yield* asked(World.begin({ campaign_id: "asked" }))
        yield* asked(World.begun("asked"))
        yield* worker(drain)
        // Well before the answer would come without the run's end.
        for (let looks = 0; looks < 20 && answer.pollUnsafe() === undefined; looks++) {
          yield* TestClock.adjust(Bounds.runPollMs)
          yield* asked(World.listed("asked"))
        }
        assert.isDefined(answer.pollUnsafe())
        const { run } = yield* Fiber.join(answer)
        assert.deepStrictEqual([run.status, World.counts(run)], ["completed", [3, 3, 0, 0, 0]])
      })
    )
  )

  it.live("grants nothing more once a node has answered a pause", () =>
    pair((asked, worker) =>
      Effect.gen(function* () {
        const { campaigns } = yield* asked(World.active("paused", 300))
        yield* asked(World.begin({ campaign_id: "paused" }))
        yield* asked(World.begun("paused"))
        const holds = yield* Deferred.make<void>()
        const began = yield* Deferred.make<void>()
        let given = 0
        between.issue = (issue) =>
          Deferred.succeed(began, undefined).pipe(
            Effect.andThen(Deferred.await(holds)),
            Effect.andThen(issue),
            Effect.tap(() => Effect.sync(() => given++))
          )
        const running = yield* Effect.forkChild(worker(drain))
        yield* Deferred.await(began)
        const pause = yield* Effect.forkChild(
          asked(
            Effect.map(campaigns.setStatus({ campaign_id: "paused", status: "paused" }), ({ campaign }) => [
              campaign.status,
              given
            ])
          )
        )
        // Until the pause waits in the database, or has been answered too early.
        for (let waits: unknown = 0; waits === 0 && pause.pollUnsafe() === undefined; ) {
          const [row] = yield* TestDatabase.query(
            "SELECT count(*)::int AS waits FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()"
          )
          waits = row?.["waits"]
        }
        yield* Deferred.succeed(holds, undefined)
        assert.deepStrictEqual(yield* Fiber.join(pause), ["paused", 256])
        yield* Fiber.join(running)
        assert.strictEqual(given, 256)
      })
    )
  )

  it.live("counts what another node has granted and not recorded towards the limit", () =>
    pair((first, second) =>
      Effect.gen(function* () {
        const { campaigns, names } = yield* first(World.active("moved", 600))
        yield* first(World.begin({ campaign_id: "moved" }))
        yield* first(World.begun("moved"))
        while ((yield* first(World.listed("moved")))[0]?.issued === 0) yield* first(round)
        // The second node grants to members in the middle of its batch, and is lost before it records anything.
        let given = 0
        const enough = yield* Deferred.make<void>()
        const late = new Set(names.slice(400, 412))
        between.issue = (issue, member) =>
          late.has(member)
            ? Effect.tap(issue, () => (++given === late.size ? Deferred.succeed(enough, undefined) : Effect.void))
            : Effect.never
        const lost = yield* Effect.forkChild(second(drain))
        yield* Deferred.await(enough)
        yield* Fiber.interrupt(lost)
        between.issue = (issue) => issue
        yield* first(campaigns.put(World.facts("moved", { limit: { rewards: 268 } })))
        yield* first(drain)
        const [run] = yield* first(World.listed("moved"))
        assert.deepStrictEqual(run === undefined ? [] : World.counts(run), [600, 268, 332, 0, 0])
        const wallets = yield* first(World.wallets(names))
        assert.strictEqual(
          wallets.reduce((sum, one) => sum + one),
          268
        )
      })
    )
  )
})
