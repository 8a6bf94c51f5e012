/**
 * A model of finance: its own arithmetic. Lines follow from what was done, places and months from the lots that differ between
 * two states, days from the platform's calendars. It reads no code of `Movements`, `Sums` or `Rows`.
 */
import { assert } from "@effect/vitest"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import { evolve } from "../../../src/core/account/domain/Evolve.ts"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import type { Accrual, Adjusting, Posted, ShownEntry } from "../../../src/core/account/domain/Posted.ts"
import type { State, UnitBalance } from "../../../src/core/account/domain/State.ts"
import { unitOf } from "../../../src/core/account/domain/State.ts"
import type { Committed, History } from "./History.ts"

/** The change of a balance at a place. */
export interface Change {
  /** Place of the record among those of the history, from 0. */
  readonly index: number
  readonly program: string
  /** The UTC midnight of its date, ms. */
  readonly day: number
  readonly unit: string
  /** Empty: the brand. */
  readonly place: string
  readonly line: string
  readonly points: number
  /** The month in which the lot was earned, YYYY-MM; undefined: a balance below zero. */
  readonly earned: string | undefined
}

/** A change of what is in wallets. */
interface WalletChange extends Pick<Change, "index" | "program" | "day"> {
  readonly reward: string
  readonly wallets: number
  readonly given: number
  readonly used: number
}

/** All that changed: in balances, at the places of redemptions, in wallets. */
export interface Changes {
  readonly points: ReadonlyArray<Change>
  readonly here: ReadonlyArray<Change>
  readonly wallets: ReadonlyArray<WalletChange>
}

const formats = new Map<string, Intl.DateTimeFormat>()
const dateIn = (zone: string, at: number): string => {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat("sv", { timeZone: zone })
  formats.set(zone, format)
  return format.format(at)
}

type Part = readonly [line: string, points: number]
type Share = readonly [place: string, points: number, earned: string | undefined]

/** Gives shares to parts in their order, a balance below zero first. */
const dealt = (parts: ReadonlyArray<Part>, shares: ReadonlyArray<Share>) => {
  const last = parts.length - 1
  const left = parts.map(([, points]) => points)
  return shares.flatMap(([place, points, earned]) =>
    parts.flatMap(([line], at): ReadonlyArray<Pick<Change, "line" | "place" | "points" | "earned">> => {
      const part = at === last ? points : Math.min(points, left[at]!)
      points -= part
      left[at]! -= part
      return part === 0 ? [] : [{ line, place, points: part, earned }]
    })
  )
}

const cardFilled = "stamp card filled"

class Reader {
  readonly points: Array<Change> = []
  readonly here: Array<Change> = []
  readonly wallets: Array<WalletChange> = []
  /** The places of entries that make lots. */
  private readonly places = new Map<string, string>()
  /** Points by unit that the order of the present move took from its former guest. */
  private readonly lost = new Map<string, number>()
  private readonly history: History
  private readonly zones: ReadonlyArray<string>

  constructor(history: History, zones: ReadonlyArray<string>) {
    this.history = history
    this.zones = zones
    for (const [index, record] of history.records.entries()) this.record(record, index)
  }

  private record(record: Committed, index: number): void {
    if (this.history.records[index - 1]?.deed !== "move") this.lost.clear()
    let state = record.before
    for (const event of record.events) {
      const next = evolve(state, event, record.seq)
      if (event.type === "posted") this.entry(record, index, event, state, next)
      else
        for (const { lots, posted, unit } of next.units) {
          const before = unitOf(state, unit)
          if (posted !== before.posted || Lots.total(lots) !== Lots.total(before.lots))
            assert.fail(`${event.type} changes ${unit} without an entry`)
        }
      if (next.rewards !== state.rewards) this.wallet(record, index, event, state, next)
      state = next
    }
  }

  private placeOfEntry({ deed, location }: Committed, entry: Posted): string {
    if (entry.op === "manual") return deed === "move_in" ? "" : (location ?? "")
    if (entry.op !== "accrual" && entry.op !== "adjustment") return ""
    return entry.order === undefined ? "" : (this.history.orderPlaces.get(entry.order) ?? "")
  }

  private placeOfLot(account: number, n: number): string {
    if (n > 0) return this.places.get(`${account} ${n}`)!
    const guest = this.history.guests.find((one) => one.account === account)!
    const by = guest.state.merged.find(({ lowest }) => n >= lowest)!
    return this.placeOfLot(by.account, n - by.shift)
  }

