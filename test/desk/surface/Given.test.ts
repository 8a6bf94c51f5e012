/** contract/operators.md *Limits*: what stays counted when the outcome of a command is unknown, and what is given back. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import type { Refused } from "../../../src/contract/Refused.ts"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as Bounds from "../../../src/desk/surface/Bounds.ts"
import * as Given from "../../../src/desk/surface/Given.ts"
import { refuse } from "../../../src/desk/surface/Refusal.ts"
import { operator } from "../../Operator.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const memory = MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer))
const programs = Layer.provide(Programs.layerFrom([Testing.demoProgram]), memory)
const layer = Layer.orDie(Layer.provideMerge(Layer.mergeAll(memory, programs, Pools.layer), TestDatabase.layer))

const isNew = () => ({ isNew: true })
const wasThere = () => ({ isNew: false })
const gift = (id: string, points: number): Given.Gift => ({
  program: Testing.demoProgram,
  id: [id],
  points,
  rewards: 0,
  moves: 0
})
const given = Effect.succeed("given")
const unknown: Effect.Effect<string, Refused> = Effect.fail(Pools.storageUnavailable)
const refused: Effect.Effect<string, Refused> = refuse("member_not_active", "suspended")

/** Does something as a new clerk. */
const asClerk = <A, E, R>(name: string, work: Effect.Effect<A, E, R | CurrentCaller>) =>
  Effect.andThen(
    TestDatabase.query(`INSERT INTO users (user_id, email, name, role, status, created_at, created_by)
      VALUES ('${name}', '${name}', '${name}', 'support', 'active', 0, 'test')`),
    Effect.provideService(work, CurrentCaller, { ...operator, kind: "user", keyId: name, role: "support" })
  )

const pointsOf = (user: string) =>
  Effect.map(
    TestDatabase.query(`SELECT sum(points)::int AS points FROM given_days WHERE user_id = '${user}'`),
    ([row]) => row?.["points"]
  )

/** The code of a refusal, or what was done. */
const outcome = <R>(work: Effect.Effect<string, Refused, R>) =>
  Effect.match(work, { onSuccess: (done) => done, onFailure: (error) => error.code as string })

