/**
 * The plan of the demo's history: every request with its time. It depends only on a
 * fixed seed and the present time. `DemoHistory` sends the requests.
 */
import type { RequestOf } from "../../contract/protocol/Operations.ts"
import { dateAt, dayStart } from "../../core/rules/Calendar.ts"
import type { Guest } from "./DemoGuests.ts"
import { drawsFrom, guests, pick, placeOf } from "./DemoGuests.ts"

/** Days of history before today: the 30 days that the console shows, and 30 days to compare with. */
export const historyDays = 60
/** The day of the second import. */
const importDay = historyDays - 20
/** The day of the campaign's run. */
const campaignDay = historyDays - 12
/** Lifetime of the campaign's rewards, days: some expire within the history. */
const campaignRewardDays = 9
/** Lifetime of the welcome points, days. */
const welcomeDays = 21
/** The day of the first part of `Demo.parts`; each further part is three days later. */
const firstPart = historyDays - 24
const seed = 20_261_125

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

type Order = RequestOf<"accrual.post">["order"]

/** A request that a till or a system sent at `at`, ms. */
export type GuestRequest = { readonly at: number } & (
  | { readonly type: "accrue"; readonly order: Order }
  | { readonly type: "reserve"; readonly redemption: string; readonly reward: string; readonly order: Order }
  | { readonly type: "capture"; readonly redemption: string; readonly order: string }
  | { readonly type: "reverse"; readonly redemption: string; readonly reason: string }
  | { readonly type: "refund"; readonly order: string; readonly isFull: boolean; readonly amount: number }
  | { readonly type: "welcome"; readonly amount: number; readonly expiresAt: number }
  | { readonly type: "issue"; readonly issued: string; readonly reward: string; readonly expiresAt: number }
  /** Redeems the campaign's reward, if it is in the wallet. */
  | { readonly type: "campaign_reward"; readonly redemption: string; readonly order: Order }
)

/** An event of a guest, such as opening the app. */
interface Behaviour {
  readonly at: number
  readonly guest: string
  readonly key: string
  readonly type: string
  readonly location: string | undefined
  readonly properties: Readonly<Record<string, string | number>>
}

export interface Day {
  /** ms; the requests of the day are before `end`. */
  readonly end: number
  readonly joins: ReadonlyArray<{ readonly at: number; readonly guest: Guest }>
  /** The import of the day, before everything else. */
  readonly imported: { readonly at: number; readonly guests: ReadonlyArray<Guest> } | undefined
  /** Requests by guest, in order of time. */
  readonly requests: ReadonlyMap<string, ReadonlyArray<GuestRequest>>
  /** Index in `Demo.parts`, and time, of the part that runs on this day. */
  readonly part: { readonly index: number; readonly at: number } | undefined
  /** Time of the campaign's run, ms. */
  readonly campaignAt: number | undefined
}

export interface DemoPlan {
  /** ms */
  readonly start: number
  readonly days: ReadonlyArray<Day>
  readonly behaviour: ReadonlyArray<Behaviour>
  /** Lifetime of the campaign's rewards, s. */
  readonly campaignRewardSeconds: number
}

const usd = (amount: number) => ({ amount, currency: "USD" })

const menu = [
  ["bowl-classic", "Classic bowl", 1195, "bowls"],
  ["bowl-salmon", "Salmon bowl", 1495, "bowls"],
  ["bowl-tofu", "Tofu bowl", 1145, "bowls"],
  ["bowl-green", "Green bowl", 1045, "bowls"],
  ["soup-miso", "Miso soup", 495, "sides"],
  ["edamame", "Edamame", 450, "sides"],
  ["tea-iced", "Iced tea", 325, "drinks"],
  ["kombucha", "Kombucha", 475, "drinks"]
] as const
const bowls = menu.filter(([, , , category]) => category === "bowls")
const others = menu.filter(([, , , category]) => category !== "bowls")

const channels = [
  ["counter", 0.5],
  ["mobile", 0.25],
  ["web", 0.15],
  ["drive_thru", 0.1]
] as const

/** Orders on each weekday relative to an average day, from Sunday. */
const weekdays = [1.05, 0.75, 0.85, 0.95, 1, 1.2, 1.35]

/** A random time of a meal, hours since midnight. */
const mealHour = (draw: () => number): number => {
  const meal = draw()
  // The mean of three draws is close to a bell around 0.5.
  const bell = (draw() + draw() + draw()) / 3 - 0.5
  if (meal < 0.55) return 12.5 + bell * 3.2
  return meal < 0.92 ? 18.75 + bell * 4 : 15.5 + bell * 6
}

const taxRate = 0.08

