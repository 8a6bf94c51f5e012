/**
 * The deliveries of one connector that are not finished, in memory: what may be sent now, what comes of an attempt, and
 * what is to be stored (contract/events.md *Delivery*). Pure: time and randomness are arguments.
 *
 * Invariants: the events of a member are sent one at a time, in the order of the feed. The stored place of a source is
 * never behind an event that is neither finished nor stored itself. What is in flight and what came of attempts that is not
 * stored are together no more than the connector's `max_in_flight`: so much a kill repeats.
 */
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Bounds from "./Bounds.ts"
import type { Delivered, Item, Row, Status, Stored, Wanted } from "./Delivery.ts"
import { accountOf, compare, freshOf, isFresh, itemOf, takeStored } from "./Delivery.ts"
import * as Pauses from "./Pauses.ts"
import type { Outcome } from "./Sender.ts"
import { isSuccess } from "./Sender.ts"

/** Source of events: the feed itself, or a replay. */
export interface Source {
  /** The number of the replay; undefined: the feed. */
  readonly replay: number | undefined
  /** The place up to which it is read. */
  place: Place
  /** The stored one. */
  stored: Place
  readonly until: Place | undefined
  /** True if a replay is read to its end. */
  isRead: boolean
  /** Its events that have no row, in order, from the first unfinished one on. */
  open: Array<Item>
  /** Ids of events behind the stored place that were delivered before this node began. */
  readonly delivered: Set<string>
}

/** How a connector fares. */
export interface Health {
  readonly lastSuccessAt: number | undefined
  readonly failingSince: number | undefined
}

/** Writes to be done. */
export interface Changes extends Health {
  readonly inserts: ReadonlyArray<{ readonly item: Item; readonly stored: Stored }>
  readonly updates: ReadonlyArray<Stored>
  readonly places: ReadonlyArray<{ readonly source: Source; readonly place: Place; readonly isDone: boolean }>
  readonly disabled: Disabled | undefined
  /** Attempts whose outcome is stored with this. */
  readonly outcomes: number
}

export type Disabled = "gone" | "failing"

export class Queue {
  readonly main: Source
  readonly replays = new Map<number, Source>()
  /** The unfinished deliveries of each member, in order. Only the first one is sent. */
  private readonly members = new Map<number, Array<Item>>()
  /** Members whose first delivery may be sent now. */
  private readonly ready = new Set<number>()
  /** Members whose first delivery waits, and until when. */
  private readonly delayed = new Map<number, number>()
  /** No delayed one is due before, ms. */
  private soonest = Infinity
  /** Ids of rows that the feed may give again after a kill. */
  private readonly known = new Set<string>()
  /**
   * The first of each member's rows that the feed itself gave. The member's events before it are finished, although
   * the feed may give them again after a kill.
   */
  private readonly floors = new Map<number, Pick<Item, "crossing" | "place">>()
  private finished: Array<Item> = []
  private readonly changed = new Set<Item>()
  /** Events delivered before this node began, of each replay that it has not begun with. */
  private readonly delivered: Map<number | undefined, ReadonlyArray<Delivered>>
  /** Rows that are being inserted. */
  private readonly storing = new Set<Item>()
  private unfinished = 0
  private fresh = 0
  private inFlight = 0
  /** Attempts that ended, and whose outcome is not stored. */
  private unstored = 0
  private failures = 0
  /** The one attempt in flight while all fail. */
  private probing: Item | undefined
  private probes = 0
  private probeAt = 0
  private health: Health
  private isHealthChanged = false
  private disabled: Disabled | undefined

  /** `rows`: what waits. `delivered`: the newest that was delivered. */
  constructor(place: Place, health: Health, rows: ReadonlyArray<Row>, delivered: ReadonlyArray<Delivered> = []) {
    this.delivered = Map.groupBy(delivered, ({ replay }) => replay)
    this.main = this.source(undefined, place, undefined)
    this.health = health
    // Better one attempt too few at a receiver that is down than hundreds at once.
    this.failures = health.failingSince === undefined ? 0 : Bounds.failuresInARow
    for (const row of rows) {
      const floor = this.floors.get(accountOf(row))
      const isFirst = floor === undefined || compare(row, floor) < 0
      if (row.replay === undefined && isFirst) this.floors.set(accountOf(row), row)
    }
    this.restore(rows)
  }