  private partsOf({ deed }: Committed, entry: Posted): ReadonlyArray<Part> {
    const { amount } = entry
    switch (entry.op) {
      case "expiration":
        return [["expired", amount]]
      case "reversal":
        return [[deed === "restore_expired" ? "expired" : "given_back", amount]]
      case "redemption":
        return [["redeemed", amount]]
      case "manual":
        return [[`${entry.classification}_${amount < 0 ? "debits" : "credits"}`, amount]]
      case "accrual":
        return this.accrualParts(deed, entry)
      case "adjustment":
        return [[this.adjustmentLine(deed, entry), amount]]
    }
  }

  private accrualParts(deed: Committed["deed"], { amount, promotions = [], unit }: Accrual): ReadonlyArray<Part> {
    const isMoved = deed === "move"
    const second = isMoved ? amount - (this.lost.get(unit) ?? 0) : promotions.reduce((sum, one) => sum + one.amount, 0)
    return [
      [isMoved ? "moved" : "base", amount - second],
      [isMoved ? "expired" : "promotions", second]
    ]
  }

  private adjustmentLine(deed: Committed["deed"], { amount, reason, unit }: Adjusting): string {
    if (reason === cardFilled) return "card_resets"
    if (deed === "move") this.lost.set(unit, -amount)
    if (deed === "merge" || deed === "move") return "moved"
    return amount < 0 ? "orders_down" : "orders_up"
  }

  /** The differences between the lots of two balances. */
  private shares(account: number, zone: string, before: UnitBalance, after: UnitBalance): ReadonlyArray<Share> {
    const found = new Map<string, { n: number; earned: number; points: number }>()
    const add = (sign: number, { lots }: UnitBalance) => {
      for (const [n, points, , earned] of Lots.toArray(lots)) {
        const one = found.get(`${n} ${earned}`) ?? { n, earned, points: 0 }
        found.set(`${n} ${earned}`, { ...one, points: one.points + sign * points })
      }
    }
    add(-1, before)
    add(1, after)
    const changed = [...found.values()].filter(({ points }) => points !== 0)
    const hole = Math.min(0, after.posted) - Math.min(0, before.posted)
    return [
      ["", hole, undefined],
      ...changed.map(
        ({ earned, n, points }): Share => [this.placeOfLot(account, n), points, dateIn(zone, earned).slice(0, 7)]
      )
    ]
  }

  private entry(record: Committed, index: number, entry: Posted, before: State, after: State): void {
    const { account } = record.guest
    const zone = this.zones[record.version]!
    this.places.set(`${account} ${entry.n}`, this.placeOfEntry(record, entry))
    const facts = { index, program: after.program, day: Date.parse(dateIn(zone, entry.at)), unit: entry.unit }
    const shares = this.shares(account, zone, unitOf(before, entry.unit), unitOf(after, entry.unit))
    for (const one of dealt(this.partsOf(record, entry), shares)) this.points.push({ ...facts, ...one })
    if (entry.op !== "redemption" && (entry.op !== "reversal" || record.deed === "restore_expired")) return
    const line = entry.op === "redemption" ? "redeemed" : "given_back"
    const { reservation = "" }: ShownEntry = entry
    const place = this.history.holdPlaces.get(reservation) ?? ""
    this.here.push({ ...facts, line, place, points: entry.amount, earned: undefined })
  }

  private wallet({ deed, version }: Committed, index: number, event: AccountEvent, before: State, after: State): void {
    const usable = ({ rewards }: State) => rewards.filter(({ status }) => status === "issued")
    const [was, is] = [usable(before), usable(after)]
    const facts = { index, program: after.program, day: Date.parse(dateIn(this.zones[version]!, event.at)) }
    for (const { issued, paid, reward } of is) {
      if (was.some((one) => one.issued === issued)) continue
      const isNew = event.type === "reward_issued" && paid === undefined
      const returns = event.type === "reward_restored" && deed !== "restore_expired"
      this.wallets.push({ ...facts, reward, wallets: 1, given: isNew ? 1 : 0, used: returns ? -1 : 0 })
    }
    for (const { issued, reward } of was) {
      if (is.some((one) => one.issued === issued)) continue
      // By the event: the state keeps the latest few ended rewards only, and may forget this one at once.
      const isUsed = event.type === "reward_redeemed"
      this.wallets.push({ ...facts, reward, wallets: -1, given: 0, used: isUsed ? 1 : 0 })
    }
  }
}

/** All changes of a history. `zones`: of the versions of its programme. */
export const changesOf = (history: History, zones: ReadonlyArray<string>): Changes => new Reader(history, zones)

