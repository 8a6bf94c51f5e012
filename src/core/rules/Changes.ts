/**
 * Compares two definitions of a programme, and finds changes that are not allowed
 * (contract/programmes.md *Blocking changes*).
 */
import { hash } from "node:crypto"
import type { BodyFault } from "../../contract/Decode.ts"
import { isObject } from "../../contract/Decode.ts"
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"

/** One place where two definitions differ. */
export interface Change {
  /** JSON Pointer into the new definition; for a removal, into the old one. */
  readonly path: string
  /** Absent for an addition. */
  readonly from?: unknown
  /** Absent for a removal. */
  readonly to?: unknown
}

/** Accounts and rewards that the new definition no longer has. */
export interface Removed {
  readonly units: ReadonlyArray<string>
  readonly rewards: ReadonlyArray<string>
}

/** Removed accounts and rewards that members still use. */
export interface InUse {
  /** Units of accounts with a balance or a hold. */
  readonly units: ReadonlySet<string>
  /** Rewards that open reservations hold. */
  readonly held: ReadonlySet<string>
  /** Rewards in members' wallets. */
  readonly issued: ReadonlySet<string>
  /** Rewards that active campaigns grant. */
  readonly granted: ReadonlySet<string>
}

type Item = Readonly<Record<string, unknown>>

/** The key of a list's items, by the list's name. Any other list is compared as one value. */
const keys: Readonly<Record<string, (item: Item) => unknown>> = {
  accounts: ({ unit }) => unit,
  account_earning: ({ unit }) => unit,
  metrics: ({ metric_id }) => metric_id,
  tiers: ({ tier_id }) => tier_id,
  benefits: ({ benefit_id }) => benefit_id,
  rewards: ({ reward_id }) => reward_id,
  funding: ({ party_id, party_type }) => `${String(party_type)} ${String(party_id)}`
}

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1")

/** True if two values are the same JSON; ignores the order of properties. */
export const isSame = (from: unknown, to: unknown): boolean => {
  if (from === to) return true
  if (Array.isArray(from) && Array.isArray(to)) {
    return from.length === to.length && from.every((item, index) => isSame(item, to[index]))
  }
  if (!isObject(from) || !isObject(to)) return false
  const names = Object.keys(from)
  return (
    names.length === Object.keys(to).length &&
    names.every((name) => Object.hasOwn(to, name) && isSame(from[name], to[name]))
  )
}

/** Replacer for `JSON.stringify` that sorts properties. */
const inOrder = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value

/** A hash of a definition; ignores the order of properties. */
export const checksum = (file: ProgramFile): string => hash("sha256", JSON.stringify(file, inOrder))

type Note = (change: Change) => void

const compareObjects = (from: Item, to: Item, path: string, note: Note): void => {
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const at = `${path}/${escaped(name)}`
    if (!Object.hasOwn(to, name)) note({ path: at, from: from[name] })
    else if (!Object.hasOwn(from, name)) note({ path: at, to: to[name] })
    else compare(from[name], to[name], name, at, note)
  }
}

/** Compares items by key. A different order of the keys is a change of the list itself. */
const compareItems = (
  from: ReadonlyArray<Item>,
  to: ReadonlyArray<Item>,
  keyOf: (item: Item) => unknown,
  path: string,
  note: Note
): void => {
  const before = new Map(from.map((item) => [keyOf(item), item]))
  const after = new Set(to.map(keyOf))
  from.forEach((item, index) => {
    if (!after.has(keyOf(item))) note({ path: `${path}/${index}`, from: item })
  })
  to.forEach((item, index) => {
    const former = before.get(keyOf(item))
    if (former === undefined) note({ path: `${path}/${index}`, to: item })
    else compareObjects(former, item, `${path}/${index}`, note)
  })
  const kept = [...before.keys()].filter((key) => after.has(key))
  const order = [...after].filter((key) => before.has(key))
  if (!isSame(kept, order)) note({ path, from: kept, to: order })
}

const compare = (from: unknown, to: unknown, name: string, path: string, note: Note): void => {
  const keyOf = keys[name]
  if (keyOf !== undefined && Array.isArray(from) && Array.isArray(to)) return compareItems(from, to, keyOf, path, note)
  // Free-form values have properties of any name: they are compared whole.
  if (isObject(from) && isObject(to) && name !== "metadata" && name !== "payload") {
    return compareObjects(from, to, path, note)
  }
  if (!isSame(from, to)) note({ path, from, to })
}

/** Every difference between two definitions. */
export const changes = (from: ProgramFile, to: ProgramFile): ReadonlyArray<Change> => {
  const found: Array<Change> = []
  compareObjects({ ...from }, { ...to }, "", (change) => found.push(change))
  return found
}

export const removed = (from: ProgramFile, to: ProgramFile): Removed => {
  const units = new Set<string>(to.accounts.map(({ unit }) => unit))
  const rewards = new Set(to.rewards.map(({ reward_id }) => reward_id))
  return {
    units: from.accounts.flatMap(({ unit }) => (units.has(unit) ? [] : [unit])),
    rewards: from.rewards.flatMap(({ reward_id }) => (rewards.has(reward_id) ? [] : [reward_id]))
  }
}

const primaryOf = ({ accounts }: ProgramFile): string | undefined => accounts.find((one) => one.is_primary)?.unit

/** Changes that are not allowed, with place and reason. Validation already protects a stamp card's own reward. */
export const blocking = (from: ProgramFile, to: ProgramFile, inUse: InUse): ReadonlyArray<BodyFault> => {
  const found: Array<BodyFault> = []
  const block = (path: string, sentence: Sentence) => found.push(faultAt(path, sentence))
  if (from.currency !== to.currency) block("/currency", said`must stay ${from.currency}, the currency in force`)
  const primary = primaryOf(from)
  if (primary !== undefined && primary !== primaryOf(to))
    block("/accounts", said`must keep ${primary} as the primary account`)
  const { rewards, units } = removed(from, to)
  for (const unit of units) {
    if (inUse.units.has(unit))
      block("/accounts", said`must keep the ${unit} account: members have balances or holds on it`)
  }
  for (const reward of rewards) {
    if (inUse.held.has(reward)) block("/rewards", said`must keep ${reward}: open reservations hold it`)
    if (inUse.issued.has(reward)) block("/rewards", said`must keep ${reward}: members still have it in their wallets`)
    if (inUse.granted.has(reward)) block("/rewards", said`must keep ${reward}: an active campaign grants it`)
  }
  return found
}