  private source(replay: number | undefined, place: Place, until: Place | undefined): Source {
    const known = this.delivered.get(replay) ?? []
    const delivered = new Set(known.flatMap((one) => (PlaceOf.compare(one.place, place) > 0 ? [one.id] : [])))
    this.delivered.delete(replay)
    return { replay, place, stored: place, until, isRead: false, open: [], delivered }
  }

  /** Deliveries that are neither finished nor in flight nor to be sent at once. */
  get waiting(): number {
    return this.unfinished - this.inFlight - this.ready.size
  }

  get sending(): number {
    return this.inFlight
  }

  get isFailing(): boolean {
    return this.failures >= Bounds.failuresInARow
  }

  get failingSince(): number | undefined {
    return this.health.failingSince
  }

  get isDisabled(): boolean {
    return this.disabled !== undefined
  }

  /** Since when the delivery that waits longest for a success is tried, ms. */
  get oldestTry(): number | undefined {
    let oldest = Infinity
    for (const account of this.delayed.keys()) {
      const since = this.members.get(account)?.[0]?.since ?? Infinity
      if (since < oldest) oldest = since
    }
    return oldest === Infinity ? undefined : oldest
  }

  /** Adds deliveries that are stored, in the order of the feed. */
  restore(rows: ReadonlyArray<Row>): void {
    for (const row of rows.toSorted(compare)) {
      this.known.add(row.id)
      this.push(itemOf(row))
    }
  }

  addReplay(replay: number, place: Place, until: Place): void {
    if (!this.replays.has(replay)) this.replays.set(replay, this.source(replay, place, until))
  }

  /** The sources whose next events may be read now: the feed first, then the replays. */
  wanted(): ReadonlyArray<Source> {
    if (this.isDisabled || (this.isFailing && this.unfinished > 0)) return []
    if (this.unfinished >= Bounds.unfinished || this.fresh >= Bounds.fresh) return []
    return [this.main, ...this.replays.values()].filter(({ isRead, open }) => !isRead && open.length < Bounds.ahead)
  }

  /** Adds the events of a page that the connector wants. `next`: the place after the page. */
  add(source: Source, events: ReadonlyArray<Wanted>, next: Place, isLast: boolean): void {
    const { until } = source
    const isEnd = until !== undefined && (isLast || PlaceOf.compare(next, until) >= 0)
    for (const one of events) {
      if (until !== undefined && PlaceOf.compare(one.place, until) > 0) continue
      const floor = source === this.main ? this.floors.get(accountOf(one)) : undefined
      if (floor !== undefined && compare(one, floor) < 0) continue
      if (this.known.delete(one.event.id) || source.delivered.delete(one.event.id)) continue
      const item = freshOf(one, source.replay)
      source.open.push(item)
      this.fresh++
      this.push(item)
    }
    source.place = isEnd ? until : next
    source.isRead = isEnd
  }

  private push(item: Item): void {
    const account = accountOf(item)
    const before = this.members.get(account)
    this.unfinished++
    if (before !== undefined) return void before.push(item)
    this.members.set(account, [item])
    this.plan(account, item)
  }

  /** Plans the first delivery of a member. */
  private plan(account: number, { nextAt }: Item): void {
    if (nextAt === undefined) this.ready.add(account)
    else this.delay(account, nextAt)
  }

  private delay(account: number, until: number): void {
    this.delayed.set(account, until)
    this.soonest = Math.min(this.soonest, until)
  }

  /** When something may be sent that may not be sent now, ms; undefined: only after something else happens. */
  nextAt(): number | undefined {
    if (this.isDisabled || this.unfinished === 0) return undefined
    if (this.isFailing) return this.inFlight > 0 ? undefined : this.probeAt
    return this.soonest === Infinity ? undefined : this.soonest
  }

