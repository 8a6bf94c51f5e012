/**
 * Promotions: which of them an order gets, and what they give of what is left of it (contract/programmes.md
 * *Promotions*). Pure, in exact integers.
 */
import type { Promotion as PromotionFile, PromotionWhen } from "../contract/Promotions.ts"
import { isLocal, weekdays } from "../contract/Promotions.ts"
import type { ProgramFile } from "../contract/ProgramFile.ts"
import type { Order, OrderLine } from "../contract/protocol/Order.ts"
import type { Unit } from "../contract/Values.ts"
import { toMillis } from "../contract/Values.ts"
import * as Calendar from "./Calendar.ts"
import { dayMs } from "./Calendar.ts"

const wholeBps = 10_000
const minuteMs = 60_000

/** What a promotion gives; `tierBps` is the tier's multiplier at the posting. */
export type Gives =
  | readonly [kind: "multiply", bps: number]
  | readonly [kind: "add" | "per_item", amount: number, tierBps: number]

type Every = "day" | "week" | "month" | "promotion"

interface Weekly {
  /** By day from Monday. */
  readonly days: ReadonlyArray<boolean>
  /** Minutes of the local day, `until` excluded. */
  readonly from: number
  readonly until: number
}

/** A promotion that may give something, with its sets at hand. */
export interface Promotion {
  readonly id: string
  readonly name: string
  readonly unit: Unit
  readonly gives: { readonly kind: Gives[0]; readonly amount: number; readonly isMultiplied: boolean }
  readonly file: PromotionFile
  /** Publication of the version since which it is defined without interruption, ms; 0 for the first version. */
  readonly since: number
  /** ms, `until` excluded. */
  readonly from: number
  readonly until: number
  readonly weekly: ReadonlyArray<Weekly> | undefined
  /** Local dates, as their midnights in UTC. */
  readonly dates: ReadonlySet<number> | undefined
  readonly locations: ReadonlySet<string> | undefined
  readonly channels: ReadonlySet<string> | undefined
  readonly isOn: ((line: OrderLine) => boolean) | undefined
  readonly tiers: ReadonlySet<string> | undefined
  readonly joinedWithinMs: number
  /** Minor units. */
  readonly minimumSpend: number
  readonly limit: { readonly count: number; readonly every: Every } | undefined
}

const setOf = <A>(values: ReadonlyArray<A> | undefined): ReadonlySet<A> | undefined =>
  values === undefined ? undefined : new Set(values)

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** The instant of a timestamp, or of a date or time in the zone; the end of a date if `isEnd`. */
export const momentOf = (zone: string, text: string, isEnd = false): number => {
  if (!isLocal(text)) return toMillis(text)
  const midnight = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  if (text.length > 10) return Calendar.firstInstant(zone, Date.parse(`${text}Z`))
  return Calendar.firstInstant(zone, isEnd ? midnight + dayMs : midnight)
}

const weeklyOf = (weekly: NonNullable<PromotionWhen["weekly"]>): ReadonlyArray<Weekly> =>
  weekly.map(({ days, from, until }) => ({
    days: weekdays.map((day) => days.includes(day)),
    from: minutesOf(from),
    until: minutesOf(until)
  }))

const matcher = (on: PromotionFile["on"]): Promotion["isOn"] => {
  if (on === undefined) return undefined
  const [products, categories, tags] = [setOf(on.product_ids), setOf(on.category_ids), setOf(on.tags)]
  return (line) =>
    products?.has(line.product_id) === true ||
    (categories !== undefined && line.category_ids?.some((id) => categories.has(id)) === true) ||
    (tags !== undefined && line.tags?.some((tag) => tags.has(tag)) === true)
}

const givesOf = ({ add, add_per_item, multiplier_eligible, multiply_bps }: PromotionFile["effect"]) => {
  const isMultiplied = multiplier_eligible === true
  if (multiply_bps !== undefined) return { kind: "multiply", amount: multiply_bps, isMultiplied } as const
  if (add !== undefined) return { kind: "add", amount: add, isMultiplied } as const
  return { kind: "per_item", amount: add_per_item ?? 0, isMultiplied } as const
}

