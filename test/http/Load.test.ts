import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Bounds from "../../src/http/Bounds.ts"
import { Load } from "../../src/http/Load.ts"

const make = Effect.map(Clock.Clock, (clock) => new Load(clock))

/** Lets in what comes at once, and says how many that were. */
const letIn = (load: Load, coming: number): number => {
  let begun = 0
  for (let count = 0; count < coming; count++) {
    if (load.isFull(0)) continue
    load.begin()
    begun++
  }
  return begun
}

const end = (load: Load, count: number): void => {
  for (let ended = 0; ended < count; ended++) load.end()
}

const bunch = Bounds.maxUnderWay - Bounds.maxUnderWayCrowded

describe("the load", () => {
  it.effect("takes a bunch up to the higher bound, whatever was under way before", () =>
    Effect.gen(function* () {
      const load = yield* make
      expect(letIn(load, Bounds.maxUnderWayCrowded)).toBe(Bounds.maxUnderWayCrowded)
      expect(letIn(load, bunch)).toBe(bunch)
      end(load, bunch)
      expect(letIn(load, bunch)).toBe(bunch)
    })
  )

  it.effect("counts those that are about to begin", () =>
    Effect.gen(function* () {
      const load = yield* make
      letIn(load, Bounds.maxUnderWay - 2)
      expect(load.isFull(1)).toBe(false)
      expect(load.isFull(2)).toBe(true)
    })
  )

  it.effect("lets in up to the lower bound for a second from the last that found the higher one reached", () =>
    Effect.gen(function* () {
      const load = yield* make
      expect(letIn(load, Bounds.maxUnderWay + 1)).toBe(Bounds.maxUnderWay)
      yield* TestClock.adjust(Bounds.crowdedMs / 2)
      expect(load.isFull(0)).toBe(true)
      yield* TestClock.adjust(Bounds.crowdedMs - 1)
      end(load, Bounds.maxUnderWay)
      expect(letIn(load, Bounds.maxUnderWay)).toBe(Bounds.maxUnderWayCrowded)
      end(load, 1)
      expect(load.isFull(0)).toBe(false)
    })
  )

  it.effect("tries the higher bound again after that second, however many are turned away at the lower one", () =>
    Effect.gen(function* () {
      const load = yield* make
      letIn(load, Bounds.maxUnderWay + 1)
      end(load, Bounds.maxUnderWay)
      letIn(load, Bounds.maxUnderWay)
      yield* TestClock.adjust(Bounds.crowdedMs - 1)
      expect(letIn(load, 100)).toBe(0)
      yield* TestClock.adjust(1)
      expect(letIn(load, Bounds.maxUnderWay)).toBe(bunch)
    })
  )

  it.effect("goes by the time that passes, also where the clock is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(3_600_000)
      const load = yield* make
      letIn(load, Bounds.maxUnderWay + 1)
      end(load, bunch)
      yield* TestClock.setTime(0)
      expect(letIn(load, Bounds.maxUnderWay)).toBe(0)
      yield* TestClock.adjust(Bounds.crowdedMs)
      expect(letIn(load, Bounds.maxUnderWay)).toBe(bunch)
    })
  )
})
