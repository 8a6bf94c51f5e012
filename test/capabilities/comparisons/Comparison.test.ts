/** Two systems that earn otherwise: each difference has its cause. Holds contract/moving.md *Compare*. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../../../src/app/testing/Testing.ts"
import type { Cause } from "../../../src/capabilities/comparisons/Causes.ts"
import * as Comparison from "../../../src/capabilities/comparisons/Comparison.ts"
import type { Entry } from "../../../src/capabilities/comparisons/Ours.ts"
import type { Transaction } from "../../../src/capabilities/comparisons/Theirs.ts"

const day = 86_400_000
/** Noon in New York, on a Sunday. */
const begin = Date.parse("2026-06-07T16:00:00Z")
const tuesday = 2

/** A repeatable row of numbers from 0 to 1 (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Sale {
  readonly order: string
  readonly at: number
  readonly weekday: number
  readonly lines: ReadonlyArray<number>
  readonly bps: number
  /** Points before they are rounded. */
  readonly raw: number
}

const salesOf = (count: number, seed = 7): ReadonlyArray<Sale> => {
  const random = randomOf(seed)
  return Array.from({ length: count }, (_, n) => {
    const days = Math.floor((n * 28) / count)
    const lines = Array.from({ length: 1 + Math.floor(random() * 4) }, () => 300 + Math.floor(random() * 2000))
    const bps = [10_000, 12_000, 15_000][Math.floor(random() * 3)]!
    const spend = lines.reduce((sum, one) => sum + one, 0)
    const at = begin + days * day + n
    return { order: `o-${n}`, at, weekday: days % 7, lines, bps, raw: (spend * 10 * bps) / 1_000_000 }
  })
}

const oursOf = ({ at, bps, lines, order, raw }: Sale): Entry => ({
  ...{ order, at, points: Math.floor(raw) },
  accrual: { spend: lines.reduce((sum, one) => sum + one, 0), rule: [10, 100, bps], promoted: 0, lines }
})

const halfUp = (points: number): number => Math.floor(points + 0.5)

/** The causes by order, and the sums. */
const compared = (theirs: ReadonlyArray<Transaction>, ours: ReadonlyArray<Entry>) =>
  Effect.gen(function* () {
    const gathered = yield* Comparison.gather
    for (const one of theirs) gathered.addTheirs(one)
    for (const one of ours) gathered.addOurs(one)
    const causes = new Map<string, Cause>()
    const result = yield* Comparison.compare(
      gathered,
      Testing.demoProgram,
      ({ cause, order }) => void causes.set(order, cause)
    )
    return { causes, result }
  }).pipe(Effect.scoped)

/** Points that the other system gave for a sale, undefined if it lost it, and the cause of the difference. */
const made = ({ raw, weekday }: Sale, n: number) => {
  if (n % 1000 === 499) return { points: undefined, cause: "missing_there" as const }
  const points = halfUp(weekday === tuesday ? 2 * raw : raw)
  if (points === Math.floor(raw)) return { points, cause: undefined }
  return { points, cause: weekday === tuesday ? ("promotion" as const) : ("rounding" as const) }
}

/** Weeks beside a system that rounds half up, doubles points on Tuesdays, loses one order of a thousand and refunds late. */
const runBeside = (sales: ReadonlyArray<Sale>) => {
  const expected = new Map<string, Cause>()
  const theirs: Array<Transaction> = []
  const ours: Array<Entry> = []
  for (const [n, sale] of sales.entries()) {
    const { at, order, raw, weekday } = sale
    const { cause, points } = made(sale, n)
    ours.push(oursOf(sale))
    if (cause !== undefined) expected.set(order, cause)
    if (points === undefined) continue
    theirs.push({ order, at, points })
    // Refunds of half the points: every other one comes there after the last transaction of the list.
    if (weekday === tuesday || n % 30 !== 0) continue
    const taken = { order, at: at + 1, points: -Math.floor(raw / 2) }
    ours.push(taken)
    if (n % 60 === 0) theirs.push(taken)
    else expected.set(order, "refund")
  }
  return { expected, ours, theirs }
}

