/**
 * Challenges: what an order counts for, how progress adds up, and when it is complete (contract/programmes.md
 * *Challenges*). Pure.
 *
 * Weeks in a row are counted week by week: a completion takes its weeks, so that none counts twice. A week whose last
 * order is refunded gives the others of its completion back, and the next weeks in a row make up for it first.
 */
import type { Challenge as ChallengeFile, ChallengeKind } from "../../contract/Challenges.ts"
import { challengeKinds } from "../../contract/Challenges.ts"
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import * as Calendar from "./Calendar.ts"
import { dayMs } from "./Calendar.ts"
import type { Occasion, OrderTime } from "./Occasions.ts"
import { farthestMs, isHeld, occasionOf, windowOf } from "./Occasions.ts"
import type { LineTerms, OrderLeft } from "./OrdersLeft.ts"
import { hasLineFor, lineTerms, measure } from "./OrdersLeft.ts"

const weekMs = 7 * dayMs
/** Weeks that an account keeps. */
const weeksKept = 27

export interface Challenge extends Occasion {
  readonly id: string
  readonly name: string
  readonly kind: ChallengeKind
  readonly needed: number
  readonly every: "week" | "month" | "year" | undefined
  readonly isRepeated: boolean
  readonly rewardId: string
  readonly rewardTtlMs: number | undefined
  readonly isEnabled: boolean
  /** Publication of the version since which it counts alike without interruption, ms; 0 for the first version. */
  readonly since: number
}

const compileOne = (zone: string, file: ChallengeFile): Challenge => {
  const kind = challengeKinds.find((one) => file.count[one] !== undefined) ?? "orders"
  const { expires_in_seconds, reward_id } = file.gives
  return {
    ...occasionOf(zone, file),
    id: file.challenge_id,
    name: file.name,
    kind,
    needed: file.count[kind] ?? 1,
    every: file.every,
    isRepeated: file.repeat === true,
    rewardId: reward_id,
    rewardTtlMs: expires_in_seconds === undefined ? undefined : expires_in_seconds * 1000,
    isEnabled: file.enabled !== false,
    since: 0
  }
}

export const compile = (zone: string, file: Pick<ProgramFile, "challenges">): ReadonlyArray<Challenge> =>
  (file.challenges ?? []).map((one) => compileOne(zone, one))

/** Rules that make progress of a challenge comparable: if they change, progress starts anew. */
export const signature = ({ count, every, on }: ChallengeFile, zone: string): string =>
  JSON.stringify([challengeKinds.find((one) => count[one] !== undefined), every ?? null, on ?? null, zone])

/** Which challenge an order counts for, and in which part of its time. */
export interface Place {
  readonly id: string
  readonly since: number
  /** First local date of the window, or of the week, as its midnight in UTC; 0: ever. */
  readonly window: number
  /** From then on refunds and late orders change nothing here, ms; absent: never. */
  readonly until?: number
}

/** An order's part of a challenge, with the terms that adjustments need. */
export interface Counted extends Place {
  readonly kind: ChallengeKind
  /** The local date, for days and weeks; else the window. */
  readonly day: number
  readonly terms: LineTerms
  readonly amount: number
}

/** A change of progress. */
export type Change = Omit<Counted, "kind" | "terms">

/** Progress of a member within a window, or within a week for weeks in a row. */
export interface Progress extends Place {
  /** Amounts of each day, in the order of the days. */
  readonly amounts: ReadonlyArray<readonly [day: number, amount: number]>
  /** Completions so far; for weeks in a row only at window 0. */
  readonly given: number
  /** Weeks in a row: the first week of the completion that took this week. */
  readonly taken?: number
}

/** The amount of what is left of an order. */
export const amountOf = (kind: ChallengeKind, terms: LineTerms, left: OrderLeft): number => {
  const { spend, units } = measure(terms, left)
  if (spend === 0) return 0
  if (kind === "spend") return spend
  return kind === "items" ? units() : 1
}

