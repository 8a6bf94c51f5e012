/**
 * Tells why two systems gave an order different points (contract/moving.md *Compare*). Pure. A cause is a rule of another
 * system that gives exactly the points that it gave; the first that does counts.
 */
import type { EarnRule } from "../../core/account/domain/Posted.ts"

/** `unexplained`: no rule of another system was found that gives these points. */
export type Cause =
  | "missing_here"
  | "missing_there"
  | "claimed"
  | "refund"
  | "rate"
  | "rounding"
  | "promotion"
  | "tier"
  | "unexplained"

/** An order as this service has it. */
export interface Ours {
  /** When the guest ordered, ms. */
  readonly at: number
  /** Points of its accrual, promotions among them. */
  readonly earned: number
  /** Points that its adjustments gave and took. */
  readonly adjusted: number
  /** Points of promotions. */
  readonly promoted: number
  /** Eligible spend, minor units; undefined: the accrual lies before what was read. */
  readonly spend: number | undefined
  readonly rule: EarnRule | undefined
  /** Eligible spend of each line. */
  readonly lines: ReadonlyArray<number>
  /** True if it was kept without a guest, until one claimed it. */
  readonly isClaimed?: boolean
}

/** The same as the other provider has it. */
export interface Theirs {
  readonly at: number
  /** Points that it gave, and took. */
  readonly earned: number
  readonly taken: number
}

/** Rules that hold for all orders of the other system, and the tiers of this one. */
export interface Habits {
  /** Its points for each of ours where nothing else differs, in hundredths; 100: the same rate. */
  readonly rate: number
  /** Multipliers of the programme's tiers, basis points. */
  readonly tiers: ReadonlyArray<number>
}

const wholeBps = 10_000n

/** Ways to round a quotient: down, up, half up. */
const roundings: ReadonlyArray<(dividend: bigint, divisor: bigint) => bigint> = [
  (dividend, divisor) => dividend / divisor,
  (dividend, divisor) => (dividend + divisor - 1n) / divisor,
  (dividend, divisor) => (2n * dividend + divisor) / (2n * divisor)
]

/** Multiples by which another system's promotions give more, in tenths. */
const multiples = [15, 20, 30, 40, 50, 100] as const
/** Orders with fewer points tell no rate. */
const tellingPoints = 20
/** So few orders tell none either. */
const tellingOrders = 50

/** Ratios that differ by so much from that in the middle are of the same rate. */
const nearShare = 0.05
/** Hundredths by which roundings alone may change the rate. */
const roundedHundredths = 2

type Way = (spend: number, [amount, per, bps]: EarnRule, factor: bigint) => ReadonlyArray<bigint>

/** Points of a spend with a factor in tenths of basis points, rounded once, or before the factor as well. */
const byOrder: Way = (spend, [amount, per], factor) => {
  const [dividend, divisor] = per === 0 ? [BigInt(amount), 1n] : [BigInt(spend) * BigInt(amount), BigInt(per)]
  return roundings.flatMap((round) => [
    round(dividend * factor, divisor * wholeBps * 10n),
    round(round(dividend, divisor) * factor, wholeBps * 10n)
  ])
}

const byLine =
  (lines: ReadonlyArray<number>): Way =>
  (_, rule, factor) => {
    const all = lines.map((spend) => byOrder(spend, rule, factor))
    return (all[0] ?? []).map((_, way) => all.reduce((sum, points) => sum + points[way]!, 0n))
  }

const explains = (points: number, spend: number, rule: EarnRule, factor: bigint, way: Way): boolean =>
  way(spend, rule, factor).includes(BigInt(points))

/** True of points that are a multiple of an order's own, which were rounded before. */
const isMultiple = (points: number, own: ReadonlyArray<bigint>): boolean =>
  own.some((once) =>
    multiples.some((tenths) => roundings.some((round) => round(once * BigInt(tenths), 10n) === BigInt(points)))
  )

