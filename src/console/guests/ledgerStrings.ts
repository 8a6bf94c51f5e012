/** Texts of a guest's ledger. */
import { texts } from "../shared/texts.ts"

export const ledgerStrings = texts("ledger", {
  happened: "What happened",
  balance: "Balance after it",
  what: (what: string, order: string | undefined, where: string | undefined) =>
    [what, order === undefined ? undefined : `order ${order}`, where].filter((part) => part !== undefined).join(" · "),
  causes: {
    order: "Earned",
    refund: "Order refunded",
    void: "Order voided",
    correction: "Order corrected",
    order_moved: "Order moved",
    merge: "Merged with another guest",
    stamp_card: "Stamp card filled",
    redemption: "Redeemed",
    reversal: "Redemption reversed",
    expiration: "Expired",
    expiration_undone: "Expiry undone",
    manual: "Manual adjustment"
  },
  cardFull: (reward: string) => `Card full: ${reward}`,
  rate: (points: string, spend: string | undefined, multiplier: string | undefined, eligible: string) =>
    spend === undefined
      ? `${points} an order${multiplier === undefined ? "" : `, times ${multiplier} for the tier then`}`
      : `${points} for every ${spend}${multiplier === undefined ? "" : `, times ${multiplier} for the tier then`}, on ${eligible}`,
  ordered: (when: string, day: string) => `Ordered ${when}, business day ${day}`,
  before: (member: string) => `Account ${member}, merged into this one`,
  balanceOf: (member: string) => `on ${member}`
})
