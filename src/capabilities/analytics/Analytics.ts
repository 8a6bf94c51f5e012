/** Figures of a programme: `GET /platform/v1/analytics` (contract/engagement.md *Analytics*). */
import { Effect, Semaphore } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Query } from "../../base/database/Pools.ts"
import { storageUnavailable, WorkPool } from "../../base/database/Pools.ts"
import { machineTime, serviceTime } from "../../base/time/Times.ts"
import type { Analytics, AnalyticsQuery, Bucket } from "../../contract/platform/Analytics.ts"
import { defaultRangeDays, maxRangeDays } from "../../contract/platform/Analytics.ts"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import { fromMillis, latestInstant, toMillis } from "../../contract/Values.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { type KeptDays, KeptTimes } from "../../core/retention/Kept.ts"
import { dateAt, dayMs, zoneOf } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { ratioBps } from "../../desk/surface/Ratio.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import { imported } from "../../reads/finance/Imported.ts"
import { owedKept, quarterMs } from "../../reads/rollups/Bounds.ts"
import * as Ladder from "../../reads/rollups/Ladder.ts"
import * as Owed from "../../reads/rollups/Owed.ts"
import type { Kind } from "../../reads/rollups/RollupReads.ts"
import { kindsBy, RollupReads } from "../../reads/rollups/RollupReads.ts"
import { quarterOf } from "../../reads/rollups/Sums.ts"
import type { RangeFilter } from "./AnalyticsReads.ts"
import * as Reads from "./AnalyticsReads.ts"
import type { TimeBucket } from "./Buckets.ts"
import * as Buckets from "./Buckets.ts"

/** A query that passed every check, with its defaults. */
export interface Question extends RangeFilter {
  readonly bucket: Bucket
  /** The time zone as the caller wrote it. */
  readonly timeZone: string
  /** Its canonical name. */
  readonly zone: string
  readonly now: number
}

/** Checks a query and adds defaults. Rounds `from` down and `until` up to a quarter of an hour. */
export const questionOf = (
  program: Program,
  { bucket = "day", day, from, location_id, time_zone, until }: AnalyticsQuery,
  now: number
): Effect.Effect<Question, Refused> => {
  const timeZone = time_zone ?? program.zone
  const zone = zoneOf(timeZone)
  if (zone === undefined)
    return refuseFaults([{ path: "/time_zone", message: "must be an IANA time zone such as Europe/Berlin" }])
  const end = until === undefined ? now + 1 : toMillis(until)
  const begin = from === undefined ? Buckets.daysBefore(zone, end - 1, defaultRangeDays - 1) : toMillis(from)
  if (begin >= end)
    return refuseFaults([
      { path: from === undefined ? "/until" : "/from", message: "must be before the end of the range" }
    ])
  if (end - begin > maxRangeDays * dayMs)
    return refuseFaults([{ path: "/from", ...said`must be at most ${maxRangeDays} days before the end of the range` }])
  const range = {
    from: quarterOf(begin),
    until: Math.min(quarterOf(end - 1) + quarterMs, quarterOf(latestInstant))
  }
  return Effect.succeed({
    program: program.id,
    ...range,
    business: day === "business" ? Buckets.datesOf(zone, range.from, range.until) : undefined,
    location: location_id,
    bucket,
    timeZone,
    zone,
    now
  })
}

const membersOf = (program: Program, kinds: ReadonlyArray<Kind>, now: number, joined: number, active: number) => ({
  total: kinds.reduce((sum, { members }) => sum + members, 0),
  new: joined,
  active,
  by_tier: program.tiers.map(({ tier_id }) => ({
    key: tier_id,
    count: kinds.reduce(
      (sum, { members, tier }) => (Ladder.tierAt(program, now, tier) === tier_id ? sum + members : sum),
      0
    )
  }))
})

const startsOf = (buckets: ReadonlyArray<TimeBucket>): ReadonlyArray<number> => buckets.map(({ start }) => start)

const ordersOf = (
  program: Program,
  sales: ReadonlyArray<Reads.Sales>,
  { active, repeat }: Reads.Buyers,
  buckets: ReadonlyArray<TimeBucket>,
  counts: ReadonlyArray<{ readonly part: number; readonly orders: number }>
): Analytics["loyalty"]["orders"] => {
  const count = sales.reduce((sum, { orders }) => sum + orders, 0)
  const spend = sales.reduce((sum, one) => sum + one.spend, 0)
  const money = (amount: number) => ({ amount, currency: program.currency })
  return {
    count,
    eligible_spend: money(spend),
    average: money(count === 0 ? 0 : Math.round(spend / count)),
    repeat_rate_bps: ratioBps(repeat, active),
    by_location: sales.map((one) => ({ key: one.location, count: one.orders, eligible_spend: money(one.spend) })),
    by_bucket: bucketsOf(buckets, counts)
  }
}