/** Records before `until` count. Records from `since` on, dated before the range, are late; undefined: by date alone. */
export interface Counted {
  readonly since: number | undefined
  readonly until: number
}

export interface Range {
  readonly from: number
  readonly until: number
}

export interface ExpectedRow {
  readonly unit: string
  readonly place: string
  readonly opening: number
  readonly lines: Readonly<Record<string, number>>
  readonly late: Readonly<Record<string, number>>
  readonly closing: number
  readonly belowZero: number
  readonly redeemedHere: number
  readonly givenBackHere: number
}

const sum = (all: ReadonlyArray<Change>): number => all.reduce((total, { points }) => total + points, 0)

export const byLine = (all: ReadonlyArray<Pick<Change, "line" | "points">>): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {}
  for (const { line, points } of all) found[line] = (found[line] ?? 0) + points
  return Object.fromEntries(Object.entries(found).filter(([, points]) => points !== 0))
}

/** The row of changes of one account and place. */
const rowOf = (
  { here, points }: Pick<Changes, "here" | "points">,
  { from, until }: Range,
  { since, until: end }: Counted
): Omit<ExpectedRow, "place" | "unit"> => {
  const isLate = ({ day, index }: Change) => since !== undefined && index >= since && day < from
  const isIn = (one: Change) => one.day >= from && one.day < until
  const counted = points.filter(({ day, index }) => index < end && day < until)
  const opening = sum(counted.filter((one) => one.day < from && !isLate(one)))
  const lines = byLine(counted.filter(isIn))
  const late = byLine(counted.filter(isLate))
  const hereOf = (line: string) =>
    sum(here.filter((one) => one.line === line && one.index < end && (isIn(one) || isLate(one))))
  return {
    opening,
    lines,
    late,
    closing: sum(counted),
    belowZero: sum(counted.filter(({ earned }) => earned === undefined)),
    redeemedHere: hereOf("redeemed"),
    givenBackHere: hereOf("given_back")
  }
}

/** True if a row tells anything. */
export const tells = (row: Omit<ExpectedRow, "place" | "unit">): boolean =>
  [row.opening, row.closing, row.belowZero, row.redeemedHere, row.givenBackHere].some((points) => points !== 0) ||
  Object.keys(row.lines).length + Object.keys(row.late).length > 0

/** Rows of accounts, of each place if so asked, that tell anything; in the order of their names. */
export const rowsOf = (
  { here, points }: Pick<Changes, "here" | "points">,
  range: Range,
  counted: Counted,
  isByPlace: boolean
): ReadonlyArray<ExpectedRow> => {
  const keyOf = ({ place, unit }: Change) => `${unit} ${isByPlace ? place : ""}`
  const [ownPoints, ownHere] = [Map.groupBy(points, keyOf), Map.groupBy(here, keyOf)]
  return [...new Set([...ownPoints.keys(), ...ownHere.keys()])].toSorted().flatMap((key) => {
    const own = { points: ownPoints.get(key) ?? [], here: ownHere.get(key) ?? [] }
    const row = rowOf(own, range, counted)
    return tells(row) ? [{ unit: key.split(" ")[0]!, place: key.split(" ")[1]!, ...row }] : []
  })
}

export interface ExpectedReward {
  readonly reward: string
  readonly inWallets: number
  readonly given: number
  readonly used: number
}

export const rewardsOf = (
  { wallets }: Pick<Changes, "wallets">,
  { from, until }: Range,
  end: number
): ReadonlyArray<ExpectedReward> => {
  const counted = wallets.filter(({ day, index }) => index < end && day < until)
  return [...Map.groupBy(counted, ({ reward }) => reward)]
    .map(([reward, all]) => {
      const total = (name: "given" | "used" | "wallets", since: number) =>
        all.reduce((total, one) => (one.day >= since ? total + one[name] : total), 0)
      return { reward, inWallets: total("wallets", -Infinity), given: total("given", from), used: total("used", from) }
    })
    .filter(({ given, inWallets, used }) => given !== 0 || inWallets !== 0 || used !== 0)
    .toSorted((one, other) => (one.reward < other.reward ? -1 : 1))
}

/** Points by account, month of earning, month of the change and line. */
export const cohortsOf = ({ points }: Pick<Changes, "points">): Readonly<Record<string, number>> => {
  const dated = points.filter(({ earned }) => earned !== undefined)
  const monthOf = (day: number) => new Date(day).toISOString().slice(0, 7)
  return byLine(
    dated.map(({ day, earned, line, points, unit }) => ({ line: [unit, earned, monthOf(day), line].join(" "), points }))
  )
}
