/** contract/operators.md *Moving an order*: it is done on both members or on neither, wherever the service is killed. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as path from "node:path"
import { balanceOf, credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import * as HandlersOf from "../../../src/core/protocol/Handlers.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Victims from "../../Victims.ts"

const program_id = Testing.demoProgram.id
const steps = ["decided", "sent", "committed", "answered"] as const

const service = HandlersOf.layer.pipe(
  Layer.provideMerge(Accounts.layer()),
  Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
  Layer.provideMerge(PgJournal.layer)
)

/** Moves the order in a process of its own, which is killed at the step. */
const killedAt = Effect.fnUntraced(function* (step: string, from: string, into: string, order: string) {
  const file = path.join(import.meta.dirname, "MergeVictim.ts")
  assert.strictEqual(yield* Victims.run(file, step, from, into, order), "SIGKILL", step)
})

const look = (...members: ReadonlyArray<string>) =>
  Effect.forEach(members, (member) => Effect.map(balanceOf(member), ({ amount }) => amount))

it.live("killed at any step, the order is with one of the two, whole, and a retry comes to the same", () =>
  Effect.gen(function* () {
    const moves = steps.map((step, index) => ({
      step,
      from: `from-${index}`,
      into: `into-${index}`,
      order: `o-${index}`
    }))
    yield* Effect.gen(function* () {
      for (const { from, into, order } of moves) {
        for (const member of [from, into]) yield* enroll(member)
        yield* earn(from, order, 3_000)
        yield* credit(from, 20)
        yield* credit(into, -50)
      }
    }).pipe(Effect.provide(Layer.fresh(service)))
    yield* Effect.forEach(moves, ({ from, into, order, step }) => killedAt(step, from, into, order), {
      concurrency: "unbounded"
    })
    yield* Effect.gen(function* () {
      for (const { from, into, order, step } of moves) {
        const found = yield* look(from, into)
        const isMoved = found[0] === 20
        assert.deepStrictEqual(found, isMoved ? [20, 250] : [320, -50], step)
        if (step === "decided") assert.isFalse(isMoved)
        if (step === "committed" || step === "answered") assert.isTrue(isMoved)
        const accounts = yield* Accounts.Accounts
        const retried = yield* accounts.moveOrder(program_id, { order, from, into, reason: "test" })
        assert.strictEqual(retried._tag, isMoved ? "Refusal" : "Answered", step)
        assert.deepStrictEqual(yield* look(from, into), [20, 250])
      }
      yield* isSound
    }).pipe(Effect.provide(Layer.fresh(service)))
  }).pipe(Effect.provide(TestDatabase.layer))
)