const bucketsOf = (
  buckets: ReadonlyArray<TimeBucket>,
  counts: ReadonlyArray<{ readonly part: number; readonly orders: number }>
) =>
  buckets.map(({ start }, part) => ({
    start: fromMillis(start),
    count: counts.reduce((sum, one) => (one.part === part ? sum + one.orders : sum), 0)
  }))

const withoutGuestOf = (
  buckets: ReadonlyArray<TimeBucket>,
  all: ReadonlyArray<Reads.WithoutGuest>
): NonNullable<Analytics["loyalty"]["orders"]["without_guest"]> => {
  const sumOf = (some: ReadonlyArray<Reads.WithoutGuest>) => some.reduce((sum, { orders }) => sum + orders, 0)
  return {
    count: sumOf(all),
    by_location: [...Map.groupBy(all, ({ location }) => location)]
      .map(([key, own]) => ({ key, count: sumOf(own) }))
      .toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1)),
    by_bucket: bucketsOf(buckets, all)
  }
}

/** A row for every bucket and account, also if nothing was posted. */
const ledgerOf = (
  program: Program,
  buckets: ReadonlyArray<TimeBucket>,
  entries: ReadonlyArray<Reads.Entries>,
  imported: Effect.Success<ReturnType<typeof importedIn>>
): Analytics["loyalty"]["ledger_by_bucket"] => {
  const found = new Map(entries.map((one) => [`${one.part} ${one.unit}`, one]))
  const came = new Map(imported.map(({ part, points, unit }) => [`${part} ${unit}`, { imported: points }]))
  return buckets.flatMap(({ start }, part) =>
    program.accounts.map(({ unit }) => {
      const { adjusted = 0, expired = 0, issued = 0, redeemed = 0, reversed = 0 } = found.get(`${part} ${unit}`) ?? {}
      return {
        start: fromMillis(start),
        unit,
        issued,
        redeemed,
        reversed,
        expired,
        adjusted,
        ...came.get(`${part} ${unit}`)
      }
    })
  )
}

/** Points that came from elsewhere, by days of the programme's zone. */
const importedIn = (
  query: Query,
  { id, zone }: Program,
  { from, location, until }: Question,
  buckets: ReadonlyArray<TimeBucket>
) => {
  const days = { program: id, first: dateAt(zone, from), end: dateAt(zone, until - 1) + dayMs, location }
  return imported(
    query,
    days,
    buckets.map(({ date }, place) => (place === 0 ? Math.min(date, days.first) : date))
  )
}

/** The programme's rewards in its own order, then removed rewards that still have figures. */
const rewardsOf = (program: Program, flows: ReadonlyArray<Reads.RewardFlows>): Analytics["loyalty"]["rewards"] => {
  const none = { reserved: 0, captured: 0, reversed: 0, expired: 0, issued: 0, redeemed: 0 }
  const found = new Map(flows.map(({ reward, ...flow }) => [reward, flow]))
  const ids = new Set([...program.rewards.keys(), ...found.keys()])
  return [...ids].map((reward_id) => {
    const counted = { ...none, ...found.get(reward_id) }
    const amount = Owed.worthOfRewards(program, reward_id, counted.redeemed)
    return { reward_id, ...counted, redeemed_worth: { amount, currency: program.currency } }
  })
}

const balances = Effect.fnUntraced(function* (query: Query, program: Program, { now, zone }: Question) {
  const points = yield* Reads.points(query, program.id)
  const present = dateAt(zone, now)
  const months = Buckets.monthsOf(zone, [present, ...(yield* Reads.lotMonths(query, program.id))])
  const expiring = yield* Reads.expiring(query, program.id, startsOf(months), now)
  return program.accounts.map(({ unit }) => {
    const sums = points.find((one) => one.unit === unit)
    return {
      unit,
      outstanding: sums?.posted ?? 0,
      reserved: sums?.reserved ?? 0,
      expiring_by_month: expiring.flatMap(({ amount, month, unit: of }) => {
        const part = months[month]
        return of === unit && part !== undefined ? [{ key: Buckets.monthText(part), count: amount }] : []
      })
    }
  })
})

const events = Effect.fnUntraced(function* (query: Query, question: Question) {
  const days = Buckets.bucketsOf(question.zone, "day", question.from, question.until)
  const { byDay, byType, members, total } = yield* Reads.events(query, question, startsOf(days))
  const countOf = new Map(byDay)
  return {
    total,
    unique_members: members,
    by_type: byType,
    by_day: days.map((day, place) => ({ key: Buckets.dateText(day), count: countOf.get(place) ?? 0 }))
  }
})

