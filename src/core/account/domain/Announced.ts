/**
 * Announcements of a record to other systems (contract/events.md *Event types*): its events, put together as the feed tells
 * them.
 *
 * The number of announcements of each record is stored with it. So what this module makes of a stored event never changes:
 * a type that is added later needs an event of its own. `number_events` in migration 0015 counts older records in the same way.
 */
import type { EventName } from "../../../contract/platform/EventTypes.ts"
import type { BalanceCause, MemberChange } from "../../../contract/platform/FeedEvents.ts"
import type { AccountEvent } from "./AccountEvent.ts"
import { mergeReason } from "./AccountEvent.ts"
import type { Posted } from "./Posted.ts"

export interface Announcement {
  readonly name: EventName
  /** How the member changed, or why the balance did. */
  readonly why: MemberChange | BalanceCause | undefined
  /** At least one, in their order. */
  readonly events: ReadonlyArray<AccountEvent>
}

interface Place extends Pick<Announcement, "name" | "why"> {
  /** Events of a record with the same name, reason and object are announced together. */
  readonly of: string | number
}

const place = (name: EventName, of: string | number = "", why?: Place["why"]): Place => ({ name, why, of })
const updated = (change: MemberChange): Place => place("member.updated", "", change)
const changed = (cause: BalanceCause, of: string | number = ""): Place => place("balance.changed", of, cause)

const placeOfEntry = (entry: Posted): Place => {
  switch (entry.op) {
    case "accrual":
      return place("order.accrued", entry.order)
    case "adjustment":
      if (entry.reset === true) return changed(entry.reason === mergeReason ? "merge" : "stamp_card")
      return place("order.adjusted", entry.adjustment)
    case "redemption":
      return entry.wallet === undefined ? place("redemption.captured", entry.reservation) : changed("wallet")
    case "reversal":
      if (entry.wallet !== undefined) return changed("wallet")
      return entry.restores === undefined
        ? place("redemption.reversed", entry.reservation)
        : changed("expiration", "undone")
    case "expiration":
      return changed("expiration", entry.at)
    case "manual":
      return changed("manual")
  }
}

/** `isWhole`: the record merges or erases the member, which includes its identities. */
const placeOf = (event: AccountEvent, isWhole: boolean): Place | undefined => {
  switch (event.type) {
    case "posted":
      return placeOfEntry(event)
    case "enrolled":
      return place("member.enrolled")
    case "status_changed":
      return updated("status")
    case "identity_added":
    case "identity_removed":
      return isWhole ? undefined : updated("identities")
    case "merged_in":
    case "merged_away":
      return updated("merged")
    case "erased":
      return updated("erased")
    case "order_adjusted":
      return place("order.adjusted", event.adjustment)
    case "reserved":
      return place("redemption.reserved", event.reservation)
    case "captured":
      return place("redemption.captured", event.reservation)
    case "released":
    case "refunded":
      return place("redemption.reversed", event.reservation)
    case "hold_expired":
      return place("redemption.expired", event.reservation)
    case "reward_issued":
      return place("issued-reward.issued", event.issued)
    case "reward_redeemed":
      return place("issued-reward.redeemed", event.issued)
    case "reward_restored":
      return place("issued-reward.restored", event.issued)
    case "reward_cancelled":
      return place("issued-reward.cancelled", event.issued)
    case "reward_expired":
      return place("issued-reward.expired", event.issued)
    case "tier_changed":
      return event.from === undefined ? undefined : place("tier.changed", event.at)
    case "points_expiring":
      return place("points.expiring", `${event.unit} ${event.days} ${event.first}`)
    case "challenge_completed":
      return event.issued === undefined ? undefined : place("challenge.completed", event.issued)
    case "moved_in":
    case "challenge_progressed":
    case "lots_dated":
    case "reward_moved":
    case "reward_received":
    case "external_id_given":
    case "external_id_freed":
    case "profile_changed":
    case "clock_corrected":
      return undefined
    // With its accrual's entries.
    case "order_received":
      return place("order.accrued", event.order)
  }
}

const isOfWhole = ({ type }: AccountEvent): boolean =>
  type === "merged_in" || type === "merged_away" || type === "erased"

const keyOf = ({ name, of, why }: Place): string => `${name} ${why ?? ""} ${of}`

/** The announcements of a record, in the order of the first event of each. */
export const announcements = (events: ReadonlyArray<AccountEvent>): ReadonlyArray<Announcement> => {
  const isWhole = events.some(isOfWhole)
  const all = new Map<string, Announcement & { readonly events: Array<AccountEvent> }>()
  for (const event of events) {
    const found = placeOf(event, isWhole)
    if (found === undefined) continue
    const key = keyOf(found)
    const before = all.get(key)
    if (before === undefined) all.set(key, { name: found.name, why: found.why, events: [event] })
    else before.events.push(event)
  }
  return [...all.values()]
}

/** The number of announcements of a record. */
export const count = (events: ReadonlyArray<AccountEvent>): number => {
  const [only, ...others] = events
  // Most records: an order with one balance.
  if (only !== undefined && others.length === 0) return placeOf(only, isOfWhole(only)) === undefined ? 0 : 1
  return announcements(events).length
}
