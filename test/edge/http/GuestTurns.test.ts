/** contract/guests.md *Routes*: few requests of guests run at once, and they rest while tills keep the thread busy. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import * as Bounds from "../../../src/edge/http/Bounds.ts"
import * as GuestTurns from "../../../src/edge/http/GuestTurns.ts"

/** Turns on a thread with this share of time in use; rests end when the test says so. */
const turnsAt = (share: number) => {
  const rests: Array<() => void> = []
  const inTurn = GuestTurns.make({ measure: () => () => share, later: (then) => rests.push(then) })
  return { inTurn, rests }
}

it.effect("let few run at once, and refuse those that would wait too long", () =>
  Effect.gen(function* () {
    const { inTurn } = turnsAt(0)
    const open = yield* Deferred.make<void>()
    let running = 0
    let most = 0
    const work = Effect.gen(function* () {
      most = Math.max(most, ++running)
      yield* Deferred.await(open)
      running--
    })
    const all = Array.from({ length: Bounds.guestsWaiting }, () => inTurn(work))
    assert.isTrue(all.every((one) => one !== undefined))
    assert.isUndefined(inTurn(work))
    const fibers = yield* Effect.forEach(all, (one) => Effect.forkChild(one!))
    yield* Effect.yieldNow
    assert.strictEqual(running, Bounds.guestsAtOnce)
    yield* Deferred.succeed(open, undefined)
    yield* Effect.forEach(fibers, Fiber.join)
    assert.strictEqual(most, Bounds.guestsAtOnce)
    assert.isDefined(inTurn(work))
  })
)

it.effect("answer at once, and rest before the next one while the thread is busy", () =>
  Effect.gen(function* () {
    const { inTurn, rests } = turnsAt(1)
    for (let n = 0; n < Bounds.guestsAtOnce; n++) assert.strictEqual(yield* inTurn(Effect.succeed(n))!, n)
    const next = yield* Effect.forkChild(inTurn(Effect.succeed("next"))!)
    yield* Effect.yieldNow
    assert.isUndefined(next.pollUnsafe())
    rests.shift()?.()
    assert.strictEqual(yield* Fiber.join(next), "next")
  })
)

it.effect("give a turn on after a failure", () =>
  Effect.gen(function* () {
    const { inTurn } = turnsAt(0)
    for (let n = 0; n <= Bounds.guestsAtOnce; n++)
      assert.strictEqual(yield* Effect.flip(inTurn(Effect.fail("wrong"))!), "wrong")
  })
)
