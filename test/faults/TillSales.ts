/** The sales of the till under test, by their number: a process that starts again makes the same ones. */
import type { AdjustmentInput, Card, Order } from "lotbook/client"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { Reward, Sale } from "./TillSelling.ts"

export const programId = "demo-foodservice"

/** Between two sales, ms. Pauses are so many times shorter than a till's, for a run of a minute. */
export const gapMs = 60
export const hurry = 20

/** Guests with a card that nobody has enrolled, and members with points for rewards. */
const guests = 30
export const regulars = ["regular-1", "regular-2", "regular-3"]
/** Every so many sales one is refunded in part, and a reward is asked for. */
export const refundEvery = 10
const rewardEvery = 4

export const cardOf = (sale: number): Card => ({
  type: "loyalty_id",
  value: `till-${(sale * 7) % guests}`,
  issuer: "faults"
})

export const cards: ReadonlyArray<Card> = Array.from({ length: guests }, (_, n) => cardOf(n))

export const orderIdOf = (sale: number): string => `till-${sale}`

/** `placedAt`: ms, the same in every process of a run. */
const orderOf = (sale: number, placedAt: number): Order =>
  Testing.order(orderIdOf(sale), 1_000 + (sale % 7) * 100, Testing.placedAt(placedAt)) as never

const refundOf = (sale: number, placedAt: number): AdjustmentInput => {
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

const decisions: ReadonlyArray<Reward["decision"]> = ["leave", "reverse", "capture", "capture"]

/** A reward for one of the regulars; each life of a till asks with ids of its own. */
const rewardOf = (sale: number, placedAt: number, life: number): Reward => {
  const redemptionId = `till-${sale}-${life}`
  const dates = Testing.placedAt(placedAt)
  const input = {
    redemptionId,
    memberId: regulars[sale % regulars.length]!,
    rewardId: "one-off",
    order: Testing.order(redemptionId, 1_000, { ...dates, status: "authorized" }) as never
  }
  return { input, decision: decisions[(sale / rewardEvery) % decisions.length]! }
}

/** The sales `first` to `end` − 1, as one life of a till makes them. */
export const salesOf = (first: number, end: number, placedAt: number, life: number): ReadonlyArray<Sale> =>
  Array.from({ length: Math.max(0, end - first) }, (_, n) => {
    const sale = first + n
    return {
      sale,
      order: orderOf(sale, placedAt),
      card: cardOf(sale),
      ...(sale % refundEvery === 0 ? { refund: refundOf(sale, placedAt) } : undefined),
      ...(sale % rewardEvery === 0 ? { reward: rewardOf(sale, placedAt, life) } : undefined)
    }
  })
