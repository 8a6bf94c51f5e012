/** The bound on operations that are carried out at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Bounds from "../../../src/edge/http/Bounds.ts"
import { Load } from "../../../src/edge/http/Load.ts"

const begin = (load: Load, count: number): void => {
  for (let begun = 0; begun < count; begun++) load.begin()
}

describe("the load", () => {
  it("is full at its bound, and takes another when one has ended", () => {
    const load = new Load()
    begin(load, Bounds.held.inFlight - 1)
    assert.isFalse(load.isFull(0))
    load.begin()
    assert.isTrue(load.isFull(0))
    load.end()
    assert.isFalse(load.isFull(0))
  })

  it("counts operations that are about to begin", () => {
    const load = new Load()
    begin(load, Bounds.held.inFlight - 2)
    assert.isFalse(load.isFull(1))
    assert.isTrue(load.isFull(2))
  })

  it.effect("says when nothing is carried out any more", () =>
    Effect.gen(function* () {
      const load = new Load()
      yield* load.idle
      begin(load, 2)
      const idle = yield* Effect.forkChild(load.idle, { startImmediately: true })
      load.end()
      yield* Effect.yieldNow
      assert.isUndefined(idle.pollUnsafe())
      load.end()
      yield* Effect.yieldNow
      assert.isDefined(idle.pollUnsafe())
    })
  )
})
