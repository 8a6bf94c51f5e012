/** Facts of the contract as sentences. Ids are said only in their usual form, so that no sentence has a guest's text. */

import type { EntryCause, OperatorsEntry } from "../../contract/admin/MemberLedger.ts"
import type { Lot } from "../../contract/admin/Members.ts"
import type { Balance, Reservation, TierProgress } from "../../contract/protocol/Resources.ts"
import { said } from "./GuestText.ts"

type Entry = typeof OperatorsEntry.Type

interface Money {
  readonly amount: number
  readonly currency: string
}

export const money = ({ amount, currency }: Money): string => `${amount} minor units of ${said(currency)}`

/** "1 guest", "2 guests". */
export const count = (number: number, one: string, several = `${one}s`): string =>
  `${number} ${number === 1 ? one : several}`

const signed = (amount: number): string => (amount > 0 ? `+${amount}` : String(amount))

export const balance = ({ amount, available, reserved, unit }: typeof Balance.Type): string => {
  const held =
    reserved === 0 ? "all of them can be spent now" : `${available} can be spent now, and ${reserved} are held`
  return amount < 0
    ? `The balance is ${amount} ${unit}: more was taken back, as by a refund, than was left.`
    : `The balance is ${amount} ${unit}: ${held}.`
}

/** The lots of an account: how many, and what expires first. */
export const lots = (unit: string, all: ReadonlyArray<typeof Lot.Type>): string => {
  const own = all.filter((lot) => lot.unit === unit)
  const sum = own.reduce((total, { remaining }) => total + remaining, 0)
  const ending = own.flatMap(({ expires_at, remaining }) =>
    expires_at === undefined ? [] : [{ expires_at, remaining }]
  )
  const [first] = ending.toSorted((a, b) => (a.expires_at < b.expires_at ? -1 : 1))
  const held = `${sum} ${unit} are in ${count(own.length, "lot")}, and those that were earned first are spent first.`
  return first === undefined
    ? `${held} None of them expires.`
    : `${held} The next to expire are ${first.remaining} at ${first.expires_at}, unless they are spent before.`
}

export const reservation = ({ cost, expires_at, reservation_id, reward_id }: typeof Reservation.Type): string =>
  `The open reservation ${reservation_id} holds ${cost.amount} ${cost.unit} for reward ${said(reward_id)}, until it is captured or expires at ${expires_at}.`

export const tier = ({ current_tier_id, next_tier_id, remaining_to_next }: TierProgress): string =>
  next_tier_id === undefined
    ? `The tier is ${said(current_tier_id)}, the highest.`
    : `The tier is ${said(current_tier_id)}; ${remaining_to_next ?? 0} more of its metric are missing for ${said(next_tier_id)}.`

const causes: Readonly<Record<EntryCause, string>> = {
  order: "earned by an order",
  refund: "after an order was refunded",
  void: "after an order was voided",
  correction: "after an order was corrected",
  order_moved: "because an order was moved between members",
  merge: "because members were merged",
  stamp_card: "because a full stamp card was emptied",
  redemption: "spent by a redemption",
  reversal: "given back by a reversed redemption",
  expiration: "expired",
  expiration_undone: "given back, because an expiry was undone",
  manual: "by a manual adjustment"
}

/** Names the entry by the service's id, with which the data tell the order. */
export const entry = ({ amount, cause, entry_id, expires_at, occurred_at, unit }: Entry): string => {
  const until =
    expires_at === undefined || amount <= 0 ? "" : `; they expire at ${expires_at} unless they are spent before`
  return `${occurred_at}: ${signed(amount)} ${unit}, ${causes[cause]}${until} (${entry_id}).`
}

export const multiplier = (bps: number): string => `${bps / 10_000}`
