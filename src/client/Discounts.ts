/** Discounts and rewards on the lines of a basket (contract/orders.md *Orders that add up*). */
import { minorUnits, spread } from "./Amounts.ts"
import type { RewardEffect } from "./generated/Wire.ts"
import { OrderError } from "./OrderError.ts"

/** A line while its discounts grow. Amounts are minor units. */
export interface DiscountedLine {
  readonly line_id: string
  readonly kind: string
  readonly product_id: string
  readonly category_ids: ReadonlyArray<string>
  readonly parent_line_id: string | undefined
  readonly quantity: number
  readonly unitPrice: number
  readonly subtotal: number
  discount: number
}

const netOf = (line: DiscountedLine): number => line.subtotal - line.discount

/**
 * Places of lines that may not be below 0 together: each line with a modifier that lowers its price and all of its
 * modifiers. Where modifiers have modifiers these groups share lines, so that a line of the basket is another group,
 * with all that belongs to it: else the order could be below 0. The first place is that of the line. Requires modifiers
 * behind their lines.
 */
export const loweredGroups = (lines: ReadonlyArray<DiscountedLine>): ReadonlyArray<ReadonlyArray<number>> => {
  const lowered = new Set<string>()
  for (const line of lines)
    if (line.unitPrice < 0 && line.parent_line_id !== undefined) lowered.add(line.parent_line_id)
  if (lowered.size === 0) return []
  const groups = new Map<string, Array<number>>()
  /** The line of the basket that each line belongs to. */
  const roots = new Map<string, string>()
  const wholes = new Map<string, Array<number>>()
  lines.forEach(({ line_id, parent_line_id = line_id }, place) => {
    const root = roots.get(parent_line_id) ?? line_id
    roots.set(line_id, root)
    for (const [found, key] of [
      [wholes, root],
      [groups, line_id],
      [groups, parent_line_id]
    ] as const) {
      const places = found.get(key) ?? []
      if (places.at(-1) !== place) places.push(place)
      found.set(key, places)
    }
  })
  const isNested = (root: string) => wholes.get(root)!.length > groups.get(root)!.length
  const nested = new Set([...lowered].map((parent) => roots.get(parent)!).filter(isNested))
  return [...[...nested].map((root) => wholes.get(root)!), ...[...lowered].map((parent) => groups.get(parent)!)]
}

/** The most that can be taken off each line together, of the lines that `isChosen`. */
const room = (lines: ReadonlyArray<DiscountedLine>, isChosen: (place: number) => boolean): ReadonlyArray<number> => {
  const weights = lines.map((line, place) => (isChosen(place) ? Math.max(0, netOf(line)) : 0))
  for (const group of loweredGroups(lines)) {
    const most = Math.max(
      0,
      group.reduce((sum, place) => sum + netOf(lines[place]!), 0)
    )
    const own = group.map((place) => weights[place]!)
    const sum = own.reduce((total, weight) => total + weight, 0)
    if (sum <= most) continue
    const parts = spread(most, own)
    group.forEach((place, index) => {
      weights[place] = parts[index]!
    })
  }
  return weights
}

/**
 * Takes `amount` off the chosen lines, in proportion to what is left of them, or all there is. Returns what found no
 * room.
 */
const takeOff = (
  lines: ReadonlyArray<DiscountedLine>,
  amount: number,
  isChosen: (place: number) => boolean = () => true
): number => {
  const before = lines.map((line) => line.discount)
  let left = amount
  // Groups that share lines leave room for another round.
  while (left > 0) {
    const weights = room(lines, isChosen)
    const taken = Math.min(
      left,
      weights.reduce((sum, weight) => sum + weight, 0)
    )
    if (taken === 0) break
    spread(taken, weights).forEach((part, place) => {
      lines[place]!.discount += part
    })
    left -= taken
  }
  if (left === 0) return 0
  lines.forEach((line, place) => {
    line.discount = before[place]!
  })
  return amount - takeMost(lines, amount, isChosen)
}

/**
 * Takes as much of `amount` as there is. Each line is in two groups at most, its own and its parent's, besides the whole:
 * modifiers before their lines leave the most.
 */
