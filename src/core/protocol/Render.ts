/**
 * Renders resources of the contract from states, records and rows. First answers
 * and replays use the same functions.
 */

import type { AlmostPromotion } from "../../contract/PromotionOutcomes.ts"
import type { BodyOf } from "../../contract/protocol/Operations.ts"
import type { Balance, IssuedReward, LedgerEntry, Member, Reservation } from "../../contract/protocol/Resources.ts"
import type { Rendered } from "../../contract/Rendered.ts"
import type { IdentityType, Unit } from "../../contract/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Recorded } from "../account/Codec.ts"
import * as Metrics from "../account/domain/Metrics.ts"
import type { Posted, PromotionFacts } from "../account/domain/Posted.ts"
import type { BalanceFigures, ReservationReply, RewardReply } from "../account/domain/Reply.ts"
import type { State } from "../account/domain/State.ts"
import { isOwn, unitOf } from "../account/domain/State.ts"
import * as View from "../account/domain/View.ts"
import * as Rows from "../account/Rows.ts"
import type { IssuedRewardRow, LedgerRow, MemberRow } from "../journal/Records.ts"
import { entryId } from "../journal/Records.ts"
import type { Almost } from "../rules/AlmostPromotions.ts"
import * as Funding from "../rules/Funding.ts"
import type { Program } from "../rules/Program.ts"
import * as Rewards from "../rules/Rewards.ts"
import * as Tiers from "../rules/Tiers.ts"

/** The owner of the resources. */
export interface Owner {
  readonly account: number
  readonly program: string
  readonly member: string
}

/** The same value without properties that are undefined. */
export const withoutAbsent = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutAbsent)
  if (typeof value !== "object" || value === null) return value
  const present: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(value))
    if (property !== undefined) present[name] = withoutAbsent(property)
  return present
}

/** A body for a schema: absent properties are undefined here, which JSON leaves out, but schemas of answers refuse. */
export const present = <A extends object>(body: Rendered<A>): A => withoutAbsent(body) as A

const maxIdentifier = 128

/** `<unit>:<member_id>`; if the member id is too long, `<unit>::<account number>`, which no member id can produce. */
export const accountId = (owner: Owner, unit: string): string => {
  const id = `${unit}:${owner.member}`
  return id.length <= maxIdentifier ? id : `${unit}::${owner.account.toString(36)}`
}

const time = (at: number | undefined): string | undefined => (at === undefined ? undefined : fromMillis(at))

export const balance = (
  owner: Owner,
  [unit, amount, reserved, label]: BalanceFigures,
  at: number
): Rendered<typeof Balance.Type> => ({
  account_id: accountId(owner, unit),
  member_id: owner.member,
  program_id: owner.program,
  unit,
  amount,
  reserved,
  available: amount - reserved,
  as_of: fromMillis(at),
  unit_label: label
})

/** The state's balances, one for each account of the programme. */
export const balances = (owner: Owner, state: State, program: Program, at: number) =>
  program.accounts.map(({ label, unit }) => {
    const { posted, reserved } = unitOf(state, unit)
    return balance(owner, label === undefined ? [unit, posted, reserved] : [unit, posted, reserved, label], at)
  })

export const entry = (owner: Owner, row: LedgerRow): Rendered<typeof LedgerEntry.Type> => ({
  entry_id: entryId(owner.account, row.n),
  member_id: owner.member,
  program_id: owner.program,
  account_id: accountId(owner, row.unit),
  operation: row.operation,
  unit: row.unit,
  amount: row.amount,
  occurred_at: fromMillis(row.occurredAt),
  expires_at: time(row.expiresAt),
  related_entry_id: row.relatedN === undefined ? undefined : entryId(owner.account, row.relatedN),
  order_id: row.orderId,
  location_id: row.locationId,
  adjustment_id: row.adjustmentId,
  reservation_id: row.reservationId,
  classification: row.classification,
  reason: row.reason,
  qualifies_for_tier: row.qualifiesForTier
})

export const reservation = (
  owner: Owner,
  kept: ReservationReply["reservation"]
): Rendered<typeof Reservation.Type> => ({
  reservation_id: kept.reservation,
  redemption_id: kept.redemption,
  member_id: owner.member,
  reward_id: kept.reward,
  order_id: kept.order,
  status: kept.status,
  cost: { unit: kept.unit, amount: kept.cost },
  effect: kept.effect,
  funding: Funding.split(kept.funding, Rewards.valueOf(kept.effect)),
  created_at: fromMillis(kept.created),
  expires_at: fromMillis(kept.expires),
  issued_reward_id: kept.issued,
  location_id: kept.location,
  captured_at: time(kept.captured),
  reversed_at: time(kept.reversed)
})

/** A reward in a wallet; `merged`: another member has it now, and it is in no answer. */
type RewardStatus = IssuedRewardRow["status"]
type Wallet<Status> = Rendered<Omit<typeof IssuedReward.Type, "status">> & { readonly status: Status }

export const issuedReward = <Status extends RewardStatus>(
  owner: Owner,
  kept: RewardReply["reward"] & { readonly status: Status }
): Wallet<Status> =>
  issuedRewardRow(owner, {
    issuedRewardId: kept.issued,
    rewardId: kept.reward,
    status: kept.status,
    issuedAt: kept.at,
    expiresAt: kept.expires,
    redeemedAt: kept.redeemed,
    cancelledAt: kept.cancelled,
    cancellationReason: kept.reason,
    artifactType: kept.artifact.type,
    artifactValue: kept.artifact.value
  })

