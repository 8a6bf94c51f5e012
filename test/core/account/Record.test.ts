/** A decision in the journal, beside its events and reply. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { credit, earn, enroll } from "../../../src/app/testing/Guests.ts"
import * as Testing from "../../../src/app/testing/Testing.ts"
import { MemoryStorage, MemoryTables } from "../../../src/core/journal/MemoryJournal.ts"

it.effect("a record says who asked, by which version of the programme, and what every balance is after it", () => {
  const tables = new MemoryTables()
  return Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 6, 14, 10))
    yield* enroll("ada")
    yield* credit("ada", 100)
    yield* earn("ada", "order-1", 6000)
    yield* Testing.call("redemption.reserve", {
      context: Testing.context(),
      redemption_id: "red-1",
      member_id: "ada",
      reward_id: "one-off",
      order: Testing.order("order-2", 500)
    })
    yield* TestClock.adjust("400 days")
    const [{ records } = { records: [] }] = tables.accounts.values()
    const said = records.map(({ actor, balances, programVersion }) => ({
      actor,
      programVersion,
      balances: JSON.parse(balances) as unknown
    }))
    const version = { programVersion: 1 }
    assert.deepStrictEqual(said.slice(0, 3), [
      { actor: "test", ...version, balances: [] },
      { actor: "test", ...version, balances: [["points", 100, 0]] },
      { actor: "test", ...version, balances: [["points", 700, 0]] }
    ])
    const [, , , held] = said
    assert.deepStrictEqual(held, { actor: "test", ...version, balances: [["points", 700, 100]] })
    // Nobody asked for what fell due.
    assert.deepStrictEqual(said.at(-1), { actor: undefined, ...version, balances: [["points", 0, 0]] })
  }).pipe(Effect.provide(Testing.layerFromStorage(MemoryStorage.over(tables))))
})
