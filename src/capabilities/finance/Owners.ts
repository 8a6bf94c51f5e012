/**
 * Owners of restaurants, and the sums of places as those of franchisees (contract/finance.md *Franchisees*): a balance goes with
 * its restaurant, and `handed_over` tells it. Pure.
 */
import { pointsLines } from "../../contract/admin/Finance.ts"
import type { PlaceFacts } from "../../core/protocol/Restaurants.ts"
import * as Calendar from "../../core/rules/Calendar.ts"
import type { Part } from "./RollForwardReads.ts"
import * as Reads from "./RollForwardReads.ts"
import type { Range } from "./Rows.ts"

/** The franchisee of what is nobody's: the brand. */
const nobody = ""

/** The franchisee from a day YYYY-MM-DD on; the first entry has the day "" and says whose it was before the range. */
type Entry = readonly [day: string, franchisee: string]

/** A location and its entries. Consecutive entries differ; a location that is nobody's throughout is left out. */
type Owned = readonly [location: string, entries: ReadonlyArray<Entry>]

/** By location. */
export type Owners = ReadonlyArray<Owned>

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const changesOf = ({ franchisees = [] }: PlaceFacts): ReadonlyArray<Entry> =>
  franchisees.map(({ franchisee_id = nobody, from }) => [from, franchisee_id] as const)

const ownerOn = (entries: ReadonlyArray<Entry>, day: string): string =>
  entries.findLast(([from]) => from <= day)?.[1] ?? nobody

const ownedIn = (entries: ReadonlyArray<Entry>, { from, until }: Range, before: string | undefined) => {
  const [first, end] = [dayOf(from), dayOf(until)]
  const all: ReadonlyArray<Entry> = [
    ["", before ?? ownerOn(entries, dayOf(from - Calendar.dayMs))],
    [first, ownerOn(entries, first)],
    ...entries.filter(([day]) => day > first && day < end)
  ]
  return all.filter(([, owner], index) => index === 0 || owner !== all[index - 1]![1])
}

/**
 * The owners in a range. `last`: those of the statement before, which said whose the balances were at its end. A later word about
 * its days counts from the first day of the range on.
 */
export const ownersOf = (places: ReadonlyArray<PlaceFacts>, range: Range, last?: Owners): Owners => {
  const known = new Map(places.map((place) => [place.location_id, changesOf(place)]))
  const before = last === undefined ? undefined : new Map(last.map(([place, entries]) => [place, entries.at(-1)![1]]))
  return [...new Set([...known.keys(), ...(before?.keys() ?? [])])].toSorted().flatMap((place): Owners => {
    const was = before === undefined ? undefined : (before.get(place) ?? nobody)
    const entries = ownedIn(known.get(place) ?? [], range, was)
    return entries.every(([, owner]) => owner === nobody) ? [] : [[place, entries]]
  })
}

/** The places with the franchisees of a range's owners. Their days outside the range are not known. Brands stay. */
export const withOwners = (places: ReadonlyArray<PlaceFacts>, owners: Owners): ReadonlyArray<PlaceFacts> => {
  const brands = new Map(places.map((place) => [place.location_id, place.brands]))
  return owners.map(([location_id, entries]) => ({
    location_id,
    franchisees: entries.map(([from, owner]) => ({ from, franchisee_id: owner === nobody ? undefined : owner })),
    brands: brands.get(location_id)
  }))
}

/** The days on which restaurants change hands: midnights in UTC of their dates, ms. */
export const handoversOf = (owners: Owners): ReadonlyArray<number> => [
  ...new Set(owners.flatMap(([, entries]) => entries.slice(1).map(([day]) => Date.parse(day))))
]

/** The owner before the range of each place; nobody's are the brand's. */
export const firstOwners = (owners: Owners): ((place: string) => string) => {
  const first = new Map(owners.map(([place, entries]) => [place, entries[0]![1]]))
  return (place) => first.get(place) ?? nobody
}

const balanceLines: ReadonlySet<string> = new Set([Reads.opening, ...pointsLines])

/** Points that go over at a handover: the balance of the place by unit before a segment. */
const balancesBefore = (parts: ReadonlyArray<Part>, segment: number): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const part of parts)
    if (part.segment < segment && balanceLines.has(part.line))
      found.set(part.unit, (found.get(part.unit) ?? 0) + part.points)
  return found
}

/** The handovers of one place. `cuts`: the first days of the segments, each handover's among them. */
const handedOver = (
  parts: ReadonlyArray<Part>,
  entries: ReadonlyArray<Entry>,
  cuts: ReadonlyArray<number>
): ReadonlyArray<Part> =>
  entries.slice(1).flatMap(([day, to], index) => {
    const segment = cuts.indexOf(Date.parse(day)) + 1
    const from = entries[index]![1]
    return [...balancesBefore(parts, segment)].flatMap(([unit, points]): ReadonlyArray<Part> => {
      const part = { unit, line: "handed_over", segment }
      return [
        { ...part, place: from, points: -points },
        { ...part, place: to, points }
      ]
    })
  })

/** Sums of places as those of franchisees, whose id takes the place's. */
export const byFranchisee = (
  parts: ReadonlyArray<Part>,
  owners: Owners,
  cuts: ReadonlyArray<number>
): ReadonlyArray<Part> => {
  const owned = new Map(owners)
  return [...Map.groupBy(parts, ({ place }) => place)].flatMap(([place, own]) => {
    const entries = owned.get(place) ?? []
    const ownerIn = (segment: number) => (segment === 0 ? entries[0]?.[1] : ownerOn(entries, dayOf(cuts[segment - 1]!)))
    return [
      ...own.map((part) => ({ ...part, place: ownerIn(part.segment) ?? nobody })),
      ...handedOver(own, entries, cuts)
    ]
  })
}
