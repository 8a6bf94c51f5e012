/** contract/databases.md *Clock of the service*: when the machine's time is trusted. */
import { assert, describe, it } from "@effect/vitest"
import { ClockCheck, longestSilenceMs } from "../../../src/base/database/ClockCheck.ts"
import type { MachineTime } from "../../../src/base/time/Times.ts"

/** A wall clock that a test moves, and a monotonic clock that goes on by itself. */
class MovedClock {
  wallMs = Date.UTC(2026, 6, 14)
  monotonicMs = 5_000

  pass(ms: number): void {
    this.wallMs += ms
    this.monotonicMs += ms
  }

  get clock(): MachineTime {
    return {
      _tag: "MachineTime",
      now: () => this.wallMs,
      nanos: () => BigInt(Math.round(this.monotonicMs * 1e6)),
      wallNanos: () => BigInt(this.wallMs) * 1_000_000n
    }
  }
}

const day = 86_400_000

/** Compares with a PostgreSQL whose clock is `aheadMs` ahead, and which answers after `tookMs`. */
const compare = (
  moved: MovedClock,
  check: ClockCheck,
  { aheadMs = 0, jumpMs = 0, newestMs = null as number | null, tookMs = 2 } = {}
) => {
  const { clock } = moved
  const sentMs = clock.now()
  const sentNanos = clock.nanos()
  const databaseMs = moved.wallMs + aheadMs + tookMs / 2
  moved.pass(tookMs)
  moved.wallMs += jumpMs
  check.compare({ sentMs, sentNanos, receivedNanos: clock.nanos(), databaseMs, newestMs })
}

const checked = () => {
  const moved = new MovedClock()
  return { moved, check: new ClockCheck(moved.clock, 30_000) }
}

describe("The service's time", () => {
  it("is believed up to the tolerance from PostgreSQL's, ahead and behind", () => {
    for (const [aheadMs, agrees] of [
      [29_000, true],
      [-29_000, true],
      [31_000, false],
      [-31_000, false]
    ] as const) {
      const { check, moved } = checked()
      compare(moved, check, { aheadMs })
      assert.strictEqual(check.agrees, agrees, `${aheadMs}`)
      assert.closeTo(check.aheadMs, -aheadMs, 2)
      assert.strictEqual(check.fault?.kind, agrees ? undefined : "differs")
    }
  })

  it("the fault names both times and what to do", () => {
    const { check, moved } = checked()
    compare(moved, check, { aheadMs: -400 * day })
    assert.deepInclude(check.fault, { machine: "2026-07-14T00:00:00.002Z" })
    assert.match(
      check.fault?.detail ?? "",
      /clock says 2026-07-14T\S+, PostgreSQL's says 2025-06-09T\S+: it is 400 days ahead of PostgreSQL's.+Set the clock that is wrong/
    )
  })

  it("is not believed from the very jump on, forward or back, and again once it is set right", () => {
    for (const jump of [day, -day]) {
      const { check, moved } = checked()
      compare(moved, check)
      moved.pass(10_000)
      assert.isTrue(check.agrees)
      moved.wallMs += jump
      assert.isFalse(check.agrees)
      moved.wallMs -= jump
      assert.isTrue(check.agrees)
    }
  })

  it("a jump during a comparison is found as well", () => {
    const { check, moved } = checked()
    compare(moved, check, { jumpMs: day })
    assert.isFalse(check.agrees)
  })

  it("a slow answer is no difference", () => {
    const { check, moved } = checked()
    compare(moved, check, { tookMs: 4_900 })
    assert.strictEqual(check.aheadMs, 0)
  })

  it("both clocks 31 days past the newest heartbeat or commit need a confirmation; the message says why", () => {
    const { check, moved } = checked()
    compare(moved, check, { newestMs: moved.wallMs - longestSilenceMs + 1_000 })
    assert.isTrue(check.agrees)
    compare(moved, check, { newestMs: moved.wallMs - 60 * day })
    assert.strictEqual(check.fault?.kind, "silent")
    assert.match(
      check.fault?.detail ?? "",
      /60 days after the newest heartbeat and commit \(2026-05-15T\S+\)\. If they are right because Lotbook was off for so long, run lotbook clock confirm/
    )
    compare(moved, check, { newestMs: moved.wallMs })
    assert.isUndefined(check.fault)
  })

  it("is believed before the first comparison, which is made before any role", () => {
    assert.isTrue(checked().check.agrees)
  })
})
