/**
 * The order of `/proto/v1` that a check is (contract/orders.md *Orders that add up*). Pure. The check's own totals decide:
 * lines that add up to something else are made to, so that no check is refused for its sums.
 */
import { Result } from "effect"
import type { Order, OrderLine } from "../../../contract/protocol/Order.ts"
import { maxOrderLines } from "../../../contract/protocol/Order.ts"
import {
  type Channel,
  maxAmount,
  maxTextLength,
  type OrderStatus,
  quantityScale,
  type TenderType
} from "../../../contract/Values.ts"
import { dateOf, dayMs } from "../../../core/rules/Calendar.ts"
import { digitsOf } from "../../../core/rules/Money.ts"
import { partsOf } from "../Decimals.ts"
import { spread } from "../Spread.ts"
import { type Group, type Line, minorOf, netOf, netOfGroup, pricesOf, sumOf, takeOff } from "./Prices.ts"
import { type Check, instantOf, type Payment, type Selection } from "./Wire.ts"

/** The place of a check: what the till does not tell. */
interface Restaurant {
  readonly location_id: string
  readonly brand_id: string
  readonly merchant_id: string
  readonly channel: Channel
  /** IANA name. */
  readonly time_zone: string
}

export interface OrderFacts {
  readonly order_id: string
  readonly program_id: string
  readonly currency: string
  readonly status: OrderStatus
  readonly restaurant: Restaurant
}

export interface Carried {
  /** Undefined where nothing of the check is left: it is voided or deleted, or all of its items are. */
  readonly order: Order | undefined
  /** True if the lines differed from the check's totals by more than rounding. */
  readonly differs: boolean
}

/** Largest quantity that is carried; with 6 decimals a number holds it exactly. */
const maxQuantity = 999_999_999n * quantityScale

/** Id and product of the line that holds what the items lack, where no selection has them. */
const restId = "rest"

const tenderTypes: Readonly<Record<string, TenderType>> = {
  CASH: "cash",
  CREDIT: "card",
  GIFTCARD: "gift_card",
  REWARDCARD: "loyalty",
  LEVELUP: "third_party"
}
const failedPayments: ReadonlySet<string> = new Set(["DENIED", "CANCELLED", "ERROR", "VOIDED", "VOIDED_AT_RISK"])

const isPaid = ({ paymentStatus = "" }: Payment): boolean => !failedPayments.has(paymentStatus)

/** A text that an order takes, or undefined for one without letters. */
const textOf = (text = ""): string | undefined => {
  const short = Array.from(text.toWellFormed().replaceAll("\0", "")).slice(0, maxTextLength).join("")
  return short === "" ? undefined : short
}

/** Price of one in minor units, halves away from 0. */
const unitOf = (gross: number, micros: bigint): number => {
  const exact = BigInt(gross) * quantityScale
  const half = micros / 2n
  return Number((exact < 0n ? exact - half : exact + half) / micros)
}

const isWithin = (unit: number, micros: bigint, gross: number): boolean => {
  const apart = 2n * (BigInt(unit) * micros - BigInt(gross) * quantityScale)
  return (apart < 0n ? -apart : apart) <= micros + quantityScale
}

/** Quantity and price of one. Where they would be beyond an order's bounds, the line is one piece. */
const piecesOf = ({ gross, selection }: Line, before: number): { readonly micros: bigint; readonly unit: number } => {
  const given = selection.quantity === undefined ? quantityScale : partsOf(selection.quantity, 6)
  const micros = given > 0n && given <= maxQuantity ? given : quantityScale
  // The till's own price, where a minor unit more leaves it within the tolerance.
  const own = unitOf(before, micros)
  const unit = isWithin(own, micros, gross) ? own : unitOf(gross, micros)
  const isOne = Math.abs(unit) > maxAmount || (gross < 0 && unit === 0)
  return isOne ? { micros: quantityScale, unit: gross } : { micros, unit }
}

