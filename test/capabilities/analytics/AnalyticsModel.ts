/**
 * Analytics counted by hand, from every record and every event there is, one
 * after the other: what the sums are held against.
 */

import type { Analytics, Bucket } from "../../../src/contract/platform/Analytics.ts"
import type { Unit } from "../../../src/contract/Values.ts"
import { decodeEvents } from "../../../src/core/account/Codec.ts"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import { tierOf } from "../../../src/core/account/domain/Metrics.ts"
import type { ShownEntry } from "../../../src/core/account/domain/Posted.ts"
import type { State } from "../../../src/core/account/domain/State.ts"
import { unitOf } from "../../../src/core/account/domain/State.ts"
import type { StoredRecord } from "../../../src/core/journal/Records.ts"
import type { Program } from "../../../src/core/rules/Program.ts"

/** A behaviour event. */
export interface Told {
  readonly program: string
  readonly account: number
  readonly type: string
  /** ms. */
  readonly at: number
  readonly location: string | undefined
}

export interface World {
  readonly program: Program
  /** Every event of the programme, with its account. */
  readonly events: ReadonlyArray<{ readonly account: number; readonly event: AccountEvent }>
  readonly orders: ReadonlyArray<Order>
  readonly states: ReadonlyMap<number, State>
  readonly told: ReadonlyArray<Told>
}