  /** The next delivery to send, which is in flight from now on. */
  take(now: number, maxInFlight: number): Item | undefined {
    const account = this.sendable(now, maxInFlight)
    const item = account === undefined ? undefined : this.members.get(account)?.[0]
    if (account === undefined || item === undefined) return undefined
    this.ready.delete(account)
    this.delayed.delete(account)
    this.inFlight++
    if (isFresh(item)) this.fresh--
    if (this.isFailing) this.probing = item
    item.sentAt = now
    return item
  }

  /** The member whose first delivery may be sent now. */
  sendable(now: number, maxInFlight: number): number | undefined {
    if (this.isDisabled || this.inFlight + this.unstored >= maxInFlight) return undefined
    return this.isFailing ? this.probe(now) : this.startable(now)
  }

  private startable(now: number): number | undefined {
    if (now >= this.soonest) {
      this.soonest = Infinity
      for (const [account, at] of this.delayed) {
        if (at > now) this.soonest = Math.min(this.soonest, at)
        else {
          this.delayed.delete(account)
          this.ready.add(account)
        }
      }
    }
    const [first] = this.ready
    return first
  }

  /** While all fail: the member whose first delivery was tried longest ago, so that one that fails alone blocks none. */
  private probe(now: number): number | undefined {
    if (this.inFlight > 0 || now < this.probeAt) return undefined
    let found: number | undefined
    let oldest = Infinity
    for (const [account, [item]] of this.members) {
      const at = item?.triedAt ?? -1
      if (at >= oldest) continue
      found = account
      oldest = at
    }
    return found
  }

  /** Puts a delivery back that was not sent. */
  release(item: Item, nextAt: number): void {
    this.inFlight--
    if (isFresh(item)) this.fresh++
    if (item === this.probing) this.probeAt = nextAt
    item.sentAt = undefined
    this.delay(accountOf(item), nextAt)
  }

  /** Takes note of what came of an attempt. `random`: 0 to 1. */
  settle(item: Item, outcome: Outcome, now: number, random: number): Status {
    this.inFlight--
    this.unstored++
    item.sentAt = undefined
    item.triedAt = outcome.at
    item.attempts.push(outcome)
    this.changed.add(item)
    if (isSuccess(outcome)) this.succeed(item, now)
    else this.fail(item, outcome, now, random)
    return item.status
  }

  private succeed(item: Item, now: number): void {
    const wereFailing = this.isFailing
    this.failures = 0
    this.probes = 0
    this.health = { lastSuccessAt: now, failingSince: undefined }
    this.isHealthChanged = true
    this.finish(item, "delivered", now)
    if (wereFailing) this.resume()
  }

  /** Sends everything that waits, and begins to count again. */
  private resume(): void {
    for (const items of this.members.values()) {
      const [item] = items
      if (item?.triedAt === undefined) continue
      item.tries = 0
      item.since = undefined
      item.nextAt = undefined
      this.changed.add(item)
    }
    for (const account of this.delayed.keys()) this.ready.add(account)
    this.delayed.clear()
    this.soonest = Infinity
  }

  private fail(item: Item, outcome: Outcome, now: number, random: number): void {
    const { at, retryAfterMs, status } = outcome
    const since = item.since ?? at
    item.since = since
    const failingSince = this.health.failingSince ?? at
    this.failures++
    this.health = { ...this.health, failingSince }
    this.isHealthChanged = true
    if (item === this.probing) this.probes++
    if (this.isFailing) this.probeAt = now + Math.max(Pauses.probeMs(this.probes, random), retryAfterMs ?? 0)
    if (status === 410) this.disabled ??= "gone"
    else if (now - failingSince >= Bounds.connectorMs) this.disabled ??= "failing"
    const { lastSuccessAt } = this.health
    const end = since + Bounds.eventMs
    if (lastSuccessAt !== undefined && lastSuccessAt >= since && now >= end) return this.finish(item, "failed", now)
    const isHeld = retryAfterMs !== undefined && (status === 429 || status === 503)
    if (!isHeld) item.tries++
    const pause = isHeld ? retryAfterMs : Math.max(Pauses.pauseMs(item.tries, random), retryAfterMs ?? 0)
    // The last attempt is at the end of its time, not up to an hour later.
    const isOver = now < end && now + pause > end && retryAfterMs === undefined
    item.nextAt = isOver ? end : now + pause
    if (item.row !== undefined) item.event = undefined
    this.delay(accountOf(item), item.nextAt)
  }

