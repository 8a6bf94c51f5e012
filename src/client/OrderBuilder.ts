/** Builds orders of the wire from what a till has (contract/orders.md *Orders that add up*). */
import type { Amount } from "./Amounts.ts"
import { minorUnits, product, quantityOf, quantityScale } from "./Amounts.ts"
import { check, checkObject, checkObjects } from "./Contract.ts"
import type { DiscountedLine } from "./Discounts.ts"
import { applyEffect, discount, loweredGroups } from "./Discounts.ts"
import { orderSchema } from "./generated/Schemas.ts"
import type { Order, OrderLine, RewardEffect } from "./generated/Wire.ts"
import { businessDate, instantOf } from "./LocalTimes.ts"
import { OrderError } from "./OrderError.ts"
import type { LineTax } from "./Taxes.ts"
import { taxesBeside, taxesWithin } from "./Taxes.ts"

/** Properties of a line that the order repeats as they are. */
type LineExtras = Partial<Pick<OrderLine, "sku" | "name" | "category_ids" | "tags" | "loyalty_eligible" | "metadata">>

export interface LineInput extends LineExtras {
  /** The line's number by default, from 1; of a modifier `1.1`, of a modifier of that one `1.1.1`. */
  readonly line_id?: string
  /** `item` by default. */
  readonly kind?: OrderLine["kind"]
  readonly product_id: string
  /** 1 by default; text such as `"0.350"` for weighed goods. */
  readonly quantity?: number | string
  /** Negative for a modifier that lowers the price. */
  readonly unit_price: Amount
  /** Price × quantity by default, halves away from 0. */
  readonly subtotal?: Amount
  /** The line's own discount. Those of the order and of rewards are added. */
  readonly discount?: Amount
  /**
   * The line's tax, or how to compute it from what is left to pay, in minor units: for the line and the modifiers that
   * lower its price, after all discounts, at least 0. Where the order's tax is `included`, it is a part of that.
   */
  readonly tax?: LineTax
  /** They may have modifiers of their own. */
  readonly modifiers?: ReadonlyArray<ModifierInput>
}

export interface ModifierInput extends Omit<LineInput, "kind"> {
  /** True: `quantity` is for each of its line's quantity, as two shots in each of three coffees; else it is in all. */
  readonly per_item?: boolean
}

export interface DiscountInput {
  readonly amount: Amount
  /** The lines that it is for; all lines by default. */
  readonly line_ids?: ReadonlyArray<string>
}

export interface TenderInput {
  /** The tender's number by default, from 1. */
  readonly tender_id?: string
  readonly type: NonNullable<Order["tenders"]>[number]["type"]
  readonly amount: Amount
}

export interface OrderInput extends Partial<Pick<Order, "order_number" | "member_id" | "metadata">> {
  /** Unique in the programme, for good. */
  readonly order_id: string
  readonly scope: Order["scope"]
  readonly channel: Order["channel"]
  readonly status: Order["status"]
  readonly currency: string
  /** The till's time zone, such as `Europe/Berlin`. */
  readonly zone: string
  /** Local time as text, a text with an offset, or a `Date`. */
  readonly placed_at: string | Date
  readonly closed_at?: string | Date
  /** The local time at which a day of business begins, `HH:MM`; `00:00` by default, `12:00` at the latest. */
  readonly business_day_starts?: string
  readonly lines: ReadonlyArray<LineInput>
  /** Discounts of the order, spread over its lines. */
  readonly discounts?: ReadonlyArray<DiscountInput>
  /** Effects of the rewards that are held for the order, applied after its discounts. */
  readonly rewards?: ReadonlyArray<RewardEffect>
  /**
   * Tax of the whole order, where it is computed so; spread over the lines if none of them has tax. `included`: prices
   * and discounts have tax in them, of each line as much as its `tax`; the order of the wire has them without.
   */
  readonly tax?: Amount | "included"
  readonly tip?: Amount
  readonly service_charge?: Amount
  readonly tenders?: ReadonlyArray<TenderInput>
  /** The sum that the guest pays, by the till: an order that adds up to something else is refused. */
  readonly total?: Amount
}