const takeMost = (
  lines: ReadonlyArray<DiscountedLine>,
  amount: number,
  isChosen: (place: number) => boolean
): number => {
  const groups = loweredGroups(lines).map((places) => new Set(places))
  let taken = 0
  for (let place = lines.length - 1; place >= 0; place--) {
    if (!isChosen(place)) continue
    const most = groups
      .filter((places) => places.has(place))
      .map((places) => [...places].reduce((sum, one) => sum + netOf(lines[one]!), 0))
    const part = Math.max(0, Math.min(amount - taken, netOf(lines[place]!), ...most))
    lines[place]!.discount += part
    taken += part
  }
  return taken
}

const placeOf = (lines: ReadonlyArray<DiscountedLine>, line_id: string, path: string): number => {
  const place = lines.findIndex((line) => line.line_id === line_id)
  if (place < 0) throw new OrderError(path, `is ${line_id}, and the order has no such line`)
  return place
}

/** A discount of the order, or of some of its lines. Throws if it is more than is left of them. */
export const discount = (
  lines: ReadonlyArray<DiscountedLine>,
  amount: number,
  line_ids: ReadonlyArray<string> | undefined,
  path: string
): void => {
  if (line_ids !== undefined && !Array.isArray(line_ids)) throw new OrderError(`${path}/line_ids`, "must be an array")
  if (line_ids?.length === 0) throw new OrderError(`${path}/line_ids`, "must name a line; leave it out for all lines")
  const places = line_ids?.map((line_id, index) => placeOf(lines, line_id, `${path}/line_ids/${index}`))
  const left = takeOff(lines, amount, places === undefined ? undefined : (place) => places.includes(place))
  if (left > 0)
    throw new OrderError(path, `is ${amount} minor units, ${left} more than the lines have left; lower the discount`)
}

/** Makes the dearest matching items free, within the effect's quantity and value. */
const freeItems = (
  lines: ReadonlyArray<DiscountedLine>,
  effect: Extract<RewardEffect, { type: "free_item" }>,
  path: string
): void => {
  const { category_ids, max_quantity, max_value, product_ids } = effect
  const isAny = category_ids === undefined && product_ids === undefined
  const isMatch = (line: DiscountedLine) =>
    (isAny && line.kind === "item") ||
    product_ids?.includes(line.product_id) === true ||
    line.category_ids.some((category) => category_ids?.includes(category) === true)
  const matching = [...lines.keys()].filter((place) => isMatch(lines[place]!) && lines[place]!.unitPrice >= 0)
  if (matching.length === 0)
    throw new OrderError(path, "needs an item of its products or categories; add one, or reverse the reservation")
  matching.sort((a, b) => lines[b]!.unitPrice - lines[a]!.unitPrice || a - b)
  let units = max_quantity
  let value = max_value.amount
  for (const place of matching) {
    if (units <= 0 || value <= 0) return
    const line = lines[place]!
    // Weighed goods count as their quantity rounded up, as in adjustments.
    const pieces = Math.ceil(line.quantity)
    const free = Math.min(units, pieces)
    const worth = Math.floor((Math.max(0, netOf(line)) * free) / pieces)
    const wanted = Math.min(worth, value)
    value -= wanted - takeOff(lines, wanted, (one) => one === place)
    units -= free
  }
}

/**
 * Applies the effect of a reservation. A discount larger than what is left takes what is left. Parts with a `line_id` go
 * to that line, others to the whole order.
 */
export const applyEffect = (
  lines: ReadonlyArray<DiscountedLine>,
  effect: RewardEffect,
  currency: string,
  path: string
): void => {
  const amountOf = (money: { readonly amount: number; readonly currency: string }, at: string): number => {
    if (money?.currency !== currency) throw new OrderError(at, `is in ${money?.currency}, and the order in ${currency}`)
    return minorUnits(money.amount, currency, at)
  }
  if (effect.type === "custom")
    throw new OrderError(path, `is ${effect.effect_type}, which the till interprets; give it as discounts instead`)
  if (effect.type === "free_item") {
    amountOf(effect.max_value, `${path}/max_value`)
    return freeItems(lines, effect, path)
  }
  if (!Array.isArray(effect.allocations))
    throw new OrderError(path, "must be the effect of a reservation, as the service gives it")
  effect.allocations.forEach(({ amount, line_id }, index) => {
    const at = `${path}/allocations/${index}`
    const part = amountOf(amount, `${at}/amount`)
    if (part < 0) throw new OrderError(`${at}/amount`, "must not be negative")
    const chosen = line_id === undefined ? undefined : placeOf(lines, line_id, `${at}/line_id`)
    takeOff(lines, part, chosen === undefined ? undefined : (place) => place === chosen)
  })
}
