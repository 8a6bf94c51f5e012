/** contract/transport.md *Rate limits*: requests a minute for one token, each budget apart. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Pools from "../../../src/base/database/Pools.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import { machineTime } from "../../../src/base/time/Times.ts"
import type { Caller } from "../../../src/core/protocol/Handler.ts"
import { Keys, KnownKeys } from "../../../src/desk/access/Keys.ts"
import { RateLimit } from "../../../src/desk/access/RateLimit.ts"
import * as SharedCounts from "../../../src/desk/access/SharedCounts.ts"
import * as TestDatabase from "../../TestDatabase.ts"

const caller = (name: string): Caller => ({ name, scopes: new Set(), programs: undefined })

describe("the rate limit", () => {
  it.effect("allows the limit in a minute from the first request on, and again in the next minute", () =>
    Effect.gen(function* () {
      const limit = new RateLimit(2, yield* machineTime)
      const till = caller("till")
      const count = () => limit.count(till, "read", till.name)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(count(), {
        isExceeded: false,
        headers: { "RateLimit-Policy": '"read";q=2;w=60', RateLimit: '"read";r=1;t=60' }
      })
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(count().headers["RateLimit"], '"read";r=0;t=45')
      assert.deepStrictEqual(count(), {
        isExceeded: true,
        headers: { "RateLimit-Policy": '"read";q=2;w=60', RateLimit: '"read";r=0;t=45', "Retry-After": "45" }
      })
      yield* TestClock.adjust("45 seconds")
      assert.isFalse(count().isExceeded)
    })
  )

  it.effect("counts each token and each budget apart", () =>
    Effect.gen(function* () {
      const limit = new RateLimit(1, yield* machineTime)
      const [till, kiosk] = [caller("till"), caller("kiosk")]
      assert.isFalse(limit.count(till, "read", till.name).isExceeded)
      assert.isFalse(limit.count(till, "write", till.name).isExceeded)
      assert.isFalse(limit.count(till, "platform", till.name).isExceeded)
      assert.isFalse(limit.count(kiosk, "read", kiosk.name).isExceeded)
      assert.isTrue(limit.count(till, "read", till.name).isExceeded)
    })
  )
})

describe("the rate limit of two nodes", () => {
  const keys = Effect.map(machineTime, (clock) => {
    const options = { token: Redacted.make("t"), adminKey: Redacted.make("a"), tokens: [], rateLimit: 10 }
    return new KnownKeys(options, clock)
  })
  /** A node: counts requests of the same till, and exchanges. */
  const node = Effect.gen(function* () {
    const known = yield* keys
    const pool = yield* PeoplePool
    const exchange = SharedCounts.make()
    const till = caller("till")
    return {
      count: () => known.rateLimit!.count(till, "read", "till"),
      exchange: exchange.pipe(Effect.provideService(Keys, known), Effect.provideService(PeoplePool, pool))
    }
  })

  it.effect("is one limit in one window: never below it, and beyond it only until they have exchanged", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* node, yield* node]
      const exchanged = Effect.andThen(one.exchange, other.exchange)
      for (let n = 0; n < 4; n++) assert.isFalse(one.count().isExceeded)
      yield* exchanged
      assert.isFalse(other.count().isExceeded)
      yield* exchanged
      // Five of ten are counted: five more pass, whichever nodes they come to.
      for (let n = 0; n < 5; n++) assert.isFalse(other.count().isExceeded)
      assert.isTrue(other.count().isExceeded)
      assert.isFalse(one.count().isExceeded)
      yield* exchanged
      // Nothing tells a node what others count before it has something to tell itself.
      assert.isFalse(one.count().isExceeded)
      yield* exchanged
      const refused = one.count()
      assert.isTrue(refused.isExceeded)
      assert.match(refused.headers["RateLimit"] ?? "", /^"read";r=0;t=/)
      // The window ends on both with the first request of either.
      yield* TestDatabase.query("UPDATE rate_windows SET began = began - 60000")
      yield* TestClock.adjust("60 seconds")
      for (const each of [one, other]) assert.isFalse(each.count().isExceeded)
      yield* exchanged
      for (let n = 0; n < 4; n++) assert.isFalse(one.count().isExceeded)
    }).pipe(Effect.provide(Pools.layer.pipe(Layer.provideMerge(TestDatabase.layer))))
  )
})