  private finish(item: Item, status: "delivered" | "failed", now: number): void {
    const account = accountOf(item)
    item.status = status
    item.finishedAt = now
    item.nextAt = undefined
    item.event = undefined
    this.unfinished--
    // The feed will still give the events that it has not given again yet.
    if (PlaceOf.compare(item.place, this.main.place) <= 0) this.known.delete(item.id)
    if (item.row === undefined && !this.storing.has(item)) this.finished.push(item)
    const items = this.members.get(account)
    items?.shift()
    const next = items?.[0]
    if (next === undefined) this.members.delete(account)
    else this.plan(account, next)
  }

  /** Has the place written even if nothing else happens. */
  touch(): void {
    this.isHealthChanged = true
  }

  /** True if there is something to write. */
  get isChanged(): boolean {
    return (
      this.isHealthChanged ||
      this.changed.size > 0 ||
      this.finished.length > 0 ||
      this.isDisabled ||
      [this.main, ...this.replays.values()].some(
        ({ isRead, place, stored }) => isRead || PlaceOf.compare(place, stored) !== 0
      )
    )
  }

  /** True if something came of attempts that is not stored. */
  get hasOutcomes(): boolean {
    return this.unstored > 0
  }

  /**
   * Deliveries to be written now. Stored are also deliveries that wait for another attempt, or are in flight for long, and
   * those behind them: so the place goes on.
   */
  takeChanges(now: number): Changes {
    const waiting: Array<Item> = []
    for (const items of this.members.values()) {
      const [first] = items
      if (first === undefined || !this.isSlow(first, now)) continue
      for (const item of items) if (item.row === undefined) waiting.push(item)
    }
    const stored = new Set(waiting)
    const places = [this.main, ...this.replays.values()].map((source) => {
      const first = source.open.find((item) => item.status === "pending" && item.row === undefined && !stored.has(item))
      // An event and what it crossed have one place, which counts once all of them are done.
      const end =
        first === undefined
          ? source.open.length
          : source.open.findIndex(({ place }) => PlaceOf.compare(place, first.place) === 0)
      const done = source.open.splice(0, end)
      const place = first === undefined ? source.place : (done.at(-1)?.place ?? source.stored)
      return { source, place, isDone: source.isRead && source.open.length === 0 }
    })
    const inserts = [...this.finished, ...waiting].map((item) => ({ item, stored: takeStored(item) }))
    const updates = [...this.changed].filter(({ row }) => row !== undefined).map(takeStored)
    for (const item of waiting) this.storing.add(item)
    this.finished = []
    this.changed.clear()
    this.isHealthChanged = false
    return { inserts, updates, places, ...this.health, disabled: this.disabled, outcomes: this.unstored }
  }

  private isSlow({ row, sentAt, triedAt }: Item, now: number): boolean {
    return triedAt !== undefined || row !== undefined || (sentAt !== undefined && now - sentAt >= Bounds.storeMs)
  }

  /** The changes were written. `rows`: the numbers of the inserted rows. */
  written({ inserts, outcomes, places }: Changes, rows: ReadonlyArray<number>): void {
    this.unstored -= outcomes
    inserts.forEach(({ item }, index) => {
      item.row = rows[index]
      if (item.sentAt !== undefined) return
      if (item.status === "pending" && isFresh(item)) this.fresh--
      item.event = undefined
    })
    this.storing.clear()
    for (const { isDone, place, source } of places) {
      source.stored = place
      if (isDone && source.replay !== undefined) this.replays.delete(source.replay)
    }
  }
}
