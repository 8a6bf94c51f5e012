/** Carries the changes of a draft over to a newer version. Pure. */

import { pointerTo } from "../shared/words/words.ts"
import { isSame } from "./draft.ts"

type Json = Readonly<Record<string, unknown>>

export interface Rebased<T> {
  readonly draft: T
  /** JSON Pointers of what both changed, each in its own way. The draft keeps its own. */
  readonly both: ReadonlyArray<string>
}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Properties that name an item of a list, whatever its place is. */
const names = [
  ...[
    "reward_id",
    "promotion_id",
    "challenge_id",
    "tier_id",
    "metric_id",
    "benefit_id",
    "party_id",
    "account_id",
    "unit"
  ]
]

/** The items of a list by their names; undefined: it is no list of named items. */
const named = (value: unknown): ReadonlyMap<string, unknown> | undefined => {
  if (!Array.isArray(value)) return undefined
  const entries = (value as ReadonlyArray<unknown>).flatMap((item) => {
    const name = names.find((one) => isRecord(item) && typeof item[one] === "string")
    return name === undefined || !isRecord(item) ? [] : [[String(item[name]), item] as const]
  })
  const found = new Map(entries)
  return entries.length === value.length && found.size === entries.length ? found : undefined
}

const absent = Symbol("absent")

/** Carries over each of the things with names; an absent one was removed or never there. */
const each = (
  base: ReadonlyMap<string, unknown>,
  mine: ReadonlyMap<string, unknown>,
  theirs: ReadonlyMap<string, unknown>
) => {
  const of = (all: ReadonlyMap<string, unknown>, name: string) => (all.has(name) ? all.get(name) : absent)
  return [...new Set([...theirs.keys(), ...mine.keys()])].map((name) => ({
    name,
    ...carry(of(base, name), of(mine, name), of(theirs, name))
  }))
}

const carry = (base: unknown, mine: unknown, theirs: unknown): Rebased<unknown> => {
  if (base === mine || (base !== absent && mine !== absent && isSame(base, mine))) return { draft: theirs, both: [] }
  if (base === theirs || isSame(base, theirs) || isSame(mine, theirs)) return { draft: mine, both: [] }
  if (isRecord(mine) && isRecord(theirs)) {
    const of = (value: unknown) => new Map(Object.entries(isRecord(value) ? value : {}))
    const parts = each(of(base), of(mine), of(theirs))
    return {
      draft: Object.fromEntries(parts.flatMap(({ draft, name }) => (draft === absent ? [] : [[name, draft]]))),
      both: parts.flatMap(({ both, name }) => both.map((path) => `${pointerTo(name)}${path}`))
    }
  }
  const [one, other] = [named(mine), named(theirs)]
  if (one !== undefined && other !== undefined) {
    const parts = each(named(base) ?? new Map<string, unknown>(), one, other).filter(({ draft }) => draft !== absent)
    return {
      draft: parts.map(({ draft }) => draft),
      both: parts.flatMap(({ both }, place) => both.map((path) => `${pointerTo(String(place))}${path}`))
    }
  }
  return { draft: mine, both: [""] }
}

/** `mine`, made from `base`, as if it had been made from `theirs`. */
export const rebase = <T extends Json>(base: T, mine: T, theirs: T): Rebased<T> =>
  carry(base, mine, theirs) as Rebased<T>