describe("a comparison", () => {
  it.effect("names double points on Tuesdays, another rounding, lost orders and late refunds, each apart", () =>
    Effect.gen(function* () {
      const { expected, ours, theirs } = runBeside(salesOf(6000))
      const { causes, result } = yield* compared(theirs, ours)
      assert.deepStrictEqual([...causes].toSorted(), [...expected].toSorted())
      assert.deepStrictEqual([...result.causes.keys()].toSorted(), ["missing_there", "promotion", "refund", "rounding"])
      const promotion = result.causes.get("promotion")
      assert.strictEqual(promotion?.weekdays[tuesday], promotion?.orders)
      assert.strictEqual(result.rate, undefined)
      const sum = (all: ReadonlyArray<{ readonly points: number }>) => all.reduce((total, one) => total + one.points, 0)
      assert.deepStrictEqual([result.ours, result.theirs], [BigInt(sum(ours)), BigInt(sum(theirs))])
      const more = [...result.causes.values()].reduce((total, cause) => total + cause.more, 0n)
      assert.strictEqual(more, result.theirs - result.ours)
    })
  )

  it.effect("learns another rate from most orders, and still finds what else differs", () =>
    Effect.gen(function* () {
      const sales = salesOf(600)
      const theirs = sales.map(({ at, order, raw, weekday }) => ({
        ...{ order, at },
        points: Math.floor((weekday === tuesday ? 2 : 1) * raw * 0.4)
      }))
      const { causes, result } = yield* compared(theirs, sales.map(oursOf))
      assert.strictEqual(result.rate, 0.4)
      for (const { order, weekday } of sales)
        if (weekday !== tuesday) assert.strictEqual(causes.get(order), "rate", order)
    })
  )

  it.effect("knows a tier that the other system gave or forgot, and points that are rounded line by line", () =>
    Effect.gen(function* () {
      const plain = salesOf(400).map((sale) => ({ ...sale, lines: [1234, 987, 556] }))
      const sales = plain.map((sale) => ({ ...sale, raw: (2777 * 10 * sale.bps) / 1_000_000 }))
      const theirs = sales.map(({ at, bps, lines, order, raw }, n): Transaction => {
        if (n % 10 === 0 && bps !== 10_000) return { order, at, points: Math.floor(277.7) }
        const byLine = lines.map((spend) => Math.ceil((spend * 10 * bps) / 1_000_000))
        if (n % 10 === 1) return { order, at, points: byLine.reduce((sum, one) => sum + one, 0) }
        return { order, at, points: Math.floor(raw) }
      })
      const { causes } = yield* compared(theirs, sales.map(oursOf))
      for (const [n, { bps, order }] of sales.entries()) {
        const expected = n % 10 === 0 && bps !== 10_000 ? "tier" : n % 10 === 1 ? "rounding" : undefined
        assert.strictEqual(causes.get(order), expected, order)
      }
    })
  )

  it.effect("tells orders that are missing here, promotions of ours, and what nothing explains", () =>
    Effect.gen(function* () {
      const [first, second, third] = salesOf(3)
      const given = oursOf(second!)
      const promoted = { ...given, points: given.points + 50, accrual: { ...given.accrual!, promoted: 50 } }
      const odd = oursOf(third!)
      const theirs = [
        { order: "unknown", at: begin, points: 12 },
        { order: first!.order, at: begin, points: oursOf(first!).points },
        { order: second!.order, at: begin + 1, points: given.points },
        { order: third!.order, at: third!.at, points: odd.points + 17 }
      ]
      const { causes, result } = yield* compared(theirs, [oursOf(first!), promoted, odd])
      assert.deepStrictEqual([...causes].toSorted(), [
        [second!.order, "promotion"],
        [third!.order, "unexplained"],
        ["unknown", "missing_here"]
      ])
      assert.deepStrictEqual([result.both, result.same], [3, 1])
    })
  )

  it.effect("tells orders that the other system lacks because their guests claimed them here later", () =>
    Effect.gen(function* () {
      const sales = salesOf(4)
      const [first, second, third, last] = sales.map(oursOf)
      const claimed = (one: Entry): Entry => ({ ...one, accrual: { ...one.accrual!, isClaimed: true } })
      const theirs = [first!, third!, last!].map(({ at, order, points }, n) => ({
        order,
        at,
        points: n === 1 ? points * 2 : points
      }))
      const { causes } = yield* compared(theirs, [first!, claimed(second!), claimed(third!), last!])
      // Both have the third: how it came to its guest changes nothing.
      assert.deepStrictEqual([...causes].toSorted(), [
        [second!.order, "claimed"],
        [third!.order, "promotion"]
      ])
    })
  )

  it.effect("leaves out orders from before and after the list of the other system", () =>
    Effect.gen(function* () {
      const sales = salesOf(10)
      const theirs = sales.slice(3, 6).map((sale) => ({ order: sale.order, at: sale.at, points: Math.floor(sale.raw) }))
      const { causes, result } = yield* compared(theirs, sales.map(oursOf))
      assert.deepStrictEqual([[...causes], result.both], [[], 3])
    })
  )
})
