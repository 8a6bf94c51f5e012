/** How the base of an edited programme earns and expires, as dialogs show and change it. Pure. */
import type { PointExpiration, ProgramFile } from "../../contract/ProgramFile.ts"
import type { Channel, LineKind } from "../../contract/Values.ts"
import { withPart } from "./occasions.ts"

type Earning = ProgramFile["earning"]

/** The base, as the dialog holds it. Amounts are in minor units. */
export interface EarningEntry {
  /** So many points for every `spend`. */
  readonly points: number
  readonly spend: number
  /** The least eligible spend of an order. */
  readonly least: number
  readonly channels: ReadonlyArray<Channel>
  readonly products: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly lineKinds: ReadonlyArray<LineKind>
}

export const earningEntryOf = ({
  eligible_channels,
  exclusions,
  minimum_eligible_spend,
  rate
}: Earning): EarningEntry => ({
  points: rate.amount,
  spend: rate.spend.amount,
  least: minimum_eligible_spend.amount,
  channels: eligible_channels,
  products: exclusions.product_ids,
  categories: exclusions.category_ids,
  tags: exclusions.tags,
  lineKinds: exclusions.line_kinds
})

/** The base with what the dialog says. All else stays. */
export const withEarningEntry = (before: Earning, entry: EarningEntry, currency: string): Earning => ({
  ...before,
  rate: { ...before.rate, amount: entry.points, spend: { amount: entry.spend, currency } },
  minimum_eligible_spend: { amount: entry.least, currency },
  eligible_channels: entry.channels,
  exclusions: {
    ...before.exclusions,
    product_ids: entry.products,
    category_ids: entry.categories,
    tags: entry.tags,
    line_kinds: entry.lineKinds
  }
})

export const expiryKinds = ["never", "after_earned", "after_inactivity"] as const
type ExpiryKind = (typeof expiryKinds)[number]
export const expiryUnits = ["days", "months"] as const
type ExpiryUnit = (typeof expiryUnits)[number]
export const expiryEnds = ["instant", "end_of_day", "end_of_month", "end_of_year"] as const
type ExpiryEnd = (typeof expiryEnds)[number]

export interface ExpiryEntry {
  readonly kind: ExpiryKind
  readonly count: number
  readonly unit: ExpiryUnit
  readonly end: ExpiryEnd
  /** Days before. */
  readonly warnings: ReadonlyArray<number>
}

export const expiryEntryOf = (expiration: PointExpiration | undefined): ExpiryEntry => {
  const { at = "instant", days, months, type, warning_days = [] } = expiration ?? ({} as Partial<PointExpiration>)
  return {
    kind: type ?? "never",
    count: months ?? days ?? 12,
    unit: days === undefined ? "months" : "days",
    end: at,
    warnings: expiration === undefined ? [30] : warning_days
  }
}

/** The expiration with what the dialog says; undefined: never. */
export const withExpiryEntry = (
  before: PointExpiration | undefined,
  { count, end, kind, unit, warnings }: ExpiryEntry
): PointExpiration | undefined => {
  if (kind === "never") return undefined
  const typed: PointExpiration = { ...before, type: kind, warning_days: warnings }
  const counted = withPart(
    withPart(typed, "days", unit === "days" ? count : undefined),
    "months",
    unit === "months" ? count : undefined
  )
  const isUsual = end === "instant" && before?.at === undefined
  return withPart(counted, "at", kind === "after_inactivity" || isUsual ? undefined : end)
}
