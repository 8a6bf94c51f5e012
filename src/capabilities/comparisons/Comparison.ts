/**
 * Joins the orders of two systems, and sums what differs by cause (contract/moving.md *Compare*). Entries of both are divided
 * into parts by order, which are temporary files without a name, so that memory is bounded by one part.
 */
import { Effect } from "effect"
import * as Calendar from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Tiers from "../../core/rules/Tiers.ts"
import * as MovingBounds from "../moving/Bounds.ts"
import * as Parts from "../moving/Parts.ts"
import type { Cause, Habits, Ours, Theirs } from "./Causes.ts"
import { causeOf, Rates } from "./Causes.ts"
import type { Entry } from "./Ours.ts"
import type { Transaction } from "./Theirs.ts"

/** An entry of either. */
type One = { readonly isOurs: true; readonly entry: Entry } | { readonly isOurs: false; readonly entry: Transaction }

/** `accrual` undefined: it is theirs; null: ours, and no accrual. */
type Values = readonly [order: string, points: number, at: number, accrual?: Entry["accrual"] | null]

const kept = Parts.keptAs<One, Values>(
  ({ entry }) => entry.order,
  ({ entry, isOurs }) =>
    isOurs ? [entry.order, entry.points, entry.at, entry.accrual ?? null] : [entry.order, entry.points, entry.at],
  ([order, points, at, accrual]): One => {
    const entry = { order, points, at }
    if (accrual === undefined) return { isOurs: false, entry }
    return { isOurs: true, entry: accrual === null ? entry : { ...entry, accrual } }
  }
)

/** An order that both systems have, or one of them. */
interface Order {
  readonly order: string
  ours: Ours | undefined
  theirs: Theirs | undefined
}

const withOurs = (before: Ours | undefined, { accrual, at, points }: Entry): Ours => {
  const known = before ?? { at, earned: 0, adjusted: 0, promoted: 0, spend: undefined, rule: undefined, lines: [] }
  return accrual === undefined
    ? { ...known, adjusted: known.adjusted + points }
    : { ...known, at, earned: known.earned + points, ...accrual }
}

const withTheirs = (before: Theirs | undefined, { at, points }: Transaction): Theirs => {
  const known = before ?? { at, earned: 0, taken: 0 }
  return points < 0 ? { ...known, taken: known.taken + points } : { ...known, earned: known.earned + points }
}

const ordersOf = (all: ReadonlyArray<One>): ReadonlyArray<Order> => {
  const found = new Map<string, Order>()
  for (const one of all) {
    const { order } = one.entry
    const known = found.get(order) ?? { order, ours: undefined, theirs: undefined }
    if (one.isOurs) known.ours = withOurs(known.ours, one.entry)
    else known.theirs = withTheirs(known.theirs, one.entry)
    found.set(order, known)
  }
  return [...found.values()]
}

export interface Difference {
  readonly cause: Cause
  readonly order: string
  /** ms */
  readonly at: number
  /** Points that are left of the order; undefined: the system does not have it. */
  readonly ours: number | undefined
  readonly theirs: number | undefined
}

interface CauseSum {
  readonly orders: number
  /** Points that the other system gave more, or less. */
  readonly more: bigint
  /** Orders by weekday from Sunday, in the programme's zone. */
  readonly weekdays: ReadonlyArray<number>
}

export interface Compared {
  /** Orders that both have. */
  readonly both: number
  readonly same: number
  readonly ours: bigint
  readonly theirs: bigint
  /** Points of theirs for each of ours, if that is not the same. */
  readonly rate: number | undefined
  readonly causes: ReadonlyMap<Cause, CauseSum>
}

const weekdayOf = ({ zone }: Program, at: number): number => new Date(Calendar.dateAt(zone, at)).getUTCDay()

class Sums {
  both = 0
  same = 0
  ours = 0n
  theirs = 0n
  readonly causes = new Map<Cause, CauseSum>()
  private readonly program: Program

  constructor(program: Program) {
    this.program = program
  }

