/**
 * Random histories for finance: near midnights, ends of months and changes of clocks; at three restaurants; with guests who
 * are moved in, merged and erased, and a service whose clock is ahead for a while. A seed repeats each.
 */
import type { Order } from "../../../src/contract/protocol/Order.ts"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import type { Action, MovedPoints } from "../../../src/core/account/domain/Action.ts"
import type { Decided } from "../../../src/core/account/domain/Decision.ts"
import { nextDueAt } from "../../../src/core/account/domain/Due.ts"
import { fitting } from "../../../src/core/account/domain/MoveIn.ts"
import { Search } from "../../../src/core/account/domain/Restoration.ts"
import type { State } from "../../../src/core/account/domain/State.ts"
import { initialState } from "../../../src/core/account/domain/State.ts"
import * as Calendar from "../../../src/core/rules/Calendar.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { hash128 } from "../../core/journal/Records.ts"
import { Family, type Guest } from "../../journals/RandomJournals.ts"
import type { Random } from "../../model/Random.ts"

const classifications = ["bonus", "gift", "service_recovery", "correction", "migration"] as const
const hour = 3_600_000
const day = 24 * hour

/** A record in the order of the commits, with what was done: the model tells lines by it. */
export interface Committed {
  readonly guest: Guest
  readonly seq: number
  readonly at: number
  readonly events: ReadonlyArray<AccountEvent>
  readonly reply: Decided["reply"]
  readonly before: State
  readonly after: State
  /** Place of the programme's version, from 0. */
  readonly version: number
  readonly deed: "enroll" | "merge" | "move" | Action["type"]
  /** The restaurant of a manual adjustment. */
  readonly location: string | undefined
}

/** Instants from which a history may begin in a zone: changes of its clocks, and first midnights of months. */
const edges = new Map<string, ReadonlyArray<number>>()
const earliest = Date.UTC(2025, 10, 1)

const edgesOf = (zone: string): ReadonlyArray<number> => {
  const known = edges.get(zone)
  if (known !== undefined) return known
  const found = Array.from({ length: 9 }, (_, place) => Calendar.startOf(zone, Calendar.monthsLater(earliest, place)))
  const offset = (at: number) => Calendar.localAt(zone, at) - at
  for (let at = earliest; at < earliest + 270 * day; at += hour)
    if (offset(at) !== offset(at + hour)) found.push(at + hour)
  edges.set(zone, found)
  return found
}

const startIn = (random: Random, zone: string): number =>
  random.pick(edgesOf(zone)) - random.pick([0, 1, 1000, hour, 5 * hour, day, 9 * day])

export class History extends Family {
  readonly records: Array<Committed> = []
  /** The restaurants of orders, and of holds. */
  readonly orderPlaces = new Map<string, string>()
  readonly holdPlaces = new Map<string, string>()
  private deed: Committed["deed"] = "enroll"
  private location: string | undefined
  /** The time while the clock is ahead; undefined: it is right. */
  private trueNow: number | undefined
  /** When records were really written, if their dates are not trusted. */
  private readonly written = new Map<Guest, Map<number, number>>()
  /** Number of the first account, which makes ids differ from those of other histories. */
  private readonly first: number

  /** `versions`: those of one programme. `accounts`: numbers of three guests. */
  constructor(random: Random, versions: ReadonlyArray<Program>, accounts: ReadonlyArray<number> = [1, 2, 3]) {
    super(random, versions, accounts, startIn(random, versions[0]!.zone))
    this.first = accounts[0]!
    for (const guest of this.guests) {
      const { events, program: version, seq } = guest.records[0]!
      const facts = {
        guest,
        seq,
        events,
        version,
        deed: this.deed,
        location: undefined,
        reply: { type: "none" }
      } as const
      this.records.push({ ...facts, at: this.now, before: initialState, after: guest.state })
    }
  }

  /** Posts what is due by an instant on every account. */
  settleBy(at: number): void {
    this.now = Math.max(this.now, at)
    for (const guest of this.guests) this.when(guest, { type: "expire" })
  }

  protected override id(kind: string): string {
    this.ids++
    // Of identities and external ids the journal has hashes.
    return kind === "identity" || kind === "crm"
      ? hash128((this.first + 1) * 2 ** 20 + this.ids)
      : `${kind === "card" ? "full" : kind}-${this.first}-${this.ids}`
  }

  protected override cardOf(account: number): string {
    return hash128(account)
  }

  protected override scope(): Order["scope"] {
    const location_id = this.random.pick(["east", "north", "west"])
    return { program_id: this.rules.id, brand_id: "b", merchant_id: "m", location_id }
  }

