/**
 * contract/engagement.md *Schedules*: occurrences of a schedule over daylight saving, against a search minute by
 * minute.
 */
import { assert, describe, it } from "@effect/vitest"
import { Cron, Result } from "effect"
import * as Occurrences from "../../../src/contract/platform/Occurrences.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Clock of a zone: day and time of day. */
const shown = (time_zone: string) => {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: time_zone,
    hourCycle: "h23",
    dateStyle: "short",
    timeStyle: "short"
  })
  return (at: number) => format.format(at)
}

/** Every minute whose local time matches and was not there before. */
const byHand = (schedule: Occurrences.CronSchedule, from: number, until: number): ReadonlyArray<number> => {
  const cron = Result.getOrThrow(Cron.parse(schedule.cron, "UTC"))
  const show = shown(schedule.time_zone)
  const before = new Set<string>()
  const found: Array<number> = []
  for (let at = from - 4 * hourMs; at <= until; at += minuteMs) {
    const local = show(at)
    const [day = "", time = ""] = local.split(", ")
    const isFirst = !before.has(local)
    before.add(local)
    if (isFirst && at > from && Cron.match(cron, `${day}T${time}:00Z`)) found.push(at)
  }
  return found
}

const walked = (schedule: Occurrences.CronSchedule, from: number, until: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = Occurrences.next(schedule, from); at <= until; at = Occurrences.next(schedule, at)) found.push(at)
  return found
}

const walkedBack = (schedule: Occurrences.CronSchedule, from: number, until: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = Occurrences.latest(schedule, until); at > from; at = Occurrences.latest(schedule, at - 1))
    found.push(at)
  return found.toReversed()
}

/** Around a change of the clock: Berlin and New York in both directions, Lord Howe by half an hour. */
const changes = [
  ["Europe/Berlin", Date.UTC(2026, 2, 29, 1)],
  ["Europe/Berlin", Date.UTC(2026, 9, 25, 1)],
  ["America/New_York", Date.UTC(2026, 2, 8, 7)],
  ["America/New_York", Date.UTC(2026, 10, 1, 6)],
  ["Australia/Lord_Howe", Date.UTC(2026, 3, 4, 15)],
  ["Australia/Lord_Howe", Date.UTC(2026, 9, 3, 15, 30)]
] as const

const crons = ["30 2 * * *", "0 2 * * *", "*/20 1-3 * * *", "15 * * * *", "45 1 * * 0", "0 3 29 3 *", "0 0 * * *"]

const iso = (all: ReadonlyArray<number>) => all.map((at) => new Date(at).toISOString())

describe("occurrences", () => {
  for (const [time_zone, change] of changes)
    it(`skip a local time that does not exist and fire one that comes twice first: ${time_zone} ${new Date(change).toISOString()}`, () => {
      const [from, until] = [change - 8 * hourMs, change + 26 * hourMs]
      for (const cron of crons) {
        const repeat = { cron, time_zone }
        const wanted = iso(byHand(repeat, from, until))
        assert.deepStrictEqual(iso(walked(repeat, from, until)), wanted, `${cron} onwards`)
        assert.deepStrictEqual(iso(walkedBack(repeat, from, until)), wanted, `${cron} back`)
      }
    })

  it("are the instants themselves, not those after", () => {
    const repeat = { cron: "0 9 * * *", time_zone: "UTC" }
    const nine = Date.UTC(2026, 6, 14, 9)
    assert.strictEqual(Occurrences.latest(repeat, nine), nine)
    assert.strictEqual(Occurrences.next(repeat, nine), nine + 24 * hourMs)
    assert.strictEqual(Occurrences.next(repeat, nine - 1), nine)
  })

  it("are refused where there are none, or more than one a minute", () => {
    for (const cron of ["* * * * * *", "soon", "0 0 30 2 *", "61 * * * *"])
      assert.isString(Occurrences.cronFault({ cron, time_zone: "UTC" }), cron)
    assert.isUndefined(Occurrences.cronFault({ cron: "0 0 29 2 *", time_zone: "UTC" }))
  })

  it("are searched in steps so few that nothing else waits, also where there are none", () => {
    const none = [
      "0 0 31 2 *",
      "* * 30 2 *",
      "0 0 31 4,6,9,11 *",
      "0 0 30-31 2 *",
      "30 2 25-31 3 */7",
      "* 2 25-31 3 */7"
    ]
    const some = ["0 0 29 2 *", "59 23 29 2 */7", "* * * * *", "* 0-3 25-31 3 */7", "0 0 30 2 1"]
    const tookMs = (work: () => void) => {
      const before = process.cpuUsage()
      work()
      const { system, user } = process.cpuUsage(before)
      return (user + system) / 1_000
    }
    const time_zone = "Europe/Berlin"
    for (const cron of [...none, ...some]) Occurrences.cronFault({ cron, time_zone })
    for (const cron of none) {
      let fault: string | undefined
      assert.isBelow(
        tookMs(() => (fault = Occurrences.cronFault({ cron, time_zone }))),
        150,
        cron
      )
      assert.strictEqual(fault, "must have an occurrence", cron)
    }
    for (const cron of some) {
      assert.isUndefined(Occurrences.cronFault({ cron, time_zone }), cron)
      const at = Date.UTC(2096, 1, 29, 23)
      assert.isBelow(
        tookMs(() => Occurrences.latest({ cron, time_zone }, Occurrences.next({ cron, time_zone }, at))),
        150,
        cron
      )
    }
  })
})