const compileOne = (zone: string, primary: Unit, file: PromotionFile): Promotion => {
  const { effect, limits, minimum_spend, when = {}, where = {}, who = {} } = file
  return {
    id: file.promotion_id,
    name: file.name,
    unit: effect.unit ?? primary,
    gives: givesOf(effect),
    file,
    since: 0,
    from: when.from === undefined ? -Infinity : momentOf(zone, when.from),
    until: when.until === undefined ? Infinity : momentOf(zone, when.until, true),
    weekly: when.weekly === undefined ? undefined : weeklyOf(when.weekly),
    dates: when.dates === undefined ? undefined : new Set(when.dates.map((date) => Date.parse(`${date}T00:00:00Z`))),
    locations: setOf(where.location_ids),
    channels: setOf(where.channels),
    isOn: matcher(file.on),
    tiers: setOf(who.tier_ids),
    joinedWithinMs: who.joined_within_days === undefined ? Infinity : who.joined_within_days * dayMs,
    minimumSpend: minimum_spend?.amount ?? 0,
    limit: limits?.per_member
  }
}

/** A programme's promotions, those that are not enabled too, with the ids in text order. */
export const compile = (zone: string, primary: Unit, file: ProgramFile): ReadonlyArray<Promotion> =>
  (file.promotions ?? [])
    .map((one) => compileOne(zone, primary, one))
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

/** True if the promotion's time holds at an instant. */
export const isWithin = ({ dates, from, until, weekly }: Promotion, zone: string, at: number): boolean => {
  if (at < from || at >= until) return false
  if (weekly === undefined && dates === undefined) return true
  const local = Calendar.localAt(zone, at)
  const minute = Math.floor((local % dayMs) / minuteMs)
  const today = local - (local % dayMs)
  const isDay = (date: number, days: ReadonlyArray<boolean>) =>
    days[Calendar.weekdayOf(date)] === true && (dates === undefined || dates.has(date))
  if (weekly === undefined) return dates?.has(today) === true
  return weekly.some((window) => {
    if (window.from < window.until) return minute >= window.from && minute < window.until && isDay(today, window.days)
    return (
      (minute >= window.from && isDay(today, window.days)) ||
      (minute < window.until && isDay(today - dayMs, window.days))
    )
  })
}

/** A line of an order, as it accrued and what is left of it. Money in minor units. */
export interface LineLeft {
  readonly spend: number
  readonly quantity: number
  readonly subtotal: number
  readonly quantityLeft: number
  readonly subtotalLeft: number
}

/** An order as it accrued and what is left of it. */
export interface OrderLeft {
  readonly spend: number
  readonly spendLeft: number
  readonly lines: ReadonlyArray<LineLeft>
}

/** The rule by which a promotion gives; stored with the accrual. */
export interface Terms {
  readonly gives: Gives
  /** Least spend of the lines that count, minor units. */
  readonly minimum?: number
  /** Places of the lines that count; absent: all eligible ones. */
  readonly on?: ReadonlyArray<number>
}

/** The rate of an account by spend. */
export interface Rate {
  readonly amount: number
  /** Minor units. */
  readonly spend: number
  readonly multiplierBps: number
}

/** ⌊a product ÷ a product⌋ of numbers of at least 0. Above 2^53 − 1 the result is an unsafe integer, never a wrong safe one. */
const floorOf = (factors: ReadonlyArray<number>, divisors: ReadonlyArray<number>): number => {
  const product = factors.reduce((all, one) => all * one, 1)
  const divisor = divisors.reduce((all, one) => all * one, 1)
  if (Number.isSafeInteger(product) && Number.isSafeInteger(divisor)) return (product - (product % divisor)) / divisor
  const exact = (numbers: ReadonlyArray<number>) => numbers.reduce((all, one) => all * BigInt(one), 1n)
  return Number(exact(factors) / exact(divisors))
}

/** What is left of a line's eligible spend; a line that grew counts as it accrued. */
const spendLeftOf = ({ spend, subtotal, subtotalLeft }: LineLeft): number => {
  if (subtotal === 0 || spend === 0) return 0
  const left = Math.min(Math.abs(subtotalLeft), Math.abs(subtotal))
  return left === Math.abs(subtotal) ? spend : Math.sign(spend) * floorOf([Math.abs(spend), left], [Math.abs(subtotal)])
}

const sumOf = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/**
 * Whole units of the lines that count: those that are left, and no more than fit into `counted` at the prices of the
 * accrual, cheapest first. What other lines or tenders took from the order's spend lowers all prices alike. A line that
 * cost nothing gives none.
 */
const unitsOf = (lines: ReadonlyArray<LineLeft>, accrued: number, counted: number): number => {
  const all = sumOf(lines.map(({ spend }) => spend))
  const priced = lines
    .filter((line) => spendLeftOf(line) > 0)
    .map((line) => ({
      units: Math.floor(Math.min(line.quantity, line.quantityLeft)),
      // In millionths: a quantity has at most 6 decimals.
      price: floorOf([line.spend, 1_000_000, accrued], [Math.round(line.quantity * 1_000_000), all])
    }))
    .toSorted((a, b) => a.price - b.price)
  let rest = counted
  let units = 0
  for (const { price, units: left } of priced) {
    const fitting = price === 0 ? left : Math.min(left, Math.floor(rest / price))
    units += fitting
    rest -= fitting * price
  }
  return units
}

