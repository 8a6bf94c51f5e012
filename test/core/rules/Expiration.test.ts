/** When points end: lives in days and months, in the programme's zone (contract/points.md *Lots*). */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { PointExpiration } from "../../../src/contract/ProgramFile.ts"
import { endOf, expiresAt } from "../../../src/core/rules/Expiration.ts"
import { type Json, program } from "./Builders.ts"

type Terms = Pick<PointExpiration, "at" | "days" | "months">

const ms = (timestamp: string): number => Date.parse(timestamp)
const end = (terms: Terms, zone: string, earned: string): string =>
  new Date(endOf(terms, zone, ms(earned))).toISOString()

const formats = new Map<string, Intl.DateTimeFormat>()

/** Clock on the wall, `YYYY-MM-DD, HH:MM:SS`. */
const wall = (zone: string, at: number): string => {
  let format = formats.get(zone)
  if (format === undefined) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit" } as const
    const time = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const
    format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, ...parts, ...time })
    formats.set(zone, format)
  }
  return format.format(at)
}

describe("months end on the same day at the same local time, or on the month's last day", () => {
  it.each([
    ["an ordinary month", 1, "UTC", "2026-04-15T10:00:00.007Z", "2026-05-15T10:00:00.007Z"],
    ["31 January and a month", 1, "UTC", "2026-01-31T10:00:00Z", "2026-02-28T10:00:00.000Z"],
    ["31 January and a month in a leap year", 1, "UTC", "2028-01-31T10:00:00Z", "2028-02-29T10:00:00.000Z"],
    ["29 January and a month", 1, "UTC", "2026-01-29T10:00:00Z", "2026-02-28T10:00:00.000Z"],
    ["31 August and a month", 1, "UTC", "2026-08-31T10:00:00Z", "2026-09-30T10:00:00.000Z"],
    ["a leap day and a year", 12, "UTC", "2028-02-29T10:00:00Z", "2029-02-28T10:00:00.000Z"],
    ["a leap day and four years", 48, "UTC", "2028-02-29T10:00:00Z", "2032-02-29T10:00:00.000Z"],
    ["28 February and a year, into a leap year", 12, "UTC", "2027-02-28T10:00:00Z", "2028-02-28T10:00:00.000Z"],
    ["over a year's end", 3, "UTC", "2026-11-30T10:00:00Z", "2027-02-28T10:00:00.000Z"],
    [
      "the local day, which is the 31st there alone",
      1,
      "Pacific/Auckland",
      "2026-01-30T12:00:00Z",
      "2026-02-27T12:00:00.000Z"
    ],
    ["from winter into summer", 1, "Europe/Berlin", "2026-03-15T10:00:00Z", "2026-04-15T09:00:00.000Z"],
    ["from summer into winter", 1, "Europe/Berlin", "2026-10-15T10:00:00Z", "2026-11-15T11:00:00.000Z"],
    ["02:30 that clocks skip", 2, "Europe/Berlin", "2026-01-29T01:30:00Z", "2026-03-29T01:00:00.000Z"],
    ["02:30 that comes twice: the first", 2, "Europe/Berlin", "2026-08-25T00:30:00Z", "2026-10-25T00:30:00.000Z"]
  ])("%s", (_, months, zone, earned, expected) => {
    expect(end({ months }, zone, earned)).toBe(expected)
  })

  it("is what going minute by minute finds, in any zone", () => {
    const zones = Intl.supportedValuesOf("timeZone")
    const minute = fc.integer({ min: ms("1980-01-01") / 60_000, max: ms("2035-12-31") / 60_000 })
    fc.assert(
      fc.property(fc.constantFrom(...zones), minute, fc.integer({ min: 1, max: 30 }), (zone, start, months) => {
        const [date, time] = wall(zone, start * 60_000).split(", ") as [string, string]
        const [year, month, day] = date.split("-").map(Number) as [number, number, number]
        // From the last possible day of the month downwards: the first that the month has.
        let wanted = new Date(Date.UTC(year, month - 1 + months, 1))
        for (let tried = day; ; tried--) {
          wanted = new Date(Date.UTC(year, month - 1 + months, tried))
          if (wanted.getUTCDate() === tried) break
        }
        const shown = `${wanted.toISOString().slice(0, 10)}, ${time}`
        const got = endOf({ months }, zone, start * 60_000)
        // Zones of old times have odd seconds; the clock may skip the shown time, but never shows it before.
        expect(wall(zone, got) >= shown).toBe(true)
        for (let at = got - 60_000; at > got - 1_560_000; at -= 60_000) expect(wall(zone, at) < shown).toBe(true)
      }),
      { numRuns: 300 }
    )
  })
})

