/** Records that an answer may leave out. Holds contract/finance.md *Roll-forward*. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { StandingTime, serviceTime } from "../../../src/base/time/Times.ts"
import { countedUntil } from "../../../src/capabilities/finance/Counted.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"

const end = 86_400_000
const countedTo = (asOf: number | undefined) =>
  Finance.of({ asOf: Effect.succeed(asOf), step: () => Effect.die("none"), catchUp: () => Effect.void })

const answered = (asOf: number | undefined, time?: StandingTime) =>
  Effect.gen(function* () {
    return yield* countedUntil(countedTo(asOf), time ?? (yield* serviceTime), end)
  }).pipe(Effect.match({ onFailure: ({ code }): number | string => code, onSuccess: (at) => at }))

it.effect("the last record of a range is counted, a younger one may be left out", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust(2 * end)
    assert.strictEqual(yield* answered(end - 2), "invalid_state")
    assert.strictEqual(yield* answered(end - 1), end - 1)
    assert.strictEqual(yield* answered(undefined), 2 * end)
  })
)

it.effect("a sandbox, where no time passes, leaves no record out", () =>
  Effect.gen(function* () {
    const now = new StandingTime(2 * end)
    assert.strictEqual(yield* answered(2 * end - 1, now), "invalid_state")
    assert.strictEqual(yield* answered(undefined, now), 2 * end)
  })
)