/** Most lines of an order (contract/resources.md *Order*). */
const maxLines = 1_000
/** Largest total of an order, minor units (contract/orders.md *Orders that add up*). */
const maxTotal = 10_000_000_000

const lineProperties = orderSchema.properties!["lines"]!.items!.properties!

/** Properties of a line that are checked before anything is computed of them. */
const givenOfLine = [
  "product_id",
  "kind",
  "sku",
  "name",
  "category_ids",
  "tags",
  "loyalty_eligible",
  "metadata"
] as const

type Names<A> = { readonly [Name in keyof Required<A>]: true }

const lineNames: Names<LineInput> = {
  line_id: true,
  kind: true,
  product_id: true,
  quantity: true,
  unit_price: true,
  subtotal: true,
  discount: true,
  tax: true,
  modifiers: true,
  sku: true,
  name: true,
  category_ids: true,
  tags: true,
  loyalty_eligible: true,
  metadata: true
}
const { kind: _, ...modifierKeeps } = lineNames
const modifierNames: Names<ModifierInput> = { ...modifierKeeps, per_item: true }
const discountNames: Names<DiscountInput> = { amount: true, line_ids: true }
const tenderNames: Names<TenderInput> = { tender_id: true, type: true, amount: true }
const orderNames: Names<OrderInput> = {
  order_id: true,
  scope: true,
  channel: true,
  status: true,
  currency: true,
  zone: true,
  placed_at: true,
  closed_at: true,
  business_day_starts: true,
  lines: true,
  discounts: true,
  rewards: true,
  tax: true,
  tip: true,
  service_charge: true,
  tenders: true,
  total: true,
  order_number: true,
  member_id: true,
  metadata: true
}

/** The given properties that are there. */
const defined = <A extends object, Key extends keyof A>(from: A, keys: ReadonlyArray<Key>): Partial<Pick<A, Key>> =>
  Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]])) as Partial<
    Pick<A, Key>
  >

/** A line of the input, with its modifiers beside it. */
interface Flat {
  readonly input: Omit<LineInput, "modifiers">
  readonly line_id: string
  readonly kind: OrderLine["kind"]
  readonly parent_line_id: string | undefined
  /** JSON Pointer into the input. */
  readonly path: string
  readonly quantity: number | string
}

/** The quantity of a modifier, in all. */
const inAll = ({ per_item, quantity = 1 }: ModifierInput, parent: Flat, path: string): number | string => {
  if (per_item !== true) return quantity
  const of = (one: Flat["quantity"], at: string) => quantityOf(one, `${at}/quantity`).micros
  const micros = of(quantity, path) * of(parent.quantity, parent.path)
  // A rest of 0 or more than 6 decimals, which is refused.
  return Number(micros) / Number(quantityScale) ** 2
}

/** A line, and after it its modifiers with theirs. */
const withModifiers = (line: Flat & { readonly input: LineInput }): ReadonlyArray<Flat> => {
  const { modifiers = [] } = line.input
  checkObjects(modifiers, `${line.path}/modifiers`, modifierNames)
  return [
    line,
    ...modifiers.flatMap((input, place) => {
      const path = `${line.path}/modifiers/${place}`
      return withModifiers({
        input,
        line_id: input.line_id ?? `${line.line_id}.${place + 1}`,
        kind: "modifier",
        parent_line_id: line.line_id,
        path,
        quantity: inAll(input, line, path)
      })
    })
  ]
}

const flatten = (lines: ReadonlyArray<LineInput>): ReadonlyArray<Flat> => {
  checkObjects(lines, "/lines", lineNames)
  return lines.flatMap((input, index) => {
    const line_id = input.line_id ?? String(index + 1)
    const path = `/lines/${index}`
    const { kind = "item", quantity = 1 } = input
    return withModifiers({ input, line_id, kind, parent_line_id: undefined, path, quantity })
  })
}

