/**
 * The contract's rules for an order (contract/orders.md *Orders that add up*, *Eligible spend*), written
 * from the rules alone: sums over all pairs of lines, in fractions of a minor unit.
 */

import { placedAt } from "../../src/app/testing/Testing.ts"
import type { Order, OrderLine } from "../../src/contract/protocol/Order.ts"
import type { Random } from "./Random.ts"

export type Rules = {
  readonly products: ReadonlyArray<string>
  readonly categories: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly kinds: ReadonlyArray<string>
  readonly tenders: ReadonlyArray<string>
}

/** The demo programme's exclusions. */
export const demoRules: Rules = {
  products: ["gift-card-25"],
  categories: ["alcohol", "gift-cards"],
  tags: ["service-fee", "merch", "donation"],
  kinds: ["fee"],
  tenders: []
}

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((all, one) => all + one, 0)
export const net = (line: OrderLine): number => line.subtotal.amount - line.discount.amount
const parentOf = (order: Order, line: OrderLine): OrderLine | undefined =>
  order.lines.find((one) => one !== line && one.line_id === line.parent_line_id)
const lowers = (line: OrderLine): boolean => line.kind === "modifier" && line.unit_price.amount < 0

/** Whether following the parents of a line comes to an end. */
const hasEnd = (order: Order, line: OrderLine): boolean => {
  let at: OrderLine | undefined = line
  for (let steps = 0; at !== undefined; steps++, at = parentOf(order, at)) if (steps > order.lines.length) return false
  return true
}

const isLine = (order: Order, line: OrderLine): boolean => {
  const { discount, parent_line_id, quantity, subtotal, tax, unit_price } = line
  // In millionths of a minor unit: a quantity has at most 6 decimals.
  const apart = unit_price.amount * Math.round(quantity * 1e6) - subtotal.amount * 1e6
  if (Math.abs(apart) * 2 > Math.round(quantity * 1e6) + 1e6) return false
  if (tax.amount < 0 || discount.amount < 0) return false
  if (order.lines.filter(({ line_id }) => line_id === line.line_id).length > 1) return false
  if (parent_line_id !== undefined && parentOf(order, line) === undefined) return false
  if (!hasEnd(order, line)) return false
  if (!lowers(line)) return unit_price.amount >= 0 && subtotal.amount >= 0 && discount.amount <= subtotal.amount
  const parent = parentOf(order, line)
  const family = order.lines.filter(
    (one) => one === parent || (one.kind === "modifier" && parent !== undefined && parentOf(order, one) === parent)
  )
  return parent !== undefined && discount.amount === 0 && sum(family.map(net)) >= 0
}

/** Whether an order is valid at an instant of the service's clock, ms. */
export const isValid = (order: Order, now: number): boolean => {
  const { business_date, lines, placed_at, totals } = order
  const minutes = (Date.parse(placed_at) - now) / 60_000
  const daysBefore = (Date.parse(placed_at.slice(0, 10)) - Date.parse(business_date)) / 86_400_000
  const monies = [
    ...lines.flatMap((line) => [line.unit_price, line.subtotal, line.discount, line.tax]),
    ...Object.values(totals),
    ...(order.tenders ?? []).map(({ amount }) => amount)
  ]
  return (
    lines.every((line) => isLine(order, line)) &&
    monies.every(({ currency }) => currency === totals.total.currency) &&
    Object.values(totals).every(({ amount }) => amount >= 0) &&
    (order.tenders ?? []).every(({ amount }) => amount.amount >= 0) &&
    sum(lines.map(({ subtotal }) => subtotal.amount)) === totals.subtotal.amount &&
    sum(lines.map(({ discount }) => discount.amount)) === totals.discount.amount &&
    Math.abs(sum(lines.map(({ tax }) => tax.amount)) - totals.tax.amount) <= lines.length &&
    totals.total.amount ===
      totals.subtotal.amount -
        totals.discount.amount +
        totals.tax.amount +
        totals.tip.amount +
        totals.service_charge.amount &&
    totals.total.amount <= 10_000_000_000 &&
    minutes <= 5 &&
    minutes >= -400 * 24 * 60 &&
    Math.abs(daysBefore) <= 1
  )
}

