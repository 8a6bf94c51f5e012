/** The format of sealed states. Holds contract/databases.md *Seals*: later versions read it. */
import { assert, it } from "@effect/vitest"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import { initialState, type State } from "../../../src/core/account/domain/State.ts"
import * as SealedState from "../../../src/core/account/SealedState.ts"

/** A text of version 1. It never changes: databases have such ones. */
const first =
  '{"program":"demo","member":"m-1","status":"active","identities":["00000000-0000-0000-0000-000000000001"],"external":null,' +
  '"mergedInto":null,"merged":[],"joined":1784023200000,"seq":7,"at":1784023300000,"announced":9,"entries":3,' +
  '"units":[{"unit":"points","posted":120,"reserved":20,"lots":[[1,100,1784023200000,1815559200000]],"lifetime":150,"qualified":150,"last":0,"credited":150}],' +
  '"idle":null,"period":1767225600000,"lastPeriod":null,"tier":"base","promised":null,"issued":1,"cards":0,"card":null,"orders":2,' +
  '"uses":[],"challenges":[],"reservations":[],"rewards":[]}'

it("a text of version 1 is read", () => {
  const state = SealedState.decode(first, 1)
  assert.include(state, { program: "demo", seq: 7, orders: 2, tier: "base", period: 1_767_225_600_000 })
  assert.isUndefined(state.external)
  assert.strictEqual(Lots.total(state.units[0]!.lots), 100)
  assert.strictEqual(SealedState.encode(state), first)
})

it("a change of the state's fields raises the version", () => {
  const fields: ReadonlyArray<keyof State> = Object.keys(initialState) as ReadonlyArray<keyof State>
  assert.deepStrictEqual(fields, Object.keys(JSON.parse(first) as object) as ReadonlyArray<keyof State>)
  assert.strictEqual(SealedState.version, 1)
})

it("a text of a later version is refused", () => {
  assert.throws(() => SealedState.decode(first, 2), /format 2/)
})
