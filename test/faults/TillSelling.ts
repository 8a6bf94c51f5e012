/** Work of a till under test, in a process or on a page: a page is given this function as text, so it uses no import. */
import type { AdjustmentInput, Card, Order, ReserveInput, Till } from "lotbook/client"

export interface Sale {
  readonly sale: number
  readonly order: Order
  readonly card: Card
  readonly refund?: AdjustmentInput
  readonly reward?: Reward
}

export interface Reward {
  readonly input: ReserveInput
  /** End of it: it is left for the next start, given back, or captured. */
  readonly decision: "leave" | "reverse" | "capture"
}

type Say = (...words: ReadonlyArray<string | number>) => unknown

/** Sells with `gapMs` between two sales, and stops once all is sent. `say` is told what was accepted. */
export const sellAll = async (till: Till, sales: ReadonlyArray<Sale>, say: Say, gapMs: number): Promise<void> => {
  const redeem = async ({ decision, input }: Reward): Promise<void> => {
    const hold = await till.reserve(input).catch(() => undefined)
    if (hold === undefined) await say("not_held", input.redemptionId)
    else if (decision === "leave") await say("left", hold.reservationId)
    else if (decision === "reverse")
      await say((await till.reverse(hold, "changed their mind")).outcome, hold.reservationId)
    else await say(`capture_${(await till.capture(hold)).outcome}`, hold.reservationId)
  }
  await till.start()
  const rewards: Array<Promise<void>> = []
  for (const { card, order, refund, reward, sale } of sales) {
    await till.sale({ order, card })
    if (refund !== undefined) await till.adjust(refund)
    await say("sold", sale)
    if (reward !== undefined) rewards.push(redeem(reward))
    await new Promise((resolve) => setTimeout(resolve, gapMs))
  }
  await Promise.all(rewards)
  await till.drained()
  await till.stop()
  await say("done")
}
