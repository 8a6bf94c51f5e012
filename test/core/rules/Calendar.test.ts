import { describe, expect, it, vi } from "@effect/vitest"
import * as fc from "fast-check"
import { dateAt, dayStart, firstInstant, localAt, zoneOf } from "../../../src/core/rules/Calendar.ts"

const zones = Intl.supportedValuesOf("timeZone")

const ms = (timestamp: string): number => Date.parse(timestamp)
const iso = (at: number | undefined): string | undefined => (at === undefined ? undefined : new Date(at).toISOString())

const formats = new Map<string, Intl.DateTimeFormat>()

/** The date that a wall calendar shows, `YYYY-MM-DD`. */
const localDate = (zone: string, at: number): string => {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" })
    formats.set(zone, format)
  }
  return format.format(at)
}

/** The rule word for word: minute after minute until the calendar shows the date, or a later one. */
const firstMinute = (zone: string, date: string): number => {
  let at = ms(`${date}T00:00:00Z`) - 16 * 3_600_000
  while (localDate(zone, at) < date) at += 60_000
  return at
}

describe("Metrics and tiers: the first instant of a day", () => {
  it.each([
    ["an ordinary day", "America/New_York", "2026-01-01", "2026-01-01T05:00:00.000Z"],
    ["midnight skipped in São Paulo", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"],
    ["midnight skipped in Beirut", "Asia/Beirut", "2022-03-27", "2022-03-26T22:00:00.000Z"],
    ["midnight skipped in Santiago", "America/Santiago", "2024-09-08", "2024-09-08T04:00:00.000Z"],
    ["midnight skipped in Cairo", "Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00.000Z"],
    ["midnight twice in Havana", "America/Havana", "2024-11-03", "2024-11-03T04:00:00.000Z"],
    ["clocks going back over midnight in St. John's", "America/St_Johns", "2010-11-07", "2010-11-07T02:30:00.000Z"],
    ["clocks going back at midnight in Santiago", "America/Santiago", "2024-04-07", "2024-04-07T04:00:00.000Z"],
    ["a day skipped in Apia", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00.000Z"],
    ["the far east", "Pacific/Kiritimati", "2026-01-01", "2025-12-31T10:00:00.000Z"],
    ["the far west", "Pacific/Pago_Pago", "2026-01-01", "2026-01-01T11:00:00.000Z"],
    ["a quarter of an hour", "Asia/Kathmandu", "2026-01-01", "2025-12-31T18:15:00.000Z"],
    ["UTC", "UTC", "2026-01-01", "2026-01-01T00:00:00.000Z"]
  ])("%s", (_, zone, date, expected) => {
    expect(iso(firstInstant(zone, ms(`${date}T00:00:00Z`)))).toBe(expected)
    expect(iso(firstMinute(zone, date))).toBe(expected)
    expect(iso(dayStart(zone, ms(`${date}T00:00:00Z`)))).toBe(expected)
  })

  it("is where the calendar turns, in every zone that is known", () => {
    for (const zone of zones) {
      for (const date of ["2026-01-01", "2026-07-01"]) {
        const at = firstInstant(zone, ms(`${date}T00:00:00Z`))
        expect([zone, localDate(zone, at), localDate(zone, at - 1) < date]).toEqual([zone, date, true])
      }
    }
  })

  it("is what going minute by minute finds, on any day of any zone since 1980", () => {
    const day = fc.integer({ min: ms("1980-01-01") / 86_400_000, max: ms("2037-12-31") / 86_400_000 })
    fc.assert(
      fc.property(fc.constantFrom(...zones), day, (zone, number) => {
        const midnight = number * 86_400_000
        expect([zone, iso(firstInstant(zone, midnight))]).toEqual([
          zone,
          iso(firstMinute(zone, new Date(midnight).toISOString().slice(0, 10)))
        ])
        expect([zone, iso(dayStart(zone, midnight))]).toEqual([zone, iso(firstInstant(zone, midnight))])
        expect(dayStart(zone, dateAt(zone, midnight))).toBeLessThanOrEqual(midnight)
      }),
      { numRuns: 60 }
    )
  })
})

describe("the name of a zone", () => {
  it("is taken however it is spelled, and an offset is none", () => {
    expect(["Europe/Berlin", "europe/BERLIN", "UTC"].map(zoneOf)).toEqual(["Europe/Berlin", "Europe/Berlin", "UTC"])
    expect(["+01:00", "-0500", "Europe/Nowhere", ""].map(zoneOf)).toEqual([undefined, undefined, undefined, undefined])
    expect(zones.filter((zone) => zoneOf(zone) === undefined)).toEqual([])
  })
})

describe("the local time of instants that are asked for in turns", () => {
  it("asks the calendar once for each quarter of an hour", () => {
    const parts = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts")
    const [lot, entry] = [ms("2031-02-03T10:00:00Z"), ms("2031-11-04T10:00:00Z")]
    const asked = [lot, entry, lot + 1, entry + 1, lot, entry].map((at) => iso(localAt("America/Chicago", at)))
    const calls = parts.mock.calls.length
    parts.mockRestore()
    expect(asked.slice(0, 4)).toStrictEqual([
      "2031-02-03T04:00:00.000Z",
      "2031-11-04T04:00:00.000Z",
      "2031-02-03T04:00:00.001Z",
      "2031-11-04T04:00:00.001Z"
    ])
    expect(calls).toBe(2)
  })
})
