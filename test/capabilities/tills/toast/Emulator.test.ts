/** The emulator plays the same lunch for a seed, and finds what a host does wrongly with it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Emulator from "../../../../src/capabilities/tills/toast/emulator/Emulator.ts"
import { hostOf, url } from "./EmulatedHost.ts"

/** Plays a lunch with a host; waits pass at once. */
const lunch = Effect.fnUntraced(function* (host: ReturnType<typeof hostOf>, chaos = false, seed = 1) {
  const options = { url, key: "key", restaurant: "r", token: "t", program: "p", checks: 150, seed, chaos }
  const running = yield* Effect.forkChild(Emulator.emulate(options, host.send))
  yield* TestClock.adjust("1 hour")
  return yield* Fiber.join(running)
})

describe("the emulator", () => {
  it.effect("finds no difference at a host that keeps the contract, with lost answers, repeats and disorder too", () =>
    Effect.gen(function* () {
      for (const [isSlow, chaos] of [
        [false, false],
        [false, true],
        [true, true]
      ] as const) {
        const report = yield* lunch(hostOf(undefined, isSlow), chaos)
        assert.deepStrictEqual(report.differences, [])
        assert.isAbove(report.guests, 20)
        assert.isAbove(report.requests, 500)
        assert.strictEqual(report.repeats > 0, isSlow)
      }
    })
  )

  it.effect("plays the same for a seed, and something else for another one", () =>
    Effect.gen(function* () {
      const hosts = [hostOf(), hostOf(), hostOf()] as const
      for (const [place, host] of hosts.entries()) yield* lunch(host, true, place === 2 ? 2 : 1)
      assert.deepStrictEqual(hosts[0].types, hosts[1].types)
      assert.notDeepEqual(hosts[0].types, hosts[2].types)
      assert.deepStrictEqual(new Set(hosts[0].types).size, 5)
    })
  )

  it.effect("ends at once where the key is wrong or the restaurant is not mapped, and says so", () =>
    Effect.gen(function* () {
      for (const [transactionStatus, message] of [
        ["ERROR_INVALID_TOKEN", /the key or the address is wrong, or the connection is paused or deleted/],
        ["ERROR_INVALID_RESTAURANT", /no restaurant "r" .*--restaurant/]
      ] as const) {
        const { send, types } = hostOf()
        const refuses: typeof send = (post) =>
          post.url === url ? Effect.succeed({ status: 400, text: JSON.stringify({ transactionStatus }) }) : send(post)
        const failure = yield* Effect.flip(lunch({ send: refuses, types }))
        assert.match(failure.message, message)
      }
    })
  )

  it.effect("names the guests where a host is wrong", () =>
    Effect.gen(function* () {
      for (const fault of [
        "forgets a reversal",
        "counts a repeat twice",
        "takes an older state",
        "counts a gift card"
      ] as const) {
        const { differences } = yield* lunch(hostOf(fault, fault === "counts a repeat twice"), true)
        assert.isNotEmpty(
          differences.filter((one) => /^member-\d+ has \d+, and \d+ by its checks/.test(one)),
          fault
        )
      }
    })
  )
})