export interface Asked {
  /** ms, `from` included. */
  readonly from: number
  readonly until: number
  readonly bucket: Bucket
  readonly zone: string
  readonly location: string | undefined
  /** Given: orders count on their business days. */
  readonly business?: object | undefined
  readonly now: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The date that a calendar on the wall shows, `YYYY-MM-DD`. */
export const dateIn = (zone: string, at: number): string => {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" })
  formats.set(zone, format)
  return format.format(at)
}

/** The first date of the day, week or month of a date. */
const partOf = (bucket: Bucket, date: string): string => {
  if (bucket === "day") return date
  if (bucket === "month") return `${date.slice(0, 7)}-01`
  const day = new Date(`${date}T00:00:00Z`)
  while (day.getUTCDay() !== 1) day.setUTCDate(day.getUTCDate() - 1)
  return day.toISOString().slice(0, 10)
}

const add = <Key>(counts: Map<Key, number>, key: Key, more = 1) => counts.set(key, (counts.get(key) ?? 0) + more)

export interface Order {
  account: number
  readonly at: number
  readonly location: string | undefined
  readonly business: string
  readonly accrued: number
  delta: number
  isClosed: boolean
}

/** A programme's world, of all records there are. */
export const worldOf = (
  program: Program,
  records: ReadonlyArray<StoredRecord>,
  states: ReadonlyMap<number, State>,
  told: ReadonlyArray<Told>
): World => {
  const events = records
    .filter(({ account }) => states.get(account)?.program === program.id)
    .flatMap((record) => decodeEvents(record).map((event) => ({ account: record.account, event })))
  return { program, events, orders: ordersOf(events), states, told }
}

const ordersOf = (all: World["events"]): ReadonlyArray<Order> => {
  const orders = new Map<string, Order>()
  for (const { account, event } of all) {
    if (event.type === "posted" && event.op === "accrual" && event.order !== undefined && !orders.has(event.order)) {
      const { at, business = dateIn("UTC", event.at), location, order, spend = 0 } = event
      orders.set(order, { account, at, location, business, accrued: spend, delta: 0, isClosed: false })
    } else if (event.type === "order_adjusted") {
      const order = orders.get(event.order)
      if (order === undefined) throw new Error(`no order ${event.order}`)
      order.delta += event.delta
      order.isClosed ||= event.closes === true
    } else if (event.type === "merged_in") {
      for (const order of orders.values()) if (order.account === event.account) order.account = account
    }
  }
  // Closed orders count nowhere, nor do empty ones.
  return [...orders.values()].filter(
    ({ accrued, delta, isClosed }) => !isClosed && (accrued === 0 || accrued + delta > 0)
  )
}

export const spendOf = ({ accrued, delta, isClosed }: Order): number => (isClosed ? 0 : Math.max(0, accrued + delta))

const points = (event: AccountEvent) => {
  if (event.type !== "posted") return undefined
  const { amount, op } = event
  return {
    issued: op === "accrual" ? amount : 0,
    redeemed: op === "redemption" ? 0 - amount : 0,
    reversed: op === "reversal" ? amount : 0,
    expired: op === "expiration" ? 0 - amount : 0,
    adjusted: op === "adjustment" || op === "manual" ? amount : 0
  }
}
type Column = keyof NonNullable<ReturnType<typeof points>>
const columns: ReadonlyArray<Column> = ["issued", "redeemed", "reversed", "expired", "adjusted"]

/** Points by part, account and column that are not 0. */
const ledgerOf = (all: World["events"], isWanted: (at: number, location?: string) => boolean, asked: Asked) => {
  const sums = new Map<string, number>()
  for (const { event } of all) {
    const found = points(event)
    if (found === undefined || event.type !== "posted") continue
    const { location }: ShownEntry = event
    if (!isWanted(event.at, location)) continue
    const part = partOf(asked.bucket, dateIn(asked.zone, event.at))
    for (const column of columns) add(sums, `${part} ${event.unit} ${column}`, found[column])
  }
  return new Map([...sums].filter(([, sum]) => sum !== 0))
}

const rewardsOf = (all: World["events"], isWanted: (at: number, location?: string) => boolean) => {
  const holds = new Map<string, Extract<AccountEvent, { type: "reserved" }>>()
  for (const { event } of all) if (event.type === "reserved") holds.set(event.reservation, event)
  const sums = new Map<string, number>()
  for (const { event } of all) {
    if (event.type === "reserved" && isWanted(event.at, event.location)) add(sums, `${event.reward} reserved`)
    if (event.type === "reward_issued" && isWanted(event.at)) add(sums, `${event.reward} issued`)
    if (!["captured", "released", "refunded", "hold_expired"].includes(event.type) || !("reservation" in event))
      continue
    const hold = holds.get(event.reservation ?? "")
    if (hold === undefined) throw new Error("a hold was reserved before")
    if (!isWanted(event.at, hold.location)) continue
    if (event.type === "captured") add(sums, `${hold.reward} captured`)
    if (event.type === "captured" && hold.issued !== undefined && hold.isPaid !== true)
      add(sums, `${hold.reward} redeemed`)
    if (event.type === "released" || event.type === "refunded") add(sums, `${hold.reward} reversed`)
    if (event.type === "hold_expired") add(sums, `${hold.reward} expired`)
  }
  return sums
}

const balanceOf = (states: ReadonlyArray<State>, unit: Unit, { now, zone }: Asked) => {
  const months = new Map<string, number>()
  for (const state of states) {
    const addLot = (_: number, left: number, expires: number) => {
      if (expires !== Infinity) add(months, dateIn(zone, Math.max(expires, now)).slice(0, 7), left)
    }
    Lots.each(unitOf(state, unit).lots, addLot, state.idle)
  }
  return {
    unit,
    outstanding: states.reduce((sum, state) => sum + unitOf(state, unit).posted, 0),
    reserved: states.reduce((sum, state) => sum + unitOf(state, unit).reserved, 0),
    expiring: months
  }
}

/** The figures, with lists as maps of what is not 0. */
export const count = (world: World, asked: Asked) => {
  const { events: all, program, told } = world
  const isWanted = (at: number, location?: string) =>
    at >= asked.from && at < asked.until && (asked.location === undefined || asked.location === location)
  const states = [...world.states.values()].filter((state) => state.program === program.id)
  const before = dateIn(asked.zone, asked.from - 1)
  const last = dateIn(asked.zone, asked.until - 1)
  const isOfDays = asked.business !== undefined
  const orders = world.orders.filter(({ at, business, location }) =>
    isOfDays
      ? business > before && business <= last && (asked.location === undefined || asked.location === location)
      : isWanted(at, location)
  )
  const byMember = new Map<number, number>()
  const byLocation = new Map<string, number>()
  const spendByLocation = new Map<string, number>()
  const byPart = new Map<string, number>()
  for (const order of orders) {
    const { account, at, business, location = "" } = order
    add(byMember, account)
    add(byLocation, location)
    const spent = spendOf(order)
    if (spent > 0) add(spendByLocation, location, spent)
    add(byPart, partOf(asked.bucket, isOfDays ? business : dateIn(asked.zone, at)))
  }
  const spend = orders.reduce((sum, order) => sum + spendOf(order), 0)
  const repeat = [...byMember.values()].filter((count) => count > 1).length
  const tiers = new Map<string, number>()
  for (const state of states) {
    const tier = tierOf(state, program, asked.now)
    if (tier !== undefined) add(tiers, tier.tier_id)
  }
  const happened = told.filter(({ at, location, program: of }) => of === program.id && isWanted(at, location))
  const byType = new Map<string, number>()
  const byDay = new Map<string, number>()
  for (const { at, type } of happened) {
    add(byType, type)
    add(byDay, dateIn(asked.zone, at))
  }
  return {
    events: { total: happened.length, members: new Set(happened.map(({ account }) => account)).size, byType, byDay },
    members: {
      total: states.length,
      new: states.filter(({ joined }) => joined >= asked.from && joined < asked.until).length,
      active: byMember.size,
      tiers
    },
    balances: program.accounts.map(({ unit }) => balanceOf(states, unit, asked)),
    ledger: ledgerOf(all, isWanted, asked),
    orders: {
      count: orders.length,
      spend,
      average: orders.length === 0 ? 0 : Math.round(spend / orders.length),
      repeat: byMember.size === 0 ? 0 : Math.floor((repeat * 10_000) / byMember.size),
      byLocation,
      spendByLocation,
      byPart
    },
    rewards: rewardsOf(all, isWanted)
  }
}

const counts = (all: ReadonlyArray<{ readonly key: string; readonly count: number }>) =>
  new Map(all.flatMap(({ count: amount, key }) => (amount === 0 ? [] : [[key, amount] as const])))

/** An answer in the model's words. */
export const answered = ({ customer_data: { events }, loyalty, range }: Analytics): ReturnType<typeof count> => ({
  events: {
    total: events.total,
    members: events.unique_members,
    byType: counts(events.by_type),
    byDay: counts(events.by_day)
  },
  members: {
    total: loyalty.members.total,
    new: loyalty.members.new,
    active: loyalty.members.active,
    tiers: counts(loyalty.members.by_tier)
  },
  balances: loyalty.balances.map(({ expiring_by_month, outstanding, reserved, unit }) => ({
    unit,
    outstanding,
    reserved,
    expiring: counts(expiring_by_month)
  })),
  ledger: new Map(
    loyalty.ledger_by_bucket.flatMap((one) =>
      columns.flatMap((column) => {
        const part = dateIn(range.time_zone, Date.parse(one.start))
        return one[column] === 0 ? [] : [[`${part} ${one.unit} ${column}`, one[column]] as const]
      })
    )
  ),
  orders: {
    count: loyalty.orders.count,
    spend: loyalty.orders.eligible_spend.amount,
    average: loyalty.orders.average.amount,
    repeat: loyalty.orders.repeat_rate_bps,
    byLocation: counts(loyalty.orders.by_location),
    spendByLocation: counts(
      loyalty.orders.by_location.map(({ eligible_spend, key }) => ({ key, count: eligible_spend.amount }))
    ),
    byPart: counts(
      loyalty.orders.by_bucket.map(({ count, start }) => ({ key: dateIn(range.time_zone, Date.parse(start)), count }))
    )
  },
  rewards: counts(
    loyalty.rewards.flatMap(({ redeemed_worth: _, reward_id, ...flows }) =>
      Object.entries(flows).map(([flow, amount]) => ({ key: `${reward_id} ${flow}`, count: amount }))
    )
  )
})