const checkLines = (lines: ReadonlyArray<Flat>): void => {
  if (lines.length === 0 || lines.length > maxLines)
    throw new OrderError("/lines", `must have 1 to ${maxLines} lines, modifiers included`)
  const ids = new Set<string>()
  for (const { input, kind, line_id, path } of lines) {
    check(lineProperties["line_id"]!, line_id, `${path}/line_id`)
    if (ids.has(line_id))
      throw new OrderError(`${path}/line_id`, `is ${line_id}, as another line's; give each line an id of its own`)
    ids.add(line_id)
    for (const name of givenOfLine) {
      const value = name === "kind" ? kind : input[name as keyof typeof input]
      if (value !== undefined || name === "product_id") check(lineProperties[name]!, value, `${path}/${name}`)
    }
  }
}

/** A line with its prices, before the discounts of the order. Refuses what the service would refuse. */
const pricedOf = (flat: Flat, currency: string): DiscountedLine => {
  const { input, kind, line_id, parent_line_id, path } = flat
  const { number: quantity, micros } = quantityOf(flat.quantity, `${path}/quantity`)
  const unitPrice = minorUnits(input.unit_price, currency, `${path}/unit_price`)
  const exact = product(unitPrice, micros, `${path}/unit_price`)
  const subtotal = input.subtotal === undefined ? exact : minorUnits(input.subtotal, currency, `${path}/subtotal`)
  const apart = 2n * (BigInt(unitPrice) * micros - BigInt(subtotal) * quantityScale)
  if ((apart < 0n ? -apart : apart) > micros + quantityScale) {
    const message = `is ${subtotal} minor units, and unit_price × quantity is ${exact}; leave it out to have it computed`
    throw new OrderError(`${path}/subtotal`, message)
  }
  const isLower = unitPrice < 0
  if (isLower && kind !== "modifier")
    throw new OrderError(`${path}/unit_price`, "is negative, which only a modifier may be; give a discount instead")
  if (subtotal < 0 && !isLower) throw new OrderError(`${path}/subtotal`, "must not be negative")
  if (isLower && parent_line_id === undefined)
    throw new OrderError(path, "lowers a price, and must be among the modifiers of the line that it lowers")
  const own = minorUnits(input.discount ?? 0, currency, `${path}/discount`)
  if (own < 0) throw new OrderError(`${path}/discount`, "is negative; give what is taken off as a positive amount")
  if (isLower ? own > 0 : own > subtotal) {
    const most = isLower ? "0 on a modifier that lowers the price" : `the line's subtotal of ${subtotal} minor units`
    throw new OrderError(`${path}/discount`, `is ${own} minor units; it may be at most ${most}`)
  }
  const { category_ids = [], product_id } = input
  return { line_id, kind, product_id, category_ids, parent_line_id, quantity, unitPrice, subtotal, discount: own }
}

/** Refuses modifiers that lower a line with its modifiers below 0. */
const checkLowered = (flat: ReadonlyArray<Flat>, lines: ReadonlyArray<DiscountedLine>): void => {
  for (const group of loweredGroups(lines)) {
    const sum = group.reduce((total, place) => total + lines[place]!.subtotal - lines[place]!.discount, 0)
    if (sum < 0) {
      const message = `lower the line and its discount to ${sum} minor units; they may lower it to 0 at most`
      throw new OrderError(`${flat[group[0]!]!.path}/modifiers`, message)
    }
  }
}

