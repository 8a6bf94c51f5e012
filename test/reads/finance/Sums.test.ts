/** The change of single records in the sums of finance. Holds contract/finance.md *Money*. */
import { assert, describe, it } from "@effect/vitest"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import type { StoredRecord } from "../../../src/core/journal/Records.ts"
import { byDayAndMonth, counted, Sums } from "../../../src/reads/finance/Sums.ts"

const at = Date.UTC(2026, 9, 5, 12)
const facts = { program: "p", zone: "UTC", placeOf: () => "", rewardOf: () => "dessert" }

/** The rewards of a record's day, by line. */
const rewardsOf = (...events: ReadonlyArray<AccountEvent>) => {
  const sums = new Sums(byDayAndMonth)
  sums.record(counted({ account: 1 } as StoredRecord, events), facts)
  return sums.toJson().rewards.flatMap(({ line, rewards, span }) => (span === "1" ? [[line, rewards]] : []))
}

describe("a reward that returns to its wallet", () => {
  const restored = { type: "reward_restored", at, issued: "r-1" } as const

  it("was used before, if its redemption was reversed", () => {
    assert.deepStrictEqual(rewardsOf(restored), [["restored", 1]])
  })

  it("was never used, if a wrong clock had expired it", () => {
    assert.deepStrictEqual(rewardsOf({ type: "clock_corrected", at, from: at + 1 }, restored), [["lapsed", 1]])
  })
})