/** Lines by net price, the largest first, without those that lower a price. */
const largestFirst = (groups: ReadonlyArray<Group>): ReadonlyArray<{ readonly group: Group; readonly line: Line }> =>
  groups
    .flatMap((group) => group.lines.map((line) => ({ group, line })))
    .filter(({ line }) => line.gross > 0)
    .toSorted((a, b) => netOf(b.line) - netOf(a.line))

/** Adds a minor unit to each of the largest lines. False, and nothing done, if there are too few. */
const raise = (groups: ReadonlyArray<Group>, amount: number): boolean => {
  const lines = largestFirst(groups).slice(0, amount)
  if (lines.length < amount) return false
  for (const { line } of lines) line.gross += 1
  return true
}

/** Takes a minor unit off each of the largest lines. False, and nothing done, if there are too few. */
const lower = (groups: ReadonlyArray<Group>, amount: number): boolean => {
  const left = new Map(groups.map((group) => [group, netOfGroup(group)]))
  const chosen: Array<Line> = []
  for (const { group, line } of largestFirst(groups)) {
    const net = left.get(group)!
    if (chosen.length === amount || net === 0 || netOf(line) === 0) continue
    left.set(group, net - 1)
    chosen.push(line)
  }
  if (chosen.length < amount) return false
  for (const line of chosen) line.discount += 1
  return true
}

interface Levelled {
  /** The part of the total that no line has. */
  readonly lacking: number
  readonly differs: boolean
}

/** Makes the lines add up to the check's sum. */
const level = (groups: ReadonlyArray<Group>, target: number): Levelled => {
  const apart = target - sumOf(groups, netOfGroup)
  if (apart === 0 || (apart > 0 ? raise(groups, apart) : lower(groups, -apart))) return { lacking: 0, differs: false }
  if (apart > 0) return { lacking: apart, differs: true }
  const isEligible = Map.groupBy(groups, (group) => group.isEligible)
  takeOff(isEligible.get(false) ?? [], takeOff(isEligible.get(true) ?? [], -apart))
  return { lacking: 0, differs: true }
}

/** The lines' taxes: those of the items, unless they are more than a minor unit a line from the check's. */
const taxesOf = (groups: ReadonlyArray<Group>, tax: number | undefined): ReadonlyArray<number> => {
  const own = groups.flatMap(({ lines, tax: whole }) => lines.map((_, place) => (place === 0 ? whole : 0)))
  const sum = sumOf(own, (one) => one)
  if (tax === undefined || Math.abs(tax - sum) <= own.length) return own
  const nets = groups.flatMap(({ lines }) => lines.map((line) => Math.max(0, netOf(line))))
  const weights =
    [own, nets].find((one) => one.some((weight) => weight > 0)) ?? own.map((_, place) => (place === 0 ? 1 : 0))
  return spread(tax, weights)
}

const productOf = ({ guid, item }: Selection): string => item?.multiLocationId ?? item?.guid ?? guid

const categoriesOf = ({ itemGroup, salesCategory }: Selection): ReadonlyArray<string> => {
  const ids = [salesCategory, itemGroup].map((one) => one?.multiLocationId ?? one?.guid)
  return [...new Set(ids.filter((id) => id !== undefined))]
}

/** Properties of a line that earning and receipts read, where the check has them. */
const extrasOf = (selection: Selection, isEligible: boolean): Partial<OrderLine> => {
  const categories = categoriesOf(selection)
  const name = textOf(selection.displayName)
  const sku = textOf(selection.plu)
  return {
    ...(name === undefined ? undefined : { name }),
    ...(sku === undefined ? undefined : { sku }),
    ...(categories.length === 0 ? undefined : { category_ids: categories }),
    ...(isEligible ? undefined : { loyalty_eligible: false })
  }
}

