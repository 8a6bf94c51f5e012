/** A campaign's schedule as the console's page edits it (contract/engagement.md *Schedules*). */
import { assert, describe, it } from "@effect/vitest"
import type { Draft } from "../../../src/console/shared/schedule.ts"
import {
  draftOf,
  isOver,
  longestGapDays,
  nextOf,
  occurrencesInMonth,
  occurrencesOf,
  scheduleOf
} from "../../../src/console/shared/schedule.ts"

const zone = "America/New_York"
const now = Date.parse("2026-11-25T12:00:00Z")

const iso = (times: ReadonlyArray<number>) => times.map((at) => new Date(at).toISOString())

describe("a schedule on the page", () => {
  const drafts: ReadonlyArray<Partial<Draft>> = [
    {},
    { mode: "once", once: "2026-12-24T18:05" },
    { mode: "repeated", pattern: "daily", time: "00:00" },
    { mode: "repeated", pattern: "weekdays", until: "2027-01-01T00:00" },
    { mode: "repeated", pattern: "weekly", days: [0, 3], from: "2026-12-01T08:00" },
    { mode: "repeated", pattern: "monthly", day: 31, time: "23:59" },
    { mode: "repeated", pattern: "advanced", cron: "*/5 9-17 * 12 *" }
  ]
  for (const draft of drafts) {
    it(`comes back as it was: ${JSON.stringify(draft)}`, () => {
      const whole = { ...draftOf(undefined, zone), ...draft }
      const { isComplete, schedule } = scheduleOf(whole)
      assert.isTrue(isComplete)
      const { before: _, ...again } = draftOf(schedule, zone)
      assert.deepInclude(again, draft)
      assert.deepStrictEqual(scheduleOf(draftOf(schedule, zone)).schedule, schedule)
    })
  }

  it("occurs once, at the moment of the zone's clock", () => {
    const { schedule } = scheduleOf({ ...draftOf(undefined, zone), mode: "once", once: "2026-12-24T18:05" })
    assert.deepStrictEqual(iso(occurrencesOf(schedule, now)), ["2026-12-24T23:05:00.000Z"])
    assert.deepStrictEqual(occurrencesOf(schedule, Date.parse("2026-12-25T00:00:00Z")), [])
  })

  it("takes a time that the clock skips an hour later", () => {
    const { schedule } = scheduleOf({ ...draftOf(undefined, zone), mode: "once", once: "2027-03-14T02:30" })
    assert.deepStrictEqual(iso(occurrencesOf(schedule, now)), ["2027-03-14T07:30:00.000Z"])
  })

  it("shows the next three occurrences before its end", () => {
    const weekly = { ...draftOf(undefined, zone), mode: "repeated" as const, pattern: "weekly" as const, days: [1] }
    const next = ["2026-11-30T14:00:00.000Z", "2026-12-07T14:00:00.000Z", "2026-12-14T14:00:00.000Z"]
    assert.deepStrictEqual(iso(occurrencesOf(scheduleOf(weekly).schedule, now)), next)
    const { schedule } = scheduleOf({ ...weekly, until: "2026-12-07T09:00" })
    assert.deepStrictEqual(iso(occurrencesOf(schedule, now)), next.slice(0, 1))
  })

  it("keeps the seconds of times that it shows without them", () => {
    const sent = { starts_at: "2026-12-01T00:00:07Z", ends_at: "2027-12-01T00:00:07.5Z" }
    assert.deepStrictEqual(scheduleOf(draftOf(sent, zone)).schedule, sent)
  })

  it("is incomplete without what its mode asks for", () => {
    for (const draft of [
      { mode: "once" },
      { mode: "repeated", time: "" },
      { mode: "repeated", pattern: "weekly", days: [] }
    ] as const)
      assert.isFalse(scheduleOf({ ...draftOf(undefined, zone), ...draft }).isComplete, JSON.stringify(draft))
  })

  it("tells of a draft when it would run if it were activated, and nothing of one that has ended", () => {
    const { schedule } = scheduleOf({ ...draftOf(undefined, zone), mode: "repeated", time: "09:00" })
    if (schedule === undefined) throw new Error("a repeated campaign has a schedule")
    assert.strictEqual(nextOf({ schedule, status: "draft" }, now), "2026-11-25T14:00:00.000Z")
    assert.strictEqual(nextOf({ schedule, status: "expired" }, now), undefined)
    assert.strictEqual(nextOf({ status: "draft" }, now), undefined)
    const next_run_at = "2026-11-26T14:00:00.000Z"
    assert.strictEqual(nextOf({ schedule, status: "scheduled", next_run_at }, now), next_run_at)
  })

  it("has a longest gap, over a week-end, a month and a change of the clock", () => {
    const gapOf = (cron: string) => longestGapDays({ repeat: { cron, time_zone: zone } }, now)
    assert.deepStrictEqual(["0 * * * *", "0 8 * * *", "0 8 * * 1-5", "0 8 * * 1", "0 8 1 * *", "bad"].map(gapOf), [
      0,
      1,
      3,
      7,
      31,
      undefined
    ])
    assert.isUndefined(longestGapDays(undefined, now))
  })

  it("is over at its end, and once no time of it is left", () => {
    const at = (ms: number) => new Date(ms).toISOString()
    const repeat = { cron: "0 8 1 1 *", time_zone: zone }
    assert.isFalse(isOver(undefined, now))
    assert.isFalse(isOver({ repeat }, now))
    assert.isTrue(isOver({ ends_at: at(now) }, now))
    assert.isFalse(isOver({ ends_at: at(now + 1) }, now))
    assert.isTrue(isOver({ repeat, ends_at: at(now + 1) }, now))
    // A fault of the schedule is told at its field, not as an end.
    assert.isFalse(isOver({ repeat: { cron: "bad", time_zone: zone } }, now))
  })

  it("counts the occurrences of a month from the first on, before its end", () => {
    const countOf = (cron: string, ends_at?: string) =>
      occurrencesInMonth({ ...(ends_at === undefined ? {} : { ends_at }), repeat: { cron, time_zone: zone } }, now)
    assert.deepStrictEqual(
      ["0 8 * * *", "0 8 * * 1", "0 8 1 * *", "0 8 1 1 *", "* * * * *", "bad"].map((cron) => countOf(cron)),
      [30, 5, 1, 1, 1_000, 0]
    )
    assert.strictEqual(countOf("0 8 * * *", "2026-11-28T00:00:00Z"), 3)
    assert.strictEqual(occurrencesInMonth(undefined, now), 0)
  })
})
