/** contract/engagement.md *Imports*: each row is done once, wherever the service is killed. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as path from "node:path"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Pools from "../../../src/base/database/Pools.ts"
import * as Imports from "../../../src/capabilities/imports/Imports.ts"
import * as Accounts from "../../../src/core/account/Accounts.ts"
import * as PgJournal from "../../../src/core/journal/postgres/PgJournal.ts"
import { Programs } from "../../../src/core/programs/Programs.ts"
import { CurrentCaller } from "../../../src/desk/access/CurrentCaller.ts"
import { isSound } from "../../reads/reconcile/Sound.ts"
import * as TestDatabase from "../../TestDatabase.ts"
import * as Victims from "../../Victims.ts"
import * as Sent from "./ImportSent.ts"

const steps = ["committed", "not kept", "not completed"] as const

const service = Accounts.layer().pipe(
  Layer.provideMerge(Programs.layerFrom([Testing.demoProgram])),
  Layer.provideMerge(PgJournal.layer),
  Layer.provideMerge(Pools.layer)
)

/** Imports in a process of its own, which is killed at the step. */
const killedAt = Effect.fnUntraced(function* (step: string) {
  const file = path.join(import.meta.dirname, "ImportVictim.ts")
  assert.strictEqual(yield* Victims.run(file, step), "SIGKILL", step)
})

/** Stored rows of an import. */
const look = (step: string) =>
  Effect.map(
    TestDatabase.query(
      `SELECT count(*)::int AS members, count(DISTINCT p.external_id)::int AS ids,
            (SELECT count(*)::int FROM consents c WHERE c.account = ANY (array_agg(p.account))) AS consents,
            (SELECT count(*)::int FROM ledger_entries e WHERE e.account = ANY (array_agg(p.account))) AS entries,
            (SELECT sum(amount)::int FROM ledger_entries e WHERE e.account = ANY (array_agg(p.account))) AS points,
            (SELECT count(*)::int FROM import_rows) AS progress
          FROM profiles p WHERE p.external_id LIKE '${Sent.nameOf(step)}-%'`
    ),
    ([row]) => row
  )

const retried = (step: string) =>
  Effect.flatMap(Imports.make, ({ importMembers }) => importMembers(Sent.request(step), {})).pipe(
    Effect.provideService(CurrentCaller, Sent.caller),
    Effect.map(({ body, headers }) => {
      if (body._tag !== "Uint8Array") throw new Error("the answer is JSON")
      const { import: found } = JSON.parse(Buffer.from(body.body).toString())
      return { found, isReplay: headers["idempotent-replayed"] === "true" }
    })
  )

it.live("killed at any step, an import goes on with its key, and does each row once", () =>
  Effect.gen(function* () {
    yield* Effect.forEach(steps, killedAt, { concurrency: 2 })
    yield* Effect.gen(function* () {
      for (const step of steps) {
        const before = yield* look(step)
        if (step === "committed") {
          assert.isAbove(Number(before?.["members"]), 0, step)
          assert.isBelow(Number(before?.["entries"]), Sent.rows, step)
        }
        const first = yield* retried(step)
        assert.isFalse(first.isReplay, step)
        assert.deepInclude(first.found, { created: Sent.rows, updated: 0, failed: 1, status: "partial" }, step)
        assert.strictEqual(first.found.errors.length, 1, step)
        const members = Sent.rows
        const points = (members * (members + 1)) / 2
        assert.deepInclude(
          yield* look(step),
          { members, ids: members, consents: members, entries: members, points },
          step
        )
        const again = yield* retried(step)
        assert.isTrue(again.isReplay, step)
        assert.deepStrictEqual(again.found, first.found, step)
      }
      assert.deepInclude(yield* look("committed"), { progress: steps.length * (Sent.rows + 1) })
      yield* isSound
    }).pipe(Effect.provide(Layer.fresh(service)))
  }).pipe(Effect.provide(TestDatabase.layer))
)
