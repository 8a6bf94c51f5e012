/**
 * Prices of a check's selections, and their sum against the check's own totals. The description leaves open whether a
 * price contains its modifiers' and its tax, and whether the check's amount contains its service charges: the reading
 * counts that comes nearest to the totals, of equal ones the first.
 */
import { maxAmount } from "../../../contract/Values.ts"
import { partsOf } from "../Decimals.ts"
import { spread } from "../Spread.ts"
import type { AppliedDiscount, Check, Selection } from "./Wire.ts"

/** A line; amounts in minor units. */
export interface Line {
  readonly selection: Selection
  /** Negative for a modifier that lowers the price of its item. */
  gross: number
  discount: number
}

/** An item, and behind it all of its modifiers, also those of modifiers. Together they are not below 0. */
export interface Group {
  readonly lines: ReadonlyArray<Line>
  readonly isEligible: boolean
  /** Tax on the net price, minor units; where prices contain it, until it is taken out, also a part of that. */
  readonly tax: number
}

/** Minor units, halves away from 0; beyond all bounds of an order where the amount is. */
export const minorOf = (text: string | undefined, places: number): number | undefined => {
  if (text === undefined) return undefined
  const minor = partsOf(text, places)
  const most = BigInt(maxAmount) + 1n
  return Number(minor > most ? most : minor < -most ? -most : minor)
}

export const sumOf = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number =>
  all.reduce((sum, one) => sum + of(one), 0)

export const netOf = (line: Line): number => line.gross - line.discount
export const netOfGroup = ({ lines }: Group): number => sumOf(lines, netOf)

const isOff = ({ processingState = "" }: AppliedDiscount): boolean => processingState.endsWith("VOID")

/** Discounts that were not taken back, without the part that lowers taxes. */
const discountsOf = (discounts: ReadonlyArray<AppliedDiscount> = [], places: number): number =>
  sumOf(discounts, (one) =>
    isOff(one) ? 0 : Math.max(0, minorOf(one.nonTaxDiscountAmount ?? one.discountAmount, places) ?? 0)
  )

/** A selection's own part of the price, without that of its modifiers. */
interface Part {
  readonly selection: Selection
  readonly gross: number
  readonly net: number
}

const isKept = ({ voided }: Selection): boolean => voided !== true

const priceOf = (selection: Selection, places: number): { readonly gross: number; readonly net: number } => {
  const own = discountsOf(selection.appliedDiscounts, places)
  const full = minorOf(selection.preDiscountPrice, places)
  const net = minorOf(selection.price, places) ?? (full === undefined ? 0 : full - own)
  return { gross: Math.max(full ?? net + own, net), net }
}

const partsOfSelection = (selection: Selection, contains: boolean, places: number): ReadonlyArray<Part> => {
  const modifiers = (selection.modifiers ?? []).filter(isKept)
  const price = priceOf(selection, places)
  const within = contains ? modifiers.map((one) => priceOf(one, places)) : []
  const own = {
    selection,
    gross: price.gross - sumOf(within, ({ gross }) => gross),
    net: price.net - sumOf(within, ({ net }) => net)
  }
  return [own, ...modifiers.flatMap((one) => partsOfSelection(one, contains, places))]
}

/** An item's parts. A price that is below its modifiers' cannot contain them. */
const partsOfItem = (item: Selection, contains: boolean, places: number): ReadonlyArray<Part> => {
  const parts = partsOfSelection(item, contains, places)
  return contains && parts[0]!.gross < 0 ? partsOfSelection(item, false, places) : parts
}

const isEarning = ({ deferred, selectionType }: Selection): boolean =>
  deferred !== true && selectionType !== "HOUSE_ACCOUNT_PAY_BALANCE"

/** Gross prices and discounts of an item's lines. Requires that the parts together are not negative. */
const linesOf = (parts: ReadonlyArray<Part>): ReadonlyArray<Line> => {
  const [item, ...modifiers] = parts
  const net = sumOf(parts, (part) => part.net)
  const lacking = Math.max(0, net - sumOf(parts, (part) => part.gross))
  const lines: ReadonlyArray<Line> = [
    { selection: item!.selection, gross: item!.gross + lacking, discount: 0 },
    ...modifiers.map(({ gross, selection }) => ({ selection, gross, discount: 0 }))
  ]
  const discount = sumOf(lines, ({ gross }) => gross) - net
  const own = modifiers.map(({ gross, net }) => gross - net)
  const given = [discount - sumOf(own, (one) => one), ...own]
  const isGiven = given.every((one, place) => one >= 0 && one <= Math.max(0, lines[place]!.gross))
  const shares = isGiven
    ? given
    : spread(
        discount,
        lines.map(({ gross }) => Math.max(0, gross))
      )
  lines.forEach((line, place) => {
    line.discount = shares[place]!
  })
  return lines
}

