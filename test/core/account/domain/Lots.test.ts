/**
 * Lots are the same as a plain list of them, in every version there ever was. Holds
 * contract/points.md *Lots*, *Reversals and lots*.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { LotShare } from "../../../../src/core/account/domain/Lots.ts"
import * as Lots from "../../../../src/core/account/domain/Lots.ts"

interface Version {
  readonly lots: Lots.Lots
  /** Expected result: the same lots in a list of their own. */
  readonly list: ReadonlyArray<LotShare>
}

type Step =
  | { readonly type: "earn"; readonly count: number; readonly expires: number | null }
  | { readonly type: "merge"; readonly earned: number; readonly expires: number | null }
  | { readonly type: "spend" | "return"; readonly which: number; readonly share: number }

const instant = fc.option(fc.integer({ min: 1, max: 50 }))

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant("earn" as const),
    // Some steps fill chunks.
    count: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) },
      { weight: 1, arbitrary: fc.constant(70) }
    ),
    expires: instant
  }),
  fc.record({ type: fc.constant("merge" as const), earned: fc.integer({ min: 1, max: 200 }), expires: instant }),
  fc.record({
    type: fc.constantFrom("spend" as const, "return" as const),
    which: fc.nat(),
    share: fc.integer({ min: 1, max: 10 })
  })
)

const isSame = (one: LotShare, other: LotShare): boolean => Lots.compare(one, other) === 0

const lastN = (list: ReadonlyArray<LotShare>): number => list.reduce((last, [n]) => Math.max(last, n), 0)

/** The list after a share went into its lot. */
const listed = (list: ReadonlyArray<LotShare>, share: LotShare): ReadonlyArray<LotShare> => {
  const [n, points, expires, earned] = share
  const left = list.find((one) => isSame(one, share))?.[1] ?? 0
  const lot: LotShare = [n, left + points, expires, earned]
  return [...list.filter((one) => !isSame(one, share)), lot].toSorted(([n, , a, at], [m, , b, other]) => {
    if (at !== other) return at - other
    return n === m ? (a ?? Infinity) - (b ?? Infinity) : n - m
  })
}

const added = ({ list, lots }: Version, share: LotShare): Version => ({
  lots: Lots.add(lots, share),
  list: listed(list, share)
})

/** Entries earned in the order of their numbers; every other number, so that there are some that have no lot. */
const earned = (version: Version, { count, expires }: Extract<Step, { readonly type: "earn" }>): Version => {
  const from = lastN(version.list) + 1
  return Array.from({ length: count }, (_, index) => from + 2 * index + 1).reduce(
    (all, n) => added(all, [n, 10, expires, n]),
    version
  )
}

/** One entry's lots with the dates they had elsewhere, two of one earned date. */
const brought = (version: Version, { earned, expires }: Extract<Step, { readonly type: "merge" }>): Version => {
  const n = lastN(version.list) + 1
  const dates = [
    [earned, expires],
    [earned, 60],
    [earned + 1, expires]
  ] as const
  return dates.reduce((all, [earned, expires]) => added(all, [n, 10, expires, earned]), version)
}

/** Takes some or all of a lot. */
const spent = ({ list, lots }: Version, which: number, share: number): Version => {
  const lot = list[which % list.length]
  if (lot === undefined) return { lots, list }
  const [n, left, expires, earned] = lot
  const points = Math.min(share, left)
  return {
    lots: Lots.remove(lots, [n, points, expires, earned]),
    list: list.flatMap((one) => {
      if (one !== lot) return [one]
      return left === points ? [] : [[n, left - points, expires, earned] as const]
    })
  }
}

/** Returns points to a lot, or to one that is not there any more. */
const returned = (version: Version, which: number, points: number): Version => {
  const lot = version.list[which % (version.list.length + 1)]
  const n = 1 + (which % (lastN(version.list) + 1))
  return added(version, lot === undefined ? [n, points, 7, n] : [lot[0], points, lot[2], lot[3]])
}

const after = (version: Version, step: Step): Version => {
  if (step.type === "earn") return earned(version, step)
  if (step.type === "merge") return brought(version, step)
  return (step.type === "spend" ? spent : returned)(version, step.which, step.share)
}

const same = ({ list, lots }: Version): void => {
  assert.deepStrictEqual(Lots.toArray(lots), list)
  assert.strictEqual(
    lots.earliest,
    list.reduce((earliest, [, , expires]) => Math.min(earliest, expires ?? Infinity), Infinity)
  )
  assert.strictEqual(
    Lots.total(lots),
    list.reduce((sum, [, left]) => sum + left, 0)
  )
  assert.deepStrictEqual(Lots.toArray(Lots.fromArray(list)), list)
}

describe("Lots", () => {
  it("every version stays as it was, whatever is made of it later", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat()), { maxLength: 60 }), (steps) => {
        const versions: Array<Version> = [{ lots: Lots.empty, list: [] }]
        // Mostly the newest goes on; some go on from an older one, as decisions do that were left out.
        for (const [step, from] of steps) {
          const base = from % 4 === 0 ? from % versions.length : versions.length - 1
          versions.push(after(versions[base]!, step))
        }
        for (const version of versions) same(version)
      }),
      { numRuns: 300 }
    )
  })

  it("nothing is taken of a lot that does not hold it, nor of one that is not there", () => {
    const lots = Lots.fromArray([[3, 5, 20, 10]])
    const of = (n: number, points: number, expires: number | null = 20, earned = 10): LotShare => [
      n,
      points,
      expires,
      earned
    ]
    assert.throws(() => Lots.remove(lots, of(3, 6)), "lot 3 does not hold 6 points")
    assert.throws(() => Lots.remove(lots, of(2, 1)), "lot 2 does not hold 1 points")
    assert.throws(() => Lots.remove(lots, of(4, 1)), "lot 4 does not hold 1 points")
    assert.throws(() => Lots.remove(lots, of(3, 1, null)), "lot 3 does not hold 1 points")
    assert.throws(() => Lots.remove(lots, of(3, 1, 20, 9)), "lot 3 does not hold 1 points")
    assert.throws(() => Lots.remove(Lots.empty, of(1, 1)), "lot 1 does not hold 1 points")
  })
})