const placeOf = ({ every, id, kind, since }: Challenge, local: number): Place & { day: number } => {
  const today = local - (local % dayMs)
  if (kind === "weeks_in_a_row") {
    const [monday] = windowOf("week", local)
    return { id, since, window: monday, day: monday, until: monday + (weeksKept + 1) * weekMs + farthestMs }
  }
  // It may be prolonged after its end.
  if (every === undefined) return { id, since, window: 0, day: 0 }
  const [start, end] = windowOf(every, local)
  const [, next] = windowOf(every, end)
  return { id, since, window: start, day: kind === "days" ? today : start, until: next + farthestMs }
}

/**
 * Amount that an order counts for, by its own time. 0: it is below a minimum, the challenge's or the programme's
 * (`isEarning: false`), and a correction may bring it in.
 */
export const countedBy = (
  challenges: ReadonlyArray<Challenge>,
  order: Order,
  left: OrderLeft,
  time: OrderTime & { readonly zone: string; readonly isEarning: boolean }
): ReadonlyArray<Counted> =>
  challenges.flatMap((challenge) => {
    const { isEarning, own, zone } = time
    if (!challenge.isEnabled || !hasLineFor(challenge, order, left) || !isHeld(challenge, zone, order, time)) return []
    const terms = lineTerms(challenge, order, left)
    // A correction adds no lines.
    if (terms.on?.length === 0) return []
    const amount = isEarning ? amountOf(challenge.kind, terms, left) : 0
    return [{ ...placeOf(challenge, Calendar.localAt(zone, own)), kind: challenge.kind, terms, amount }]
  })

const isAt = (a: Place, b: Place): boolean => a.id === b.id && a.since === b.since && a.window === b.window

const sumOf = ({ amounts }: Pick<Progress, "amounts">): number => amounts.reduce((sum, [, amount]) => sum + amount, 0)

const isEmpty = (one: Progress): boolean => one.amounts.length === 0 && one.given === 0 && one.taken === undefined

const put = (all: ReadonlyArray<Progress>, one: Progress): ReadonlyArray<Progress> => {
  const place = all.findIndex((other) => isAt(other, one))
  if (place < 0) return isEmpty(one) ? all : [...all, one]
  return isEmpty(one) ? all.toSpliced(place, 1) : all.with(place, one)
}

const at = (all: ReadonlyArray<Progress>, { id, since, until, window }: Place): Progress =>
  all.find((one) => isAt(one, { id, since, window })) ?? {
    id,
    since,
    window,
    ...(until === undefined ? undefined : { until }),
    amounts: [],
    given: 0
  }

const added = (one: Progress, day: number, by: number): Progress => {
  const amount = (one.amounts.find(([of]) => of === day)?.[1] ?? 0) + by
  const others = one.amounts.filter(([of]) => of !== day)
  return { ...one, amounts: amount > 0 ? [...others, [day, amount] as const].toSorted(([a], [b]) => a - b) : others }
}

/** Completions that refunds have undone, which the next ones make up for. */
const owedOf = (ledger: Progress): number => sumOf(ledger)

/** A week that has lost its last order gives the weeks of its completion back. */
const undone = (all: ReadonlyArray<Progress>, { id, since, taken }: Progress): ReadonlyArray<Progress> => {
  const freed = all.map((one) => {
    if (one.id !== id || one.since !== since || one.taken !== taken) return one
    const { taken: _, ...rest } = one
    return rest
  })
  return put(
    freed.filter((one) => !isEmpty(one)),
    added(at(freed, { id, since, window: 0 }), 0, 1)
  )
}

/** Progress after changes; what is over by `now` goes, and nothing is added to it. */
export const progressed = (
  all: ReadonlyArray<Progress>,
  changes: ReadonlyArray<Change>,
  now: number
): ReadonlyArray<Progress> => {
  let next: ReadonlyArray<Progress> = all.filter(({ until = Infinity }) => until > now)
  for (const change of changes) {
    if ((change.until ?? Infinity) <= now) continue
    const before = at(next, change)
    // Amounts taken from something that is not counted any more stay away.
    if (change.amount < 0 && !next.includes(before)) continue
    const after = added(before, change.day, change.amount)
    next = put(next, after)
    if (after.taken !== undefined && after.amounts.length === 0) next = undone(next, after)
  }
  return next
}

