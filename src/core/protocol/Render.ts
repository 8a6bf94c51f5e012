/**
 * Renders resources of the contract from states, records and rows. First answers
 * and replays use the same functions.
 */

import type { Unit } from "../../contract/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { Recorded } from "../account/Codec.ts"
import type { Posted, PromotionFacts } from "../account/domain/AccountEvent.ts"
import * as Metrics from "../account/domain/Metrics.ts"
import type { BalanceFigures, ReservationReply, RewardReply } from "../account/domain/Reply.ts"
import type { State } from "../account/domain/State.ts"
import { unitOf } from "../account/domain/State.ts"
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

/**
 * A body for a schema: absent properties are undefined here, which JSON leaves out, but schemas of answers refuse.
 * `A`: the body's type without undefined properties.
 */
export const present = <A extends object>(body: object): A => JSON.parse(JSON.stringify(body)) as A

const maxIdentifier = 128

/** `<unit>:<member_id>`; if the member id is too long, `<unit>::<account number>`, which no member id can produce. */
export const accountId = (owner: Owner, unit: string): string => {
  const id = `${unit}:${owner.member}`
  return id.length <= maxIdentifier ? id : `${unit}::${owner.account.toString(36)}`
}

const time = (at: number | undefined): string | undefined => (at === undefined ? undefined : fromMillis(at))

export const balance = (owner: Owner, [unit, amount, reserved, label]: BalanceFigures, at: number) => ({
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

export const entry = (owner: Owner, row: LedgerRow) => ({
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

export const reservation = (owner: Owner, kept: ReservationReply["reservation"]) => ({
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

export const issuedReward = (owner: Owner, kept: RewardReply["reward"]) =>
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

export const issuedRewardRow = (owner: Owner, row: Omit<IssuedRewardRow, "n">) => ({
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
) => ({
  member_id: owner.member,
  program_id: owner.program,
  status: state.status,
  joined_at: fromMillis(state.joined),
  identities: data.identities.map(({ issuer, type, value }) => ({ type, value, issuer })),
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
) => {
  const all = accruals.flatMap(({ promotions = [], unit }) =>
    promotions
      .filter(({ amount }) => amount > 0)
      .map(({ amount, id, name }) => ({ promotion_id: id, name, unit, amount }))
  )
  return all.length > 0 ? all : undefined
}

/** A promotion that an order nearly gets. */
export const almost = ({ items, promotion, spend }: Almost, currency: string) => ({
  promotion_id: promotion.id,
  name: promotion.name,
  missing: spend === undefined ? { items } : { minimum_spend: { amount: spend, currency } }
})

/**
 * The members of an answer's body after `context`. `holder`: the owner of the balances, which is another one if the
 * record was repeated after its member was merged.
 */
export const recorded = (
  owner: Owner,
  record: Recorded,
  state: Pick<State, "joined">,
  data: MemberRow,
  holder: Owner = owner
): object => {
  const { at, repeat, reply } = record
  const figures = (all: ReadonlyArray<BalanceFigures>) =>
    (repeat?.balances ?? all).map((one) => balance(holder, one, repeat?.at ?? at))
  switch (reply.type) {
    case "entries": {
      const posted = record.events.filter(
        (event): event is Posted => event.type === "posted" && event.n >= reply.first && event.n <= reply.last
      )
      const entries = posted.map((event) => entry(owner, Rows.entry(event)))
      return {
        entry: entries[0],
        entries: entries.length > 1 ? entries : undefined,
        balances: figures(reply.balances),
        ineligible_reasons: reply.ineligible,
        promotions: promotions(posted)
      }
    }
    case "reservation":
      return { reservation: reservation(owner, reply.reservation), balances: figures(reply.balances) }
    case "reward":
      return { issued_reward: issuedReward(owner, reply.reward) }
    case "member":
      return {
        member: member(owner, { ...state, status: reply.status ?? "active" }, data, reply.tier),
        balances: figures(reply.balances)
      }
    case "same":
    case "none":
      throw new Error(`a ${reply.type} reply answers nobody`)
  }
}

/** True if the record created something new, and does not answer a repeat under another key. */
export const isCreated = ({ repeat, reply }: Recorded): boolean =>
  repeat === undefined && (reply.type === "entries" || ("created" in reply && reply.created))
