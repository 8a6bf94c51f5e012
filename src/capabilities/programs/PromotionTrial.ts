/**
 * Tries a definition's promotions on orders as the rollups recorded them: spend, place and time, not what was ordered
 * (contract/operators.md *Promotions*). Pure.
 */
import type { CardRewards, Previewed } from "../../contract/admin/PromotionFigures.ts"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Unit } from "../../contract/Values.ts"
import { fromMillis } from "../../contract/Values.ts"
import type { OrderAccruals } from "../../core/rules/Earning.ts"
import * as Earning from "../../core/rules/Earning.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { Given, Rules, Use, Uses } from "../../core/rules/Promotions.ts"
import * as Promotions from "../../core/rules/Promotions.ts"
import { valueOf } from "../../core/rules/Rewards.ts"
import * as Tiers from "../../core/rules/Tiers.ts"
import type { TierKey } from "../../reads/rollups/Ladder.ts"
import * as Ladder from "../../reads/rollups/Ladder.ts"

export interface RecordedOrder {
  readonly account: number
  /** When it accrued, ms. */
  readonly at: number
  readonly location: string | undefined
  /** Eligible spend at the accrual, minor units. */
  readonly spend: number
  /** When the member joined, ms. */
  readonly joined: number
  /** The member's tier now. */
  readonly tier: TierKey
  readonly isFirst: boolean
}

/** An order of one line that has all the spend. */
const orderOf = ({ currency, definition, id }: Program, { at, location, spend }: RecordedOrder): Order => {
  const money = (amount: number) => ({ amount, currency })
  return {
    order_id: "recorded",
    scope: { program_id: id, brand_id: "any", merchant_id: "any", location_id: location ?? "" },
    channel: definition.earning.eligible_channels?.[0] ?? "counter",
    status: "paid",
    business_date: fromMillis(at).slice(0, 10),
    placed_at: fromMillis(at),
    lines: [
      {
        line_id: "1",
        kind: "item",
        product_id: "",
        quantity: 1,
        unit_price: money(spend),
        subtotal: money(spend),
        discount: money(0),
        tax: money(0)
      }
    ],
    totals: {
      subtotal: money(spend),
      discount: money(0),
      tax: money(0),
      tip: money(0),
      service_charge: money(0),
      total: money(spend)
    }
  }
}

/** Counts the orders of a member in a day. No promotion has this id. */
const ordersOfDay = { id: "", since: 0 }

const sumsOf = (sums: ReadonlyMap<Unit, number>) => [...sums].map(([unit, amount]) => ({ unit, amount }))

/** Rewards of full stamp cards, with what they are worth; undefined: the programme has no card. */
export const cardRewards = ({ rewards, stampCard }: Program, cards: number): typeof CardRewards.Type | undefined => {
  const reward = stampCard && rewards.get(stampCard.rewardId)
  if (reward === undefined) return undefined
  const { effect, name, reward_id } = reward
  const worth = valueOf(effect)
  const cost = worth && { amount: worth.amount * cards, currency: worth.currency }
  return { reward_id, name, rewards: cards, ...(cost === undefined ? undefined : { cost }) }
}

/** Records of orders do not tell what was ordered. */
const isTriable = ({ gives, isOn }: Rules["all"][number]): boolean => isOn === undefined && gives.kind !== "per_item"

export class Trial {
  private readonly program: Program
  private readonly now: number
  private readonly rules: Rules
  /** Units that promotions give which cannot be tried. */
  private readonly untriedUnits: ReadonlySet<Unit>
  /** Uses by account, as the trial goes on. */
  private readonly uses = new Map<number, ReadonlyArray<Uses>>()
  private readonly all = new Map<Unit, number>()
  private readonly sums = new Map<Unit, number>()
  /** Credits of the stamp card by account. Each member begins with an empty card. */
  private readonly credits = new Map<number, number>()
  private readonly filled = { cards: 0, most: 0 }
  private readonly each = new Map<string, { orders: number; readonly points: Map<Unit, number> }>()

  /** `now`: the time for which members have their tier, ms. */
  constructor(program: Program, now: number) {
    this.program = program
    this.now = now
    const { all, ...rules } = program.promotions
    // The channel is not recorded, nor what was ordered.
    const [known, unknown] = [all.filter(isTriable), all.filter((one) => !isTriable(one))]
    this.rules = { ...rules, all: known.map((one) => ({ ...one, channels: undefined })) }
    this.untriedUnits = new Set(unknown.map(({ unit }) => unit))
    for (const { id } of this.rules.all) this.each.set(id, { orders: 0, points: new Map() })
  }