interface Read {
  readonly groups: ReadonlyArray<Group>
  /** Items below 0, which lower the check. */
  readonly lowered: number
}

/** The check's items. `isWhole`: without lines of their modifiers. */
const readItems = (items: ReadonlyArray<Selection>, contains: boolean, isWhole: boolean, places: number): Read => {
  let lowered = 0
  const groups: Array<Group> = []
  for (const item of items) {
    const parts = partsOfItem(item, contains, places)
    const net = sumOf(parts, (part) => part.net)
    if (net < 0) {
      lowered -= net
      continue
    }
    const gross = sumOf(parts, (part) => part.gross)
    const lines = linesOf(isWhole || parts[0]!.gross < 0 ? [{ selection: item, gross, net }] : parts)
    const tax = Math.max(0, minorOf(item.tax, places) ?? 0)
    groups.push({ lines, isEligible: isEarning(item), tax })
  }
  return { groups, lowered }
}

const taxWithin = (group: Group): number =>
  group.lines[0]!.selection.taxInclusion === "INCLUDED" ? Math.min(group.tax, netOfGroup(group)) : 0

/** Takes tax out of prices that contain it: out of the net price as it is, out of the gross price in proportion. */
const withoutTax = (group: Group): void => {
  const tax = taxWithin(group)
  if (tax === 0) return
  const nets = group.lines.map((line) => Math.max(0, netOf(line)))
  spread(tax, nets).forEach((part, place) => {
    const line = group.lines[place]!
    if (part === 0) return
    const net = netOf(line)
    line.gross -= Math.round((part * line.gross) / net)
    line.discount = line.gross - (net - part)
  })
}

/** Takes `amount` off groups, in proportion to what is left of them, or all there is. Returns the rest. */
export const takeOff = (groups: ReadonlyArray<Group>, amount: number): number => {
  const nets = groups.map(netOfGroup)
  const taken = Math.min(
    amount,
    sumOf(nets, (net) => net)
  )
  if (taken <= 0) return amount
  spread(taken, nets).forEach((part, place) => {
    if (part === 0) return
    const { lines } = groups[place]!
    const shares = spread(
      part,
      lines.map((line) => Math.max(0, netOf(line)))
    )
    lines.forEach((line, at) => {
      line.discount += shares[at]!
    })
  })
  return amount - taken
}

/** Candidates for the sum of the items after discounts and before tax, the surest first. */
const targetsOf = (check: Check, charges: number, places: number): ReadonlyArray<number> => {
  const [amount, tax, total] = [check.amount, check.taxAmount, check.totalAmount].map((one) => minorOf(one, places))
  return [
    ...(total === undefined || tax === undefined ? [] : [total - tax - charges]),
    ...(amount === undefined ? [] : [amount, amount - charges]),
    ...(total === undefined || tax === undefined ? [] : [total - tax])
  ]
}

export interface Priced {
  readonly groups: ReadonlyArray<Group>
  /** The sum that the check's totals say. */
  readonly target: number
}

/** The items of a check in the reading that comes nearest to its totals. `charges`: its service charges, minor units. */
export const pricesOf = (check: Check, charges: number, isWhole: boolean, places: number): Priced => {
  const items = check.selections.filter(isKept)
  const ofCheck = discountsOf(check.appliedDiscounts, places)
  const hasModifiers = items.some(({ modifiers = [] }) => modifiers.some(isKept))
  const reads = (hasModifiers ? [true, false] : [true]).map((contains) => readItems(items, contains, isWhole, places))
  const sums = reads.map(({ groups }) => sumOf(groups, netOfGroup))
  const readings = reads.flatMap((read, place) => {
    const within = sumOf(read.groups, taxWithin)
    return (within === 0 ? [0] : [0, within]).flatMap((tax) =>
      (ofCheck === 0 ? [0] : [0, ofCheck]).map((discount) => {
        const off = read.lowered + discount
        return { groups: read.groups, hasTax: tax > 0, off, sum: sums[place]! - tax - off }
      })
    )
  })
  const targets = targetsOf(check, charges, places)
  const found = (targets.length === 0 ? [readings[0]!.sum] : targets)
    .flatMap((target) => readings.map((reading) => ({ ...reading, target, apart: Math.abs(target - reading.sum) })))
    .reduce((best, one) => (one.apart < best.apart ? one : best))
  if (found.hasTax) found.groups.forEach(withoutTax)
  const earning = found.groups.filter(({ isEligible }) => isEligible)
  const others = found.groups.filter(({ isEligible }) => !isEligible)
  takeOff(others, takeOff(earning, found.off))
  return { groups: found.groups, target: Math.max(0, found.target) }
}
