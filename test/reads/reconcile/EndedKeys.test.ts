/** Proofs and answers once keys have ended. Holds contract/databases.md *Keys* and contract/idempotency.md *Keys*. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { machineNow } from "../../../src/base/time/Times.ts"
import type { RequestOf } from "../../../src/contract/protocol/Operations.ts"
import * as ArchiveFiles from "../../../src/core/journal/archive/ArchiveFiles.ts"
import type { Handled } from "../../../src/core/protocol/Handler.ts"
import * as RestoreSpans from "../../../src/reads/reconcile/RestoreSpans.ts"
import * as Archiving from "./Archiving.ts"
import * as Scenario from "./Scenario.ts"

const dayMs = 86_400_000

/** As if the spans that are over had ended so long ago. */
const age = (days: number) =>
  Scenario.byHand(`UPDATE spans SET began_at = clock_timestamp() - interval '${days} days' WHERE span > 0`)
const dropOldest = Effect.map(
  Scenario.byHand(
    `SELECT more FROM drop_keys((extract(epoch FROM clock_timestamp()) * 1000)::bigint - 400 * ${dayMs}::bigint)`
  ),
  ([row]) => row?.["more"]
)
/** Both ways of verification find nothing. */
const proven = Effect.gen(function* () {
  for (const isFull of [false, true]) assert.deepStrictEqual((yield* Scenario.verify(100, { isFull })).found, [])
})
const countOf = (table: string) =>
  Effect.map(Scenario.byHand(`SELECT count(*)::int AS count FROM ${table}`), ([row]) => Number(row?.["count"]))

/** Status, points, balance and the mark of a replay; of a refusal its code. */
const told = (handled: Handled) => {
  if (handled._tag !== "Answer") return handled._tag === "Refusal" ? handled.code : handled._tag
  const { balances, entry } = JSON.parse(JSON.stringify(handled.body)) as {
    readonly balances: ReadonlyArray<{ readonly amount: number }>
    readonly entry: { readonly amount: number }
  }
  return [handled.created ? 201 : 200, entry.amount, balances[0]?.amount, handled.isReplay === true]
}

const accrual = (key: string, order: string, placed: ReturnType<typeof Testing.placedAt>, amount = 1000) =>
  ({
    context: Testing.context(key),
    member_id: "ada",
    order: Testing.order(order, amount, placed)
  }) satisfies RequestOf<"accrual.post">

/** Asks a node that has nothing in memory. */
const asked = (request: RequestOf<"accrual.post">) =>
  Effect.provide(Effect.map(Testing.call("accrual.post", request), told), Layer.fresh(Scenario.service))

layer(Scenario.layer, { excludeTestServices: true })("keys that have ended", (it) => {
  it.effect("leave the ids to answer, every record proven, and a key free for another order", () =>
    Effect.gen(function* () {
      const placed = Testing.placedAt(yield* machineNow)
      yield* enroll("ada")
      const first = accrual("key-of-the-first", "first", placed)
      const [, points] = (yield* asked(first)) as [number, number]
      yield* asked(accrual("key-of-the-second", "second", placed))
      const twice = 2 * points
      assert.deepStrictEqual(yield* asked(first), [201, points, points, true])
      assert.deepStrictEqual(yield* asked(accrual("another-key", "first", placed)), [200, points, twice, false])
      assert.strictEqual(yield* asked(accrual("key-of-the-first", "third", placed)), "idempotency_conflict")
      yield* Archiving.begin
      yield* Archiving.begin
      yield* Archiving.begin
      yield* Archiving.seal
      yield* Archiving.seal
      yield* age(399)
      assert.isFalse(yield* dropOldest)
      assert.deepStrictEqual(yield* asked(first), [201, points, points, true])
      yield* Archiving.counted
      yield* proven

      yield* age(401)
      assert.isTrue(yield* dropOldest)
      assert.strictEqual(yield* countOf("keys"), 0)
      yield* Archiving.counted
      yield* proven
      const claims = yield* countOf("claims")
      assert.deepStrictEqual(yield* asked(first), [200, points, twice, false])
      // It was recorded anew.
      assert.deepStrictEqual(yield* asked(first), [200, points, twice, true])
      assert.strictEqual(yield* asked(accrual("key-of-the-first", "third", placed)), "idempotency_conflict")
      assert.strictEqual(yield* asked(accrual("key-of-the-second", "second", placed, 2000)), "conflict")
      assert.deepStrictEqual(yield* asked(accrual("key-of-the-second", "third", placed)), [
        201,
        points,
        3 * points,
        false
      ])
      assert.deepStrictEqual([yield* countOf("keys"), (yield* countOf("claims")) - claims], [2, 1])
      yield* Archiving.counted
      yield* proven
    })
  )

  it.effect("are in the files of archived spans, and come back with their records, not to be looked up", () =>
    Effect.gen(function* () {
      const to = yield* Archiving.folder
      const [{ unsealed } = {}] = yield* Scenario.byHand(
        "SELECT i.span - (SELECT count(*)::int FROM seals) AS unsealed FROM installation i"
      )
      for (let n = 0; n < Number(unsealed); n++) yield* Archiving.seal
      assert.isAtLeast(yield* Archiving.archiveAll(to), 1)
      const verify = Effect.provide(Scenario.verify(100, { isFull: true }), ArchiveFiles.layer(to))
      assert.deepStrictEqual((yield* verify).found, [])
      const [{ month } = {}] = yield* Scenario.byHand("SELECT month FROM archived_spans WHERE span = 0")
      const restored: Array<boolean> = []
      yield* RestoreSpans.restore(String(month), to, ({ keysEnded }) => Effect.sync(() => restored.push(keysEnded)))
      assert.include(restored, true)
      assert.deepStrictEqual((yield* verify).found, [])
      assert.strictEqual(yield* countOf("(SELECT FROM keys WHERE span = 0) k"), 0)
      assert.isAtLeast(yield* countOf("(SELECT FROM journal WHERE span = 0 AND key IS NOT NULL) j"), 2)
      // A record's own key is proven still.
      yield* Scenario.byHand(
        "ALTER TABLE journal DISABLE TRIGGER journal_append_only",
        "UPDATE journal SET key = gen_random_uuid() WHERE span = 0 AND seq = 2"
      )
      assert.lengthOf((yield* verify).found, 1)
    })
  )
})
