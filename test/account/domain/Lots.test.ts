/** Lots are the same as a plain list of them, in every version there ever was. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Lot } from "../../../src/account/domain/Lots.ts"
import * as Lots from "../../../src/account/domain/Lots.ts"

interface Version {
  readonly lots: Lots.Lots
  /** What it has to be: the same lots in a list of their own. */
  readonly list: ReadonlyArray<Lot>
}

type Step =
  | { readonly type: "earn"; readonly count: number; readonly expires: number | undefined }
  | { readonly type: "spend" | "return"; readonly which: number; readonly share: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant("earn" as const),
    // Some steps fill chunks.
    count: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) },
      { weight: 1, arbitrary: fc.constant(70) }
    ),
    expires: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined })
  }),
  fc.record({
    type: fc.constantFrom("spend" as const, "return" as const),
    which: fc.nat(),
    share: fc.integer({ min: 1, max: 10 })
  })
)

const lotOf = (n: number, left: number, expires: number | undefined): Lot =>
  expires === undefined ? { n, left } : { n, left, expires }

const earned = ({ list, lots }: Version, { count, expires }: Extract<Step, { readonly type: "earn" }>): Version => {
  const from = (list.at(-1)?.n ?? 0) + 1
  // Every other number, so that there are some in between that have no lot.
  const fresh = Array.from({ length: count }, (_, index) => lotOf(from + 2 * index + 1, 10, expires))
  return {
    lots: fresh.reduce((all, lot) => Lots.add(all, lot.n, lot.left, lot.expires), lots),
    list: [...list, ...fresh]
  }
}

/** Takes some or all of a lot. */
const spent = ({ list, lots }: Version, which: number, share: number): Version => {
  const lot = list[which % list.length]
  if (lot === undefined) return { lots, list }
  const points = Math.min(share, lot.left)
  return {
    lots: Lots.remove(lots, lot.n, points),
    list: list.flatMap((one) => {
      if (one !== lot) return [one]
      return lot.left === points ? [] : [lotOf(lot.n, lot.left - points, lot.expires)]
    })
  }
}

/** Gives points back to a lot, or to one that is not there any more. */
const returned = ({ list, lots }: Version, which: number, points: number): Version => {
  const n = 1 + (which % ((list.at(-1)?.n ?? 0) + 1))
  const there = list.find((lot) => lot.n === n)
  const lot = lotOf(n, (there?.left ?? 0) + points, there === undefined ? 7 : there.expires)
  return {
    lots: Lots.add(lots, n, points, lot.expires),
    list: [...list.filter((one) => one !== there), lot].toSorted((a, b) => a.n - b.n)
  }
}

const after = (version: Version, step: Step): Version => {
  if (step.type === "earn") return earned(version, step)
  return (step.type === "spend" ? spent : returned)(version, step.which, step.share)
}

const same = ({ list, lots }: Version): void => {
  assert.deepStrictEqual(Lots.toArray(lots), list)
  assert.strictEqual(
    lots.earliest,
    list.reduce((earliest, lot) => Math.min(earliest, lot.expires ?? Infinity), Infinity)
  )
  assert.strictEqual(
    Lots.total(lots),
    list.reduce((sum, lot) => sum + lot.left, 0)
  )
  assert.deepStrictEqual(Lots.toArray(Lots.fromArray(list)), list)
}

describe("§4 Lots", () => {
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
    const lots = Lots.fromArray([{ n: 3, left: 5 }])
    assert.throws(() => Lots.remove(lots, 3, 6), "lot 3 does not hold 6 points")
    assert.throws(() => Lots.remove(lots, 2, 1), "lot 2 does not hold 1 points")
    assert.throws(() => Lots.remove(lots, 4, 1), "lot 4 does not hold 1 points")
    assert.throws(() => Lots.remove(Lots.empty, 1, 1), "lot 1 does not hold 1 points")
  })
})
