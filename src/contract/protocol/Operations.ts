/**
 * The one table of operations: path, schemas, statuses, scope, safe to retry.
 * Router, OpenAPI, capabilities, freeze, client and tests read it.
 *
 * Source: service.md "Endpoints", decisions.md §2.
 */
import { Schema } from "effect"
import { ReadContext, ResponseContext, WriteContext } from "./Context.ts"
import { Order, OrderAdjustment } from "./Order.ts"
import { ProgramDefinition, UnitAmount } from "./Program.ts"
import type { ProblemCode } from "./Problem.ts"
import { basePath } from "./Protocol.ts"
import {
  Artifact,
  Balance,
  EvaluatedReward,
  ExpiringBalance,
  Identity,
  IssuedReward,
  LedgerEntry,
  Member,
  Metric,
  Reservation,
  TierProgress
} from "./Resources.ts"
import {
  Classification,
  Cursor,
  ForeignId,
  FreeForm,
  Identifier,
  IneligibleReason,
  Integer,
  IssuedRewardStatus,
  LedgerOperation,
  Reason,
  Timestamp,
  Unit,
  whole
} from "../Values.ts"

/** What tokens may be given (admin.md *Tokens*). */
export const scopes = [
  "protocol:read",
  "protocol:write",
  "platform:read",
  "platform:write",
  "admin:read",
  "admin:write",
  "metrics:read"
] as const
export type Scope = (typeof scopes)[number]

/** Page size of `ledger/list` when none is asked for, and the largest. */
export const defaultPage = 50
export const maxPage = 100

const nonEmpty = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).check(
    Schema.isMinLength(1, { message: "must have at least 1 item" }),
    Schema.isMaxLength(100, { message: "must have at most 100 items" })
  )

const entriesAnswer = {
  context: ResponseContext,
  entry: LedgerEntry,
  entries: Schema.optionalKey(Schema.Array(LedgerEntry)),
  balances: Schema.Array(Balance)
}

/** Why a `spend` account earned nothing; all that apply, in this order (decisions.md §2). */
const IneligibleReasons = Schema.optionalKey(Schema.Array(IneligibleReason))

const reservationAnswer = { context: ResponseContext, reservation: Reservation, balances: Schema.Array(Balance) }

const read = { scope: "protocol:read", safeToRetry: true, write: false } as const
const write = { scope: "protocol:write", safeToRetry: false, write: true } as const
const at = (path: string) => `${basePath}${path}` as `/${string}`

/** What a row of the table says. */
export interface Operation {
  /** POST path. */
  readonly path: `/${string}`
  readonly scope: Scope
  /** Success statuses; where there are two, the second is for what was there already. */
  readonly statuses: ReadonlyArray<number>
  /** A client may repeat it on its own (`x-…-safe-to-retry`). */
  readonly safeToRetry: boolean
  /** Refused while writes are frozen; wants an idempotency key. */
  readonly write: boolean
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Problem codes of its own, beside those that every operation has (`Problem.ts`). */
  readonly refusals: ReadonlyArray<ProblemCode>
  readonly request: Schema.Top
  readonly response: Schema.Top
}

