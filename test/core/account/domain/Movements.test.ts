/** Each point of an entry has one line and one lot (contract/finance.md *Lines*). */
import { assert, describe, it } from "@effect/vitest"
import type { AccountEvent } from "../../../../src/core/account/domain/AccountEvent.ts"
import { movements, placeOf } from "../../../../src/core/account/domain/Movements.ts"
import type { Posted } from "../../../../src/core/account/domain/Posted.ts"

const at = Date.UTC(2026, 9, 5)
const accrual = { type: "posted", op: "accrual", at, n: 1, unit: "points", order: "o", location: "a" } as const
const shown = (events: ReadonlyArray<AccountEvent>) =>
  movements(events).map(({ line, lot, points }) => [line, points, lot?.[0]] as const)

describe("movements", () => {
  it("divide an accrual into base and promotions, and fill a hole first", () => {
    const promotions = [{ id: "p", name: "P", amount: 20 }] as never
    assert.deepStrictEqual(shown([{ ...accrual, amount: 120, promotions }]), [
      ["base", 100, 1],
      ["promotions", 20, 1]
    ])
    assert.deepStrictEqual(shown([{ ...accrual, amount: 120, promotions, lot: 10 }]), [
      ["base", 100, undefined],
      ["promotions", 10, undefined],
      ["promotions", 10, 1]
    ])
  })

  it("take what is spent or expired out of the lots, and what is in no lot out of the brand", () => {
    const taken = [
      [1, 40, null, at],
      [2, 10, null, at]
    ] as const
    const spent: Posted = {
      type: "posted",
      op: "redemption",
      at,
      n: 3,
      unit: "points",
      amount: -60,
      order: "o",
      location: "b",
      reservation: "r",
      taken
    }
    assert.deepStrictEqual(shown([spent]), [
      ["redeemed", -10, undefined],
      ["redeemed", -40, 1],
      ["redeemed", -10, 2]
    ])
    assert.isUndefined(placeOf(spent))
    assert.strictEqual(placeOf({ ...accrual, amount: 1 }), "a")
  })

  it("tell gifts, corrections, refunds, resets and returns of a wrong clock apart", () => {
    const entry = { type: "posted", at, n: 4, unit: "points" } as const
    const events: ReadonlyArray<AccountEvent> = [
      { ...entry, op: "manual", amount: 50, adjustment: "m", classification: "gift" },
      { ...entry, op: "manual", amount: -10, adjustment: "n", classification: "correction" },
      { ...entry, op: "adjustment", amount: -30, order: "o", adjustment: "r" },
      { ...entry, op: "adjustment", amount: 30, order: "o", adjustment: "s" },
      { ...entry, op: "adjustment", amount: -10, reset: true, reason: "stamp card filled" },
      { ...entry, op: "adjustment", amount: -7, reset: true, reason: "members merged" },
      { ...entry, op: "reversal", amount: 60, reservation: "r" },
      { ...entry, op: "reversal", amount: 5, restores: 1 },
      { ...entry, op: "expiration", amount: -20 }
    ]
    assert.deepStrictEqual(
      shown(events).map(([line, points]) => [line, points]),
      [
        ["gift_credits", 50],
        ["correction_debits", -10],
        ["orders_down", -30],
        ["orders_up", 30],
        ["card_resets", -10],
        ["moved", -7],
        ["given_back", 60],
        ["expired", 5],
        ["expired", -20]
      ]
    )
  })

  it("of a moved order sum to zero: points that had expired return, and expire again", () => {
    const out = shown([
      { type: "posted", op: "adjustment", at, n: 9, unit: "points", amount: -70, order: "o", adjustment: "x" },
      {
        ...{ type: "order_adjusted", at, order: "o", adjustment: "x", kind: "void", delta: -1, closes: true },
        moved: { account: 2, member: "m", seq: 1 }
      } as AccountEvent
    ])
    const into = shown([
      {
        ...accrual,
        amount: 100,
        earned: at - 1,
        back: [
          [1, 70, null, at - 1],
          [1, 30, at, at - 1]
        ]
      },
      {
        ...{ type: "order_received", at, order: "o", move: 1, account: 1, member: "n", seq: 1 },
        ...{ taken: [["points", -70]], before: [1], delta: 0, raised: 0 }
      } as AccountEvent
    ])
    assert.deepStrictEqual(out, [["moved", -70, undefined]])
    assert.deepStrictEqual(into, [
      ["moved", 70, 1],
      ["expired", 30, 1]
    ])
  })
})