/** The first of the check's times. */
const placedAt = (check: Check): number | undefined => {
  const paid = check.payments?.find(({ paidDate }) => paidDate !== undefined)?.paidDate
  const text = check.openedDate ?? check.paidDate ?? paid ?? check.closedDate ?? check.modifiedDate
  return text === undefined ? undefined : instantOf(text)
}

const dateText = (date: number): string => new Date(date).toISOString().slice(0, 10)

/** The till's business date, unless it is further from the opening than an order's may be: then the date of that. */
const businessDate = (check: Check, placed: number, zone: string): string => {
  const given = check.payments?.find(({ paidBusinessDate }) => paidBusinessDate !== undefined)?.paidBusinessDate ?? ""
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(given) ?? []
  const date = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  const opened = Math.floor(placed / dayMs) * dayMs
  const isNear = Math.abs(date - opened) <= dayMs && dateText(date) === `${year}-${month}-${day}`
  return dateText(isNear ? date : dateOf(zone, placed))
}

const tendersOf = (payments: ReadonlyArray<Payment>, currency: string, places: number): NonNullable<Order["tenders"]> =>
  payments.filter(isPaid).map((payment, place) => {
    const paid = (minorOf(payment.amount, places) ?? 0) + (minorOf(payment.tipAmount, places) ?? 0)
    return {
      tender_id: payment.guid ?? String(place + 1),
      type: tenderTypes[payment.type ?? ""] ?? "other",
      amount: { amount: Math.max(0, paid), currency }
    }
  })

interface Beside {
  readonly tip: number
  readonly service: number
  /** Of the whole check. */
  readonly tax: number | undefined
}

/** Gratuities are tips, asked for or not; delivery and all other charges are service charges. */
const besideOf = (check: Check, places: number): Beside => {
  const charged = (isTip: boolean) =>
    sumOf(check.appliedServiceCharges ?? [], ({ chargeAmount, gratuity }) =>
      (gratuity === true) === isTip ? (minorOf(chargeAmount, places) ?? 0) : 0
    )
  const tips = sumOf((check.payments ?? []).filter(isPaid), ({ tipAmount }) => minorOf(tipAmount, places) ?? 0)
  const tax = minorOf(check.taxAmount, places)
  return {
    tip: Math.max(0, tips + charged(true)),
    service: Math.max(0, charged(false)),
    tax: tax === undefined ? undefined : Math.max(0, tax)
  }
}

const chargesOf = ({ appliedServiceCharges = [] }: Check, places: number): number =>
  sumOf(appliedServiceCharges, ({ chargeAmount }) => minorOf(chargeAmount, places) ?? 0)

/** The order's lines, each selection under its guid. */
const orderLines = (
  groups: ReadonlyArray<Group>,
  grosses: ReadonlyMap<Line, number>,
  taxes: ReadonlyArray<number>,
  currency: string
): Array<OrderLine> => {
  const money = (amount: number) => ({ amount, currency })
  const ids = new Set<string>()
  const idOf = (guid: string): string => {
    let id = guid
    for (let again = 2; ids.has(id); again++) id = `${guid.slice(0, 120)}:${again}`
    ids.add(id)
    return id
  }
  let place = 0
  return groups.flatMap(({ isEligible, lines }) => {
    let parent: string | undefined
    return lines.map((line): OrderLine => {
      const { selection } = line
      const line_id = idOf(selection.guid)
      const { micros, unit } = piecesOf(line, grosses.get(line)!)
      const made: OrderLine = {
        line_id,
        kind: parent === undefined ? "item" : "modifier",
        product_id: productOf(selection),
        quantity: Number(micros) / Number(quantityScale),
        unit_price: money(unit),
        subtotal: money(line.gross),
        discount: money(line.discount),
        tax: money(taxes[place++]!),
        ...(parent === undefined ? undefined : { parent_line_id: parent }),
        ...extrasOf(selection, isEligible && selection.deferred !== true)
      }
      parent ??= line_id
      return made
    })
  })
}