/** A completion: of a window, or of the weeks from `first` on. */
export interface Completion extends Place {
  readonly weeks?: { readonly first: number; readonly count: number }
}

/** Progress after a completion. `isGiven`: it gave a reward, and did not only make up for what a refund undid. */
export const completed = (
  all: ReadonlyArray<Progress>,
  completion: Completion,
  isGiven: boolean
): ReadonlyArray<Progress> => {
  const { weeks } = completion
  const ledger = at(all, completion)
  const counted = put(all, isGiven ? { ...ledger, given: ledger.given + 1 } : added(ledger, 0, -1))
  if (weeks === undefined) return counted
  const end = weeks.first + weeks.count * weekMs
  return counted.map((one) =>
    one.id === completion.id && one.since === completion.since && one.window >= weeks.first && one.window < end
      ? { ...one, taken: weeks.first }
      : one
  )
}

/** Members' progress of two accounts together. */
export const merged = (
  into: ReadonlyArray<Progress>,
  from: ReadonlyArray<Progress>,
  now: number
): ReadonlyArray<Progress> =>
  from.reduce<ReadonlyArray<Progress>>(
    (all, one) => {
      if ((one.until ?? Infinity) <= now) return all
      const before = at(all, one)
      const taken = before.taken ?? one.taken
      const both = one.amounts.reduce((sum, [day, amount]) => added(sum, day, amount), before)
      return put(all, { ...both, given: before.given + one.given, ...(taken === undefined ? undefined : { taken }) })
    },
    into.filter(({ until = Infinity }) => until > now)
  )

/** First weeks of the runs of `needed` weeks with an order that no completion took, the oldest first. */
const runsOf = (weeks: ReadonlyArray<number>, needed: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  let run: Array<number> = []
  for (const week of weeks) {
    run = run.at(-1) === week - weekMs ? [...run, week] : [week]
    if (run.length < needed) continue
    found.push(run[0]!)
    run = []
  }
  return found
}

const own = ({ id, since }: Challenge, all: ReadonlyArray<Progress>): ReadonlyArray<Progress> =>
  all.filter((one) => one.id === id && one.since === since)

/** How far a window is filled. */
const reached = ({ kind }: Challenge, one: Progress): number => (kind === "days" ? one.amounts.length : sumOf(one))

/** The time at which something completes, and how late orders may be. */
export interface Moment {
  readonly at: number
  readonly zone: string
  readonly lateMs: number
}

/**
 * The first window that may complete: the one before the present; of weeks, the 27th before; ever, as long as late orders
 * can reach it.
 */
const oldestAt = ({ every, kind, until }: Challenge, { at, lateMs, zone }: Moment): number => {
  if (kind !== "weeks_in_a_row" && every === undefined) return until + lateMs > at ? 0 : Infinity
  const local = Calendar.localAt(zone, at)
  if (every === undefined) return windowOf("week", local)[0] - weeksKept * weekMs
  return windowOf(every, windowOf(every, local)[0] - dayMs)[0]
}

const openWeeks = (all: ReadonlyArray<Progress>): ReadonlyArray<number> =>
  all
    .filter(({ amounts, taken, window }) => window !== 0 && taken === undefined && amounts.length > 0)
    .map(({ window }) => window)
    .toSorted((a, b) => a - b)

export interface Due {
  readonly challenge: Challenge
  readonly completion: Completion
  readonly isGiven: boolean
}

/**
 * The completions that progress has reached and that were not given yet, of what `raised` has added to: a lowered count
 * waits for an order that counts. Windows that are over by then never complete.
 */
export const due = (
  challenges: ReadonlyArray<Challenge>,
  all: ReadonlyArray<Progress>,
  raised: ReadonlyArray<Place>,
  now: Moment
): ReadonlyArray<Due> =>
  challenges.flatMap((challenge): ReadonlyArray<Due> => {
    const mine = own(challenge, all)
    if (!challenge.isEnabled || mine.length === 0) return []
    const oldest = oldestAt(challenge, now)
    return challenge.kind === "weeks_in_a_row"
      ? dueWeeks(
          challenge,
          mine.filter(({ window }) => window === 0 || window >= oldest),
          raised.some(({ id, since }) => id === challenge.id && since === challenge.since)
        )
      : mine.flatMap((one) =>
          one.window >= oldest && raised.some((other) => isAt(one, other)) ? dueIn(challenge, one) : []
        )
  })

