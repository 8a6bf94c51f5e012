/** When the console says that a restaurant is silent. */
import { assert, describe, it } from "@effect/vitest"
import { silentDays } from "../../../src/console/today/silence.ts"

const silent = (last_order_at: string, now: string, order_weekdays?: ReadonlyArray<number>, time_zone?: string) =>
  silentDays(
    {
      last_order_at,
      ...(order_weekdays === undefined ? {} : { order_weekdays }),
      ...(time_zone === undefined ? {} : { time_zone })
    },
    Date.parse(now),
    "Europe/Berlin"
  )

const closedOnSundays = [1, 2, 3, 4, 5, 6]

describe("a silent restaurant", () => {
  it("has had no order for 24 hours", () => {
    assert.strictEqual(silent("2026-11-24T20:00:00Z", "2026-11-25T19:59:00Z"), undefined)
    assert.strictEqual(silent("2026-11-24T20:00:00Z", "2026-11-25T20:00:00Z"), 1)
    assert.strictEqual(silent("2026-11-24T20:00:00Z", "2026-11-27T21:00:00Z"), 3)
    // A clock that is behind.
    assert.strictEqual(silent("2026-11-24T20:00:00Z", "2026-11-20T20:00:00Z"), undefined)
  })

  it("is none over a closing day", () => {
    // From Saturday night to Monday noon.
    assert.strictEqual(silent("2026-11-28T20:00:00Z", "2026-11-30T11:00:00Z", closedOnSundays), undefined)
    assert.strictEqual(silent("2026-11-28T20:00:00Z", "2026-11-30T20:00:00Z", closedOnSundays), 1)
    assert.strictEqual(silent("2026-11-28T20:00:00Z", "2026-12-08T20:00:00Z", closedOnSundays), 8)
  })

  it("has the days of its own zone, else the programme's", () => {
    // 23:30 UTC of a Saturday is Sunday in Berlin.
    assert.strictEqual(silent("2026-11-27T23:30:00Z", "2026-11-28T23:30:00Z", [7]), 1)
    assert.strictEqual(silent("2026-11-27T23:30:00Z", "2026-11-28T23:30:00Z", [7], "America/New_York"), undefined)
  })

  it("is none that never had an order", () => {
    assert.strictEqual(silentDays({}, Date.parse("2026-11-28T20:00:00Z"), "UTC"), undefined)
  })
})