export const issuedRewardRow = <Status extends RewardStatus>(
  owner: Owner,
  row: Omit<IssuedRewardRow, "n"> & { readonly status: Status }
): Wallet<Status> => ({
  issued_reward_id: row.issuedRewardId,
  member_id: owner.member,
  program_id: owner.program,
  reward_id: row.rewardId,
  status: row.status,
  issued_at: fromMillis(row.issuedAt),
  expires_at: time(row.expiresAt),
  redeemed_at: time(row.redeemedAt),
  cancelled_at: time(row.cancelledAt),
  cancellation_reason: row.cancellationReason,
  artifact: { type: row.artifactType, value: row.artifactValue }
})

export const member = (
  owner: Owner,
  state: Pick<State, "joined" | "status">,
  data: MemberRow,
  tier: string | undefined
): Rendered<typeof Member.Type> => ({
  member_id: owner.member,
  program_id: owner.program,
  status: state.status,
  joined_at: fromMillis(state.joined),
  // The type was checked when the identity was added.
  identities: data.identities.map(({ issuer, type, value }) => ({ type: type as IdentityType, value, issuer })),
  tier_id: tier,
  attributes: data.attributes
})

export const metrics = (state: State, program: Program, at: number) =>
  program.metrics.map((metric) => ({
    metric_id: metric.metric_id,
    unit: metric.unit,
    amount: Metrics.amountOf(state, program, metric, at),
    as_of: fromMillis(at)
  }))

export const expiringBalances = (owner: Owner, state: State, now: number) => {
  const ids = new Map(state.units.map(({ unit }) => [unit, accountId(owner, unit)]))
  return View.expiring(state, now).map(({ amount, at, unit }) => ({
    account_id: ids.get(unit)!,
    unit,
    amount,
    expires_at: fromMillis(at)
  }))
}

export const tierProgress = (state: State, program: Program, at: number) => {
  const amounts = Metrics.qualification(state, program, at)
  return amounts === undefined ? undefined : Tiers.progress(program, amounts.present, amounts.reached)
}

/** The promotions that gave something to accruals; undefined if none did. */
export const promotions = (
  accruals: ReadonlyArray<{ readonly unit: Unit; readonly promotions?: ReadonlyArray<PromotionFacts> | undefined }>
): BodyOf<"accrual.post">["promotions"] => {
  const all = accruals.flatMap(({ promotions = [], unit }) =>
    promotions
      .filter(({ amount }) => amount > 0)
      .map(({ amount, id, name }) => ({ promotion_id: id, name, unit, amount }))
  )
  return all.length > 0 ? all : undefined
}

/** A promotion that an order nearly gets. */
export const almost = (
  { items, promotion, spend }: Almost,
  currency: string
): Rendered<typeof AlmostPromotion.Type> => ({
  promotion_id: promotion.id,
  name: promotion.name,
  missing: { minimum_spend: spend === undefined ? undefined : { amount: spend, currency }, items }
})

/** A record to be answered, its owner, and facts of the member. */
export interface Told {
  readonly owner: Owner
  readonly record: Recorded
  readonly state: Pick<State, "joined">
  readonly member: MemberRow
  /** The owner of the balances, which is another one if the record was repeated after its member was merged. */
  readonly holder: Owner
}

const figures = ({ holder, record: { at, repeat } }: Told, all: ReadonlyArray<BalanceFigures>) =>
  (repeat?.balances ?? all).map((one) => balance(holder, one, repeat?.at ?? at))

const unfit = ({ record: { account, reply, seq } }: Told, wanted: string): Error =>
  new Error(`record ${account}/${seq} has a ${reply.type} reply; its command is answered by ${wanted}`)

/** The answer of an operation that posts entries. Those that accrue no order have neither reasons nor promotions. */
export const entriesBody = (told: Told): BodyOf<"accrual.post"> => {
  const { owner, record } = told
  const { events, reply } = record
  if (reply.type !== "entries") throw unfit(told, "entries")
  const posted = events.filter(
    (event): event is Posted => event.type === "posted" && event.n >= reply.first && event.n <= reply.last
  )
  const entries = posted.map((event) => entry(owner, Rows.entry(event)))
  const [first] = entries
  if (first === undefined) throw unfit(told, "at least one entry")
  return {
    entry: first,
    entries: entries.length > 1 ? entries : undefined,
    balances: figures(told, reply.balances),
    ineligible_reasons: reply.ineligible,
    promotions: promotions(posted)
  }
}

export const reservationBody = (told: Told): BodyOf<"redemption.reserve"> => {
  const { reply } = told.record
  if (reply.type !== "reservation") throw unfit(told, "a reservation")
  return { reservation: reservation(told.owner, reply.reservation), balances: figures(told, reply.balances) }
}

export const rewardBody = (told: Told): BodyOf<"issued_reward.issue"> => {
  const { reply } = told.record
  if (reply.type !== "reward" || !isOwn(reply.reward)) throw unfit(told, "a reward")
  return { issued_reward: issuedReward(told.owner, reply.reward) }
}

export const memberBody = (told: Told): BodyOf<"member.enroll"> => {
  const { reply } = told.record
  if (reply.type !== "member") throw unfit(told, "a member")
  return {
    member: member(told.owner, { ...told.state, status: reply.status ?? "active" }, told.member, reply.tier),
    balances: figures(told, reply.balances)
  }
}

/** True if the record created something new, and does not answer a repeat under another key. */
export const isCreated = ({ repeat, reply }: Recorded): boolean =>
  repeat === undefined && (reply.type === "entries" || ("created" in reply && reply.created))
