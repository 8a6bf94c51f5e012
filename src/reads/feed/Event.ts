/**
 * The events that a record announces, as other systems read them (contract/events.md *Events*). Pure.
 *
 * Nothing personal is in an event: no identity, no attribute, no free text, and no artifact unless a connector asks for it.
 */

import { typeOf } from "../../contract/platform/EventTypes.ts"
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { AccountEvent, HoldEnded, IssuedArtifact, Reserved } from "../../core/account/domain/AccountEvent.ts"
import type { Announcement } from "../../core/account/domain/Announced.ts"
import { announcements } from "../../core/account/domain/Announced.ts"
import type { Accrual, Posted } from "../../core/account/domain/Posted.ts"
import type { BalanceFigures, Reply } from "../../core/account/domain/Reply.ts"
import type { Reservation } from "../../core/account/domain/State.ts"
import * as Rows from "../../core/account/Rows.ts"
import type { StoredRecord } from "../../core/journal/Records.ts"
import * as Render from "../../core/protocol/Render.ts"

/** A record with its member. */
export interface OwnedRecord
  extends Pick<StoredRecord, "account" | "announced" | "at" | "balances" | "hash" | "reply" | "seq"> {
  readonly events: ReadonlyArray<AccountEvent>
  readonly program: string
  readonly member: string
}

/** Facts of a wallet reward that were known when it was issued. */
export interface RewardFacts {
  readonly reward: string
  readonly at: number
  readonly expires: number | undefined
  readonly artifact: IssuedArtifact
}

/** Facts that a record's events need from other records. */
export interface Facts {
  /** By the reservation's id. */
  readonly holds: ReadonlyMap<string, Reserved>
  /** By the issued reward's id. */
  readonly rewards: ReadonlyMap<string, RewardFacts>
  /** The number of each account's first accrual entry. */
  readonly firstAccruals: ReadonlyMap<number, number>
  readonly currencyOf: (program: string) => string
  /** True: events of issued rewards have the artifact. */
  readonly withArtifacts: boolean
}

const sequenceDigits = 16

const isEntry = (event: AccountEvent): event is Posted => event.type === "posted"
const isAccrual = (event: AccountEvent): event is Accrual => isEntry(event) && event.op === "accrual"

interface Told extends Pick<Announcement, "events"> {
  /** Of a record that moved an order here or away. */
  readonly moved: true | undefined
  readonly owner: Render.Owner
  readonly facts: Facts
  readonly reply: () => Reply
}

const entriesOf = ({ events, owner }: Told) =>
  events.filter(isEntry).map((event) => {
    const { reason: _, ...entry } = Render.entry(owner, Rows.entry(event))
    return entry
  })

const known = <A>(found: A | undefined, what: string): A => {
  if (found === undefined) throw new Error(`${what} is not in the database`)
  return found
}

const find = <Type extends AccountEvent["type"]>({ events }: Pick<Told, "events">, ...types: ReadonlyArray<Type>) =>
  known(
    events.find((event): event is Extract<AccountEvent, { readonly type: Type }> =>
      (types as ReadonlyArray<string>).includes(event.type)
    ),
    types.join(" or ")
  )

const memberOf = (told: Told) => {
  const { at, joined = at, via } = find(told, "enrolled")
  const {
    identities: _i,
    attributes: _a,
    ...member
  } = Render.member(told.owner, { joined, status: "active" }, { identities: [] }, tierIn(told.reply()))
  return { member, via }
}

const tierIn = (reply: Reply): string | undefined => (reply.type === "member" ? reply.tier : undefined)

const changeOf = ({ events }: Told, change: Announcement["why"]) => {
  const [event] = events
  return {
    change,
    status: event?.type === "status_changed" ? event.status : undefined,
    merged_into: event?.type === "merged_away" ? event.member : undefined
  }
}

const accrualOf = (told: Told) => {
  const { business, first, location, n, order, orders, rule, spend = 0 } = known(told.events.find(isAccrual), "accrual")
  const { account, program } = told.owner
  // Of an order that was moved here, what is left of its spend.
  const received = told.events.find((event) => event.type === "order_received")
  const left = Math.max(0, spend + (received?.delta ?? 0))
  return {
    entries: entriesOf(told),
    order_id: order,
    location_id: location,
    business_date: business,
    eligible_spend: { amount: left, currency: told.facts.currencyOf(program) },
    multiplier_bps: rule?.[2] ?? 0,
    // Older records do not say it: of these it is a member's first accrual, as was told then.
    first_order: first ?? (orders === undefined && told.facts.firstAccruals.get(account) === n),
    promotions: Render.promotions(told.events.filter(isAccrual)),
    moved: told.moved
  }
}

const adjustmentOf = (told: Told) => {
  const { adjustment, kind, order } = find(told, "order_adjusted")
  return { entries: entriesOf(told), order_id: order, adjustment_id: adjustment, type: kind }
}

const made = ({ at, type: _, ...facts }: Reserved): Reservation => ({ ...facts, created: at, status: "reserved" })

/** The reservation after the event that ended it. When a reversed one was captured, only the answer to its reversal tells. */
const ended = ({ facts, reply }: Told, { at, reservation, type }: HoldEnded): Reservation => {
  const hold = made(known(facts.holds.get(reservation), `reservation ${reservation}`))
  switch (type) {
    case "captured":
      return { ...hold, status: "captured", captured: at }
    case "released":
      return { ...hold, status: "reversed", reversed: at }
    case "hold_expired":
      return { ...hold, status: "expired" }
    case "refunded": {
      const answer = reply()
      const captured = answer.type === "reservation" ? answer.reservation.captured : undefined
      return { ...hold, status: "reversed", reversed: at, ...(captured === undefined ? undefined : { captured }) }
    }
  }
}