/** The spend that counts, as it accrued and of what is left. */
const countedOf = (lines: ReadonlyArray<LineLeft> | undefined, { spend, spendLeft }: OrderLeft) =>
  lines === undefined
    ? { accrued: spend, left: spendLeft }
    : {
        accrued: Math.min(Math.max(0, sumOf(lines.map((line) => line.spend))), spend),
        left: Math.min(Math.max(0, sumOf(lines.map(spendLeftOf))), spendLeft)
      }

/** The lines that count; undefined if all eligible ones do. */
const linesOn = ({ on }: Terms, { lines }: OrderLeft): ReadonlyArray<LineLeft> | undefined =>
  on?.map((place) => lines[place]).filter((line) => line !== undefined)

/** What a promotion gives of what is left of an order that the base rules let earn. `rate`: its account's, if it earns by spend. */
export const pointsFor = (terms: Terms, rate: Rate | undefined, order: OrderLeft): number => {
  const lines = linesOn(terms, order)
  const { accrued, left } = countedOf(lines, order)
  if (left <= 0 || left < (terms.minimum ?? 0)) return 0
  const { gives } = terms
  switch (gives[0]) {
    case "multiply":
      return rate === undefined
        ? 0
        : floorOf([left, rate.amount, rate.multiplierBps, gives[1] - wholeBps], [rate.spend, wholeBps, wholeBps])
    case "add":
      return floorOf([gives[1], gives[2]], [wholeBps])
    case "per_item":
      return floorOf(
        [gives[1], gives[2], unitsOf(lines ?? order.lines.filter(({ spend }) => spend !== 0), accrued, left)],
        [wholeBps]
      )
  }
}

/** Uses of a promotion by a member within one window. */
export interface Use {
  readonly id: string
  /** As in `Promotion`. */
  readonly since: number
  /** First local date of the window as its midnight in UTC; 0: ever. */
  readonly window: number
  /** From then on no order can fall into the window, ms; absent: never. */
  readonly until?: number
}

export interface Uses extends Use {
  readonly count: number
}

/** Furthest end of a local date from its midnight in UTC, ms. */
const farthestMs = 16 * 3_600_000

/** First date and end (as midnights in UTC) of a window of the local calendar. */
const windowOf = (every: Exclude<Every, "promotion">, local: number): readonly [start: number, end: number] => {
  const today = local - (local % dayMs)
  switch (every) {
    case "day":
      return [today, today + dayMs]
    case "week": {
      const monday = today - Calendar.weekdayOf(today) * dayMs
      return [monday, monday + 7 * dayMs]
    }
    case "month": {
      const date = new Date(today)
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
      return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1)]
    }
  }
}

/** A use of something limited at an order's own time. `over`: from then on nothing uses it, ms. */
export const useOf = (
  { id, since, until: over }: Pick<Promotion, "id" | "since" | "until">,
  every: Every,
  zone: string,
  lateMs: number,
  own: number
): Use => {
  if (every === "promotion")
    return { id, since, window: 0, ...(over === Infinity ? undefined : { until: over + lateMs }) }
  const [start, end] = windowOf(every, Calendar.localAt(zone, own))
  return { id, since, window: start, until: end + farthestMs + lateMs }
}

const isSame = (a: Use, b: Use): boolean => a.id === b.id && a.since === b.since && a.window === b.window

export const countOf = (all: ReadonlyArray<Uses>, use: Use): number => all.find((one) => isSame(one, use))?.count ?? 0

/** Counts after a change by one use; what has no count or is over by `at` goes. */
export const counted = (all: ReadonlyArray<Uses>, uses: ReadonlyArray<Uses>, at: number): ReadonlyArray<Uses> => {
  let next = all.filter(({ until = Infinity }) => until > at)
  for (const use of uses) {
    if ((use.until ?? Infinity) <= at) continue
    const place = next.findIndex((one) => isSame(one, use))
    const count = use.count + (next[place]?.count ?? 0)
    const others = place < 0 ? next : next.toSpliced(place, 1)
    next = count > 0 ? [...others, { ...use, count }] : others
  }
  return next
}

