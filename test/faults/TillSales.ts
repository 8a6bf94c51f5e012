/** The sales of the till under test, by their number: a process that starts again makes the same ones. */
import type { AdjustmentInput, Card, Order, ReserveInput } from "lotbook/client"
import * as Testing from "../../src/testing/Testing.ts"

export const programId = "demo-foodservice"

/** Guests with a card that nobody has enrolled, and members with points for rewards. */
const guests = 30
export const regulars = ["regular-1", "regular-2", "regular-3"]
/** Every so many sales one is refunded in part, and a reward is asked for. */
export const refundEvery = 10
export const rewardEvery = 4

export const cardOf = (sale: number): Card => ({
  type: "loyalty_id",
  value: `till-${(sale * 7) % guests}`,
  issuer: "faults"
})

export const cards: ReadonlyArray<Card> = Array.from({ length: guests }, (_, n) => cardOf(n))

export const orderIdOf = (sale: number): string => `till-${sale}`

/** `placedAt`: ms, the same in every process of a run. */
export const orderOf = (sale: number, placedAt: number): Order =>
  Testing.order(orderIdOf(sale), 1_000 + (sale % 7) * 100, Testing.placedAt(placedAt)) as never

export const refundOf = (sale: number, placedAt: number): AdjustmentInput => {
  const delta = { amount: -300, currency: "USD" }
  const adjustment = {
    adjustment_id: `till-refund-${sale}`,
    original_order_id: orderIdOf(sale),
    type: "partial_refund",
    reason: "A dish was cold",
    occurred_at: new Date(placedAt).toISOString(),
    order_total_delta: delta,
    eligible_spend_delta: delta
  } as const
  return { adjustment, card: cardOf(sale) }
}

/** A reward for one of the regulars; each process asks with ids of its own. */
export const rewardOf = (sale: number, placedAt: number): ReserveInput => {
  const redemptionId = `till-${sale}-${process.pid}`
  const dates = Testing.placedAt(placedAt)
  return {
    redemptionId,
    memberId: regulars[sale % regulars.length]!,
    rewardId: "one-off",
    order: Testing.order(redemptionId, 1_000, { ...dates, status: "authorized" }) as never
  }
}
