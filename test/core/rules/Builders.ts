/**
 * Programmes and orders for this folder's tests: the smallest whole ones, to be
 * changed where a test looks.
 */
import { Result } from "effect"
import type { Order, OrderLine } from "../../../src/contract/protocol/Order.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { validate } from "../../../src/core/rules/ProgramFile.ts"

export const usd = (amount: number) => ({ amount, currency: "USD" })

/** JSON that a test may change wherever it likes. */
// biome-ignore lint/suspicious/noExplicitAny: broken on purpose, in every place
export type Json = Record<string, any>

export const file = (): Json => ({
  program_id: "p",
  name: "Programme",
  currency: "USD",
  earning: {
    rate: { unit: "points", amount: 10, spend: usd(100) },
    minimum_eligible_spend: usd(100),
    eligible_channels: ["counter", "mobile"],
    rounding: "after_transaction",
    exclusions: {
      product_ids: ["gift-card"],
      category_ids: ["alcohol"],
      tags: ["donation"],
      line_kinds: ["fee"]
    }
  },
  accounts: [
    { unit: "stamps", is_primary: false },
    { unit: "points", is_primary: true, unit_label: "pts" },
    { unit: "credits", is_primary: false }
  ],
  account_earning: [
    { unit: "credits", mode: "spend", amount: 5, multiplier_eligible: false, spend: usd(100) },
    { unit: "stamps", mode: "per_order", amount: 1, multiplier_eligible: true },
    { unit: "points", mode: "spend", amount: 10, multiplier_eligible: true, spend: usd(100) }
  ],
  metrics: [
    { metric_id: "year", name: "This year", unit: "points", source: "qualification_earned" },
    { metric_id: "ever", name: "Ever", unit: "points", source: "lifetime_earned" }
  ],
  tiers: [
    {
      tier_id: "gold",
      name: "Gold",
      qualification_metric_id: "year",
      minimum: 700,
      benefits: [],
      earn_multiplier_bps: 15000
    },
    {
      tier_id: "base",
      name: "Base",
      qualification_metric_id: "year",
      minimum: 0,
      benefits: [
        { benefit_id: "b1", name: "B1" },
        { benefit_id: "b2", name: "B2" }
      ]
    }
  ],
  tier_policy: {
    metric_id: "year",
    period: { type: "annual", starts_month: 1, starts_day: 1, time_zone: "America/New_York" },
    effective_from: "2026-01-01"
  },
  point_expiration: { type: "after_earned", days: 365, warning_days: [30, 7] },
  rewards: [
    {
      reward_id: "off",
      name: "Off",
      cost: { unit: "points", amount: 100 },
      effect: {
        type: "discount",
        target: "line",
        amount: usd(101),
        allocations: [
          { line_id: "a", amount: usd(100) },
          { line_id: "b", amount: usd(1) }
        ]
      },
      funding: [
        { party_id: "f", party_type: "franchisee", share_bps: 5000 },
        { party_id: "b", party_type: "brand", share_bps: 5000 }
      ],
      available_from: "2026-06-01T02:00:00+02:00",
      available_until: "2026-08-31T23:59:59Z"
    },
    {
      reward_id: "free",
      name: "Free",
      cost: { unit: "stamps", amount: 10 },
      effect: { type: "free_item", max_quantity: 1, max_value: usd(500) },
      funding: [{ party_id: "b", party_type: "brand", share_bps: 10000 }]
    },
    {
      reward_id: "extra",
      name: "Extra",
      cost: { unit: "points", amount: 0 },
      effect: { type: "custom", effect_type: "org.example", payload: null },
      funding: [{ party_id: "b", party_type: "brand", share_bps: 10000 }]
    }
  ],
  stamp_card: { unit: "stamps", threshold: 10, reward_id: "free", resets: true, reward_ttl_seconds: 60 },
  limits: { reservation_ttl_seconds: 60 }
})

/** The programme of a good file, changed before it is checked. */
export const program = (change: (json: Json) => void = () => {}): Program => {
  const json = file()
  change(json)
  return Result.getOrThrowWith(validate(json), (faults) => new Error(JSON.stringify(faults)))
}

export const line = (id: string, subtotal: number, more: Partial<OrderLine> = {}): OrderLine => ({
  line_id: id,
  kind: "item",
  product_id: `product-${id}`,
  quantity: 1,
  unit_price: usd(subtotal),
  subtotal: usd(subtotal),
  discount: usd(0),
  tax: usd(0),
  ...more
})

/** A paid order whose totals are those of its lines. */
export const order = (lines: ReadonlyArray<OrderLine>, more: Partial<Order> = {}): Order => {
  const sum = (name: "subtotal" | "discount" | "tax") => lines.reduce((total, one) => total + one[name].amount, 0)
  return {
    order_id: "o",
    scope: { program_id: "p", brand_id: "b", merchant_id: "m", location_id: "l" },
    channel: "counter",
    status: "paid",
    business_date: "2026-07-14",
    placed_at: "2026-07-14T10:00:00Z",
    lines,
    totals: {
      subtotal: usd(sum("subtotal")),
      discount: usd(sum("discount")),
      tax: usd(sum("tax")),
      tip: usd(0),
      service_charge: usd(0),
      total: usd(sum("subtotal") - sum("discount") + sum("tax"))
    },
    ...more
  }
}