/** What the promotions of a programme ask of an order and its member. */
export interface Asked {
  readonly order: Order
  readonly left: OrderLeft
  /** The order's own time, and the posting's, ms. */
  readonly own: number
  readonly at: number
  readonly tierId: string | undefined
  readonly tierBps: number
  readonly joined: number
  /** True if no order of the member that is not closed accrued before. */
  readonly isFirst: boolean
  readonly uses: ReadonlyArray<Uses>
  readonly rateOf: (unit: Unit) => Rate | undefined
}

export interface Given {
  readonly promotion: Promotion
  readonly points: number
  readonly terms: Terms
  readonly use: Use | undefined
}

export interface Almost {
  readonly promotion: Promotion
  /** Minor units. */
  readonly spend?: number
  readonly items?: number
}

/** What the programme says of all promotions. */
export interface Rules {
  readonly all: ReadonlyArray<Promotion>
  readonly stacking: "best" | "all"
  readonly zone: string
  readonly lateMs: number
}

/** The instant by which an order counts: `placed_at`, if that is neither ahead nor older than late orders may be. */
export const ownTime = ({ placed_at }: Order, { lateMs }: Pick<Rules, "lateMs">, at: number): number => {
  const placed = toMillis(placed_at)
  return placed > at || placed < at - lateMs ? at : placed
}

/** True if the promotion is for this member, at this time and place. */
const isFor = (promotion: Promotion, { zone }: Rules, asked: Asked): boolean => {
  const { channels, file, joinedWithinMs, locations, tiers } = promotion
  return (
    file.enabled !== false &&
    locations?.has(asked.order.scope.location_id) !== false &&
    channels?.has(asked.order.channel) !== false &&
    (tiers === undefined || (asked.tierId !== undefined && tiers.has(asked.tierId))) &&
    asked.at - asked.joined <= joinedWithinMs &&
    (file.who?.first_order !== true || asked.isFirst) &&
    isWithin(promotion, zone, asked.own)
  )
}

const placesOn = ({ isOn }: Promotion, { left, order }: Asked): ReadonlyArray<number> | undefined =>
  isOn === undefined
    ? undefined
    : order.lines.flatMap((line, place) => (left.lines[place]?.spend !== 0 && isOn(line) ? [place] : []))

const termsFor = (promotion: Promotion, asked: Asked): Terms => {
  const { amount, isMultiplied, kind } = promotion.gives
  const on = placesOn(promotion, asked)
  return {
    gives: kind === "multiply" ? [kind, amount] : [kind, amount, isMultiplied ? asked.tierBps : wholeBps],
    ...(promotion.minimumSpend === 0 ? undefined : { minimum: promotion.minimumSpend }),
    ...(on === undefined ? undefined : { on })
  }
}

/** Most near misses that an evaluation tells. */
const mostAlmost = 3

/**
 * What the promotions give to an order that the base rules let earn, as it accrues, and which ones it nearly gets.
 */
export const choose = (rules: Rules, asked: Asked) => {
  const given: Array<Given> = []
  const almost: Array<Almost> = []
  for (const promotion of rules.all) {
    if (!isFor(promotion, rules, asked)) continue
    const { limit } = promotion
    const use = limit === undefined ? undefined : useOf(promotion, limit.every, rules.zone, rules.lateMs, asked.own)
    if (limit !== undefined && use !== undefined && countOf(asked.uses, use) >= limit.count) continue
    const terms = termsFor(promotion, asked)
    const points = pointsFor(terms, asked.rateOf(promotion.unit), asked.left)
    if (points > 0) given.push({ promotion, points, terms, use })
    else almost.push(...missing(promotion, terms, asked))
  }
  const nearest = almost.toSorted((a, b) => (a.spend ?? Infinity) - (b.spend ?? Infinity) || 0).slice(0, mostAlmost)
  return { given: rules.stacking === "all" ? given : best(given), almost: nearest }
}

/** One item or one sum that is missing. */
const missing = (promotion: Promotion, terms: Terms, { left }: Asked): ReadonlyArray<Almost> => {
  if (terms.on?.length === 0) return [{ promotion, items: 1 }]
  const spend = (terms.minimum ?? 0) - countedOf(linesOn(terms, left), left).left
  return spend > 0 ? [{ promotion, spend }] : []
}

/** Of each unit the one that gives most; of several the first, as they are in the order of their ids. */
const best = (given: ReadonlyArray<Given>): ReadonlyArray<Given> =>
  given.filter((one, place) =>
    given.every(
      (other, otherPlace) =>
        other.promotion.unit !== one.promotion.unit ||
        other.points < one.points ||
        (other.points === one.points && otherPlace >= place)
    )
  )
