/** When, where and on which products a promotion or a challenge holds, as a dialog shows and changes it. Pure. */
import type { PromotionOn, PromotionWhen, PromotionWhere } from "../../contract/Promotions.ts"
import { weekdays } from "../../contract/Promotions.ts"
import type { Channel } from "../../contract/Values.ts"

export type Weekday = (typeof weekdays)[number]

/** Empty texts and lists: no bound. */
export interface WhenEntry {
  /** None: every day. */
  readonly days: ReadonlyArray<Weekday>
  /** `HH:mm`. */
  readonly from: string
  readonly until: string
  /** `YYYY-MM-DD`. */
  readonly first: string
  readonly last: string
}

export interface OnEntry {
  readonly products: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
}

/** None: everywhere, and however it is ordered. */
export interface WhereEntry {
  /** Ids. */
  readonly places: ReadonlyArray<string>
  readonly channels: ReadonlyArray<Channel>
}

/** The object with one of its properties changed, in its place; undefined: without it. */
export const withPart = <A extends object, K extends keyof A>(of: A, name: K, value: A[K] | undefined): A => {
  const { [name]: _, ...others } = of
  return value === undefined ? (others as A) : { ...of, [name]: value }
}

const isDay = (text: string | undefined): boolean => text === undefined || /^\d{4}-\d\d-\d\d$/.test(text)

/** The times for a dialog; undefined: it does not show all of them. */
export const whenEntryOf = ({ dates, from, until, weekly = [] }: PromotionWhen = {}): WhenEntry | undefined => {
  const [window] = weekly
  if (dates !== undefined || weekly.length > 1 || !isDay(from) || !isDay(until)) return undefined
  const isWholeDay = window === undefined || (window.from === "00:00" && window.until === "24:00")
  return {
    days: window === undefined || window.days.length === weekdays.length ? [] : window.days,
    from: isWholeDay ? "" : window.from,
    // A field for times has no 24:00.
    until: isWholeDay ? "" : window.until.replace("24:00", "00:00"),
    first: from ?? "",
    last: until ?? ""
  }
}

const weeklyOf = ({ days, from, until }: WhenEntry): PromotionWhen["weekly"] => {
  if (days.length === 0 && from === "" && until === "") return undefined
  const on = weekdays.filter((day) => days.length === 0 || days.includes(day))
  return [{ days: on, from: from === "" ? "00:00" : from, until: until === "" || until === "00:00" ? "24:00" : until }]
}

const orNone = <A extends object>(value: A): A | undefined => (Object.keys(value).length === 0 ? undefined : value)

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The times with what a dialog says of them; undefined: none. */
export const withWhen = (
  before: PromotionWhen | undefined,
  entry: WhenEntry | undefined
): PromotionWhen | undefined => {
  if (entry === undefined || isSame(entry, whenEntryOf(before))) return before
  const bounds = withPart(withPart(before ?? {}, "from", entry.first || undefined), "until", entry.last || undefined)
  return orNone(withPart(bounds, "weekly", weeklyOf(entry)))
}

export const onEntryOf = (on: PromotionOn | undefined): OnEntry => ({
  products: on?.product_ids ?? [],
  categories: on?.category_ids ?? []
})

const orAny = <A>(list: ReadonlyArray<A>) => (list.length === 0 ? undefined : list)

/** The lines with what a dialog says of them; undefined: all. */
export const withOn = (before: PromotionOn | undefined, { categories, products }: OnEntry): PromotionOn | undefined =>
  orNone(withPart(withPart(before ?? {}, "product_ids", orAny(products)), "category_ids", orAny(categories)))

export const whereEntryOf = (where: PromotionWhere | undefined): WhereEntry => ({
  places: where?.location_ids ?? [],
  channels: where?.channels ?? []
})

/** The places with what a dialog says of them; undefined: everywhere. */
export const withWhere = (
  before: PromotionWhere | undefined,
  { channels, places }: WhereEntry
): PromotionWhere | undefined =>
  orNone(withPart(withPart(before ?? {}, "location_ids", orAny(places)), "channels", orAny(channels)))

export type WhenFault = "hours" | "dates"

export const whenFaults = (entry: WhenEntry | undefined): ReadonlyArray<WhenFault> => {
  if (entry === undefined) return []
  const { first, from, last, until } = entry
  return [
    ...(from !== "" && from === until && until !== "00:00" ? (["hours"] as const) : []),
    ...(first !== "" && last !== "" && last < first ? (["dates"] as const) : [])
  ]
}
