/** contract/members.md *Merging*: a merge is done on both members or on neither, wherever the service is killed. */
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

/** Merges in a process of its own, which is killed at the step. */
const killedAt = Effect.fnUntraced(function* (step: string, from: string, into: string) {
  const file = path.join(import.meta.dirname, "MergeVictim.ts")
  assert.strictEqual(yield* Victims.run(file, step, from, into), "SIGKILL", step)
})

/** A member's own state, and the balances of both. */
const look = (from: string, into: string) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts.Accounts
    const [one, other] = [yield* accounts.read(program_id, from, true), yield* accounts.read(program_id, into, true)]
    if (one?._tag !== "Resident" || other?._tag !== "Resident") throw new Error("a member is there")
    const posted = ({ state }: typeof one) => state.units.reduce((sum, unit) => sum + unit.posted, 0)
    return {
      isMerged: one.state.mergedInto !== undefined,
      hasMerged: other.state.merged.length > 0,
      balances: [posted(one), posted(other)]
    }
  })

it.live("killed at any step, both members are merged or neither, and a retry comes to the same", () =>
  Effect.gen(function* () {
    const pairs = steps.map((step, index) => ({ step, from: `from-${index}`, into: `into-${index}` }))
    yield* Effect.gen(function* () {
      for (const { from, into } of pairs) {
        for (const member of [from, into]) yield* enroll(member)
        yield* earn(from, `order of ${from}`, 3_000)
        yield* credit(from, 20, "2099-01-01T00:00:00.000Z")
        yield* credit(into, -50)
      }
    }).pipe(Effect.provide(Layer.fresh(service)))
    yield* Effect.forEach(pairs, ({ from, into, step }) => killedAt(step, from, into), { concurrency: "unbounded" })
    yield* Effect.gen(function* () {
      for (const { from, into, step } of pairs) {
        const found = yield* look(from, into)
        assert.strictEqual(found.isMerged, found.hasMerged, step)
        assert.deepStrictEqual(found.balances, found.isMerged ? [0, 270] : [320, -50], step)
        if (step === "decided") assert.isFalse(found.isMerged)
        if (step === "committed" || step === "answered") assert.isTrue(found.isMerged)
        const accounts = yield* Accounts.Accounts
        const retried = yield* accounts.merge(program_id, { from, into })
        assert.strictEqual(retried._tag, found.isMerged ? "Refusal" : "Answered", step)
        assert.deepStrictEqual((yield* look(from, into)).balances, [0, 270])
        assert.strictEqual((yield* balanceOf(from)).amount, 270)
      }
      yield* isSound
    }).pipe(Effect.provide(Layer.fresh(service)))
  }).pipe(Effect.provide(TestDatabase.layer))
)