const restLine = (amount: number, currency: string, lines: ReadonlyArray<OrderLine>): OrderLine => {
  const money = (amount: number) => ({ amount, currency })
  let line_id = restId
  while (lines.some((line) => line.line_id === line_id)) line_id += "+"
  return {
    line_id,
    kind: "fee",
    product_id: restId,
    quantity: 1,
    unit_price: money(amount),
    subtotal: money(amount),
    discount: money(0),
    tax: money(0),
    loyalty_eligible: false
  }
}

/** True if the check's total is that of its parts, with service charges or without. */
const isTotal = (check: Check, items: number, charges: number, places: number): boolean => {
  const total = minorOf(check.totalAmount, places)
  const tax = minorOf(check.taxAmount, places)
  return total === undefined || tax === undefined || [0, charges].some((one) => total === items + tax + one)
}

const isBounded = ({ lines, totals }: Order): boolean =>
  Object.values(totals).every(({ amount }) => amount <= maxAmount) &&
  lines.every(({ subtotal, unit_price }) => [subtotal, unit_price].every(({ amount }) => Math.abs(amount) <= maxAmount))

/** The order of a check, or a sentence on what keeps it from being one. */
export const orderOf = (check: Check, facts: OrderFacts): Result.Result<Carried, string> => {
  const { currency, restaurant } = facts
  const places = digitsOf(currency)
  const placed = placedAt(check)
  if (placed === undefined) return Result.fail("The check has no date.")
  const charges = chargesOf(check, places)
  const priced = pricesOf(check, charges, false, places)
  const isLong = sumOf(priced.groups, ({ lines }) => lines.length) >= maxOrderLines
  const { groups, target } = isLong ? pricesOf(check, charges, true, places) : priced
  if (groups.length === 0 || check.voided === true || check.deleted === true)
    return Result.succeed({ order: undefined, differs: false })
  if (groups.length >= maxOrderLines) return Result.fail(`The check has more than ${maxOrderLines - 1} items.`)
  const grosses = new Map(groups.flatMap(({ lines }) => lines.map((line) => [line, line.gross] as const)))
  const { differs, lacking } = level(groups, target)
  const { service, tax, tip } = besideOf(check, places)
  const taxes = taxesOf(groups, tax)
  const lines = orderLines(groups, grosses, taxes, currency)
  if (lacking > 0) lines.push(restLine(lacking, currency, lines))
  const money = (amount: number) => ({ amount, currency })
  const subtotal = sumOf(lines, (line) => line.subtotal.amount)
  const discount = sumOf(lines, (line) => line.discount.amount)
  const ofLines = sumOf(taxes, (one) => one)
  const items = subtotal - discount
  const totals = { subtotal, discount, tax: tax ?? ofLines, tip, service_charge: service }
  const number = textOf(check.displayNumber)
  const order: Order = {
    order_id: facts.order_id,
    scope: {
      program_id: facts.program_id,
      brand_id: restaurant.brand_id,
      merchant_id: restaurant.merchant_id,
      location_id: restaurant.location_id
    },
    channel: restaurant.channel,
    status: facts.status,
    business_date: businessDate(check, placed, restaurant.time_zone),
    placed_at: new Date(placed).toISOString(),
    lines,
    totals: {
      subtotal: money(subtotal),
      discount: money(discount),
      tax: money(totals.tax),
      tip: money(tip),
      service_charge: money(service),
      total: money(items + totals.tax + tip + service)
    },
    tenders: tendersOf(check.payments ?? [], currency, places),
    ...(number === undefined ? undefined : { order_number: number }),
    ...(check.closedDate === undefined ? undefined : { closed_at: new Date(instantOf(check.closedDate)).toISOString() })
  }
  if (!isBounded(order)) return Result.fail("The check has an amount that is beyond those of an order.")
  return Result.succeed({ order, differs: differs || !isTotal(check, items, charges, places) })
}
