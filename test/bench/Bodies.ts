/**
 * Requests as tills send them, as text: only what differs from one to the next
 * is put in, so that making a request costs the load process next to nothing.
 */

import { placedNow } from "../../src/app/testing/Testing.ts"
import { type OperationId, operations } from "../../src/contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../../src/contract/protocol/Protocol.ts"

export const programId = "demo-foodservice"

const usd = (amount: number) => ({ amount, currency: "USD" })

/** Differences between requests of a kind. */
interface Blanks {
  readonly key: string
  readonly member: string
  readonly order: string
  /** The id of a redemption, reservation or adjustment. */
  readonly other: string
}

const context = {
  protocol_version: protocolVersion,
  profile,
  request_id: "@key@",
  idempotency_key: "@key@",
  occurred_at: "2026-07-14T10:00:00.000Z",
  source: { system: "pos", instance: "lane-1" }
}

const order = {
  order_id: "@order@",
  order_number: "1001",
  scope: {
    program_id: programId,
    brand_id: "corner-bowl",
    merchant_id: "merchant-west",
    location_id: "location-42",
    franchisee_id: "franchisee-7"
  },
  member_id: "@member@",
  channel: "drive_thru",
  status: "paid",
  ...placedNow,
  closed_at: "2026-07-14T10:08:00.000Z",
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
      category_ids: ["bowls"]
    },
    {
      line_id: "line-2",
      kind: "modifier",
      product_id: "extra-avocado",
      parent_line_id: "line-1",
      quantity: 1,
      unit_price: usd(100),
      subtotal: usd(100),
      discount: usd(0),
      tax: usd(8)
    }
  ],
  totals: {
    subtotal: usd(1100),
    discount: usd(0),
    tax: usd(88),
    tip: usd(0),
    service_charge: usd(0),
    total: usd(1188)
  },
  tenders: [{ tender_id: "tender-1", type: "card", amount: usd(1188) }]
}

const bodies = {
  "member.enroll": {
    context,
    program_id: programId,
    identity: { type: "loyalty_id", value: "card-@member@", issuer: "corner-bowl" },
    member_id: "@member@"
  },
  "ledger.manual_adjustment": {
    context,
    member_id: "@member@",
    program_id: programId,
    adjustment_id: "@other@",
    amount: 50_000,
    classification: "gift",
    reason: "Opening balance",
    qualifies_for_tier: false
  },
  "accrual.post": { context, member_id: "@member@", order },
  "account.get": { context, member_id: "@member@", program_id: programId },
  "order.evaluate": { context, member_id: "@member@", order },
  "ledger.list": { context, member_id: "@member@", program_id: programId, limit: 10 },
  "redemption.reserve": {
    context,
    redemption_id: "@other@",
    member_id: "@member@",
    reward_id: "one-off",
    order
  },
  "redemption.capture": { context, reservation_id: "@other@", order_id: "@order@" },
  "redemption.reverse": { context, reservation_id: "@other@", reason: "Guest changed mind" },
  "order.adjust": {
    context,
    member_id: "@member@",
    program_id: programId,
    adjustment: {
      adjustment_id: "@other@",
      original_order_id: "@order@",
      type: "partial_refund",
      reason: "Extra not wanted",
      occurred_at: "2026-07-14T11:00:00Z",
      order_total_delta: usd(-108),
      eligible_spend_delta: usd(-100)
    }
  }
} satisfies Partial<Record<OperationId, unknown>>

export type Kind = keyof typeof bodies

/** Ledger entries that a good answer stands for. */
export const entriesOf: Readonly<Record<Kind, number>> = {
  "member.enroll": 0,
  "ledger.manual_adjustment": 1,
  "accrual.post": 1,
  "account.get": 0,
  "order.evaluate": 0,
  "ledger.list": 0,
  "redemption.reserve": 0,
  "redemption.capture": 1,
  // A hold that was not captured is let go: nothing is posted.
  "redemption.reverse": 0,
  "order.adjust": 1
}

export type Compose = (blanks: Blanks) => string

/** A whole HTTP request around a body; all text is ASCII, so that characters count bytes. */
const composer = (path: string, body: unknown, token: string, freshRequestIds: boolean): Compose => {
  const parts = JSON.stringify(body).split("@")
  const line =
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
    "Content-Type: application/json\r\n"
  return (blanks) => {
    const head = freshRequestIds ? `${line}X-Request-Id: ${blanks.key}\r\n` : line
    let text = parts[0]!
    for (let i = 1; i < parts.length; i += 2) text += blanks[parts[i] as keyof Blanks] + parts[i + 1]!
    return `${head}Content-Length: ${text.length}\r\n\r\n${text}`
  }
}

export const composers = (token: string, freshRequestIds = false): Readonly<Record<Kind, Compose>> => {
  const kinds = Object.keys(bodies) as ReadonlyArray<Kind>
  return Object.fromEntries(
    kinds.map((kind) => [kind, composer(operations[kind].path, bodies[kind], token, freshRequestIds)])
  ) as Record<Kind, Compose>
}
