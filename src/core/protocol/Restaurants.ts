/**
 * The restaurants that a caller is limited to, by day (contract/people.md *Limited to restaurants*): a franchisee's are
 * his for the business days on which they are his.
 */
import type { GivenLimits } from "../../contract/RestaurantLimits.ts"
import { fromMillis } from "../../contract/Values.ts"

/** Franchisees and brands of a location, by rising day. */
export interface PlaceFacts {
  readonly location_id: string
  readonly franchisees?:
    | ReadonlyArray<{ readonly from: string; readonly franchisee_id?: string | undefined }>
    | undefined
  readonly brands?: ReadonlyArray<{ readonly from: string; readonly brand_id?: string | undefined }> | undefined
}

/** Business days, YYYY-MM-DD: from the first one on, up to the one before `until`. */
export interface DaySpan {
  /** Empty: since ever. */
  readonly from: string
  /** Undefined: for ever. */
  readonly until: string | undefined
}

const dayMs = 86_400_000

/** Days around those on which a restaurant is a caller's, in which a reservation there is, too: it has no business day. */
export const aboutDays = 2

/** Days after its last one in which a restaurant's tills still send new orders of before: tills may be offline. */
const latelyDays = 7

const dayOf = (at: number): string => fromMillis(at).slice(0, 10)

const always: DaySpan = { from: "", until: undefined }

const overlap = (one: DaySpan, other: DaySpan): DaySpan | undefined => {
  const from = one.from > other.from ? one.from : other.from
  const until =
    one.until === undefined || (other.until !== undefined && other.until < one.until) ? other.until : one.until
  return until !== undefined && until <= from ? undefined : { from, until }
}

/** The days on which an entry holds that names one of the ids. */
const daysOf = (
  entries: ReadonlyArray<{ readonly from: string; readonly id: string | undefined }>,
  ids: ReadonlyArray<string> | undefined
): ReadonlyArray<DaySpan> => {
  if (ids === undefined) return [always]
  return entries.flatMap(({ from, id }, index) =>
    id !== undefined && ids.includes(id) ? [{ from, until: entries[index + 1]?.from }] : []
  )
}

const spansOf = (limits: GivenLimits, place: PlaceFacts): ReadonlyArray<DaySpan> => {
  const franchisees = (place.franchisees ?? []).map(({ franchisee_id, from }) => ({ from, id: franchisee_id }))
  const brands = (place.brands ?? []).map(({ brand_id, from }) => ({ from, id: brand_id }))
  const ofBrand = daysOf(brands, limits.brand_ids)
  return daysOf(franchisees, limits.franchisee_ids).flatMap((one) =>
    ofBrand.flatMap((other) => overlap(one, other) ?? [])
  )
}

/** Spans of days without those that touch: a restaurant is somebody's from one entry into the next. */
const joined = (spans: ReadonlyArray<DaySpan>): ReadonlyArray<DaySpan> => {
  const found: Array<DaySpan> = []
  for (const span of spans.toSorted((one, other) => (one.from < other.from ? -1 : 1))) {
    const last = found.at(-1)
    if (last === undefined || (last.until !== undefined && last.until < span.from)) found.push(span)
    else found[found.length - 1] = { from: last.from, until: laterOf(last.until, span.until) }
  }
  return found
}

const laterOf = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || other === undefined ? undefined : one < other ? other : one

export class Restaurants {
  readonly limits: GivenLimits
  /** The locations in reach, each with its days. */
  readonly spans: ReadonlyMap<string, ReadonlyArray<DaySpan>>

  /** `places`: all locations that have a franchisee or a brand. */
  constructor(limits: GivenLimits, places: ReadonlyArray<PlaceFacts>) {
    const { brand_ids, franchisee_ids, location_ids } = limits
    const spans = new Map<string, ReadonlyArray<DaySpan>>()
    // Locations that nobody has named may be in reach by their ids alone.
    if (franchisee_ids === undefined && brand_ids === undefined)
      for (const id of location_ids ?? []) spans.set(id, [always])
    else
      for (const place of places) {
        const found = location_ids?.includes(place.location_id) === false ? [] : spansOf(limits, place)
        if (found.length > 0) spans.set(place.location_id, joined(found))
      }
    this.limits = limits
    this.spans = spans
  }

  /** True if the caller may see and change what happens at the location on a business day. */
  has(location: string, day: string): boolean {
    const spans = this.spans.get(location)
    return spans?.some(({ from, until }) => from <= day && (until === undefined || day < until)) ?? false
  }

  /** True for every business day from `from` to the one before `until`. */
  hasAll(location: string, from: string, until: string): boolean {
    const spans = this.spans.get(location) ?? []
    return spans.some((span) => span.from <= from && (span.until === undefined || until <= span.until))
  }

  /** True for every business day that there is. */
  hasAlways(location: string): boolean {
    return this.hasAll(location, "", "9999-12-31")
  }

  /** True for an order as it was recorded, at the UTC day of its record if it was recorded without a day. */
  hasOrder({
    at,
    day,
    location
  }: {
    readonly location: string
    readonly day: string | undefined
    readonly at: number
  }) {
    return this.has(location, day ?? dayOf(at))
  }

  /**
   * True if the location was the caller's within two days of a time, ms: of what has no business day. A till that could
   * reserve can capture, whatever its zone and whenever its day ends.
   */
  hasAbout(location: string, at: number): boolean {
    return this.hasWithin(location, at, aboutDays)
  }

  /** True if the location is the caller's about now, ms: of a new order, whose day is the till's own word. */
  hasLately(location: string, now: number): boolean {
    return this.hasWithin(location, now, latelyDays)
  }

  private hasWithin(location: string, at: number, days: number): boolean {
    const [first, last] = [dayOf(at - days * dayMs), dayOf(at + days * dayMs)]
    return (
      this.spans.get(location)?.some(({ from, until }) => from <= last && (until === undefined || first < until)) ??
      false
    )
  }
}
