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

/** The same order as a check of a till of Toast. */
const check = {
  guid: "@order@",
  entityType: "Check",
  openedDate: "2026-07-14T10:00:00.000+0000",
  modifiedDate: "2026-07-14T10:08:00.000+0000",
  displayNumber: "1001",
  selections: [
    {
      guid: "line-1",
      entityType: "MenuItemSelection",
      item: { guid: "bowl-classic", entityType: "MenuItem" },
      itemGroup: { guid: "bowls", entityType: "MenuGroup" },
      quantity: 1,
      preDiscountPrice: 11,
      price: 11,
      tax: 0.88,
      voided: false,
      modifiers: [
        {
          guid: "line-2",
          entityType: "MenuItemSelection",
          item: { guid: "extra-avocado", entityType: "MenuItem" },
          quantity: 1,
          preDiscountPrice: 1,
          price: 1
        }
      ]
    }
  ],
  amount: 11,
  taxAmount: 0.88,
  totalAmount: 11.88,
  payments: [
    {
      guid: "tender-1",
      entityType: "OrderPayment",
      type: "CREDIT",
      amount: 11.88,
      tipAmount: 0,
      paidBusinessDate: 20260714
    }
  ]
}
const checkTransactionInformation = { loyaltyIdentifier: "@member@", orderGuid: "@other@", check, redemptions: [] }

/** Transactions of a till, by their type. */
const transactions = { "till.inquire": "LOYALTY_INQUIRE", "till.accrue": "LOYALTY_ACCRUE" } as const

export type Kind = keyof typeof bodies | keyof typeof transactions

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
  "order.adjust": 1,
  "till.inquire": 0,
  "till.accrue": 1
}

/** A till's connection. */
export interface TillAddress {
  readonly path: string
  readonly key: string
  readonly restaurant: string
}

export type Compose = (blanks: Blanks) => string

/** A whole HTTP request around a body; all text is ASCII, so that characters count bytes. */
const composer = (
  path: string,
  body: unknown,
  token: string,
  freshRequestIds: boolean,
  ofTill: (blanks: Blanks) => string = () => ""
): Compose => {
  const parts = JSON.stringify(body).split("@")
  const start =
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
    "Content-Type: application/json\r\n"
  return (blanks) => {
    const line = start + ofTill(blanks)
    const head = freshRequestIds ? `${line}X-Request-Id: ${blanks.key}\r\n` : line
    let text = parts[0]!
    for (let i = 1; i < parts.length; i += 2) text += blanks[parts[i] as keyof Blanks] + parts[i + 1]!
    return `${head}Content-Length: ${text.length}\r\n\r\n${text}`
  }
}

const tillComposer = ({ key, path, restaurant }: TillAddress, kind: keyof typeof transactions): Compose => {
  const toastTransactionType = transactions[kind]
  const headers = `Toast-Transaction-Type: ${toastTransactionType}\r\nToast-Restaurant-External-ID: ${restaurant}\r\n`
  const body = { toastTransactionType, checkTransactionInformation }
  return composer(path, body, key, false, (blanks) => `${headers}Toast-Transaction-GUID: ${blanks.key}\r\n`)
}

const nowhere: TillAddress = { path: "/", key: "", restaurant: "" }

export const composers = (
  token: string,
  freshRequestIds = false,
  till: TillAddress = nowhere
): Readonly<Record<Kind, Compose>> => {
  const kinds = Object.keys(bodies) as ReadonlyArray<keyof typeof bodies>
  return {
    ...(Object.fromEntries(
      kinds.map((kind) => [kind, composer(operations[kind].path, bodies[kind], token, freshRequestIds)])
    ) as Record<keyof typeof bodies, Compose>),
    "till.inquire": tillComposer(till, "till.inquire"),
    "till.accrue": tillComposer(till, "till.accrue")
  }
}
