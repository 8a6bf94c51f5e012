/** decisions.md §4 Lots: first in, first out by earned date; a lot that a merge brings keeps it. */
import { assert, describe, it } from "@effect/vitest"
import { decodeSnapshot, encodeSnapshot, SNAPSHOT_VERSION } from "../../../src/account/Codec.ts"
import type { LotShare } from "../../../src/account/domain/Lots.ts"
import * as Lots from "../../../src/account/domain/Lots.ts"
import { plain, unitOf } from "../../../src/account/domain/State.ts"
import { makeClaimKey } from "../../../src/journal/Hashing.ts"
import { accrue, adjust, capture, day, entries, expire, manual, reserve, reverse, Scenario, start } from "./Scenario.ts"

const claimKey = makeClaimKey("secret")

/** Two lots of another member, both earned before anything of this account. */
const older: LotShare = [2, 60, start + 200 * day, start - 100 * day]
const newer: LotShare = [2, 60, null, start - 50 * day]
const own: LotShare = [1, 100, start + 365 * day, start]

/** What a merge's entry does to the lots. */
const merge = (ada: Scenario, ...lots: ReadonlyArray<LotShare>): Scenario =>
  ada.happened({
    type: "posted",
    at: ada.now,
    n: ada.state.entries + 1,
    op: "adjustment",
    unit: "points",
    amount: lots.reduce((sum, [, points]) => sum + points, 0),
    reset: true,
    back: lots
  })

const lotsOf = (ada: Scenario): ReadonlyArray<LotShare> => Lots.toArray(unitOf(ada.state, "points").lots)

/** Replay and a snapshot give the state as it is. */
const isKept = (ada: Scenario): void => {
  const state = plain(ada.state)
  assert.deepStrictEqual(plain({ ...ada.replayed, at: ada.state.at }), state)
  const restored = decodeSnapshot(claimKey, SNAPSHOT_VERSION, encodeSnapshot(claimKey, ada.state, "hash"))
  assert.deepStrictEqual(restored === undefined ? undefined : plain(restored.state), state)
}

describe("§4 Lots: a merged lot keeps its earned date", () => {
  it("it stands before what was earned later, and is spent first", () => {
    const ada = merge(new Scenario().given(accrue("1", 1_000)).wait(day), newer, older)
    assert.deepStrictEqual(lotsOf(ada), [older, newer, own])
    isKept(ada)
    const [spent] = entries(ada.when(manual(-130)).events)
    assert.deepStrictEqual(spent?.taken, [older, newer, [1, 10, own[2], own[3]]])
    assert.deepStrictEqual(lotsOf(ada), [[1, 90, own[2], own[3]]])
    isKept(ada)
  })

  it("a reversal gives used-up lots back with their dates, before later ones", () => {
    const ada = merge(new Scenario().given(accrue("1", 1_000)).wait(day), older, newer)
    ada.given(reserve(1), capture(1))
    assert.deepStrictEqual(lotsOf(ada), [[2, 20, null, newer[3]], own])
    isKept(ada)
    ada.given(reverse(1))
    assert.deepStrictEqual(lotsOf(ada), [older, newer, own])
    isKept(ada)
  })

  it("a clawback takes the earliest first, and a correction gives each back with its dates", () => {
    const ada = new Scenario().given(accrue("1", 1_000), manual(-100)).wait(day)
    const lots = [older, newer].map(([, points, expires, earned]): LotShare => [3, points, expires, earned])
    merge(ada, ...lots)
    ada.given(adjust("1", "partial_refund", -1_000))
    assert.deepStrictEqual(lotsOf(ada), [[3, 20, null, newer[3]]])
    ada.given(adjust("1", "correction", 1_000))
    assert.deepStrictEqual(lotsOf(ada), lots)
    isKept(ada)
  })

  it("it expires at its own instant, against the entry that brought it", () => {
    const ada = merge(new Scenario().given(accrue("1", 1_000)), older, newer).wait(200 * day)
    const [expired] = entries(ada.when(expire).events)
    assert.deepInclude(expired, { op: "expiration", amount: -60, related: 2, at: start + 200 * day, taken: [older] })
    assert.deepStrictEqual(lotsOf(ada), [newer, own])
    isKept(ada)
  })
})
