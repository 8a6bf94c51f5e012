/** The sums of lots by the instant at which they end are those of the account's state. */
import { assert, describe, it } from "@effect/vitest"
import * as Testing from "../../../src/app/testing/Testing.ts"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import { unitOf } from "../../../src/core/account/domain/State.ts"
import * as Rows from "../../../src/core/account/Rows.ts"
import { lotChanges } from "../../../src/reads/rollups/LotChanges.ts"
import * as Member from "../../../src/reads/rollups/Member.ts"
import { accrue, day, reserve, reverse, Scenario, second } from "../../core/account/domain/Scenario.ts"

const idle = Testing.programOf({
  ...Testing.demoProgram.file,
  point_expiration: { type: "after_inactivity", days: 10, warning_days: [] }
})

const sumsOf = (changes: ReadonlyArray<readonly [expires: number | null, points: number]>) => {
  const sums = new Map<number | null, number>()
  for (const [expires, points] of changes) sums.set(expires, (sums.get(expires) ?? 0) + points)
  return [...sums].filter(([, points]) => points !== 0).sort(([a], [b]) => Number(a) - Number(b))
}

describe("lotChanges", () => {
  it("moves what a hold keeps past the account's date to that date, until the hold ends", () => {
    const ada = new Scenario(idle)
      .given(accrue("1", 2000))
      .wait(10 * day - second)
      .given(reserve(1))
      .wait(2 * second)
      .given(accrue("2", 500))
    const counted = () => {
      const changes = ada.records.flatMap(({ events }) => lotChanges(events))
      const lots = Lots.toArray(unitOf(ada.state, "points").lots)
      const expected = sumsOf(lots.map(([, points, expires]) => [expires, points]))
      assert.deepStrictEqual(sumsOf(changes.map(({ expires, points }) => [expires, points])), expected)
      return expected.length
    }
    assert.strictEqual(counted(), 2)
    ada.given(reverse(1))
    assert.strictEqual(counted(), 1)
  })
  it("and its figures, which have no lots, are those of the account", () => {
    const ada = new Scenario(idle).given(accrue("1", 2000)).wait(10 * day - second)
    let figures = Member.figuresOf(ada.state)
    let seen = ada.records.length
    const counted = () => {
      const records = ada.records.slice(seen)
      seen = ada.records.length
      for (const [index, { events, seq }] of records.entries()) {
        const balances = index === records.length - 1 ? Rows.balances(ada.state) : "[]"
        figures = Member.advance(figures, { account: 1, seq, balances }, events)
      }
      assert.deepStrictEqual(figures, Member.figuresOf(ada.state))
    }
    ada.given(reserve(1))
    counted()
    ada.wait(2 * second).given(accrue("2", 500))
    counted()
    ada.given(reverse(1))
    counted()
  })
})
