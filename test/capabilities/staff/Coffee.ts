/** A programme of stamps, for tests of what people cause by them. */
import { programOf } from "../../../src/app/testing/TestPrograms.ts"

/** An order gives a stamp; a card of so many is full with a coffee, and `challenges` give one, too. */
export const coffee = (threshold: number, challenges: ReadonlyArray<object> = []) =>
  programOf({
    program_id: "coffee",
    name: "Coffee",
    currency: "USD",
    earning: {
      rate: { unit: "stamps", amount: 1, spend: { amount: 1, currency: "USD" } },
      minimum_eligible_spend: { amount: 0, currency: "USD" },
      eligible_channels: ["counter"],
      rounding: "after_transaction",
      exclusions: { product_ids: [], category_ids: [], tags: [], line_kinds: [] }
    },
    accounts: [{ unit: "stamps", is_primary: true }],
    account_earning: [{ unit: "stamps", mode: "per_order", amount: 1, multiplier_eligible: false }],
    metrics: [],
    tiers: [],
    point_expiration: { type: "after_earned", days: 365, warning_days: [] },
    rewards: [
      {
        reward_id: "coffee",
        name: "Coffee",
        cost: { unit: "stamps", amount: 10 },
        effect: {
          type: "discount",
          target: "order",
          amount: { amount: 100, currency: "USD" },
          allocations: [{ amount: { amount: 100, currency: "USD" } }]
        },
        funding: [{ party_id: "house", party_type: "merchant", share_bps: 10000 }]
      }
    ],
    stamp_card: { unit: "stamps", threshold, reward_id: "coffee", resets: true },
    challenges
  })
