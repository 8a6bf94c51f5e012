/** A good body of every operation, as plain JSON. */
import type { OperationId } from "../../../src/contract/protocol/Operations.ts"

const usd = (amount: number) => ({ amount, currency: "USD" })

export const context = {
  protocol_version: "1.0",
  profile: "foodservice/1.0",
  request_id: "req-0001",
  idempotency_key: "till7-2026-07-14-0001",
  occurred_at: "2026-07-14T10:00:00.000Z",
  source: { system: "pos", instance: "lane-1" }
}

export const order = {
  order_id: "order-1001",
  scope: {
    program_id: "demo-foodservice",
    brand_id: "corner-bowl",
    merchant_id: "merchant-west",
    location_id: "location-42",
    franchisee_id: "franchisee-7"
  },
  channel: "drive_thru",
  status: "paid",
  business_date: "2026-07-14",
  placed_at: "2026-07-14T10:05:00.000Z",
  lines: [
    {
      line_id: "line-1",
      kind: "item",
      product_id: "bowl-classic",
      quantity: 1,
      unit_price: usd(1000),
      subtotal: usd(1000),
      discount: usd(0),
      tax: usd(80),
      category_ids: ["bowls"],
      loyalty_eligible: true,
      metadata: { spicy: true }
    }
  ],
  totals: {
    subtotal: usd(1000),
    discount: usd(0),
    tax: usd(80),
    tip: usd(0),
    service_charge: usd(0),
    total: usd(1080)
  },
  order_number: "1001",
  member_id: "member-001",
  closed_at: "2026-07-14T12:08:00+02:00",
  tenders: [{ tender_id: "tender-1", type: "card", amount: usd(1080) }],
  metadata: { till: 7, notes: ["no onions", null] }
}

const member = { member_id: "member-001", program_id: "demo-foodservice" }
const identity = { type: "loyalty_id", value: "L-1001", issuer: "corner-bowl" }

export const bodies: { readonly [Id in OperationId]: Readonly<Record<string, unknown>> } = {
  "member.lookup": { context, program_id: "demo-foodservice", identity },
  "member.enroll": {
    context,
    program_id: "demo-foodservice",
    identity,
    member_id: "member-001",
    attributes: { name: "Ada" }
  },
  "account.get": { context, ...member },
  "program.get": { context, program_id: "demo-foodservice" },
  "ledger.list": {
    context,
    ...member,
    account_id: "points:member-001",
    operations: ["accrual", "expiration"],
    occurred_from: "2026-01-01T00:00:00Z",
    occurred_until: "2026-12-31T23:59:59.999Z",
    cursor: "c1",
    limit: 100
  },
  "ledger.manual_adjustment": {
    context,
    ...member,
    adjustment_id: "adj-1",
    amount: -25,
    classification: "bonus",
    reason: "Cold soup",
    qualifies_for_tier: false,
    unit: "points"
  },
  "order.evaluate": { context, member_id: "member-001", order },
  "accrual.post": { context, member_id: "member-001", order, evaluation_id: "eval-1" },
  "order.adjust": {
    context,
    ...member,
    adjustment: {
      adjustment_id: "refund-1",
      original_order_id: "order-1001",
      type: "partial_refund",
      reason: "Wrong dish",
      occurred_at: "2026-07-14T11:00:00Z",
      order_total_delta: usd(-540),
      eligible_spend_delta: usd(-500),
      lines: [{ line_id: "line-1", quantity_delta: -1, subtotal_delta: usd(-500) }]
    }
  },
  "redemption.reserve": {
    context,
    redemption_id: "red-1",
    member_id: "member-001",
    reward_id: "one-off",
    order,
    issued_reward_id: "wallet-1",
    evaluation_id: "eval-1"
  },
  "redemption.capture": { context, reservation_id: "r-1", order_id: "order-1001" },
  "redemption.reverse": { context, reservation_id: "r-1", reason: "Guest changed mind" },
  "issued_reward.issue": {
    context,
    issued_reward_id: "wallet-1",
    ...member,
    reward_id: "one-off",
    expires_at: "2026-12-31T00:00:00Z",
    artifact: { type: "qr_code", value: "ABCD-1234" }
  },
  "issued_reward.list": { context, ...member, statuses: ["issued"] },
  "issued_reward.cancel": { context, issued_reward_id: "wallet-1", reason: "Sent twice" }
}

/** A copy of a JSON value with one place replaced, or taken out when `value` is absent. */
export const edited = (body: unknown, path: string, ...value: readonly [unknown?]): unknown => {
  const copy = structuredClone(body) as Record<string, unknown>
  const parts = path.split("/").slice(1)
  const last = parts.pop() ?? ""
  let place = copy
  for (const part of parts) place = place[part] as Record<string, unknown>
  if (value.length === 0) delete place[last]
  else place[last] = value[0]
  return copy
}