const loyalty = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  kinds: ReadonlyArray<Kind>,
  question: Question
) {
  const buckets = Buckets.bucketsOf(question.zone, question.bucket, question.from, question.until)
  const buyers = yield* Reads.buyers(query, question, question.now)
  const joined = yield* Reads.joined(query, question)
  const entries = yield* Reads.entries(query, question, startsOf(buckets))
  const dates = buckets.map(({ date }) => date)
  const counts = question.business === undefined ? entries : yield* Reads.businessDays(query, question, dates)
  const keeps = program.claims !== undefined
  const starts = question.business === undefined ? startsOf(buckets) : dates
  const unclaimed = keeps ? withoutGuestOf(buckets, yield* Reads.withoutGuest(query, question, starts)) : undefined
  return {
    members: membersOf(program, kinds, question.now, joined, buyers.active),
    balances: yield* balances(query, program, question),
    ledger_by_bucket: ledgerOf(program, buckets, entries, yield* importedIn(query, program, question, buckets)),
    orders: {
      ...ordersOf(program, yield* Reads.sales(query, question), buyers, buckets, counts),
      ...(unclaimed === undefined ? undefined : { without_guest: unclaimed })
    },
    rewards: rewardsOf(program, yield* Reads.rewards(query, question)),
    campaigns: yield* Reads.campaigns(query, question)
  }
})

/** The time from which single orders and events of guests are kept; undefined: all of the range is after it. */
const keptFrom = ({ from, now }: Question, { guest_events, order_figures }: KeptDays): number | undefined => {
  const kept = now - Math.min(guest_events, order_figures) * dayMs
  return from < kept ? kept : undefined
}

const rangeOf = (
  { bucket, business, from, location, timeZone, until }: Question,
  kept: number | undefined
): Analytics["range"] => ({
  from: fromMillis(from),
  until: fromMillis(until),
  bucket,
  time_zone: timeZone,
  ...(location === undefined ? undefined : { location_id: location }),
  ...(business === undefined ? undefined : { day: "business" as const }),
  ...(kept === undefined ? undefined : { kept_from: fromMillis(kept) })
})

/** The amounts owed, without a load that grows with the number of people who look. */
const owedBy = Effect.gen(function* () {
  const { query } = yield* WorkPool
  const clock = yield* machineTime
  const oneAtATime = Semaphore.makeUnsafe(1)
  const kept = new Map<string, { readonly until: bigint; readonly counts: Owed.Counts; readonly asOf: number }>()

  const counted = Effect.fnUntraced(function* (program: Program, now: number, asOf: number) {
    const began = clock.nanos()
    const before = kept.get(program.id)
    if (before !== undefined && began < before.until && before.asOf <= asOf) return before
    const counts = yield* Owed.count(query, program, now)
    const ended = clock.nanos()
    const fresh = { until: ended + BigInt(owedKept) * (ended - began), counts, asOf }
    kept.set(program.id, fresh)
    return fresh
  })

  /** Of a range that ended before today, at the end of its last day. */
  return Effect.fnUntraced(function* (program: Program, { now, until }: Question, asOf: number) {
    const day = dateAt(program.zone, until - 1)
    if (day < dateAt(program.zone, now)) return yield* Owed.closing(query, program.id, day)
    const found = yield* oneAtATime.withPermits(1)(counted(program, now, asOf))
    return Owed.valued(program, found.counts, found.asOf)
  })
})

export const make = Effect.gen(function* () {
  const { query, transaction } = yield* WorkPool
  const { now: clock } = yield* serviceTime
  const days = yield* KeptTimes
  const owedOf = yield* owedBy
  const [programs, rollups] = [yield* Programs, yield* RollupReads]
  const stored = Effect.mapError(() => storageUnavailable)

  const answer = Effect.fnUntraced(function* (program: Program, question: Question) {
    // Read first: the other reads then count at least the records up to this time.
    const counted = yield* stored(rollups.asOf(program.id))
    const asOf = Math.min(counted ?? question.now, question.now)
    const owed = yield* owedOf(program, question, asOf)
    // One snapshot, so that the figures agree with each other.
    const parts = yield* transaction(
      Effect.gen(function* () {
        yield* query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        const kinds = yield* kindsBy(query, [program.id])
        return {
          customer_data: {
            profiles: yield* Reads.profiles(query, program.id),
            events: yield* events(query, question),
            imports: yield* Reads.imports(query, question)
          },
          loyalty: {
            ...(yield* loyalty(query, program, kinds, question)),
            ...(owed === undefined ? undefined : { owed })
          }
        }
      })
    )
    return {
      program_id: program.id,
      as_of: fromMillis(asOf),
      range: rangeOf(question, keptFrom(question, days)),
      ...parts
    } satisfies Analytics
  })

  const ask = Effect.fnUntraced(function* ({ program_id, ...asked }: AnalyticsQuery) {
    const program = yield* Visible.programOf(programs, yield* CurrentCaller, program_id)
    return yield* answer(program, yield* questionOf(program, asked, clock()))
  })
  return { answer, ask }
})

export const layer = HttpApiBuilder.group(PlatformApi, "platform_analytics", (handlers) =>
  Effect.map(make, ({ ask }) => handlers.handle("analytics", ({ query }) => ask(query)))
)