describe("ends of day, month and year are the first instant after it, in the programme's zone", () => {
  it.each([
    [
      "the day after",
      { days: 1, at: "end_of_day" },
      "Europe/Berlin",
      "2026-05-10T10:00:00Z",
      "2026-05-11T22:00:00.000Z"
    ],
    [
      "an hour that clocks skip",
      { days: 1, at: "end_of_day" },
      "Europe/Berlin",
      "2026-03-28T22:30:00Z",
      "2026-03-29T22:00:00.000Z"
    ],
    [
      "an hour that comes twice",
      { days: 1, at: "end_of_day" },
      "Europe/Berlin",
      "2026-10-24T22:00:00Z",
      "2026-10-26T23:00:00.000Z"
    ],
    [
      "midnight skipped",
      { days: 1, at: "end_of_day" },
      "America/Santiago",
      "2024-09-06T12:00:00Z",
      "2024-09-08T04:00:00.000Z"
    ],
    [
      "the month of the day",
      { days: 30, at: "end_of_month" },
      "UTC",
      "2026-01-31T10:00:00Z",
      "2026-04-01T00:00:00.000Z"
    ],
    [
      "the month after",
      { months: 1, at: "end_of_month" },
      "UTC",
      "2026-01-31T23:59:59.999Z",
      "2026-03-01T00:00:00.000Z"
    ],
    [
      "the last instant before a month",
      { months: 1, at: "end_of_month" },
      "UTC",
      "2026-02-01T00:00:00Z",
      "2026-04-01T00:00:00.000Z"
    ],
    [
      "the month there",
      { months: 12, at: "end_of_month" },
      "America/New_York",
      "2026-02-01T04:59:59Z",
      "2027-02-01T05:00:00.000Z"
    ],
    [
      "a leap year's February",
      { months: 1, at: "end_of_month" },
      "UTC",
      "2028-01-31T10:00:00Z",
      "2028-03-01T00:00:00.000Z"
    ],
    [
      "a month that ends in summer time",
      { months: 1, at: "end_of_month" },
      "Europe/Berlin",
      "2026-02-10T10:00:00Z",
      "2026-03-31T22:00:00.000Z"
    ],
    [
      "the year after",
      { months: 12, at: "end_of_year" },
      "Europe/Berlin",
      "2026-12-31T22:59:59Z",
      "2027-12-31T23:00:00.000Z"
    ],
    [
      "a new year there",
      { months: 12, at: "end_of_year" },
      "Europe/Berlin",
      "2026-12-31T23:00:00Z",
      "2028-12-31T23:00:00.000Z"
    ],
    [
      "end of the leap year",
      { days: 365, at: "end_of_year" },
      "UTC",
      "2028-01-01T00:00:00Z",
      "2029-01-01T00:00:00.000Z"
    ]
  ] satisfies ReadonlyArray<[string, Terms, string, string, string]>)("%s", (_, terms, zone, earned, expected) => {
    expect(end(terms, zone, earned)).toBe(expected)
  })

  it("days alone are of 24 hours, as ever", () => {
    expect(end({ days: 1 }, "Europe/Berlin", "2026-03-28T12:00:00Z")).toBe("2026-03-29T12:00:00.000Z")
    expect(end({ days: 1, at: "instant" }, "Europe/Berlin", "2026-03-28T12:00:00Z")).toBe("2026-03-29T12:00:00.000Z")
  })

  it("no end is after the last time that a timestamp can represent", () => {
    for (const terms of [{ months: 1200 }, { months: 1200, at: "end_of_year" }] as const)
      expect(end(terms, "UTC", "9999-12-31T10:00:00Z")).toBe("9999-12-31T23:59:59.999Z")
  })

  describe("what was earned later", () => {
    const zones = fc.constantFrom("Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "America/St_Johns")
    const instants = fc.integer({ min: ms("2005-01-01"), max: ms("2030-01-01") })
    const upToADay = fc.integer({ min: 0, max: 86_400_000 })
    const holds = (law: (zone: string, earned: number, later: number) => void): void =>
      fc.assert(
        fc.property(zones, instants, upToADay, (zone, earned, more) => law(zone, earned, earned + more)),
        { numRuns: 2_000 }
      )

    // All that is earned from the 28th to the 31st of January ends on 28 February, each at its own time of day.
    it.each<Terms>([{ months: 1 }, { months: 12 }])("never ends on an earlier day: %j", (life) => {
      holds((zone, earned, later) => {
        const day = (at: number): string => wall(zone, endOf(life, zone, at)).slice(0, 10)
        expect(day(later) >= day(earned)).toBe(true)
        expect(endOf(life, zone, earned)).toBeGreaterThan(earned)
      })
    })

    it.each<Terms>([
      { days: 3, at: "end_of_day" },
      { months: 2, at: "end_of_month" },
      { months: 1, at: "end_of_year" }
    ])("never ends earlier: %j", (life) => {
      holds((zone, earned, later) => {
        expect(endOf(life, zone, later)).toBeGreaterThanOrEqual(endOf(life, zone, earned))
        expect(endOf(life, zone, earned)).toBeGreaterThan(earned)
      })
    })
  })

  it("the month's last day keeps the time of day, so that a guest of the day before may keep points longer", () => {
    expect(end({ months: 1 }, "UTC", "2026-01-28T20:00:00Z")).toBe("2026-02-28T20:00:00.000Z")
    expect(end({ months: 1 }, "UTC", "2026-01-29T08:00:00Z")).toBe("2026-02-28T08:00:00.000Z")
  })
})

describe("point_expiration of a file", () => {
  const expiration = (terms: object) => (json: Json) =>
    (json["point_expiration"] = { type: "after_earned", warning_days: [], ...terms })

  it("ends in the programme's zone, for points and credits alone", () => {
    const berlin = program((json) => {
      expiration({ months: 1, at: "end_of_month" })(json)
      json["time_zone"] = "Europe/Berlin"
    })
    const earned = ms("2026-07-31T22:00:00Z")
    expect(expiresAt(berlin, "points", earned)).toBe(ms("2026-09-30T22:00:00Z"))
    expect(expiresAt(berlin, "credits", earned)).toBe(ms("2026-09-30T22:00:00Z"))
    expect(expiresAt(berlin, "stamps", earned)).toBeUndefined()
  })

  it("programs/get shows plain days, and leaves any other out whole", () => {
    const shown = (terms: object) => program(expiration(terms)).definition.point_expiration
    expect(shown({ days: 30 })).toEqual({ type: "after_earned", days: 30, warning_days: [] })
    expect(shown({ days: 30, at: "instant" })).toEqual({ type: "after_earned", days: 30, warning_days: [] })
    expect(shown({ days: 30, at: "end_of_day" })).toBeUndefined()
    expect(shown({ months: 1 })).toBeUndefined()
    expect(shown({ type: "after_inactivity", days: 30 })).toBeUndefined()
  })
})
