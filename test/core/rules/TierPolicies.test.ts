import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { TierPolicy } from "../../../src/contract/protocol/Program.ts"
import { yearAt } from "../../../src/core/rules/Calendar.ts"
import { counts, periodStart } from "../../../src/core/rules/Periods.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { inForceAs } from "../../../src/core/rules/Program.ts"
import type { PolicyHistory } from "../../../src/core/rules/TierPolicies.ts"
import { first, inForce, periodAt, published } from "../../../src/core/rules/TierPolicies.ts"
import { program } from "./Builders.ts"

const ms = (timestamp: string): number => Date.parse(timestamp)
const iso = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : String(at))

const policy = (starts_month: number, starts_day: number, time_zone = "UTC", effective_from?: string): TierPolicy => ({
  metric_id: "year",
  period: { type: "annual", starts_month, starts_day, time_zone },
  ...(effective_from === undefined ? undefined : { effective_from })
})

/** A history of these publications: the first is the programme's first version. */
const history = ([start, ...changes]: readonly [
  TierPolicy | undefined,
  ...ReadonlyArray<readonly [string, TierPolicy | undefined]>
]): PolicyHistory => changes.reduce((so, [at, next]) => published(so, next, ms(at)), first(start))

/** `next` as the version after `before`, published at an instant. */
const publishedAfter = (before: Program, next: Program, at: string): Program =>
  inForceAs(
    next,
    [before, next].map(({ definition }) => ({
      publishedAt: ms(at),
      tierPolicy: definition.tier_policy,
      promotions: []
    })),
    false
  )

/** The period of an instant as `start/end`. */
const shown = (of: PolicyHistory, at: string): string => {
  const { end, start } = periodAt(of, ms(at))
  return `${iso(start)}/${iso(end)}`
}

const january = policy(1, 1)
const july = policy(7, 1)
const leap = policy(2, 29)

