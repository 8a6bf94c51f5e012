/** Holds contract/points.md *Tier periods*. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { counts, periodStart } from "../../../src/core/rules/Periods.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { program } from "./Builders.ts"

const zones = Intl.supportedValuesOf("timeZone")

const policy = (zone: string, month: number, day: number, from?: string): Program =>
  program((p) => {
    p["tier_policy"].period = { type: "annual", starts_month: month, starts_day: day, time_zone: zone }
    if (from === undefined) delete p["tier_policy"].effective_from
    else p["tier_policy"].effective_from = from
  })

const ms = (timestamp: string): number => Date.parse(timestamp)
const iso = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString())

describe("Metrics and tiers: periods", () => {
  it.each([
    ["2026-01-01T04:59:59.999Z", "2025-01-01T05:00:00.000Z"],
    ["2026-01-01T05:00:00.000Z", "2026-01-01T05:00:00.000Z"],
    ["2026-12-31T23:00:00.000Z", "2026-01-01T05:00:00.000Z"]
  ])("the period of %s begins at %s", (at, start) => {
    expect(iso(periodStart(policy("America/New_York", 1, 1), ms(at)))).toBe(start)
  })

  it("a year may begin before UTC's", () => {
    expect(iso(periodStart(policy("Pacific/Kiritimati", 1, 1), ms("2025-12-31T10:00:00Z")))).toBe(
      "2025-12-31T10:00:00.000Z"
    )
    expect(iso(periodStart(policy("Pacific/Kiritimati", 1, 1), ms("2025-12-31T09:59:59Z")))).toBe(
      "2024-12-31T10:00:00.000Z"
    )
  })

  it("29 February is 1 March where it is missing", () => {
    const leap = policy("UTC", 2, 29)
    expect(iso(periodStart(leap, ms("2024-02-29T00:00:00Z")))).toBe("2024-02-29T00:00:00.000Z")
    expect(iso(periodStart(leap, ms("2025-02-28T23:59:59Z")))).toBe("2024-02-29T00:00:00.000Z")
    expect(iso(periodStart(leap, ms("2025-03-01T00:00:00Z")))).toBe("2025-03-01T00:00:00.000Z")
    expect(iso(periodStart(leap, ms("2028-02-28T23:59:59Z")))).toBe("2027-03-01T00:00:00.000Z")
  })

  it("without a policy there are none", () => {
    expect(
      periodStart(
        program((p) => delete p["tier_policy"]),
        0
      )
    ).toBeUndefined()
  })

  it("every instant lies in the period that begins last before it, and periods follow each other", () => {
    const days = fc.constantFrom([1, 1], [2, 29], [3, 27], [4, 7], [9, 8], [11, 4], [12, 31])
    const instant = fc.integer({ min: ms("1990-01-01"), max: ms("2060-01-01") })
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        days,
        fc.array(instant, { minLength: 2, maxLength: 6 }),
        (zone, [month = 1, day = 1], instants) => {
          const yearly = policy(zone, month, day)
          for (const at of instants) {
            // A programme that was asked before answers as one that was not.
            const start = periodStart(yearly, at) ?? Number.NaN
            expect(start).toBe(periodStart(policy(zone, month, day), at))
            expect(start).toBeLessThanOrEqual(at)
            const next = periodStart(yearly, start + 370 * 86_400_000) ?? Number.NaN
            expect(next).toBeGreaterThan(at)
            expect(periodStart(yearly, next - 1)).toBe(start)
            expect(periodStart(yearly, start)).toBe(start)
            expect(periodStart(yearly, start - 1)).toBeLessThan(start)
          }
        }
      ),
      { numRuns: 60 }
    )
  })
})

describe("Metrics and tiers: effective_from", () => {
  it("entries before that date in the policy's zone do not count", () => {
    const from = policy("America/New_York", 1, 1, "2026-03-01")
    expect(counts(from, ms("2026-03-01T04:59:59.999Z"))).toBe(false)
    expect(counts(from, ms("2026-03-01T05:00:00Z"))).toBe(true)
  })

  it("without the date, or without a policy, all count", () => {
    expect(counts(policy("UTC", 1, 1), 0)).toBe(true)
    expect(
      counts(
        program((p) => delete p["tier_policy"]),
        0
      )
    ).toBe(true)
  })
})
