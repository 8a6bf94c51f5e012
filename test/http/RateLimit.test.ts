/** contract/transport.md *Rate limits*: requests a minute for one token, each budget apart. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RateLimit } from "../../src/http/RateLimit.ts"
import type { Caller } from "../../src/protocol/Handler.ts"
import { machineTime } from "../../src/time/Times.ts"

const caller = (name: string): Caller => ({ name, scopes: new Set(), programs: undefined })

describe("the rate limit", () => {
  it.effect("allows the limit in a minute from the first request on, and again in the next minute", () =>
    Effect.gen(function* () {
      const limit = new RateLimit(2, yield* machineTime)
      const till = caller("till")
      const count = () => limit.count(till, "read")
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
      assert.isFalse(limit.count(till, "read").isExceeded)
      assert.isFalse(limit.count(till, "write").isExceeded)
      assert.isFalse(limit.count(till, "platform").isExceeded)
      assert.isFalse(limit.count(kiosk, "read").isExceeded)
      assert.isTrue(limit.count(till, "read").isExceeded)
    })
  )
})
