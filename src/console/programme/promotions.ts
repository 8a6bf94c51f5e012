/** Promotions of an edited programme, as the dialog for one shows and changes them. Pure. */
import type { GiftKind, Promotion } from "../../contract/Promotions.ts"
import { giftKinds } from "../../contract/Promotions.ts"
import type { OnEntry, WhenEntry, WhereEntry } from "./occasions.ts"
import { onEntryOf, whenEntryOf, whereEntryOf, withOn, withPart, withWhen, withWhere } from "./occasions.ts"

export type Every = NonNullable<NonNullable<Promotion["limits"]>["per_member"]>["every"]

/** A promotion, as the dialog holds it. */
export interface PromotionEntry {
  readonly name: string
  readonly description: string
  readonly kind: GiftKind
  /** Basis points or points. */
  readonly amount: number
  readonly on: OnEntry
  readonly where: WhereEntry
  /** Undefined: times that the dialog does not show. */
  readonly when: WhenEntry | undefined
  /** Minor units; undefined: any spend. */
  readonly spend: number | undefined
  /** Undefined: as often as it likes. */
  readonly limit: { readonly count: number; readonly every: Every } | undefined
  /** None: members of any tier. */
  readonly tiers: ReadonlyArray<string>
  /** True: only the first order of a guest. */
  readonly isFirst: boolean
  /** Only guests who joined at most so many days ago; undefined: whenever they joined. */
  readonly joinedWithin: number | undefined
}

export const promotionEntryOf = (promotion: Promotion): PromotionEntry => {
  const kind = giftKinds.find((one) => promotion.effect[one] !== undefined) ?? "multiply_bps"
  return {
    name: promotion.name,
    description: promotion.description ?? "",
    kind,
    amount: promotion.effect[kind] ?? 0,
    on: onEntryOf(promotion.on),
    where: whereEntryOf(promotion.where),
    when: whenEntryOf(promotion.when),
    spend: promotion.minimum_spend?.amount,
    limit: promotion.limits?.per_member,
    tiers: promotion.who?.tier_ids ?? [],
    isFirst: promotion.who?.first_order === true,
    joinedWithin: promotion.who?.joined_within_days
  }
}

const effectOf = (before: Promotion["effect"], kind: GiftKind, amount: number): Promotion["effect"] => {
  if (before[kind] !== undefined) return { ...before, [kind]: amount }
  const { add: _, add_per_item: __, multiplier_eligible, multiply_bps: ___, ...kept } = before
  // A multiple is of a base that has the tier's multiplier already.
  const eligible = kind === "multiply_bps" || multiplier_eligible === undefined ? {} : { multiplier_eligible }
  return { [kind]: amount, ...kept, ...eligible }
}

const whoOf = (
  before: Promotion["who"],
  { isFirst, joinedWithin, tiers }: Pick<PromotionEntry, "isFirst" | "joinedWithin" | "tiers">
): Promotion["who"] => {
  const ofTiers = withPart(before ?? {}, "tier_ids", tiers.length === 0 ? undefined : tiers)
  const first = withPart(ofTiers, "first_order", isFirst || undefined)
  const who = withPart(first, "joined_within_days", joinedWithin)
  return Object.keys(who).length === 0 ? undefined : who
}

/** The promotion with what the dialog says. All else stays. */
export const withPromotionEntry = (before: Promotion, entry: PromotionEntry, currency: string): Promotion => {
  const { description, limit, spend } = entry
  const named = { ...before, name: entry.name, effect: effectOf(before.effect, entry.kind, entry.amount) }
  const told = withPart(named, "description", description === "" ? undefined : description)
  const timed = withPart(told, "when", withWhen(before.when, entry.when))
  const placed = withPart(timed, "where", withWhere(before.where, entry.where))
  const lined = withPart(placed, "on", withOn(before.on, entry.on))
  const whose = withPart(lined, "who", whoOf(before.who, entry))
  const spent = withPart(whose, "minimum_spend", spend === undefined ? undefined : { amount: spend, currency })
  return withPart(spent, "limits", limit === undefined ? undefined : { per_member: limit })
}