const dueIn = (challenge: Challenge, one: Progress): ReadonlyArray<Due> => {
  const full = Math.floor(reached(challenge, one) / challenge.needed)
  const count = (challenge.isRepeated ? full : Math.min(full, 1)) - one.given
  const { amounts: _a, given: _g, taken: _t, ...completion } = one
  return Array.from({ length: Math.max(0, count) }, () => ({ challenge, completion, isGiven: true }))
}

/** Weeks in a row that only make up for what a refund undid do so whatever is added. */
const dueWeeks = (challenge: Challenge, mine: ReadonlyArray<Progress>, isRaised: boolean): ReadonlyArray<Due> => {
  const { id, isRepeated, needed, since } = challenge
  const ledger = at(mine, { id, since, window: 0 })
  let owed = owedOf(ledger)
  let { given } = ledger
  const found: Array<Due> = []
  for (const first of runsOf(openWeeks(mine), needed)) {
    const isGiven = owed === 0
    if (isGiven && (!isRaised || (!isRepeated && given > 0))) break
    const completion = { id, since, window: 0, weeks: { first, count: needed } }
    found.push({ challenge, completion, isGiven })
    if (isGiven) given++
    else owed--
  }
  return found
}

/**
 * The rewards that progress is enough for already: an order at `now` that counts brings them about, however small it is.
 * It counts in the running window.
 */
export const enough = (
  challenges: ReadonlyArray<Challenge>,
  all: ReadonlyArray<Progress>,
  now: Moment
): ReadonlyArray<Due> => {
  const local = Calendar.localAt(now.zone, now.at)
  const running = challenges.map((one) => placeOf(one, local))
  return due(challenges, all, running, now).filter(({ isGiven }) => isGiven)
}

/** True if progress that was not enough by the first one may be enough by the second one. */
export const isEased = (before: Challenge, after: Challenge): boolean =>
  after.isEnabled &&
  before.since === after.since &&
  (after.needed < before.needed || (after.isRepeated && !before.isRepeated) || !before.isEnabled)

/**
 * Progress towards the next completion, of what no completion has taken. What refunds undid (`owed`) is made up for first.
 * Once a challenge that gives once is complete, it stays full.
 */
const progressOf = ({ isRepeated, needed }: Challenge, open: number, owed: number, completed: number): number => {
  if (isRepeated) return Math.min(needed, Math.max(0, open - owed * needed))
  return completed > owed ? needed : Math.min(open, needed)
}

/** A challenge as a member sees it: progress towards the next completion, and completions in its present time. */
export const shown = (challenge: Challenge, all: ReadonlyArray<Progress>, zone: string, now: number) => {
  const local = Calendar.localAt(zone, now)
  const { every, id, kind, needed, since } = challenge
  const mine = own(challenge, all)
  if (kind === "weeks_in_a_row") {
    const [monday] = windowOf("week", local)
    const open = openWeeks(mine)
    const last = open.includes(monday) ? monday : monday - weekMs
    let run = 0
    while (open.includes(last - run * weekMs)) run++
    const ledger = at(mine, { id, since, window: 0 })
    const completed = ledger.given
    return { progress: progressOf(challenge, run, owedOf(ledger), completed), needed, completed, until: undefined }
  }
  const [start, end] = every === undefined ? [0, undefined] : windowOf(every, local)
  const one = mine.find(({ window }) => window === start)
  const whole = one === undefined ? 0 : reached(challenge, one)
  const given = one?.given ?? 0
  const over = end === undefined ? challenge.until : Math.min(Calendar.startOf(zone, end), challenge.until)
  const owed = Math.max(0, given - Math.floor(whole / needed))
  return {
    progress: progressOf(challenge, whole - (given - owed) * needed, owed, given),
    needed,
    completed: given,
    until: over === Infinity ? undefined : over
  }
}
