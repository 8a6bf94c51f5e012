/**
 * An example of every operation. Each request works unchanged on a fresh demo
 * database, in any order, and can be sent again: its ids are in the demo data
 * (`src/app/demo/Demo.ts`), or new.
 */

import responsesOfDemo from "./examples.json" with { type: "json" }
import type { OperationId, RequestOf } from "./Operations.ts"
import { profile, protocolVersion } from "./Protocol.ts"

const program_id = "demo-foodservice"
const occurred_at = "2026-07-14T10:05:00.000Z"
const usd = (amount: number) => ({ amount, currency: "USD" })

const read = (n: number) =>
  ({
    protocol_version: protocolVersion,
    profile,
    request_id: `request-${n}`,
    occurred_at,
    source: { system: "pos", instance: "till-7" }
  }) as const

const write = (n: number) => {
  const { protocol_version, profile, request_id, ...sent } = read(n)
  return { protocol_version, profile, request_id, idempotency_key: `example-2026-07-14-${n}`, ...sent } as const
}

/** A bowl for 11.00 USD and 0.88 tax. */
const order = (order_id: string, status: "authorized" | "paid"): RequestOf<"accrual.post">["order"] => ({
  order_id,
  scope: { program_id, brand_id: "corner-bowl", merchant_id: "merchant-west", location_id: "location-42" },
  channel: "counter",
  status,
  business_date: "2026-07-14",
  placed_at: occurred_at,
  lines: [
    {
      line_id: "line-1",
      kind: "item",
      product_id: "bowl-classic",
      quantity: 1,
      unit_price: usd(1100),
      subtotal: usd(1100),
      discount: usd(0),
      tax: usd(88),
      category_ids: ["bowls"]
    }
  ],
  totals: {
    subtotal: usd(1100),
    discount: usd(0),
    tax: usd(88),
    tip: usd(0),
    service_charge: usd(0),
    total: usd(1188)
  }
})

export const requests: { readonly [Id in OperationId]: RequestOf<Id> } = {
  "member.lookup": {
    context: read(1001),
    program_id,
    identity: { type: "loyalty_id", value: "card-member-001", issuer: "corner-bowl" }
  },
  "member.enroll": {
    context: write(1002),
    program_id,
    identity: { type: "loyalty_id", value: "card-1002", issuer: "corner-bowl" },
    member_id: "member-1002",
    attributes: { first_name: "Gil" }
  },
  "account.get": { context: read(1003), member_id: "member-001", program_id },
  "program.get": { context: read(1004), program_id },
  "ledger.list": { context: read(1005), member_id: "member-001", program_id, operations: ["accrual"], limit: 2 },
  "ledger.manual_adjustment": {
    context: write(1006),
    member_id: "member-002",
    program_id,
    adjustment_id: "adjustment-1006",
    amount: 50,
    classification: "service_recovery",
    reason: "Waited too long",
    qualifies_for_tier: false
  },
  "order.evaluate": { context: read(1007), member_id: "member-002", order: order("order-1007", "authorized") },
  "accrual.post": { context: write(1008), member_id: "member-002", order: order("order-1008", "paid") },
  "order.adjust": {
    context: write(1009),
    member_id: "member-005",
    program_id,
    adjustment: {
      adjustment_id: "refund-1009",
      original_order_id: "demo-member-005-0",
      type: "partial_refund",
      reason: "Soup was cold",
      occurred_at,
      order_total_delta: usd(-500),
      eligible_spend_delta: usd(-500)
    }
  },
  "redemption.reserve": {
    context: write(1010),
    redemption_id: "redemption-1010",
    member_id: "member-003",
    reward_id: "one-off",
    order: order("order-1010", "authorized")
  },
  "redemption.capture": { context: write(1011), reservation_id: "rsv_lf_8", order_id: "demo-reward-order-1" },
  "redemption.reverse": { context: write(1012), reservation_id: "rsv_lf_a", reason: "Guest changed their mind" },
  "issued_reward.issue": {
    context: write(1013),
    issued_reward_id: "issued-reward-1013",
    member_id: "member-004",
    program_id,
    reward_id: "one-off",
    artifact: { type: "qr_code", value: "CORNER-BOWL-1013" }
  },
  "issued_reward.list": { context: read(1014), member_id: "member-003", program_id, statuses: ["issued"] },
  "issued_reward.cancel": {
    context: write(1015),
    issued_reward_id: "demo-sent-twice",
    reason: "Sent twice"
  }
}

/** Responses of a fresh demo at 2026-07-14T10:05:00.000Z to the requests in the document's order. */
export const responses: Readonly<Record<string, unknown>> = responsesOfDemo
