/** Promotions of an edited programme, as the dialog for one shows and changes them. Pure. */
import type { Promotion } from "../../contract/Promotions.ts"
import type { OnEntry, WhenEntry } from "./occasions.ts"
import { onEntryOf, whenEntryOf, withOn, withPart, withWhen } from "./occasions.ts"

export const giftKinds = ["multiply_bps", "add_per_item", "add"] as const
export type GiftKind = (typeof giftKinds)[number]

export type Every = NonNullable<NonNullable<Promotion["limits"]>["per_member"]>["every"]

/** What the dialog holds of a promotion. */
export interface PromotionEntry {
  readonly name: string
  readonly description: string
  readonly kind: GiftKind
  /** Basis points or points. */
  readonly amount: number
  readonly on: OnEntry
  /** Undefined: times that the dialog does not show. */
  readonly when: WhenEntry | undefined
  /** Minor units; undefined: any spend. */
  readonly spend: number | undefined
  /** Undefined: as often as it likes. */
  readonly limit: { readonly count: number; readonly every: Every } | undefined
  /** None: members of any tier. */
  readonly tiers: ReadonlyArray<string>
}

export const promotionEntryOf = (promotion: Promotion): PromotionEntry => {
  const kind = giftKinds.find((one) => promotion.effect[one] !== undefined) ?? "multiply_bps"
  return {
    name: promotion.name,
    description: promotion.description ?? "",
    kind,
    amount: promotion.effect[kind] ?? 0,
    on: onEntryOf(promotion.on),
    when: whenEntryOf(promotion.when),
    spend: promotion.minimum_spend?.amount,
    limit: promotion.limits?.per_member,
    tiers: promotion.who?.tier_ids ?? []
  }
}

const effectOf = (before: Promotion["effect"], kind: GiftKind, amount: number): Promotion["effect"] => {
  if (before[kind] !== undefined) return { ...before, [kind]: amount }
  const { add: _, add_per_item: __, multiplier_eligible, multiply_bps: ___, ...kept } = before
  // A multiple is of a base that has the tier's multiplier already.
  const eligible = kind === "multiply_bps" || multiplier_eligible === undefined ? {} : { multiplier_eligible }
  return { [kind]: amount, ...kept, ...eligible }
}

const whoOf = (before: Promotion["who"], tiers: ReadonlyArray<string>): Promotion["who"] => {
  const who = withPart(before ?? {}, "tier_ids", tiers.length === 0 ? undefined : tiers)
  return Object.keys(who).length === 0 ? undefined : who
}

/** The promotion with what the dialog says. All else stays. */
export const withPromotionEntry = (before: Promotion, entry: PromotionEntry, currency: string): Promotion => {
  const { description, limit, spend } = entry
  const named = { ...before, name: entry.name, effect: effectOf(before.effect, entry.kind, entry.amount) }
  const told = withPart(named, "description", description === "" ? undefined : description)
  const timed = withPart(told, "when", withWhen(before.when, entry.when))
  const lined = withPart(timed, "on", withOn(before.on, entry.on))
  const whose = withPart(lined, "who", whoOf(before.who, entry.tiers))
  const spent = withPart(whose, "minimum_spend", spend === undefined ? undefined : { amount: spend, currency })
  return withPart(spent, "limits", limit === undefined ? undefined : { per_member: limit })
}
