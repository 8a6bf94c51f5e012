/** Claims in eras that have ended are never taken for new; others are hardly ever taken for claimed. */
import { assert, describe, it } from "@effect/vitest"
import * as Bounds from "../../../../src/core/journal/Bounds.ts"
import { makeClaimKey } from "../../../../src/core/journal/Hashing.ts"
import { EndedClaims } from "../../../../src/core/journal/postgres/EndedClaims.ts"
import type { Hash128 } from "../../../../src/core/journal/Records.ts"

const claimKey = makeClaimKey("secret")
const keys = (name: string, count: number): ReadonlyArray<Hash128> =>
  Array.from({ length: count }, (_, index) => claimKey(name, String(index)))
/** Keys as PostgreSQL sends them. */
const bytes = (all: ReadonlyArray<Hash128>) => Buffer.from(all.join("").replaceAll("-", ""), "hex")

const learn = (ended: EndedClaims, era: number, all: ReadonlyArray<Hash128>) => {
  const learning = ended.learn(all.length)
  if (learning === undefined) throw new Error("there is room")
  for (let at = 0; at < all.length; at += 1_000) learning.add(bytes(all.slice(at, at + 1_000)))
  learning.done({ era, stamp: all[0]!, began: 48 * all.length })
}

describe("claims of eras that have ended", () => {
  it("are all known, whichever pass learnt them", () => {
    const ended = new EndedClaims()
    const [first, second] = [keys("first", 50_000), keys("second", 20_000)]
    learn(ended, 3, first)
    learn(ended, 4, second)
    assert.strictEqual(ended.before, 4)
    assert.deepStrictEqual(
      [...first, ...second].filter((key) => !ended.mayHold(key)),
      []
    )
  })

  it("are asked for in vain with fewer than one in a hundred others", () => {
    const ended = new EndedClaims()
    learn(ended, 1, keys("made", 100_000))
    const others = keys("others", 100_000)
    assert.isBelow(others.filter((key) => ended.mayHold(key)).length, 0.01 * others.length)
  })

  it("count only once all of them are learnt", () => {
    const ended = new EndedClaims()
    const [key = ""] = keys("one", 1)
    assert.isFalse(ended.mayHold(key))
    const learning = ended.learn(1)
    learning?.add(bytes([key]))
    assert.deepStrictEqual([ended.before, ended.mayHold(key)], [0, false])
    learning?.done({ era: 1, stamp: claimKey("stamp"), began: 48 })
    assert.deepStrictEqual([ended.before, ended.mayHold(key)], [1, true])
  })

  it("take no more memory than they may", () => {
    const ended = new EndedClaims()
    assert.isUndefined(ended.learn(Bounds.filterBytes / Bounds.filterBytesPerClaim + 100))
    learn(ended, 1, keys("some", 1_000))
    assert.isUndefined(ended.learn(Bounds.filterBytes / Bounds.filterBytesPerClaim))
    assert.strictEqual(ended.before, 1)
  })

  it("are forgotten with the database that they were of, also what was being learnt then", () => {
    const ended = new EndedClaims()
    const old = keys("old", 1_000)
    learn(ended, 3, old)
    const begun = ended.learn(10)
    ended.forget()
    begun?.done({ era: 4, stamp: claimKey("stamp"), began: 48 })
    assert.strictEqual(ended.before, 0)
    assert.isFalse(old.some((key) => ended.mayHold(key)))
    const anew = keys("anew", 1_000)
    learn(ended, 2, anew)
    assert.deepStrictEqual([ended.before, ended.stamp], [2, anew[0]])
    assert.isTrue(anew.every((key) => ended.mayHold(key)))
  })
})
