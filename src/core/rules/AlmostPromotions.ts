/**
 * Promotions that an order nearly gets: with so much more spend, or one more item, it would earn more than now
 * (contract/programmes.md *Promotions*). For evaluations. Pure.
 */
import type { OrderLine } from "../../contract/protocol/Order.ts"
import type { OrderAccruals } from "./Earning.ts"
import * as Earning from "./Earning.ts"
import type { LineLeft } from "./OrdersLeft.ts"
import { countedOf, linesOn } from "./OrdersLeft.ts"
import type { Program } from "./Program.ts"
import type { OrderInQuestion, Promotion, Terms } from "./Promotions.ts"
import * as Promotions from "./Promotions.ts"

export interface Almost {
  readonly promotion: Promotion
  /** Minor units. */
  readonly spend?: number
  readonly items?: number
}

/** Most near misses that an evaluation tells. */
const mostAlmost = 3

interface Order {
  readonly program: Program
  readonly asked: OrderInQuestion
  readonly base: OrderAccruals
}

/** A product, category or tag of the promotion whose items the programme lets earn. */
const itemOf = ({ file }: Promotion, { eligibility }: Program): Partial<OrderLine> | undefined => {
  const { category_ids = [], product_ids = [], tags = [] } = file.on ?? {}
  const product = product_ids.find((id) => !eligibility.excludedProducts.has(id))
  if (product !== undefined) return { product_id: product }
  const category = category_ids.find((id) => !eligibility.excludedCategories.has(id))
  if (category !== undefined) return { category_ids: [category] }
  const tag = tags.find((one) => !eligibility.excludedTags.has(one))
  return tag === undefined ? undefined : { tags: [tag] }
}

/** The order with one more item. Undefined: the programme does not let such items earn. */
const withItem = ({ asked, program }: Order, promotion: Promotion, price: number): OrderInQuestion | undefined => {
  const item = itemOf(promotion, program)
  if (item === undefined) return undefined
  const money = (amount: number) => ({ amount, currency: program.currency })
  const line: OrderLine = {
    line_id: "",
    kind: "item",
    product_id: "",
    quantity: 1,
    unit_price: money(price),
    subtotal: money(price),
    discount: money(0),
    tax: money(0),
    ...item
  }
  const { left, order } = asked
  // The programme has kept out a line of the promotion, for another category or tag, or because the till says so.
  const isKeptOut = order.lines.some(
    (one, place) =>
      left.lines[place]?.spend === 0 && one.subtotal.amount !== one.discount.amount && promotion.isOn?.(one) === true
  )
  if (isKeptOut) return undefined
  const more: LineLeft = { spend: price, quantity: 1, subtotal: price, quantityLeft: 1, subtotalLeft: price }
  return {
    ...asked,
    order: { ...order, lines: [...order.lines, line] },
    left: { spend: left.spend + price, spendLeft: left.spendLeft + price, lines: [...left.lines, more] }
  }
}

/** The order with so much more spend of the lines that count. */
const withSpend = (order: Order, promotion: Promotion, { on }: Terms, spend: number): OrderInQuestion | undefined => {
  const { asked } = order
  const { left } = asked
  const raised = on?.find((place) => (left.lines[place]?.spend ?? 0) > 0)
  if (on !== undefined && raised === undefined) return withItem(order, promotion, spend)
  const lines = left.lines.map((line, place) =>
    place === raised
      ? {
          ...line,
          spend: line.spend + spend,
          subtotal: line.subtotal + spend,
          subtotalLeft: line.subtotalLeft + spend
        }
      : line
  )
  return { ...asked, left: { spend: left.spend + spend, spendLeft: left.spendLeft + spend, lines } }
}

/** Earnings of an order on the promotion's account, with the promotion and without it. */
const compared = ({ base, program }: Order, promotion: Promotion, asked: OrderInQuestion) => {
  const { unit } = promotion
  const possible = Promotions.possible(program.promotions, asked).filter((one) => one.promotion.unit === unit)
  const others = possible.filter((one) => one.promotion !== promotion)
  const rule = base.accruals.find((one) => one.unit === unit)?.earnedAt
  const own = rule === undefined ? 0 : Earning.pointsFor(rule, asked.left.spendLeft)
  const earned = (given: typeof possible) =>
    Math.min(
      program.orderLimits.points,
      Promotions.stacked(program.promotions, given).reduce((sum, { points }) => sum + points, own)
    )
  return { with: earned(possible), without: earned(others), others, most: program.orderLimits.points }
}

/** True if one more item gives more, whatever it costs. */
const givesForItem = (order: Order, promotion: Promotion): boolean => {
  const asked = withItem(order, promotion, 1)
  if (asked === undefined) return false
  const all = compared(order, promotion, asked)
  const isBest = order.program.promotions.stacking === "best"
  const isMultiple = promotion.gives.kind === "multiply"
  // Which of two gives more follows from the price, which nobody knows.
  const growing = all.others.some((one) => one.promotion.gives.kind === "multiply")
  if (isBest && all.others.length > 0 && (isMultiple || growing)) return false
  return isMultiple ? all.without < all.most : all.with > all.without
}

const missingOf = (order: Order, promotion: Promotion): Almost | undefined => {
  const { asked, program } = order
  const { points, terms } = Promotions.wouldGive(promotion, asked)
  if (points > 0) return undefined
  if (terms.on?.length === 0 && terms.minimum === undefined)
    return givesForItem(order, promotion) ? { promotion, items: 1 } : undefined
  const spend = (terms.minimum ?? 0) - countedOf(linesOn(terms, asked.left), asked.left).left
  if (spend <= 0 || asked.order.totals.total.amount + spend > program.orderLimits.total) return undefined
  const more = withSpend(order, promotion, terms, spend)
  if (more === undefined) return undefined
  const all = compared(order, promotion, more)
  return all.with > all.without ? { promotion, spend } : undefined
}

/** The nearest misses of an order that the base rules let earn: those of spend first. */
export const almost = (order: Order): ReadonlyArray<Almost> => {
  const all = Promotions.applicable(order.program.promotions, order.asked).flatMap(
    (promotion) => missingOf(order, promotion) ?? []
  )
  const [spends, items] = [
    all.filter(({ items }) => items === undefined),
    all.filter(({ items }) => items !== undefined)
  ]
  return [...spends.toSorted((a, b) => (a.spend ?? 0) - (b.spend ?? 0)), ...items].slice(0, mostAlmost)
}
