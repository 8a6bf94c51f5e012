/** An edited programme itself, its accounts and its stamp card, as dialogs show and change them. Pure. */
import type { PointValue, ProgramFile } from "../../contract/ProgramFile.ts"
import type { ProgramAccount } from "../../contract/protocol/Program.ts"
import type { Unit } from "../../contract/Values.ts"
import type { Draft } from "./draft.ts"
import type { OnEntry } from "./occasions.ts"
import { withOn, withPart } from "./occasions.ts"

/** The programme itself, as the dialog holds it. */
export interface GeneralEntry {
  readonly name: string
  readonly description: string
  /** Empty: the programme has none of its own. */
  readonly zone: string
  /** Two letters; empty: imports need numbers with a country code. */
  readonly country: string
  /** Undefined: figures tell no money of points. In minor units. */
  readonly value: { readonly points: number; readonly worth: number } | undefined
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

export const generalEntryOf = (draft: Draft, value: PointValue | undefined): GeneralEntry => ({
  name: textOf(draft["name"]),
  description: textOf(draft["description"]),
  zone: textOf(draft["time_zone"]),
  country: textOf(draft["country"]),
  value: value === undefined ? undefined : { points: value.points, worth: value.worth.amount }
})

/** The programme with what the dialog says. All else stays. */
export const withGeneralEntry = (before: Draft, entry: GeneralEntry, currency: string): Draft => {
  const { country, description, name, value, zone } = entry
  const named: Draft = { ...before, name }
  const told = withPart(named, "description", description === "" ? undefined : description)
  const timed = withPart(told, "time_zone", zone === "" ? undefined : zone)
  const placed = withPart(timed, "country", country === "" ? undefined : country)
  const worth = value && { points: value.points, worth: { amount: value.worth, currency } }
  return withPart(placed, "point_value", worth)
}

type Rule = NonNullable<ProgramFile["account_earning"]>[number]

/** An account, as the dialog holds it. */
export interface AccountEntry {
  readonly unit: Unit
  /** The guests' name for its unit; empty: the unit's usual name. */
  readonly name: string
  /** So much of it each order gives; undefined: another rule says how it is earned. */
  readonly perOrder: number | undefined
}

export const accountEntryOf = (account: ProgramAccount, rules: ReadonlyArray<Rule>): AccountEntry => {
  const rule = rules.find(({ unit }) => unit === account.unit)
  const isOwn = account.is_primary || rule?.mode === "spend"
  return { unit: account.unit, name: account.unit_label ?? "", perOrder: isOwn ? undefined : (rule?.amount ?? 0) }
}

export const withAccountEntry = (before: ProgramAccount, { name }: AccountEntry): ProgramAccount =>
  withPart(before, "unit_label", name === "" ? undefined : name)

/** The rules of earning with what the dialog says of one account. */
export const withPerOrder = (rules: ReadonlyArray<Rule>, { perOrder, unit }: AccountEntry): ReadonlyArray<Rule> => {
  if (perOrder === undefined) return rules
  const place = rules.findIndex((rule) => rule.unit === unit)
  const before = rules[place]
  if (before === undefined)
    return perOrder === 0
      ? rules
      : [...rules, { unit, mode: "per_order", amount: perOrder, multiplier_eligible: false }]
  return perOrder === 0 ? rules.toSpliced(place, 1) : rules.with(place, { ...before, amount: perOrder })
}

type StampCard = NonNullable<ProgramFile["stamp_card"]>

/** A stamp card, as the dialog holds it. */
export interface StampCardEntry {
  readonly unit: Unit
  readonly threshold: number
  readonly reward: string
  readonly resets: boolean
  /** So long the reward can be used; undefined: for ever. */
  readonly days: number | undefined
}

const daySeconds = 86_400

export const stampCardEntryOf = (card: StampCard): StampCardEntry => ({
  unit: card.unit,
  threshold: card.threshold,
  reward: card.reward_id,
  resets: card.resets,
  days: card.reward_ttl_seconds === undefined ? undefined : card.reward_ttl_seconds / daySeconds
})

export const withStampCardEntry = (before: StampCard | undefined, entry: StampCardEntry): StampCard => {
  const { days, resets, reward, threshold, unit } = entry
  const seconds = days === undefined ? undefined : Math.round(days * daySeconds)
  return withPart<StampCard, "reward_ttl_seconds">(
    { ...before, unit, threshold, reward_id: reward, resets },
    "reward_ttl_seconds",
    seconds
  )
}

/** How a new account is filled: a stamp for every order, or for each item of these products. */
export const fillings = ["order", "items"] as const
export type Filling = (typeof fillings)[number]

const listIn = (draft: Draft, name: string): ReadonlyArray<unknown> => {
  const drafted = draft[name]
  return Array.isArray(drafted) ? drafted : []
}

const propertyOf = (item: unknown, name: string): unknown =>
  typeof item === "object" && item !== null ? Reflect.get(item, name) : undefined

/** True if guests earn an account by what they spend: a card of it gives a reward again and again for one large order. */
export const isBySpend = (draft: Draft, unit: Unit): boolean => {
  const rule = listIn(draft, "account_earning").find((one) => propertyOf(one, "unit") === unit)
  if (rule !== undefined) return propertyOf(rule, "mode") === "spend"
  return listIn(draft, "accounts").some(
    (one) => propertyOf(one, "unit") === unit && propertyOf(one, "is_primary") === true
  )
}

/** The unit of a new account for stamps; undefined: the programme has all of them. */
export const newUnit = (draft: Draft): Unit | undefined =>
  (["stamps", "visits", "custom"] as const).find(
    (unit) => !listIn(draft, "accounts").some((one) => propertyOf(one, "unit") === unit)
  )

/** The programme with a new account that is filled so. */
export const withFilling = (draft: Draft, unit: Unit, filling: Filling, name: string, on: OnEntry): Draft => {
  const accounts = [...listIn(draft, "accounts"), { unit, is_primary: false }]
  if (filling === "order") {
    const rule = { unit, mode: "per_order", amount: 1, multiplier_eligible: false }
    return { ...draft, accounts, account_earning: [...listIn(draft, "account_earning"), rule] }
  }
  const promotions = listIn(draft, "promotions")
  const ids = new Set(promotions.map((one) => propertyOf(one, "promotion_id")))
  const free = ["stamp-card", ...promotions.map((_, place) => `stamp-card-${place + 2}`)]
  const promotion_id = free.find((id) => !ids.has(id))
  const promotion = { promotion_id, name, effect: { add_per_item: 1, unit }, on: withOn(undefined, on) }
  return { ...draft, accounts, promotions: [...promotions, promotion] }
}
