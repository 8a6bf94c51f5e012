/** Keys of spans that are over are never taken for new ones, within a bound of memory. Holds contract/databases.md *Keys*. */
import { assert, describe, it } from "@effect/vitest"
import * as Bounds from "../../../../src/core/journal/Bounds.ts"
import { makeClaimKey } from "../../../../src/core/journal/Hashing.ts"
import { type KeptSpan, KeyFilters } from "../../../../src/core/journal/postgres/KeyFilters.ts"
import type { Hash128 } from "../../../../src/core/journal/Records.ts"

const claimKey = makeClaimKey("secret")
const stamp = claimKey("stamp")
const perSpan = 2_000
const keysOf = (span: number): ReadonlyArray<Hash128> =>
  Array.from({ length: perSpan }, (_, index) => claimKey(String(span), String(index)))
/** Keys as PostgreSQL sends them. */
const bytes = (all: ReadonlyArray<Hash128>) => Buffer.from(all.join("").replaceAll("-", ""), "hex")

/** Spans that are kept, newest first. */
const spans = (from: number, until: number): ReadonlyArray<KeptSpan> =>
  Array.from({ length: until - from }, (_, index) => ({ span: until - 1 - index, keys: perSpan }))
const learn = (filters: KeyFilters, from: number, until: number) => {
  const learning = filters.keep({ span: until, stamp }, spans(from, until))
  for (const one of learning.wanted) {
    const filter = learning.begin(one)
    filter.add(bytes(keysOf(one.span)))
    filter.done()
  }
  return { wanted: learning.wanted.map(({ span }) => span), without: learning.without }
}
const spanBytes = perSpan * Bounds.filterBytesPerClaim

describe("keys of spans that are over", () => {
  it("are looked up in their span, and hardly any other key in any", () => {
    const filters = new KeyFilters()
    assert.deepStrictEqual(learn(filters, 0, 14), { wanted: spans(0, 14).map(({ span }) => span), without: [] })
    for (const span of [0, 7, 13]) assert.isTrue(keysOf(span).every((key) => filters.placesOf(key).includes(span)))
    // A group of 64 new keys costs some ten searches in 14 spans, in place of 896.
    const searches = keysOf(99).reduce((sum, key) => sum + filters.placesOf(key).length, 0)
    assert.isBelow((searches * 64) / perSpan, 10)
  })

  it("have filters for the newest spans where memory is short, and the others are searched", () => {
    const filters = new KeyFilters(4 * spanBytes)
    assert.deepStrictEqual(learn(filters, 0, 6), { wanted: [5, 4, 3, 2], without: [1, 0] })
    const [key = ""] = keysOf(99).filter((one) => filters.placesOf(one).length === 2)
    assert.deepStrictEqual(filters.placesOf(key), [1, 0])
    // A later span takes the place of the oldest, and nothing else is read again.
    assert.deepStrictEqual(learn(filters, 0, 7), { wanted: [6], without: [2, 1, 0] })
    assert.isTrue(keysOf(5).every((one) => filters.placesOf(one).includes(5)))
    // Where older ones go, nobody searches them, and their memory is free.
    assert.deepStrictEqual(learn(filters, 3, 7), { wanted: [], without: [] })
    assert.isTrue(keysOf(0).some((one) => filters.placesOf(one).length === 0))
  })

  it("are searched until their filter is full, and when the database was another one meanwhile", () => {
    const filters = new KeyFilters()
    const learning = filters.keep({ span: 1, stamp }, spans(0, 1))
    const filter = learning.begin({ span: 0, keys: perSpan })
    const [key = ""] = keysOf(99)
    assert.deepStrictEqual([filters.before, filters.placesOf(key)], [1, [0]])
    filters.forget()
    filter.done()
    assert.deepStrictEqual([filters.before, filters.placesOf(key)], [0, []])
    filters.keep({ span: 1, stamp }, spans(0, 1))
    assert.deepStrictEqual(filters.placesOf(key), [0])
  })

  it("fit for a million orders a day in all kept spans", () => {
    const month = 31 * 1_000_000
    const kept = Array.from({ length: 14 }, (_, index) => ({ span: 13 - index, keys: month }))
    assert.deepStrictEqual(new KeyFilters().keep({ span: 14, stamp }, kept).without, [])
  })
})