/** Refuses a total that is too large, or another one than the input expects. */
const checkTotal = (total: number, { currency, total: given }: OrderInput): void => {
  if (total > maxTotal) throw new OrderError("/lines", `add up to ${total} minor units, above the most of ${maxTotal}`)
  const expected = given === undefined ? total : minorUnits(given, currency, "/total")
  if (expected !== total)
    throw new OrderError(
      "/total",
      `is ${expected} minor units, and the order adds up to ${total}; compare prices, quantities, discounts, tax and tip`
    )
}

/**
 * An order that the service takes, where its ids are new, its programme has the currency, and it is no more than 5
 * minutes ahead and 400 days old. Throws an `OrderError` with the place in the input and the remedy.
 */
export const buildOrder = (input: OrderInput): Order => {
  checkObject(input, "", orderNames)
  const { currency, zone } = input
  const money = (amount: number) => ({ amount, currency })
  for (const [name, names] of [["discounts", discountNames], ["rewards"], ["tenders", tenderNames]] as const)
    if (input[name] !== undefined) checkObjects(input[name], `/${name}`, names)
  const flat = flatten(input.lines)
  checkLines(flat)
  const priced = flat.map((line) => pricedOf(line, currency))
  checkLowered(flat, priced)
  const positive = (amount: Amount, path: string): number => {
    const minor = minorUnits(amount, currency, path)
    if (minor < 0) throw new OrderError(path, "must not be negative")
    return minor
  }
  input.discounts?.forEach(({ amount, line_ids }, index) => {
    discount(priced, positive(amount, `/discounts/${index}/amount`), line_ids, `/discounts/${index}`)
  })
  input.rewards?.forEach((effect, index) => applyEffect(priced, effect, currency, `/rewards/${index}`))
  const isWithin = input.tax === "included"
  const {
    lines,
    sum: tax,
    taxes
  } = isWithin
    ? taxesWithin(flat, priced, currency)
    : { lines: priced, ...taxesBeside(flat, priced, currency, input.tax) }
  if (isWithin) checkLowered(flat, lines)
  const subtotal = lines.reduce((sum, line) => sum + line.subtotal, 0)
  const discounted = lines.reduce((sum, line) => sum + line.discount, 0)
  const tip = positive(input.tip ?? 0, "/tip")
  const service_charge = positive(input.service_charge ?? 0, "/service_charge")
  const total = subtotal - discounted + tax + tip + service_charge
  checkTotal(total, input)
  const placed = instantOf(input.placed_at, zone, "/placed_at")
  const tenders = input.tenders?.map(({ amount, tender_id = undefined, type }, index) => {
    return {
      tender_id: tender_id ?? String(index + 1),
      type,
      amount: money(positive(amount, `/tenders/${index}/amount`))
    }
  })
  const order: Order = {
    order_id: input.order_id,
    scope: input.scope,
    channel: input.channel,
    status: input.status,
    business_date: businessDate(placed, zone, input.business_day_starts ?? "00:00"),
    placed_at: new Date(placed).toISOString(),
    lines: lines.map((line, place) => ({
      line_id: line.line_id,
      kind: flat[place]!.kind,
      product_id: line.product_id,
      quantity: line.quantity,
      unit_price: money(line.unitPrice),
      subtotal: money(line.subtotal),
      discount: money(line.discount),
      tax: money(taxes[place]!),
      ...(line.parent_line_id === undefined ? undefined : { parent_line_id: line.parent_line_id }),
      ...defined(flat[place]!.input, ["sku", "name", "category_ids", "tags", "loyalty_eligible", "metadata"])
    })),
    totals: {
      subtotal: money(subtotal),
      discount: money(discounted),
      tax: money(tax),
      tip: money(tip),
      service_charge: money(service_charge),
      total: money(total)
    },
    ...(input.closed_at === undefined
      ? undefined
      : { closed_at: new Date(instantOf(input.closed_at, zone, "/closed_at")).toISOString() }),
    ...(tenders === undefined ? undefined : { tenders }),
    ...defined(input, ["order_number", "member_id", "metadata"])
  }
  check(orderSchema, order, "")
  return order
}