  /** Requires: orders of one account come in order of time. */
  order(recorded: RecordedOrder): void {
    const { program, rules } = this
    // The till would be refused: its total is at least what of it counts.
    if (recorded.spend > program.orderLimits.total) return
    const tierId = Ladder.tierAt(program, this.now, recorded.tier)
    const tierBps = Tiers.multiplierBps(program.tiers.find(({ tier_id }) => tier_id === tierId))
    const order = orderOf(program, recorded)
    const base = Earning.accruals(program, order, tierBps)
    if (base.isKeptOut) return
    const uses = this.uses.get(recorded.account) ?? []
    const day = this.dayOf(recorded.at)
    if (day !== undefined && Promotions.countOf(uses, day) >= program.orderLimits.perDay) return
    const given = Promotions.choose(rules, {
      order,
      left: { spend: recorded.spend, spendLeft: recorded.spend, lines: [] },
      own: recorded.at,
      isTooLate: false,
      at: recorded.at,
      tierId,
      tierBps,
      joined: recorded.joined,
      isFirst: recorded.isFirst,
      uses,
      rateOf: (unit) => {
        const rule = base.accruals.find((one) => one.unit === unit)?.earnedAt
        return rule?.mode === "spend" ? rule : undefined
      }
    })
    for (const one of given) this.count(one)
    this.earn(recorded.account, base.accruals, given)
    const all = [day, ...given.map(({ use }) => use)]
    const used = all.flatMap((use) => (use === undefined ? [] : [{ ...use, count: 1 }]))
    if (used.length > 0) this.uses.set(recorded.account, Promotions.counted(uses, used, recorded.at))
  }

  /** The use of the day's orders; undefined if the programme does not limit them. */
  private dayOf(at: number): Use | undefined {
    const { orderLimits, promotions } = this.program
    return orderLimits.perDay === Infinity
      ? undefined
      : Promotions.useOf(ordersOfDay, "day", promotions.zone, promotions.lateMs, at)
  }

  private earn(account: number, accruals: OrderAccruals["accruals"], given: ReadonlyArray<Given>): void {
    const points = new Map<Unit, number>()
    const all = [...accruals, ...given.map(({ points, promotion }) => ({ unit: promotion.unit, points }))]
    for (const one of all) points.set(one.unit, (points.get(one.unit) ?? 0) + one.points)
    for (const [unit, amount] of points) {
      const capped = Math.min(amount, this.program.orderLimits.points)
      this.sums.set(unit, (this.sums.get(unit) ?? 0) + capped)
      if (unit === this.program.stampCard?.unit) this.fill(account, capped, this.program.stampCard.threshold)
    }
  }

  private fill(account: number, amount: number, threshold: number): void {
    const before = this.credits.get(account) ?? 0
    const cards = Math.floor((before + amount) / threshold) - Math.floor(before / threshold)
    this.credits.set(account, before + amount)
    this.filled.cards += cards
    this.filled.most = Math.max(this.filled.most, cards)
  }

  /** The rewards of full stamp cards; undefined: the programme has no card, or all that fills it cannot be tried. */
  get cards() {
    const unit = this.program.stampCard?.unit
    if (unit !== undefined && this.untriedUnits.has(unit) && !this.sums.has(unit)) return undefined
    const rewards = cardRewards(this.program, this.filled.cards)
    return rewards && { ...rewards, most_for_one_order: this.filled.most }
  }

  private count({ points, promotion }: Given): void {
    const own = this.each.get(promotion.id)
    if (own === undefined) return
    own.orders += 1
    for (const sums of [own.points, this.all]) sums.set(promotion.unit, (sums.get(promotion.unit) ?? 0) + points)
  }

  /** Earnings of the orders in all, base and promotions, by account. */
  get earned(): Previewed["points"] {
    return sumsOf(this.sums)
  }

  get result(): Pick<Previewed, "points" | "promotions" | "untried"> {
    const ids = (this.program.file.promotions ?? []).map(({ promotion_id }) => promotion_id)
    return {
      points: sumsOf(this.all),
      promotions: ids.flatMap((promotion_id) => {
        const own = this.each.get(promotion_id)
        return own === undefined ? [] : [{ promotion_id, orders: own.orders, points: sumsOf(own.points) }]
      }),
      untried: ids.filter((id) => !this.each.has(id))
    }
  }
}
