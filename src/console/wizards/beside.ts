/** Promotions of a programme beside one that a wizard makes: those that give more on the same orders. Pure. */
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { GiftKind, Promotion } from "../../contract/Promotions.ts"
import { giftKinds } from "../../contract/Promotions.ts"
import type { Draft } from "../programme/draft.ts"
import { isSame } from "../programme/draft.ts"

export interface Beside {
  /** The name of one that gives as much on each of its orders, or more: it would never be given. */
  readonly outdoneBy?: string
  /** Names of those that give more on some of its orders. */
  readonly atTimes: ReadonlyArray<string>
  /** True if nothing that it is for earns. */
  readonly isExcluded: boolean
}

const listIn = (draft: Draft, name: string): ReadonlyArray<unknown> => {
  const drafted = draft[name]
  return Array.isArray(drafted) ? drafted : []
}

const isPrimary = (account: unknown): boolean =>
  typeof account === "object" && account !== null && Reflect.get(account, "is_primary") === true

export const primaryOf = (draft: Draft): string => {
  const account = listIn(draft, "accounts").find(isPrimary)
  return String(typeof account === "object" && account !== null ? Reflect.get(account, "unit") : "points")
}

export const promotionsIn = (draft: Draft): ReadonlyArray<Promotion> =>
  listIn(draft, "promotions") as ReadonlyArray<Promotion>

const dayOf = (moment: string | undefined, none: string): string => moment?.slice(0, 10) ?? none
const [everBefore, everAfter] = ["0000-00-00", "9999-99-99"]

/** Whether days of two have one in common; `today`: those before it are over. */
const meets = (one: Promotion, other: Promotion, today: string): boolean => {
  const from = [dayOf(one.when?.from, today), dayOf(other.when?.from, today), today].toSorted().at(-1) ?? today
  const until = [dayOf(one.when?.until, everAfter), dayOf(other.when?.until, everAfter)].toSorted()[0] ?? everAfter
  return from <= until
}

const coversTime = (wide: Promotion["when"], { when = {} }: Promotion, today: string): boolean =>
  wide === undefined ||
  (wide.dates === undefined &&
    (wide.weekly === undefined || isSame(wide.weekly, when.weekly)) &&
    dayOf(wide.from, everBefore) <= dayOf(when.from, today) &&
    dayOf(wide.until, everAfter) >= dayOf(when.until, everAfter))

const coversLines = (wide: Promotion["on"], { on }: Promotion): boolean => {
  if (wide === undefined) return true
  const { category_ids: categories = [], product_ids: products = [] } = on ?? {}
  return (
    on !== undefined &&
    products.every((id) => wide.product_ids?.includes(id)) &&
    categories.every((id) => wide.category_ids?.includes(id))
  )
}

const shareLines = ({ on: one }: Promotion, { on: other }: Promotion): boolean =>
  one === undefined ||
  other === undefined ||
  (["product_ids", "category_ids"] as const).some((ids) => one[ids]?.some((id) => other[ids]?.includes(id)))

/** Whether it holds for every guest and order that the other holds for. */
const covers = (wide: Promotion, own: Promotion, today: string): boolean =>
  [wide.who, wide.where, wide.limits, wide.minimum_spend].every((part) => part === undefined) &&
  coversTime(wide.when, own, today) &&
  coversLines(wide.on, own)

const giftOf = ({ effect }: Promotion): { readonly kind: GiftKind; readonly amount: number } => {
  const kind = giftKinds.find((one) => effect[one] !== undefined) ?? "add"
  return { kind, amount: effect[kind] ?? 0 }
}

/** Whether it gives at least as much: always, or as the order is. Points for each item are those of one at least. */
const gives = (other: Promotion, own: Promotion): "as much" | "at times" | "less" => {
  const [theirs, ours] = [giftOf(other), giftOf(own)]
  const areMultiples = (theirs.kind === "multiply_bps") === (ours.kind === "multiply_bps")
  if (areMultiples && theirs.amount >= ours.amount) return "as much"
  return areMultiples && theirs.kind !== "add_per_item" ? "less" : "at times"
}

const areExcluded = (draft: Draft, { on }: Promotion): boolean => {
  const { exclusions } = draft["earning"] as ProgramFile["earning"]
  const { category_ids: categories = [], product_ids: products = [] } = on ?? {}
  return (
    products.length + categories.length > 0 &&
    products.every((id) => exclusions.product_ids.includes(id)) &&
    categories.every((id) => exclusions.category_ids.includes(id))
  )
}

/** `own`: a promotion as the programme would have it. `today`: `YYYY-MM-DD`, in the programme's zone. */
const besideOne = (draft: Draft, own: Promotion, today: string): Beside => {
  const isExcluded = areExcluded(draft, own)
  if (draft["stacking"] === "all") return { atTimes: [], isExcluded }
  const primary = primaryOf(draft)
  const unitOf = ({ effect }: Promotion) => effect.unit ?? primary
  const others = promotionsIn(draft).filter(
    (one) =>
      one.promotion_id !== own.promotion_id &&
      one.enabled !== false &&
      unitOf(one) === unitOf(own) &&
      shareLines(one, own) &&
      meets(one, own, today)
  )
  const outdoing = others.find((one) => gives(one, own) === "as much" && covers(one, own, today))
  return {
    ...(outdoing === undefined ? undefined : { outdoneBy: outdoing.name }),
    atTimes: others.filter((one) => gives(one, own) !== "less").map(({ name }) => name),
    isExcluded
  }
}

/** Of the promotion that only the later programme has, or has otherwise; there is one at most. */
export const besideOf = (before: Draft, after: Draft, today: string): Beside => {
  const promotions = promotionsIn(before)
  const own = promotionsIn(after).find((one) => !promotions.includes(one))
  return own === undefined ? { atTimes: [], isExcluded: false } : besideOne(before, own, today)
}