class Planner {
  private readonly draw = drawsFrom(seed)
  private readonly now: number
  private readonly zone: string
  /** The local date of the first day, as the same date's midnight in UTC. */
  private readonly first: number
  private readonly requests = new Map<string, Array<GuestRequest>>()
  /** A lower bound of each guest's points. */
  private readonly points = new Map<string, number>()
  private orders = 0

  constructor(now: number, zone: string) {
    this.now = now
    this.zone = zone
    this.first = dateAt(zone, now) - historyDays * dayMs
  }

  private startOf(day: number): number {
    return dayStart(this.zone, this.first + day * dayMs)
  }

  private add(guest: Guest, request: GuestRequest): void {
    const known = this.requests.get(guest.id)
    if (known === undefined) this.requests.set(guest.id, [request])
    else known.push(request)
  }

  private earn(guest: Guest, points: number): void {
    this.points.set(guest.id, (this.points.get(guest.id) ?? 0) + points)
  }

  private pointsOf(guest: Guest): number {
    return this.points.get(guest.id) ?? 0
  }

  /** A random order at `at`, ms. `discount`: minor units off its first line. */
  private order(guest: Guest, day: number, at: number, discount: number): Order {
    const { draw } = this
    const people = draw() < 0.06 ? 3 + Math.floor(draw() * 3) : 1
    const chosen = [bowls[Math.floor(draw() * bowls.length)]!]
    if (draw() < 0.45) chosen.push(others[Math.floor(draw() * others.length)]!)
    const lines = chosen.map(([product_id, name, price, category], index) => {
      const subtotal = price * people
      const taken = index === 0 ? Math.min(discount, subtotal) : 0
      return {
        line_id: `line-${index + 1}`,
        kind: "item" as const,
        product_id,
        name,
        quantity: people,
        unit_price: usd(price),
        subtotal: usd(subtotal),
        discount: usd(taken),
        tax: usd(Math.round((subtotal - taken) * taxRate)),
        category_ids: [category]
      }
    })
    const sum = (of: "subtotal" | "discount" | "tax") => lines.reduce((total, line) => total + line[of].amount, 0)
    const tip = draw() < 0.3 ? 100 + 50 * Math.floor(draw() * 5) : 0
    return {
      order_id: `cb-${100_001 + this.orders++}`,
      scope: {
        program_id: "demo-foodservice",
        brand_id: "corner-bowl",
        merchant_id: "corner-bowl-east",
        location_id: placeOf(guest, draw)
      },
      channel: pick(channels, draw()),
      status: "paid",
      business_date: new Date(this.first + day * dayMs).toISOString().slice(0, 10),
      placed_at: new Date(at).toISOString(),
      lines,
      totals: {
        subtotal: usd(sum("subtotal")),
        discount: usd(sum("discount")),
        tax: usd(sum("tax")),
        tip: usd(tip),
        service_charge: usd(0),
        total: usd(sum("subtotal") - sum("discount") + sum("tax") + tip)
      }
    }
  }

  private timeOf(day: number): number {
    return Math.floor(this.startOf(day) + mealHour(this.draw) * hourMs)
  }

  /** Plans an order, sometimes with a redemption or a refund. */
  private meal(guest: Guest, day: number, mayRedeem: boolean): void {
    const { draw } = this
    const at = this.timeOf(day)
    const wish = mayRedeem ? draw() : 1
    const points = this.pointsOf(guest)
    const reward = points >= 1000 && wish < 0.4 ? "free-bowl" : points >= 100 && wish < 0.2 ? "one-off" : undefined
    const order = this.order(guest, day, at, reward === undefined ? 0 : reward === "one-off" ? 100 : 1200)
    const redemption = `redeem-${order.order_id}`
    const paidAt = at + minuteMs
    if (reward !== undefined) {
      this.add(guest, { type: "reserve", at, redemption, reward, order: { ...order, status: "open" } })
      const end = draw()
      const isCaptured = end >= 0.1
      if (isCaptured) {
        this.add(guest, { type: "capture", at: at + 40_000, redemption, order: order.order_id })
        this.earn(guest, reward === "one-off" ? -100 : -1000)
      }
      // A reservation that is neither captured nor reversed expires.
      if (end < 0.05) this.add(guest, { type: "reverse", at: at + 30_000, redemption, reason: "Changed their mind" })
      if (!isCaptured) return
    }
    this.add(guest, { type: "accrue", at: paidAt, order })
    const spend = order.totals.subtotal.amount - order.totals.discount.amount
    this.earn(guest, Math.floor(spend / 10))
    const trouble = draw()
    if (trouble >= 0.04) return
    const isFull = trouble < 0.015
    const amount = isFull ? spend : Math.floor(spend * 0.4)
    const refundAt = paidAt + 20 * minuteMs
    this.add(guest, { type: "refund", at: refundAt, order: order.order_id, isFull, amount })
    // Assumes the highest multiplier, so that `points` stays a lower bound.
    this.earn(guest, -Math.ceil((amount / 10) * 1.5))
    if (isFull && reward !== undefined)
      this.add(guest, { type: "reverse", at: refundAt + 5_000, redemption, reason: "Order refunded" })
  }