/** Whether a line of a valid order earns. */
export const counts = (order: Order, line: OrderLine, rules: Rules): boolean => {
  const isExcluded =
    line.loyalty_eligible === false ||
    rules.products.includes(line.product_id) ||
    rules.kinds.includes(line.kind) ||
    (line.category_ids ?? []).some((one) => rules.categories.includes(one)) ||
    (line.tags ?? []).some((one) => rules.tags.includes(one))
  const parent = line.kind === "modifier" ? parentOf(order, line) : undefined
  if (parent === undefined) return !isExcluded
  return counts(order, parent, rules) && (lowers(line) || !isExcluded)
}

/** The eligible spend of a valid order, minor units, whatever its channel and the programme's minimum. */
export const spendOf = (order: Order, rules: Rules): number => {
  const spend = Math.max(0, sum(order.lines.filter((line) => counts(order, line, rules)).map(net)))
  if (rules.tenders.length === 0) return spend
  const other = sum(
    (order.tenders ?? []).filter(({ type }) => rules.tenders.includes(type)).map((one) => one.amount.amount)
  )
  return Math.min(spend, Math.max(0, order.totals.total.amount - other))
}

const usd = (amount: number) => ({ amount, currency: "USD" })

const drawLine = (random: Random, id: string, more: Partial<OrderLine>): OrderLine => {
  const quantity = random.pick([1, 1, 2, 3, 0.35, 1.125])
  const unit = more.unit_price?.amount ?? random.whole(0, 1_500)
  const half = Math.floor((quantity + 1) / 2)
  const subtotal = Math.round(unit * quantity) + random.pick([0, 0, 0, -half, half])
  return {
    line_id: id,
    kind: "item",
    product_id: random.pick(["bowl-classic", "bowl-classic", "gift-card-25"]),
    quantity,
    unit_price: usd(unit),
    subtotal: usd(subtotal),
    discount: usd(unit < 0 ? 0 : random.pick([0, 0, random.whole(0, Math.max(0, subtotal))])),
    tax: usd(random.whole(0, 90)),
    category_ids: [random.pick(["bowls", "bowls", "alcohol"])],
    ...more
  }
}

/** Moves an amount of the order a little, so that mostly nothing fits any more. */
const bent = (random: Random, order: Order): Order => {
  const [line] = order.lines
  if (line === undefined) return order
  const name = random.pick(["subtotal", "discount", "tax", "total"] as const)
  const delta = random.pick([-1, 1])
  switch (random.whole(1, 4)) {
    case 1:
      return { ...order, totals: { ...order.totals, [name]: usd(order.totals[name].amount + delta) } }
    case 2:
      return {
        ...order,
        lines: [{ ...line, parent_line_id: random.pick(["1", "2", "3", "none"]) }, ...order.lines.slice(1)]
      }
    case 3:
      return { ...order, lines: [{ ...line, subtotal: usd(line.subtotal.amount + delta) }, ...order.lines.slice(1)] }
    default:
      return { ...order, ...placedAt(Date.parse(order.placed_at) + random.pick([-401, -399, 1]) * 86_400_000) }
  }
}

/** An order as tills send them, with modifiers, weighed goods and rounded tax; some are not valid. */
export const draw = (random: Random, plain: Order): Order => {
  const lines: Array<OrderLine> = []
  for (let n = 1, last = random.whole(1, 5); n <= last; n++) {
    const chance = random.next()
    const parent = n === 1 ? undefined : { parent_line_id: String(random.whole(1, n - 1)) }
    if (chance < 0.5 || parent === undefined) lines.push(drawLine(random, String(n), {}))
    else if (chance < 0.75) lines.push(drawLine(random, String(n), { kind: "modifier", ...parent }))
    else if (chance < 0.95)
      lines.push(drawLine(random, String(n), { kind: "modifier", unit_price: usd(-random.whole(1, 300)), ...parent }))
    else lines.push(drawLine(random, String(n), { kind: "fee" }))
  }
  const all = (name: "subtotal" | "discount" | "tax") => sum(lines.map((line) => line[name].amount))
  const tax = Math.max(0, all("tax") + random.pick([0, 0, -lines.length, lines.length, lines.length + 1]))
  const total = all("subtotal") - all("discount") + tax
  const order: Order = {
    ...plain,
    lines,
    totals: {
      subtotal: usd(all("subtotal")),
      discount: usd(all("discount")),
      tax: usd(tax),
      tip: usd(0),
      service_charge: usd(0),
      total: usd(total)
    },
    // Cash is rounded, and change is given.
    ...(random.next() < 0.5
      ? { tenders: [{ tender_id: "t", type: "cash" as const, amount: usd(Math.max(0, total) + 3) }] }
      : {})
  }
  return random.next() < 0.15 ? bent(random, order) : order
}