const reservationOf = (told: Told) => {
  const event = find(told, "reserved", "captured", "released", "refunded", "hold_expired")
  const hold = event.type === "reserved" ? made(event) : ended(told, event)
  const entries = entriesOf(told)
  return {
    reservation: Render.reservation(told.owner, hold),
    entries: entries.length === 0 ? undefined : entries
  }
}

const statuses = {
  reward_issued: "issued",
  reward_redeemed: "redeemed",
  reward_restored: "issued",
  reward_cancelled: "cancelled",
  reward_expired: "expired"
} as const

const rewardOf = (told: Told) => {
  const event = find(told, "reward_issued", "reward_redeemed", "reward_restored", "reward_cancelled", "reward_expired")
  const { at, issued, type } = event
  const facts = type === "reward_issued" ? event : known(told.facts.rewards.get(issued), `issued reward ${issued}`)
  const { artifact, ...issued_reward } = Render.issuedRewardRow(told.owner, {
    issuedRewardId: issued,
    rewardId: facts.reward,
    status: statuses[type],
    issuedAt: facts.at,
    expiresAt: facts.expires,
    redeemedAt: type === "reward_redeemed" ? at : undefined,
    cancelledAt: type === "reward_cancelled" ? at : undefined,
    artifactType: facts.artifact.type,
    artifactValue: facts.artifact.value
  })
  return { issued_reward: told.facts.withArtifacts ? { ...issued_reward, artifact } : issued_reward }
}

const warningOf = (told: Told) => {
  const { amount, days, first, unit } = find(told, "points_expiring")
  return { unit, amount, first_expires_at: fromMillis(first), days }
}

/** Two changes of one instant are told as one. */
const tierOf = (told: Told) => {
  const { from } = find(told, "tier_changed")
  const { amount, to } = find({ events: told.events.toReversed() }, "tier_changed")
  return {
    from_tier_id: from,
    to_tier_id: to,
    metric_amount: amount,
    direction: tierDirection(told),
    moved: told.moved
  }
}

/** The direction in which a tier.changed goes. */
export const tierDirection = ({ events }: Pick<Announcement, "events">) => {
  const { places } = find({ events }, "tier_changed")
  const { places: last } = find({ events: events.toReversed() }, "tier_changed")
  return directionOf(places?.[0], last?.[1])
}

const directionOf = (from: number | undefined, to: number | undefined) => {
  if (from === undefined || to === undefined || from === to) return undefined
  return from < to ? "up" : "down"
}

const dataOf = (told: Told, { name, why }: Announcement): object => {
  switch (name) {
    case "member.enrolled":
      return memberOf(told)
    case "member.updated":
      return changeOf(told, why)
    case "order.accrued":
      return accrualOf(told)
    case "order.adjusted":
      return adjustmentOf(told)
    case "balance.changed":
      return { entries: entriesOf(told), cause: why }
    case "redemption.reserved":
    case "redemption.captured":
    case "redemption.reversed":
    case "redemption.expired":
      return reservationOf(told)
    case "issued-reward.issued":
    case "issued-reward.redeemed":
    case "issued-reward.restored":
    case "issued-reward.cancelled":
    case "issued-reward.expired":
      return rewardOf(told)
    case "challenge.completed": {
      const { id, issued } = find(told, "challenge_completed")
      return { challenge_id: id, issued_reward_id: issued, moved: told.moved }
    }
    case "points.expiring":
      return warningOf(told)
    case "tier.changed":
      return tierOf(told)
  }
}

const isMove = (event: AccountEvent): boolean =>
  event.type === "order_received" || (event.type === "order_adjusted" && event.moved !== undefined)

/** The events of a record, in their order. */
export const eventsOf = (record: OwnedRecord, facts: Facts): ReadonlyArray<FeedEvent> => {
  const { account, announced, at, hash, member, program } = record
  const all = announcements(record.events)
  const owner = { account, program, member }
  const balances = (JSON.parse(record.balances) as ReadonlyArray<BalanceFigures>).map((figures) =>
    Render.balance(owner, figures, at)
  )
  const reply = () => JSON.parse(record.reply) as Reply
  const moved = record.events.some(isMove) || undefined
  return all.map((announcement, index) => {
    const { events, name } = announcement
    const told = { events, owner, facts, reply, moved }
    const event = {
      specversion: "1.0",
      // Of the hash, not of the sequence: a change that was lost with a restore and another one in its place differ.
      id: `${hash}-${index}`,
      source: `/programs/${program}`,
      type: typeOf(name),
      subject: member,
      time: fromMillis(events[0]?.at ?? at),
      datacontenttype: "application/json",
      sequence: String(announced - all.length + index + 1).padStart(sequenceDigits, "0"),
      programid: program,
      data: { program_id: program, member_id: member, balances, ...dataOf(told, announcement) }
    }
    // The name decides about the data, which no type of an announcement says.
    return Render.withoutAbsent(event) as FeedEvent
  })
}

/** Facts to be looked up for a record's events. */
export interface Wanted {
  readonly holds: ReadonlyArray<string>
  readonly rewards: ReadonlyArray<string>
  readonly accrues: boolean
}

export const wantedBy = ({ events }: Pick<OwnedRecord, "events">): Wanted => ({
  holds: events.flatMap((event) =>
    event.type === "captured" || event.type === "released" || event.type === "refunded" || event.type === "hold_expired"
      ? [event.reservation]
      : []
  ),
  rewards: events.flatMap((event) =>
    event.type === "reward_redeemed" ||
    event.type === "reward_restored" ||
    event.type === "reward_cancelled" ||
    event.type === "reward_expired"
      ? [event.issued]
      : []
  ),
  accrues: events.some(isAccrual)
})
