/** contract/transport.md *Time of an answer*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as path from "node:path"
import { answerMs, Deadlines } from "../../../src/edge/http/Deadlines.ts"
import type { Exchange } from "../../../src/edge/http/Exchange.ts"

const operations = path.join(import.meta.dirname, "..", "..", "..", "src", "app", "operations")
const secondsIn = (file: string, pattern: RegExp): ReadonlyArray<number> =>
  [...fs.readFileSync(path.join(operations, file), "utf8").matchAll(pattern)].map(([, seconds]) => Number(seconds))

it.effect("an operation that is held is answered in time, once; one that ended before is not", () =>
  Effect.gen(function* () {
    const late: Array<string> = []
    const fork = Effect.runForkWith(yield* Effect.context<never>())
    const deadlines = new Deadlines(fork, ({ path }) => void late.push(path))
    const named = (name: string) => ({ path: name }) as unknown as Exchange
    const [held, done] = [deadlines.begin(named("held")), deadlines.begin(named("done"))]
    yield* TestClock.adjust(1_000)
    const later = deadlines.begin(named("later"))
    assert.isTrue(deadlines.end(done))
    yield* TestClock.adjust(answerMs - 1_100)
    assert.deepStrictEqual(late, [])
    yield* TestClock.adjust(200)
    assert.deepStrictEqual(late, ["held"])
    assert.isFalse(deadlines.end(held), "it was answered")
    yield* TestClock.adjust(1_000)
    assert.deepStrictEqual(late, ["held", "later"])
    assert.isFalse(deadlines.end(later))
    yield* TestClock.adjust(60_000)
    assert.isTrue(deadlines.end(deadlines.begin(named("after a pause"))))
  })
)

it("load balancers wait longer for an operation than it may take", () => {
  const limits = [
    ...secondsIn("haproxy.cfg", /set-timeout server (\d+)s if protocol/g),
    ...secondsIn("nginx.conf", /proxy_read_timeout (\d+)s;/g)
  ]
  assert.isAtLeast(limits.length, 3)
  for (const seconds of limits) assert.isAtLeast(seconds * 1_000, answerMs + 400)
})