/** The cause of an order that both have, with the same adjustments. */
const earnedCause = (
  ours: Ours & { readonly spend: number; readonly rule: EarnRule },
  theirs: Theirs,
  habits: Habits
) => {
  const { lines, promoted, rule, spend } = ours
  const own = BigInt(rule[2]) * 10n
  const gave = [theirs.earned, theirs.earned - promoted]
  // Of an order's lines each may be rounded; with one line there is no difference.
  for (const way of rule[1] > 0 && lines.length > 1 ? [byOrder, byLine(lines)] : [byOrder]) {
    const is = (points: number, factor: bigint) => points >= 0 && explains(points, spend, rule, factor, way)
    if (is(theirs.earned - promoted, own)) return "rounding"
    if (promoted > 0 && is(theirs.earned, own)) return "promotion"
    if (habits.tiers.some((bps) => bps !== rule[2] && gave.some((points) => is(points, BigInt(bps) * 10n))))
      return "tier"
    if (multiples.some((tenths) => gave.some((points) => is(points, BigInt(rule[2]) * BigInt(tenths)))))
      return "promotion"
    if (gave.some((points) => points > 0 && isMultiple(points, way(spend, rule, own)))) return "promotion"
  }
  return "unexplained"
}

/** The points that another rate gives, as near as hundredths tell it. */
const isByRate = (ours: Ours, { earned }: Theirs, { rate }: Habits): boolean => {
  const expected = (ours.earned * rate) / 100
  return rate !== 100 && Math.abs(earned - expected) <= 1 + ours.earned * 0.005
}

/** True if what was taken later differs by more than what was earned. */
const isByRefund = (ours: Ours, theirs: Theirs): boolean =>
  Math.abs(ours.adjusted - theirs.taken) > Math.abs(ours.earned - theirs.earned)

/** The cause of a difference; undefined: there is none. */
export const causeOf = (ours: Ours | undefined, theirs: Theirs | undefined, habits: Habits): Cause | undefined => {
  if (ours === undefined) return theirs === undefined || theirs.earned + theirs.taken === 0 ? undefined : "missing_here"
  if (theirs === undefined) {
    if (ours.earned + ours.adjusted === 0) return undefined
    return ours.isClaimed === true ? "claimed" : "missing_there"
  }
  if (ours.earned + ours.adjusted === theirs.earned + theirs.taken) return undefined
  const { rule, spend } = ours
  if (spend === undefined || isByRefund(ours, theirs)) return "refund"
  if (isByRate(ours, theirs, habits)) return "rate"
  return rule === undefined ? "unexplained" : earnedCause({ ...ours, rule, spend }, theirs, habits)
}

/** Orders and points of a ratio. */
interface Bucket {
  orders: number
  ours: number
  theirs: number
}

/** Learns the rate of the other system: about the ratio in the middle, if at least half of the orders have it. */
export class Rates {
  private readonly buckets = new Map<number, Bucket>()
  private total = 0

  add({ earned }: Ours, theirs: Theirs): void {
    if (earned < tellingPoints || theirs.earned <= 0) return
    const ratio = Math.round((theirs.earned * 100) / earned)
    const bucket = this.buckets.get(ratio) ?? { orders: 0, ours: 0, theirs: 0 }
    bucket.orders++
    bucket.ours += earned
    bucket.theirs += theirs.earned
    this.buckets.set(ratio, bucket)
    this.total++
  }

  private get middle(): number {
    let before = 0
    for (const [ratio, { orders }] of [...this.buckets].toSorted(([one], [other]) => one - other)) {
      before += orders
      if (before * 2 >= this.total) return ratio
    }
    return 100
  }

  /** Hundredths; 100 also for what roundings may give. */
  get rate(): number {
    const { middle } = this
    const near = [...this.buckets].filter(([ratio]) => Math.abs(ratio - middle) <= middle * nearShare)
    const sum = (name: keyof Bucket) => near.reduce((all, [, bucket]) => all + bucket[name], 0)
    const rate = Math.round((sum("theirs") * 100) / Math.max(1, sum("ours")))
    const isTold = this.total >= tellingOrders && sum("orders") * 2 >= this.total
    return !isTold || Math.abs(rate - 100) <= roundedHundredths ? 100 : rate
  }
}