  protected override wrote(guest: Guest, decision: Decided): boolean {
    const { at, events, reply } = decision
    const before = guest.state
    super.wrote(guest, decision)
    if (events.length === 0) return true
    const { program: version, seq } = guest.records.at(-1)!
    const { deed, location, trueNow } = this
    this.records.push({ guest, seq, at, events, reply, before, after: guest.state, version, deed, location })
    if (trueNow !== undefined) this.written.set(guest, (this.written.get(guest) ?? new Map()).set(seq, trueNow))
    return true
  }

  protected override when(guest: Guest, action: Action): boolean {
    this.deed = action.type
    this.location = undefined
    if (action.type === "accrue") this.orderPlaces.set(action.order.order_id, action.order.scope.location_id)
    if (action.type === "reserve")
      this.holdPlaces.set(action.redemption.replace("red-", "rsv-"), action.order.scope.location_id)
    if (action.type !== "adjust_manually") return super.when(guest, action)
    this.location = this.random.next() < 0.4 ? this.scope().location_id : undefined
    const classification = this.random.pick(classifications)
    return super.when(guest, { ...action, location: this.location, classification })
  }

  protected override merge(from: Guest, into: Guest): void {
    this.deed = "merge"
    this.location = undefined
    super.merge(from, into)
  }

  protected override move(): void {
    this.deed = "move"
    this.location = undefined
    super.move()
  }

  /** Often to the ms before, at or after a local midnight or what is due. */
  protected override pass(): void {
    const { random, rules } = this
    if (random.next() < 0.4) {
      this.now += random.pick([1, 1000, hour, 5 * hour, day, 3 * day, 10 * day, 29 * day, 35 * day, 200 * day])
      return
    }
    const due = nextDueAt(random.pick(this.guests).state, rules)
    const midnight = Calendar.startOf(rules.zone, Calendar.dateOf(rules.zone, this.now) + day)
    const at = due !== null && random.next() < 0.5 ? due : midnight
    this.now = Math.max(this.now, at + random.pick([-1, 0, 1]))
  }

  protected override step(): void {
    const { random } = this
    const guest = this.present(random.pick(this.guests))
    const chance = random.next()
    if (chance < 0.05) this.moveIn(guest)
    else if (chance < 0.07) this.take(guest)
    else if (chance < 0.08) this.when(guest, { type: "erase", reason: "test" })
    else if (chance < 0.095) this.merge(guest, this.present(random.pick(this.guests)))
    else super.step()
  }

  /** Takes a reward into the wallet for points. */
  private take(guest: Guest): void {
    const issued = this.id("taken")
    const artifact = { type: "code", value: issued } as const
    this.when(guest, { type: "issue_reward", isPaid: true, issued, reward: "off", artifact })
  }

  private moveIn(guest: Guest): void {
    const { random } = this
    const lot = guest.records.flatMap(({ events }) => events).findLast(({ type }) => type === "posted")
    const points: Array<MovedPoints> = Array.from({ length: random.whole(1, 2) }, () => ({
      adjustment: this.id("moved"),
      unit: "points",
      amount: random.whole(1, 200),
      earned: this.now - random.pick([0, hour, day, 20 * day, 400 * day]),
      expires: random.pick([null, this.now + random.whole(1, 60) * day])
    }))
    if (lot?.type === "posted" && lot.unit === "points")
      points.push({
        adjustment: this.id("moved"),
        unit: "points",
        amount: -30,
        lots: [{ account: guest.account, n: lot.n }]
      })
    const reward = { issued: this.id("brought"), reward: random.pick(["off", "free"]), code: this.id("CODE") }
    this.when(guest, {
      type: "move_in",
      identities: [],
      points: fitting(guest.state, points, this.now).filter(({ amount }) => amount !== 0),
      counters: [],
      orders: 0,
      rewards: random.next() < 0.5 ? [reward] : [],
      changesProfile: false
    })
  }

  /** The clock is ahead for some steps; then it is right, and some of what expired meanwhile returns. */
  protected override correctClock(): void {
    if (this.trueNow !== undefined) return
    const { now, random } = this
    this.trueNow = now
    this.now += random.pick([hour, day, 40 * day, 400 * day])
    for (const guest of this.guests) this.when(guest, { type: "expire" })
    for (let steps = random.whole(0, 3); steps > 0; steps--) this.step()
    this.trueNow = undefined
    this.now = now + random.pick([1000, hour, day])
    for (const guest of this.guests) if (this.written.has(guest) && random.next() < 0.7) this.restore(guest)
  }

  private restore(guest: Guest): void {
    const search = new Search()
    const written = this.written.get(guest)!
    for (const { events, seq } of guest.records) search.read(seq, events, written.get(seq))
    this.when(guest, { type: "restore_expired", found: search.found(this.now), reason: "test" })
    this.written.delete(guest)
  }
}
