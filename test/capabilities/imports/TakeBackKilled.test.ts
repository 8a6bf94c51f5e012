/** contract/engagement.md *Taking an import back*: each guest once, wherever the service is killed, and on two nodes at once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Imports from "../../../src/capabilities/imports/Imports.ts"
import * as TakeBack from "../../../src/capabilities/imports/TakeBack.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Victims from "../../Victims.ts"
import * as Sent from "./ImportSent.ts"

const service = Accounts.layer().pipe(
  Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
  Layer.provideMerge(PgJournal.layer),
  Layer.provideMerge(Pools.layer)
)

/** Guests of an import, erasures, and sums of credits and counter-entries. */
const look = (import_id: string) =>
  Effect.map(
    TestDatabase.query(
      `WITH guests AS (SELECT DISTINCT r.account FROM import_rows r JOIN imports i ON i.n = r.import WHERE i.import_id = '${import_id}')
        SELECT count(*)::int AS guests, (SELECT count(*)::int FROM erasures e JOIN guests USING (account)) AS erased,
          (SELECT sum(amount)::int FROM ledger_entries e JOIN guests USING (account)) AS points,
          (SELECT count(*)::int FROM ledger_entries e JOIN guests USING (account)) AS entries,
          (SELECT count(*)::int FROM audit WHERE action = 'import.take_back' AND subject_id = '${import_id}') AS audited
        FROM guests WHERE account IS NOT NULL`
    ),
    ([row]) => row
  )

const wholly = { guests: Sent.rows, erased: Sent.rows, points: 0, entries: 2 * Sent.rows, audited: 1 }
const credited = (Sent.rows * (Sent.rows + 1)) / 2
const asked = (import_id: string) => ({ import_id, reason: "wrong file" })

it.live("killed at any step, an import is taken back by the next request, each guest once", () =>
  Effect.gen(function* () {
    const file = path.join(import.meta.dirname, "TakeBackVictim.ts")
    for (const step of ["committed", "not noted"]) {
      assert.strictEqual(yield* Victims.run(file, step), "SIGKILL", step)
      const done = Effect.gen(function* () {
        const { importMembers } = yield* Imports.make
        const import_id = yield* Sent.importIdOf(yield* importMembers(Sent.request(step), {}))
        const before = yield* look(import_id)
        if (step === "committed") assert.isBelow(Number(before?.["erased"]), Sent.rows)
        assert.isAbove(Number(before?.["entries"]), Sent.rows, step)
        const { takeBack } = yield* TakeBack.make
        const answer = yield* takeBack(asked(import_id))
        assert.deepInclude(answer, { erased: Sent.rows, kept: 0, credited, taken: credited }, step)
        assert.deepInclude(yield* look(import_id), wholly, step)
        assert.deepStrictEqual(yield* takeBack(asked(import_id)), answer, step)
        assert.deepInclude(yield* look(import_id), wholly, step)
        yield* isSound
      })
      yield* done.pipe(Effect.provideService(CurrentCaller, Sent.caller), Effect.provide(Layer.fresh(service)))
    }
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.live("asked of two nodes at once, an import is taken back once, and both answer so", () =>
  Effect.gen(function* () {
    const database = Layer.succeed(Database, yield* Database)
    const node = Layer.fresh(service.pipe(Layer.provide(database)))
    const [one, other] = [yield* Layer.build(node), yield* Layer.build(Layer.fresh(node))]
    const { importMembers } = yield* Effect.provide(Imports.make, one)
    const import_id = yield* Sent.importIdOf(yield* importMembers(Sent.request("two"), {}))
    const nodes = yield* Effect.forEach([one, other], (node) => Effect.provide(TakeBack.make, node))
    const answers = yield* Effect.forEach(nodes, ({ takeBack }) => takeBack(asked(import_id)), {
      concurrency: "unbounded"
    })
    for (const answer of answers) assert.deepInclude(answer, { erased: Sent.rows, kept: 0, credited, taken: credited })
    assert.deepInclude(yield* look(import_id), wholly)
  }).pipe(Effect.provideService(CurrentCaller, Sent.caller), Effect.scoped, Effect.provide(TestDatabase.layer))
)