  add({
    cause,
    difference
  }: {
    readonly cause: Cause | undefined
    readonly difference: Omit<Difference, "cause">
  }): void {
    const { at, ours, theirs } = difference
    if (ours !== undefined && theirs !== undefined) this.both++
    this.ours += BigInt(ours ?? 0)
    this.theirs += BigInt(theirs ?? 0)
    if (cause === undefined) {
      if (ours !== undefined && theirs !== undefined) this.same++
      return
    }
    const { more, orders, weekdays } = this.causes.get(cause) ?? {
      orders: 0,
      more: 0n,
      weekdays: [0, 0, 0, 0, 0, 0, 0]
    }
    const day = weekdayOf(this.program, at)
    this.causes.set(cause, {
      orders: orders + 1,
      more: more + BigInt(theirs ?? 0) - BigInt(ours ?? 0),
      weekdays: weekdays.with(day, weekdays[day]! + 1)
    })
  }
}

/** The orders of both, while they are gathered. */
export class Gathered {
  private readonly parts: Parts.Parts<One>
  /** From the first to the last transaction of the other provider, ms. */
  from = Infinity
  until = -Infinity

  constructor(parts: Parts.Parts<One>) {
    this.parts = parts
  }

  addTheirs(entry: Transaction): void {
    this.from = Math.min(this.from, entry.at)
    this.until = Math.max(this.until, entry.at)
    this.parts.add({ isOurs: false, entry })
  }

  /** An adjustment after the other provider's last transaction is not in its list yet. Requires: all of theirs are here. */
  addOurs(entry: Entry): void {
    if (entry.accrual === undefined && entry.at > this.until) return
    this.parts.add({ isOurs: true, entry })
  }

  /** Orders of a part. One that the other provider lacks counts if it was made while that one's list runs. */
  orders(part: number): ReadonlyArray<Order> {
    return ordersOf(this.parts.rows(part)).filter(
      ({ ours, theirs }) =>
        theirs !== undefined || (ours !== undefined && ours.spend !== undefined && this.covers(ours))
    )
  }

  private covers({ at }: Ours): boolean {
    return at >= this.from && at <= this.until
  }
}

/** Nothing yet, until the scope closes. */
export const gather = Effect.map(Parts.make(kept), (parts) => new Gathered(parts))

const eachPart = (gathered: Gathered, visit: (order: Order) => void) =>
  Effect.forEach(
    Array.from({ length: MovingBounds.parts }, (_, part) => part),
    (part) =>
      Effect.andThen(
        Effect.sync(() => {
          for (const order of gathered.orders(part)) visit(order)
        }),
        Effect.yieldNow
      ),
    { discard: true }
  )

const netOf = ({ ours, theirs }: Order) => ({
  ours: ours === undefined ? undefined : ours.earned + ours.adjusted,
  theirs: theirs === undefined ? undefined : theirs.earned + theirs.taken
})

/** Compares all orders: once for the rate, once for the causes. */
export const compare = Effect.fnUntraced(function* (
  gathered: Gathered,
  program: Program,
  tell: (difference: Difference) => void
) {
  const rates = new Rates()
  yield* eachPart(gathered, ({ ours, theirs }) => {
    if (ours !== undefined && theirs !== undefined) rates.add(ours, theirs)
  })
  const { rate } = rates
  const habits: Habits = { rate, tiers: [...new Set([10_000, ...program.tiers.map(Tiers.multiplierBps)])] }
  const sums = new Sums(program)
  yield* eachPart(gathered, (one) => {
    const cause = causeOf(one.ours, one.theirs, habits)
    const difference = { order: one.order, at: (one.ours ?? one.theirs)?.at ?? 0, ...netOf(one) }
    sums.add({ cause, difference })
    if (cause !== undefined) tell({ cause, ...difference })
  })
  const { both, causes, ours, same, theirs } = sums
  return { both, same, ours, theirs, causes, rate: rate === 100 ? undefined : rate / 100 } satisfies Compared
})