it.layer(layer)("a counted command", (it) => {
  it.effect("whose outcome is unknown stays, until its retry tells", () =>
    asClerk(
      "ana",
      Effect.gen(function* () {
        const { within } = yield* Given.make
        assert.strictEqual(yield* outcome(within(gift("a", 1_000), isNew, unknown)), "storage_unavailable")
        assert.strictEqual(yield* pointsOf("ana"), 1_000)
        assert.strictEqual((yield* Effect.exit(within(gift("b", 1_000), isNew, Effect.interrupt)))._tag, "Failure")
        assert.strictEqual((yield* Effect.exit(within(gift("c", 1_000), isNew, Effect.die("broken"))))._tag, "Failure")
        assert.strictEqual(yield* pointsOf("ana"), 3_000)
        // It was done by the first request, by the second one, and not at all.
        assert.strictEqual(yield* outcome(within(gift("a", 1_000), wasThere, given)), "given")
        assert.strictEqual(yield* outcome(within(gift("b", 1_000), isNew, given)), "given")
        assert.strictEqual(yield* pointsOf("ana"), 3_000)
        assert.strictEqual(yield* outcome(within(gift("c", 1_000), isNew, refused)), "member_not_active")
        assert.strictEqual(yield* pointsOf("ana"), 2_000)
        // Gifts that are done stay, whatever a later request with it says.
        assert.strictEqual(yield* outcome(within(gift("b", 1_000), isNew, refused)), "member_not_active")
        assert.strictEqual(yield* pointsOf("ana"), 2_000)
      })
    )
  )

  it.effect("is given back by the last of its requests, not while another one may still do it", () =>
    asClerk(
      "bea",
      Effect.gen(function* () {
        const { within } = yield* Given.make
        const begun = yield* Latch.make(false)
        const go = yield* Latch.make(false)
        const slow = Effect.andThen(begun.open, Effect.andThen(go.await, given))
        const first = yield* Effect.forkChild(within(gift("a", 700), isNew, slow))
        yield* begun.await
        assert.strictEqual(yield* outcome(within(gift("a", 700), isNew, refused)), "member_not_active")
        assert.strictEqual(yield* pointsOf("bea"), 700)
        yield* go.open
        yield* Fiber.join(first)
        assert.strictEqual(yield* pointsOf("bea"), 700)
      })
    )
  )

  it.effect("counts what a later request with it foresees beyond the first, within the limits", () =>
    asClerk(
      "gus",
      Effect.gen(function* () {
        const { within } = yield* Given.make
        const begun = yield* Latch.make(false)
        const go = yield* Latch.make(false)
        const slow = Effect.andThen(begun.open, Effect.andThen(go.await, refused))
        const first = yield* Effect.forkChild(outcome(within(gift("a", 400), isNew, slow)))
        yield* begun.await
        assert.strictEqual(yield* outcome(within(gift("a", 1_001), isNew, given)), "limit_exceeded")
        assert.strictEqual(yield* pointsOf("gus"), 400)
        assert.strictEqual(yield* outcome(within(gift("a", 900), isNew, unknown)), "storage_unavailable")
        assert.strictEqual(yield* pointsOf("gus"), 900)
        yield* go.open
        assert.strictEqual(yield* Fiber.join(first), "member_not_active")
        assert.strictEqual(yield* pointsOf("gus"), 0, "taken back as a whole")
        assert.strictEqual(yield* outcome(within(gift("b", 400), isNew, given)), "given")
        assert.strictEqual(yield* outcome(within(gift("b", 1_000), wasThere, given)), "given")
        assert.strictEqual(yield* pointsOf("gus"), 400, "no repeat of one that is done gives more")
      })
    )
  )

  it.effect("of a service that died is given back once its request cannot go on", () =>
    asClerk(
      "cem",
      Effect.gen(function* () {
        const { within } = yield* Given.make
        assert.strictEqual(yield* outcome(within(gift("a", 500), isNew, unknown)), "storage_unavailable")
        yield* TestDatabase.query("UPDATE given_commands SET running = 1 WHERE user_id = 'cem'")
        assert.strictEqual(yield* outcome(within(gift("a", 500), isNew, refused)), "member_not_active")
        assert.strictEqual(yield* pointsOf("cem"), 500)
        yield* TestClock.adjust(Bounds.runningMs + 1)
        assert.strictEqual(yield* outcome(within(gift("a", 500), isNew, refused)), "member_not_active")
        assert.strictEqual(yield* pointsOf("cem"), 0)
      })
    )
  )

  it.effect("is known as counted", () =>
    asClerk(
      "dora",
      Effect.gen(function* () {
        const { isCounted, within } = yield* Given.make
        yield* within(gift("a", 500), isNew, given)
        assert.isTrue(yield* isCounted(gift("a", 0)))
        assert.isFalse(yield* isCounted(gift("b", 0)))
      })
    )
  )

  it.effect("is forgotten after a month, with its day", () =>
    asClerk(
      "eva",
      Effect.gen(function* () {
        const { within } = yield* Given.make
        yield* within(gift("a", 1_000), isNew, given)
        yield* TestClock.adjust(Bounds.keptResultMs - 86_400_000)
        yield* within(gift("b", 1_000), isNew, given)
        assert.strictEqual(yield* pointsOf("eva"), 2_000)
        yield* TestClock.adjust(2 * 86_400_000)
        yield* within(gift("c", 1_000), isNew, given)
        assert.strictEqual(yield* pointsOf("eva"), 2_000)
        const kept = yield* TestDatabase.query("SELECT 1 FROM given_commands WHERE user_id = 'eva'")
        assert.lengthOf(kept, 2)
      })
    )
  )

  it.effect("of each person and programme has a sum of its own", () =>
    asClerk(
      "flo",
      Effect.gen(function* () {
        const { within } = yield* Given.make
        const other = { ...gift("a", 1_000), program: { ...Testing.demoProgram, id: "other", zone: "Asia/Tokyo" } }
        for (const one of ["a", "b", "c", "d", "e"]) yield* within({ ...other, id: [one] }, isNew, given)
        assert.strictEqual(yield* outcome(within({ ...other, id: ["f"] }, isNew, given)), "limit_exceeded")
        assert.strictEqual(yield* outcome(within(gift("a", 1_000), isNew, given)), "given")
        assert.strictEqual(yield* pointsOf("flo"), 6_000)
      })
    )
  )
})
