/** contract/engagement.md *Imports*: an import that is sent to two nodes at once runs on one at a time. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { Database } from "../../../src/base/database/Database.ts"
import * as Locks from "../../../src/base/database/Locks.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Imports from "../../../src/capabilities/imports/Imports.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import { Journal } from "../../../src/core/journal/Journal.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Sent from "./ImportSent.ts"

const sent = Sent.request("two-nodes")
/** With a row that only its execution refuses: the external id is another member's. */
const request = { ...sent, rows: [...(sent.rows ?? []), { member_id: "other", external_id: "two-nodes-0" }] }

/** Keeps the outcome of a node's first record back until `go`. */
const holding = (began: Deferred.Deferred<void>, go: Deferred.Deferred<void>) =>
  Layer.effect(
    Journal,
    Effect.gen(function* () {
      const real = yield* Journal
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      return Journal.of({
        ...real,
        submit: (record, done) =>
          real.submit(record, (outcome) => {
            Deferred.doneUnsafe(began, Effect.void)
            fork(
              Effect.andThen(
                Deferred.await(go),
                Effect.sync(() => done(outcome))
              )
            )
          })
      })
    })
  ).pipe(Layer.provide(PgJournal.layer))

/** A node's imports. */
const node = Effect.fnUntraced(function* <E>(journal: Layer.Layer<Journal, E, Database>) {
  const service = Accounts.layer().pipe(
    Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
    Layer.provideMerge(journal),
    Layer.provideMerge(Pools.layer),
    Layer.provide(Layer.succeed(Database, yield* Database))
  )
  const { importMembers } = yield* Effect.provide(Imports.make, yield* Layer.build(Layer.fresh(service)))
  return importMembers(request, {}).pipe(
    Effect.provideService(CurrentCaller, Sent.caller),
    Effect.map(({ body, status }) => {
      if (body._tag !== "Uint8Array") throw new Error("the answer is JSON")
      return { status, found: JSON.parse(Buffer.from(body.body).toString()).import }
    })
  )
})

/** Returns once an import waits for its lock, or the answer is there. */
const waits = (answer: Fiber.Fiber<unknown, unknown>) =>
  Effect.gen(function* () {
    for (let waiting: unknown = 0; waiting === 0 && answer.pollUnsafe() === undefined; ) {
      const [row] = yield* TestDatabase.query(
        `SELECT count(*)::int AS waiting FROM pg_locks l JOIN pg_stat_activity a USING (pid)
          WHERE NOT l.granted AND l.locktype = 'advisory' AND l.classid = ${Locks.importRows}
            AND a.datname = current_database()`
      )
      waiting = row?.["waiting"]
    }
  })

it.live("sent to two nodes at once, an import does each row once, and both answer its result", () =>
  Effect.gen(function* () {
    const began = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const slow = yield* node(holding(began, go))
    const quick = yield* node(PgJournal.layer)
    const first = yield* Effect.forkChild(slow)
    yield* Deferred.await(began)
    const second = yield* Effect.forkChild(quick)
    yield* waits(second)
    yield* Deferred.succeed(go, undefined)
    const answers = [yield* Fiber.join(first), yield* Fiber.join(second)]
    for (const { found, status } of answers) {
      assert.strictEqual(status, 201)
      assert.deepInclude(found, { created: Sent.rows, updated: 0, failed: 2, status: "partial" })
      assert.lengthOf(found.errors, 2)
    }
    const [row] = yield* TestDatabase.query("SELECT count(*)::int AS entries FROM ledger_entries")
    assert.strictEqual(row?.["entries"], Sent.rows)
  }).pipe(Effect.scoped, Effect.provide(TestDatabase.layer))
)
