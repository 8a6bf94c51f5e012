/**
 * The one table of operations: path, schemas, statuses, scope, safe to retry.
 * Router, OpenAPI, capabilities, freeze, client and tests read it.
 *
 * Source: contract/operations.md *Table of operations*.
 */
import { Schema } from "effect"
import { givenPromotions } from "../PromotionOutcomes.ts"
import type { Rendered } from "../Rendered.ts"
import { told } from "../Said.ts"
import type { Scope } from "../Scopes.ts"
import {
  Classification,
  Cursor,
  ForeignId,
  FreeForm,
  field,
  Identifier,
  Integer,
  IssuedRewardStatus,
  LedgerOperation,
  maxAmount,
  NewIdentifier,
  optional,
  Reason,
  Timestamp,
  Unit,
  whole
} from "../Values.ts"
import { evaluation, ineligibleReasons } from "./Evaluation.ts"
import {
  balances,
  context,
  entriesAnswer,
  evaluationId,
  issuedRewardAnswer,
  memberId,
  memberOrIdentity,
  nonEmpty,
  oneName,
  order,
  programId,
  readContext,
  reservationAnswer,
  writeContext
} from "./OperationFields.ts"
import { OrderAdjustment } from "./Order.ts"
import type { ProblemCode } from "./Problem.ts"
import { ProgramDefinition } from "./Program.ts"
import { basePath } from "./Protocol.ts"
import {
  Artifact,
  Balance,
  ExpiringBalance,
  Identity,
  IssuedReward,
  LedgerEntry,
  Member,
  Metric,
  TierProgress
} from "./Resources.ts"

/** Default and largest page size of `ledger/list`. */
export const defaultPage = 50
const maxPage = 100

const read = { scope: "protocol:read", safeToRetry: true, write: false } as const
const write = { scope: "protocol:write", safeToRetry: false, write: true } as const
const at = (path: string) => `${basePath}${path}` as `/${string}`

/** A row of the table. */
export interface Operation {
  /** POST path. */
  readonly path: `/${string}`
  readonly scope: Scope
  /** Success statuses. A second one is for a resource that already existed. */
  readonly statuses: ReadonlyArray<number>
  /** A client may retry it automatically (`x-…-safe-to-retry`). */
  readonly safeToRetry: boolean
  /** Refused while writes are frozen; requires an idempotency key. */
  readonly write: boolean
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Additional problem codes, beside those of every operation (`Problem.ts`). */
  readonly refusals: ReadonlyArray<ProblemCode>
  readonly request: Schema.Top
  readonly response: Schema.Top
}