describe("Metrics and tiers: a changed tier policy", () => {
  it("takes over when the running period ends; its first period lasts to its own next start", () => {
    const changed = history([january, ["2026-03-10T12:00:00Z", july]])
    expect(shown(changed, "2026-03-10T12:00:00Z")).toBe("2026-01-01T00:00:00.000Z/2027-01-01T00:00:00.000Z")
    expect(shown(changed, "2026-12-31T23:59:59.999Z")).toBe("2026-01-01T00:00:00.000Z/2027-01-01T00:00:00.000Z")
    expect(shown(changed, "2027-01-01T00:00:00Z")).toBe("2027-01-01T00:00:00.000Z/2027-07-01T00:00:00.000Z")
    expect(shown(changed, "2027-07-01T00:00:00Z")).toBe("2027-07-01T00:00:00.000Z/2028-07-01T00:00:00.000Z")
  })

  it("of several changes the latest counts", () => {
    const changed = history([january, ["2026-03-10T00:00:00Z", july], ["2026-04-10T00:00:00Z", policy(4, 1)]])
    expect(shown(changed, "2027-01-01T00:00:00Z")).toBe("2027-01-01T00:00:00.000Z/2027-04-01T00:00:00.000Z")
  })

  it("changed back before it took over, nothing has changed", () => {
    const changed = history([january, ["2026-03-10T00:00:00Z", july], ["2026-12-31T23:59:59Z", policy(1, 1)]])
    expect(changed).toEqual(first(january))
  })

  it("changed again in its own first, short period, the next takes over when that ends", () => {
    const changed = history([january, ["2026-03-10T00:00:00Z", july], ["2027-05-01T00:00:00Z", policy(10, 1)]])
    expect(shown(changed, "2027-06-30T00:00:00Z")).toBe("2027-01-01T00:00:00.000Z/2027-07-01T00:00:00.000Z")
    expect(shown(changed, "2027-07-01T00:00:00Z")).toBe("2027-07-01T00:00:00.000Z/2027-10-01T00:00:00.000Z")
  })

  it("starts at once where there was none before", () => {
    const changed = history([undefined, ["2026-03-10T12:00:00Z", july]])
    expect(shown(changed, "2026-03-10T11:59:59.999Z")).toBe("-Infinity/2026-03-10T12:00:00.000Z")
    expect(shown(changed, "2026-03-10T12:00:00Z")).toBe("2026-03-10T12:00:00.000Z/2026-07-01T00:00:00.000Z")
  })

  it("taken away, the running period ends as it would have, and what follows has no end", () => {
    const changed = history([january, ["2026-03-10T00:00:00Z", undefined]])
    expect(shown(changed, "2026-12-31T00:00:00Z")).toBe("2026-01-01T00:00:00.000Z/2027-01-01T00:00:00.000Z")
    expect(shown(changed, "2031-01-01T00:00:00Z")).toBe("2027-01-01T00:00:00.000Z/Infinity")
    const again = published(changed, july, ms("2031-01-01T00:00:00Z"))
    expect(shown(again, "2031-01-01T00:00:00Z")).toBe("2031-01-01T00:00:00.000Z/2031-07-01T00:00:00.000Z")
  })

  it("29 February is 1 March where it is missing, also where a policy takes over there", () => {
    const changed = history([leap, ["2026-06-01T00:00:00Z", policy(3, 1)]])
    expect(shown(changed, "2026-06-01T00:00:00Z")).toBe("2026-03-01T00:00:00.000Z/2027-03-01T00:00:00.000Z")
    expect(shown(changed, "2027-03-01T00:00:00Z")).toBe("2027-03-01T00:00:00.000Z/2028-03-01T00:00:00.000Z")
    const towards = history([policy(3, 1), ["2026-06-01T00:00:00Z", leap]])
    expect(shown(towards, "2027-03-01T00:00:00Z")).toBe("2027-03-01T00:00:00.000Z/2028-02-29T00:00:00.000Z")
  })

  it("from one zone to another, it takes over at the old zone's instant", () => {
    const changed = history([
      policy(1, 1, "Pacific/Kiritimati"),
      ["2026-06-01T00:00:00Z", policy(1, 1, "Pacific/Pago_Pago")]
    ])
    expect(shown(changed, "2026-12-31T10:00:00Z")).toBe("2026-12-31T10:00:00.000Z/2027-01-01T11:00:00.000Z")
    expect(shown(changed, "2027-01-01T11:00:00Z")).toBe("2027-01-01T11:00:00.000Z/2028-01-01T11:00:00.000Z")
  })

  it("its effective_from counts once it has taken over, not before", () => {
    const before = program((p) => {
      p["tier_policy"].period.time_zone = "UTC"
      delete p["tier_policy"].effective_from
    })
    const after = publishedAfter(
      before,
      program((p) => {
        p["tier_policy"].period.time_zone = "UTC"
        p["tier_policy"].effective_from = "2027-02-01"
      }),
      "2026-03-10T00:00:00Z"
    )
    for (const [at, expected] of [
      ["2026-12-31T23:59:59Z", true],
      ["2027-01-31T23:59:59Z", false],
      ["2027-02-01T00:00:00Z", true]
    ] as const) {
      expect([at, counts(after, ms(at))]).toEqual([at, expected])
    }
    expect(periodStart(after, ms("2027-01-15T00:00:00Z"))).toBe(ms("2027-01-01T00:00:00Z"))
  })

  it("a changed ladder applies at once", () => {
    const next = program((p) => {
      p["tiers"][0].minimum = 500
      p["tier_policy"].period.starts_month = 7
    })
    const changed = publishedAfter(program(), next, "2026-03-10T00:00:00Z")
    expect(changed.tiers[1]?.minimum).toBe(500)
    expect(periodStart(changed, ms("2026-08-01T00:00:00Z"))).toBe(ms("2026-01-01T05:00:00Z"))
  })

  it("whatever is published when, each period is the one that a calendar kept day by day shows", () => {
    const zones = fc.constantFrom("UTC", "America/Havana", "Pacific/Apia", "Asia/Kathmandu", "America/St_Johns")
    const days = fc.constantFrom([1, 1], [2, 29], [3, 1], [7, 14], [11, 4], [12, 31])
    const policies = fc.option(
      fc.tuple(days, zones).map(([[month = 1, day = 1], zone]) => policy(month, day, zone)),
      { nil: undefined }
    )
    const instants = fc.integer({ min: ms("2007-01-01"), max: ms("2018-01-01") })
    const publications = fc.array(fc.tuple(instants, policies), { maxLength: 6 })
    fc.assert(
      fc.property(policies, publications, fc.array(instants, { minLength: 1, maxLength: 8 }), (start, all, asked) => {
        const inOrder = all.toSorted(([a], [b]) => a - b)
        const whole = inOrder.reduce((so, [at, next]) => published(so, next, at), first(start))
        for (const at of asked) {
          // The rule as it is written, told forward in time: what runs, when it ends, what waits for that.
          let running = start
          let began = -Infinity
          let waiting: { readonly policy: TierPolicy | undefined } | undefined
          let ends = running === undefined ? Infinity : yearAt(running.period, inOrder[0]?.[0] ?? at).end
          if (running !== undefined) began = yearAt(running.period, inOrder[0]?.[0] ?? at).start
          const turn = (now: number) => {
            while (ends <= now) {
              if (waiting !== undefined) running = waiting.policy
              waiting = undefined
              began = ends
              ends = running === undefined ? Infinity : yearAt(running.period, began).end
            }
          }
          const relevant = inOrder.filter(([when]) => when <= at)
          if (relevant.length === 0) continue
          for (const [when, next] of relevant) {
            turn(when)
            if (running !== undefined) waiting = { policy: next }
            else if (next !== undefined) {
              running = next
              began = when
              ends = yearAt(next.period, when).end
            }
          }
          turn(at)
          expect([inForce(whole, at), iso(periodAt(whole, at).start)]).toEqual([running, iso(began)])
        }
      }),
      { numRuns: 100 }
    )
  })
})