export const operations = {
  "member.lookup": {
    ...read,
    path: at("/members/lookup"),
    statuses: [200],
    summary: "Find the member an identity belongs to",
    description: "An identity that no member has answers 200 with `member: null` and no balances.",
    tag: "Members",
    refusals: ["not_found"],
    request: Schema.Struct({ context: ReadContext, program_id: Identifier, identity: Identity }),
    response: Schema.Struct({
      context: ResponseContext,
      member: Schema.NullOr(Member),
      balances: Schema.Array(Balance)
    })
  },
  "member.enroll": {
    ...write,
    path: at("/members/enroll"),
    statuses: [201, 200],
    summary: "Enrol a guest; 200 when the identity already has a member",
    description: "Answers 200, with what there is, when the identity already has a member.",
    tag: "Members",
    refusals: ["not_found", "conflict", "member_not_active", "program_retired"],
    request: Schema.Struct({
      context: WriteContext,
      program_id: Identifier,
      identity: Identity,
      member_id: Schema.optionalKey(Identifier),
      attributes: Schema.optionalKey(FreeForm)
    }),
    response: Schema.Struct({ context: ResponseContext, member: Member, balances: Schema.Array(Balance) })
  },
  "account.get": {
    ...read,
    path: at("/accounts/get"),
    statuses: [200],
    summary: "Balances, metrics, expiring balances and tier progress of a member",
    description: "Shows everything due by now, posted or not. Reads post nothing.",
    tag: "Members",
    refusals: ["not_found"],
    request: Schema.Struct({ context: ReadContext, member_id: Identifier, program_id: Identifier }),
    response: Schema.Struct({
      context: ResponseContext,
      member: Member,
      balances: Schema.Array(Balance),
      metrics: Schema.Array(Metric),
      expiring_balances: Schema.Array(ExpiringBalance),
      tier_progress: Schema.optionalKey(TierProgress)
    })
  },
  "program.get": {
    ...read,
    path: at("/programs/get"),
    statuses: [200],
    summary: "A programme: earning, accounts, metrics, tiers, rewards",
    description: "The programme as it is published; amounts in minor units of its currency.",
    tag: "Members",
    refusals: ["not_found"],
    request: Schema.Struct({ context: ReadContext, program_id: Identifier }),
    response: Schema.Struct({ context: ResponseContext, program: ProgramDefinition })
  },
  "ledger.list": {
    ...read,
    path: at("/ledger/list"),
    statuses: [200],
    summary: "A member's ledger entries, newest first",
    description:
      "Newest first, 50 a page unless `limit` says otherwise; `next_cursor` only where there is more, bound to its filters.",
    tag: "Ledger",
    refusals: ["not_found", "invalid_cursor"],
    request: Schema.Struct({
      context: ReadContext,
      member_id: Identifier,
      program_id: Identifier,
      account_id: Schema.optionalKey(Identifier),
      operations: Schema.optionalKey(nonEmpty(LedgerOperation)),
      occurred_from: Schema.optionalKey(Timestamp),
      occurred_until: Schema.optionalKey(Timestamp),
      cursor: Schema.optionalKey(Cursor),
      limit: Schema.optionalKey(whole(1, maxPage, `must be a whole number from 1 to ${maxPage}`))
    }),
    response: Schema.Struct({
      context: ResponseContext,
      entries: Schema.Array(LedgerEntry),
      next_cursor: Schema.optionalKey(Cursor)
    })
  },
  "ledger.manual_adjustment": {
    ...write,
    path: at("/ledger/manual-adjustments"),
    statuses: [201],
    summary: "Credit or debit points with an operator's classification",
    description:
      "Debits need an available balance, save `correction` and `migration`. `unit` defaults to the primary account. A repeated `adjustment_id` returns the first result.",
    tag: "Ledger",
    refusals: [
      "not_found",
      "conflict",
      "member_not_active",
      "program_retired",
      "insufficient_balance",
      "invalid_state",
      "expired"
    ],
    request: Schema.Struct({
      context: WriteContext,
      member_id: Identifier,
      program_id: Identifier,
      adjustment_id: Identifier,
      amount: Integer.check(
        Schema.makeFilter((value) => value !== 0 || "must not be 0", { toJsonSchema: () => ({ not: { const: 0 } }) })
      ),
      classification: Classification,
      reason: Reason,
      qualifies_for_tier: Schema.Boolean,
      unit: Schema.optionalKey(Unit),
      expires_at: Schema.optionalKey(Timestamp)
    }),
    response: Schema.Struct(entriesAnswer)
  },
  "order.evaluate": {
    ...read,
    path: at("/orders/evaluate"),
    statuses: [200],
    summary: "What an order would earn, and which rewards the member could use",
    description: "Writes nothing. A repeated evaluation is a new one.",
    tag: "Orders",
    refusals: ["not_found", "conflict", "currency_mismatch", "invalid_order"],
    request: Schema.Struct({ context: ReadContext, member_id: Identifier, order: Order }),
    response: Schema.Struct({
      context: ResponseContext,
      evaluation_id: Schema.String,
      member_id: Identifier,
      order_id: ForeignId,
      estimated_accrual: UnitAmount,
      estimated_accruals: Schema.optionalKey(Schema.Array(UnitAmount)),
      ineligible_reasons: IneligibleReasons,
      rewards: Schema.Array(EvaluatedReward),
      balances: Schema.Array(Balance),
      expires_at: Timestamp
    })
  },
  "accrual.post": {
    ...write,
    path: at("/accruals"),
    statuses: [201],
    summary: "Earn points for a paid order",
    description: "Once for each order of a programme: repeating it with the same facts returns the first result.",
    tag: "Orders",
    refusals: [
      "not_found",
      "conflict",
      "member_not_active",
      "program_retired",
      "currency_mismatch",
      "invalid_order",
      "invalid_state"
    ],
    request: Schema.Struct({
      context: WriteContext,
      member_id: Identifier,
      order: Order,
      evaluation_id: Schema.optionalKey(ForeignId)
    }),
    response: Schema.Struct({ ...entriesAnswer, ineligible_reasons: IneligibleReasons })
  },
  "order.adjust": {
    ...write,
    path: at("/orders/adjust"),
    statuses: [201],
    summary: "Adjust earned points after a refund, void or correction",
    description:
      "Points follow the original rate and multiplier, whatever order partial refunds come in. A repeated `adjustment_id` returns the first result.",
    tag: "Orders",
    refusals: ["not_found", "conflict", "member_not_active", "currency_mismatch", "invalid_state"],
    request: Schema.Struct({
      context: WriteContext,
      member_id: Identifier,
      program_id: Identifier,
      adjustment: OrderAdjustment
    }),
    response: Schema.Struct(entriesAnswer)
  },
  "redemption.reserve": {
    ...write,
    path: at("/redemptions/reserve"),
    statuses: [201],
    summary: "Hold a reward's cost for an order",
    description: "The hold ends by itself at `expires_at`. A repeated `redemption_id` returns the first result.",
    tag: "Redemptions",
    refusals: [
      "not_found",
      "conflict",
      "member_not_active",
      "program_retired",
      "currency_mismatch",
      "invalid_order",
      "reward_not_available",
      "insufficient_balance",
      "invalid_state"
    ],
    request: Schema.Struct({
      context: WriteContext,
      redemption_id: ForeignId,
      member_id: Identifier,
      reward_id: Identifier,
      order: Order,
      issued_reward_id: Schema.optionalKey(Identifier),
      evaluation_id: Schema.optionalKey(ForeignId)
    }),
    response: Schema.Struct(reservationAnswer)
  },
  "redemption.capture": {
    ...write,
    path: at("/redemptions/capture"),
    statuses: [200],
    summary: "Spend what a reservation holds",
    description: "An open hold is always honoured; capturing twice returns the first result.",
    tag: "Redemptions",
    refusals: ["not_found", "conflict", "member_not_active", "invalid_state", "expired"],
    request: Schema.Struct({ context: WriteContext, reservation_id: ForeignId, order_id: ForeignId }),
    response: Schema.Struct(reservationAnswer)
  },
  "redemption.reverse": {
    ...write,
    path: at("/redemptions/reverse"),
    statuses: [200],
    summary: "Release a reservation, or give back what it spent",
    description: "A captured reservation gives back exactly the lots it spent, with their dates.",
    tag: "Redemptions",
    refusals: ["not_found", "member_not_active", "expired"],
    request: Schema.Struct({ context: WriteContext, reservation_id: ForeignId, reason: Reason }),
    response: Schema.Struct(reservationAnswer)
  },
  "issued_reward.issue": {
    ...write,
    path: at("/issued-rewards/issue"),
    statuses: [201],
    summary: "Put a reward into a member's wallet",
    description:
      "Without `artifact` the service makes an unguessable code. A repeated `issued_reward_id` returns the first result.",
    tag: "Issued rewards",
    refusals: ["not_found", "conflict", "member_not_active", "program_retired", "expired"],
    request: Schema.Struct({
      context: WriteContext,
      issued_reward_id: Identifier,
      member_id: Identifier,
      program_id: Identifier,
      reward_id: Identifier,
      expires_at: Schema.optionalKey(Timestamp),
      artifact: Schema.optionalKey(Artifact)
    }),
    response: Schema.Struct({ context: ResponseContext, issued_reward: IssuedReward })
  },
  "issued_reward.list": {
    ...read,
    path: at("/issued-rewards/list"),
    statuses: [200],
    summary: "A member's reward wallet, newest first",
    description: "Newest first.",
    tag: "Issued rewards",
    refusals: ["not_found"],
    request: Schema.Struct({
      context: ReadContext,
      member_id: Identifier,
      program_id: Identifier,
      statuses: Schema.optionalKey(nonEmpty(IssuedRewardStatus))
    }),
    response: Schema.Struct({ context: ResponseContext, issued_rewards: Schema.Array(IssuedReward) })
  },
  "issued_reward.cancel": {
    ...write,
    path: at("/issued-rewards/cancel"),
    statuses: [200],
    summary: "Take an unused reward out of the wallet",
    description: "Only while `issued` and not held; cancelling twice returns the first result.",
    tag: "Issued rewards",
    refusals: ["not_found", "member_not_active", "program_retired", "invalid_state"],
    request: Schema.Struct({ context: WriteContext, issued_reward_id: Identifier, reason: Reason }),
    response: Schema.Struct({ context: ResponseContext, issued_reward: IssuedReward })
  }
} as const satisfies Record<string, Operation>

export type Operations = typeof operations
export type OperationId = keyof Operations
export type RequestOf<Id extends OperationId> = Operations[Id]["request"]["Type"]
export type ResponseOf<Id extends OperationId> = Operations[Id]["response"]["Type"]

export const operationIds = Object.keys(operations) as ReadonlyArray<OperationId>
