/** contract/points.md *Expiration*: what expires is grouped by instant and account, the earliest first. */
import { assert, describe, it } from "@effect/vitest"
import type { Unit } from "../../../../src/contract/Values.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"
import type { State } from "../../../../src/core/account/domain/State.ts"
import { initialState, unitOf } from "../../../../src/core/account/domain/State.ts"
import { expiring } from "../../../../src/core/account/domain/View.ts"

/** Lots as `points@instant`, or `points` where they never expire. */
const lotsOf = (text: string): Lots.Lots =>
  Lots.fromArray(
    text.split(" ").map((lot, index) => {
      const [left, expires] = lot.split("@").map(Number)
      return [index + 1, left ?? 0, expires ?? null, 0]
    })
  )

const stateOf = (units: { readonly [U in Unit]?: string }): State => ({
  ...initialState,
  units: Object.entries(units).map(([unit, lots]) => ({
    ...unitOf(initialState, unit as Unit),
    lots: lotsOf(lots)
  }))
})

describe("what expires", () => {
  it("is one sum for lots of one instant, side by side or not", () => {
    const state = stateOf({ points: "5@20 7@20 1@30 2 4@20" })
    assert.deepStrictEqual(expiring(state, 0), [
      { unit: "points", amount: 16, at: 20 },
      { unit: "points", amount: 1, at: 30 }
    ])
  })

  it("stays apart for each unit, in the order of the units where they expire together", () => {
    const state = stateOf({ points: "5@20 1@30", stamps: "1@10 2@20 3@30 4@30" })
    assert.deepStrictEqual(expiring(state, 0), [
      { unit: "stamps", amount: 1, at: 10 },
      { unit: "points", amount: 5, at: 20 },
      { unit: "stamps", amount: 2, at: 20 },
      { unit: "points", amount: 1, at: 30 },
      { unit: "stamps", amount: 7, at: 30 }
    ])
  })

  it("is nothing where no lot expires", () => {
    assert.deepStrictEqual(expiring(stateOf({ points: "5 7" }), 0), [])
  })
})