export const operations = {
  "member.lookup": {
    ...read,
    path: at("/members/lookup"),
    statuses: [200],
    summary: "Find a member by identity",
    description:
      "Type, value and issuer together identify a member. If no member has the identity, the answer is 200 with `member: null`.",
    tag: "Members and programmes",
    refusals: ["not_found"],
    request: Schema.Struct({
      context: readContext,
      program_id: programId,
      identity: field(Identity, "The identity to look up: type, value and issuer together.")
    }),
    response: Schema.Struct({
      context,
      member: field(Schema.NullOr(Member), "The member, or null if no member has the identity."),
      balances
    })
  },
  "member.enroll": {
    ...write,
    path: at("/members/enroll"),
    statuses: [201, 200],
    summary: "Enrol a guest",
    description:
      "Answers 201 with a new member, or 200 with the member that already has the identity, for any `member_id`.",
    tag: "Members and programmes",
    refusals: ["not_found", "conflict", "member_not_active", "program_retired"],
    request: Schema.Struct({
      context: writeContext,
      program_id: programId,
      identity: field(Identity, "The identity by which the member will be found."),
      member_id: optional(
        NewIdentifier,
        "The id of a new member; absent: the service makes one; ignored if a member has the identity."
      ),
      attributes: optional(FreeForm, "The caller's own data about a new member, at most 32 levels deep.")
    }),
    response: Schema.Struct({ context, member: field(Member, "The member."), balances })
  },
  "account.get": {
    ...read,
    path: at("/accounts/get"),
    statuses: [200],
    summary: "Show a member's account",
    description: "Balances, metrics, expiring balances and tier progress now. Due expirations count, posted or not.",
    tag: "Members and programmes",
    refusals: ["not_found"],
    request: Schema.Struct({ context: readContext, member_id: memberId, program_id: programId }),
    response: Schema.Struct({
      context,
      member: field(Member, "The member."),
      balances,
      metrics: field(Schema.Array(Metric), "The member's metrics in the programme."),
      expiring_balances: field(
        Schema.Array(ExpiringBalance),
        "Unspent points that expire, by account and time, the earliest first."
      ),
      tier_progress: optional(TierProgress, "The member's progress between tiers; absent if the programme has none.")
    })
  },
  "program.get": {
    ...read,
    path: at("/programs/get"),
    statuses: [200],
    summary: "Show a programme",
    description: "Earning, accounts, metrics, tiers and rewards of the version in force.",
    tag: "Members and programmes",
    refusals: ["not_found"],
    request: Schema.Struct({ context: readContext, program_id: programId }),
    response: Schema.Struct({ context, program: field(ProgramDefinition, "The programme's version in force.") })
  },
  "ledger.list": {
    ...read,
    path: at("/ledger/list"),
    statuses: [200],
    summary: "List ledger entries",
    description:
      "Newest first, 50 a page by default. If more entries follow, the answer has `next_cursor`; send it with the same filters.",
    tag: "Ledger",
    refusals: ["not_found", "invalid_cursor"],
    request: Schema.Struct({
      context: readContext,
      member_id: memberId,
      program_id: programId,
      account_id: optional(
        Identifier,
        "Only entries of this account; an account of another member gives an empty list."
      ),
      operations: optional(nonEmpty(LedgerOperation), "Only entries of these operations."),
      occurred_from: optional(Timestamp, "Entries at or after this instant."),
      occurred_until: optional(Timestamp, "Entries at or before this instant."),
      cursor: optional(Cursor, "The `next_cursor` of the previous page, sent with the same filters."),
      limit: optional(
        whole(1, maxPage, told`must be a whole number from ${1} to ${maxPage}`),
        `Most entries of a page, 1 to ${maxPage}; absent: ${defaultPage}.`
      )
    }),
    response: Schema.Struct({
      context,
      entries: field(Schema.Array(LedgerEntry), "The page, newest first."),
      next_cursor: optional(Cursor, "Start of the next page; absent on the last page.")
    })
  },
  "ledger.manual_adjustment": {
    ...write,
    path: at("/ledger/manual-adjustments"),
    statuses: [201, 200],
    summary: "Credit or debit points",
    description:
      "By an operator, with a classification. Debits need an available balance, except `correction` and `migration`. A repeated `adjustment_id` with the same facts is answered 200 under another key: the first entry, and the balances of now.",
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
      context: writeContext,
      member_id: memberId,
      program_id: programId,
      adjustment_id: field(
        Identifier,
        "The caller's id for this adjustment, unique in the programme, order adjustments included."
      ),
      amount: field(
        Integer.check(
          Schema.makeFilter((value) => value !== 0 || "must not be 0", { toJsonSchema: () => ({ not: { const: 0 } }) })
        ),
        "Positive credits, negative debits; never 0."
      ),
      classification: field(
        Classification,
        "The kind of adjustment; a debit by `correction` or `migration` may make the balance negative."
      ),
      reason: field(Reason, "Why, 1 to 255 characters; the entry repeats it."),
      qualifies_for_tier: field(Schema.Boolean, "Whether the amount counts towards the member's tier."),
      unit: optional(Unit, "The account; absent: the programme's primary one."),
      expires_at: optional(Timestamp, "When a credit expires; absent: by the programme's rule; not allowed on a debit.")
    }),
    response: Schema.Struct(entriesAnswer)
  },
  "order.evaluate": {
    ...read,
    path: at("/orders/evaluate"),
    statuses: [200],
    summary: "Evaluate an order",
    description:
      "Returns the points that the order would earn and the rewards that the member could use for it. Writes nothing. An order that has accrued, for whichever member, is estimated with 0 and `already_accrued`.",
    tag: "Orders",
    refusals: ["not_found", "conflict", "currency_mismatch", "invalid_order"],
    request: Schema.Struct({ context: readContext, ...memberOrIdentity, order }).check(oneName),
    response: Schema.Struct({
      context,
      evaluation_id: field(Schema.String, "Names this evaluation; a later accrual or reservation may repeat it."),
      member_id: memberId,
      ...evaluation,
      balances: field(Schema.Array(Balance), "The member's balances now."),
      expires_at: field(Timestamp, "The estimate should not be used after this time.")
    })
  },
  "accrual.post": {
    ...write,
    path: at("/accruals"),
    statuses: [201, 200],
    summary: "Earn points",
    description:
      "For a paid order, once: a repetition with the same facts is answered 200 under another key, with the first entry and the balances of now, whether it names the member by id or by identity. An order that earns nothing posts an entry of 0, with the reasons in `ineligible_reasons`.",
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
      context: writeContext,
      ...memberOrIdentity,
      order,
      evaluation_id: evaluationId
    }).check(oneName),
    response: Schema.Struct({ ...entriesAnswer, ineligible_reasons: ineligibleReasons, promotions: givenPromotions })
  },
  "order.adjust": {
    ...write,
    path: at("/orders/adjust"),
    statuses: [201, 200],
    summary: "Adjust an order",
    description:
      "After a refund, void or correction. Points follow the order's own rate and multiplier: partial refunds in any sequence end at the same balance. A repeated `adjustment_id` with the same facts is answered 200 under another key: the first entry, and the balances of now.",
    tag: "Orders",
    refusals: ["not_found", "conflict", "member_not_active", "currency_mismatch", "invalid_state"],
    request: Schema.Struct({
      context: writeContext,
      member_id: memberId,
      program_id: programId,
      adjustment: field(OrderAdjustment, "The change of the order.")
    }),
    response: Schema.Struct(entriesAnswer)
  },
  "redemption.reserve": {
    ...write,
    path: at("/redemptions/reserve"),
    statuses: [201, 200],
    summary: "Reserve a reward",
    description:
      "Holds the reward's cost for an order until `expires_at`. The same key returns the first body, even if the reservation has changed since. The same `redemption_id` under another key, with the same facts, is answered 200: the reservation and the balances as they are now.",
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
      context: writeContext,
      redemption_id: field(ForeignId, "The caller's id for this redemption, unique in the programme."),
      member_id: memberId,
      reward_id: field(Identifier, "The reward to hold."),
      points: optional(
        whole(1, maxAmount, told`must be a whole number from ${1} to ${maxAmount}`),
        "How many points the guest pays with, a multiple of the reward's cost; only for a reward whose evaluation has `max_points`. Absent: the cost, once."
      ),
      order,
      issued_reward_id: optional(Identifier, "A reward in the member's wallet that pays instead of points."),
      evaluation_id: evaluationId
    }),
    response: Schema.Struct(reservationAnswer)
  },
  "redemption.capture": {
    ...write,
    path: at("/redemptions/capture"),
    statuses: [200],
    summary: "Capture a reservation",
    description:
      "Spends what the reservation holds. An open hold can always be captured; capturing twice returns the first result.",
    tag: "Redemptions",
    refusals: ["not_found", "conflict", "member_not_active", "invalid_state", "expired"],
    request: Schema.Struct({
      context: writeContext,
      reservation_id: field(ForeignId, "The reservation to capture."),
      order_id: field(ForeignId, "The order of the reservation; another one is `conflict`.")
    }),
    response: Schema.Struct(reservationAnswer)
  },
  "redemption.reverse": {
    ...write,
    path: at("/redemptions/reverse"),
    statuses: [200],
    summary: "Reverse a reservation",
    description:
      "Releases an open reservation. For a captured one, restores exactly the lots that it spent, with their dates.",
    tag: "Redemptions",
    refusals: ["not_found", "member_not_active", "expired"],
    request: Schema.Struct({
      context: writeContext,
      reservation_id: field(ForeignId, "The reservation to reverse."),
      reason: field(Reason, "Why, 1 to 255 characters.")
    }),
    response: Schema.Struct(reservationAnswer)
  },
  "issued_reward.issue": {
    ...write,
    path: at("/issued-rewards/issue"),
    statuses: [201, 200],
    summary: "Issue a reward",
    description:
      "Puts a reward into a member's wallet. A repeated `issued_reward_id` with the same facts is answered 200 under another key, with the reward as it was issued.",
    tag: "Issued rewards",
    refusals: ["not_found", "conflict", "member_not_active", "program_retired", "expired"],
    request: Schema.Struct({
      context: writeContext,
      issued_reward_id: field(Identifier, "The caller's id for this reward, unique in the service."),
      member_id: memberId,
      program_id: programId,
      reward_id: field(Identifier, "The programme's reward."),
      expires_at: optional(Timestamp, "When it expires, in the future; absent: never."),
      artifact: optional(Artifact, "The code that the guest shows. Absent: the service makes an unguessable code.")
    }),
    response: Schema.Struct(issuedRewardAnswer)
  },
  "issued_reward.list": {
    ...read,
    path: at("/issued-rewards/list"),
    statuses: [200],
    summary: "List a wallet",
    description: "A member's issued rewards, newest first.",
    tag: "Issued rewards",
    refusals: ["not_found"],
    request: Schema.Struct({
      context: readContext,
      member_id: memberId,
      program_id: programId,
      statuses: optional(nonEmpty(IssuedRewardStatus), "Only rewards with one of these statuses.")
    }),
    response: Schema.Struct({ context, issued_rewards: field(Schema.Array(IssuedReward), "The wallet, newest first.") })
  },
  "issued_reward.cancel": {
    ...write,
    path: at("/issued-rewards/cancel"),
    statuses: [200],
    summary: "Cancel an issued reward",
    description:
      "Cancels a reward that is `issued` and not held by a reservation. Cancelling twice returns the first result.",
    tag: "Issued rewards",
    refusals: ["not_found", "member_not_active", "program_retired", "invalid_state"],
    request: Schema.Struct({
      context: writeContext,
      issued_reward_id: field(Identifier, "The reward to cancel."),
      reason: field(Reason, "Why, 1 to 255 characters; the reward shows it.")
    }),
    response: Schema.Struct(issuedRewardAnswer)
  }
} as const satisfies Record<string, Operation>

export type Operations = typeof operations
export type OperationId = keyof Operations
export type RequestOf<Id extends OperationId> = Operations[Id]["request"]["Type"]
export type ResponseOf<Id extends OperationId> = Operations[Id]["response"]["Type"]
/** The members of a response beside its context, before JSON is made of them. */
export type BodyOf<Id extends OperationId> = Id extends OperationId ? Rendered<Omit<ResponseOf<Id>, "context">> : never

export const operationIds = Object.keys(operations) as ReadonlyArray<OperationId>