  private join(guest: Guest, day: number): { readonly at: number; readonly guest: Guest } {
    const at = Math.floor(this.startOf(day) + (9.5 + this.draw() * 0.4) * hourMs)
    this.add(guest, { type: "welcome", at: at + minuteMs, amount: 50, expiresAt: at + welcomeDays * dayMs })
    return { at, guest }
  }

  private redeemCampaignReward(guest: Guest, day: number): void {
    const at = this.timeOf(day)
    const order = this.order(guest, day, at, 100)
    this.add(guest, { type: "campaign_reward", at, redemption: `redeem-${order.order_id}`, order })
  }

  private birthday(guest: Guest, day: number): void {
    const at = Math.floor(this.startOf(day) + 9.25 * hourMs)
    const expiresAt = at + 14 * dayMs
    this.add(guest, { type: "issue", at, issued: `treat-${guest.id}-${day}`, reward: "free-bowl", expiresAt })
  }

  private behaviourOf(guest: Guest, day: number): ReadonlyArray<Behaviour> {
    const { draw } = this
    const types = [
      ["app.opened", 0.55],
      ["menu.viewed", 0.25],
      ["review.posted", 0.12],
      ["friend.referred", 0.08]
    ] as const
    const count = Math.floor(draw() * 3 * (0.3 + guest.rate))
    return Array.from({ length: count }, (_, index) => {
      const type = pick(types, draw())
      return {
        at: this.timeOf(day),
        guest: guest.id,
        key: `${guest.id}-${day}-${index}`,
        type,
        location: type === "review.posted" ? guest.home : undefined,
        properties: type === "review.posted" ? { stars: 3 + Math.floor(draw() * 3) } : { platform: "ios" }
      }
    })
  }

  private day(day: number, all: ReadonlyArray<Guest>, behaviour: Array<Behaviour>): Day {
    const { draw } = this
    const weekday = new Date(this.first + day * dayMs).getUTCDay()
    const joins: Array<Day["joins"][number]> = []
    for (const guest of all) {
      if (guest.joins > day) continue
      const joinsAtTill = guest.joins === day && !guest.isImported
      if (joinsAtTill) joins.push(this.join(guest, day))
      const rate = guest.rate * weekdays[weekday]!
      // A guest who joins at the till has an order to pay.
      if (draw() < rate || joinsAtTill) this.meal(guest, day, true)
      // A second order must not redeem: its time may be before the first, which may spend the points.
      if (draw() < rate * 0.15) this.meal(guest, day, false)
      if (guest.marketing && guest.joins < campaignDay && day > campaignDay && day < campaignDay + campaignRewardDays)
        if (draw() < 0.07) this.redeemCampaignReward(guest, day)
      if (guest.birthDate !== undefined && draw() < 1 / 150) this.birthday(guest, day)
      behaviour.push(...this.behaviourOf(guest, day))
    }
    const until = Math.min(this.startOf(day + 1), this.now)
    const requests = new Map(
      [...this.requests].map(([guest, list]) => [
        guest,
        list.filter(({ at }) => at < until - 5 * minuteMs).toSorted((a, b) => a.at - b.at)
      ])
    )
    this.requests.clear()
    const part = (day - firstPart) / 3
    const partAt = this.startOf(day) + 13 * hourMs
    const campaignAt = this.startOf(day) + 10 * hourMs
    const imported = all.filter((guest) => guest.isImported && guest.joins === day)
    return {
      end: until,
      imported: imported.length === 0 ? undefined : { at: this.startOf(day) + 8 * hourMs, guests: imported },
      joins: joins.filter(({ at }) => at < until - 5 * minuteMs),
      requests,
      part: Number.isInteger(part) && part >= 0 ? { index: part, at: partAt } : undefined,
      campaignAt: day === campaignDay ? campaignAt : undefined
    }
  }

  make(): DemoPlan {
    const all = guests(historyDays, importDay, this.draw)
    for (const guest of all) this.earn(guest, guest.opening)
    const behaviour: Array<Behaviour> = []
    const days = Array.from({ length: historyDays + 1 }, (_, day) => this.day(day, all, behaviour))
    return {
      start: this.startOf(0),
      days,
      behaviour: behaviour.filter(({ at }) => at < this.now),
      campaignRewardSeconds: campaignRewardDays * 86_400
    }
  }
}

/** The plan of a history that ends at `now`, ms. Its days are those of a time zone. */
export const planOf = (now: number, zone: string): DemoPlan => new Planner(now, zone).make()
