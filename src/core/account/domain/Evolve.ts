/**
 * Folds one event into the state; replay and live traffic use the same function.
 *
 * Every event carries its facts, so this module needs no programme. Things that
 * have left memory (an old order, an ended reservation) are skipped: `Recall`
 * folds them with the same functions when they are needed again.
 */
import type { Progress } from "../../rules/Challenges.ts"
import * as Challenges from "../../rules/Challenges.ts"
import type { Use, Uses } from "../../rules/Promotions.ts"
import { counted as countedUses } from "../../rules/Promotions.ts"
import type {
  AccountEvent,
  ChallengeProgressed,
  HoldEnded,
  LotsDated,
  MergedAway,
  MergedIn,
  MovedIn,
  OrderAdjusted,
  OrderReceived,
  Reserved,
  RewardChanged,
  RewardIssued
} from "./AccountEvent.ts"
import * as Lots from "./Lots.ts"
import type { CountedEntry, Posted } from "./Posted.ts"
import type { IssuedReward, Reservation, State, UnitBalance } from "./State.ts"
import { unitOf } from "./State.ts"

/** Number of ended reservations, and of closed rewards, kept in memory, so that a second capture or reverse reads nothing. */
const ENDED_KEPT = 4

/** Applies `event`, which belongs to record `seq`. */
export const evolve = (state: State, event: AccountEvent, seq: number): State => {
  switch (event.type) {
    case "posted":
      return posted(state, event, seq)
    case "enrolled":
      return {
        ...state,
        seq,
        at: event.at,
        joined: event.joined ?? event.at,
        program: event.program,
        member: event.member,
        identities: [event.identity],
        tier: event.tier
      }
    case "tier_changed":
      return { ...state, seq, at: event.at, tier: event.to }
    case "status_changed":
      return { ...state, seq, at: event.at, status: event.status }
    case "identity_added":
      return { ...state, seq, at: event.at, identities: [...state.identities, event.identity] }
    case "identity_removed":
      return { ...state, seq, at: event.at, identities: state.identities.filter((one) => one !== event.identity) }
    case "external_id_given":
      return { ...state, seq, at: event.at, external: event.external }
    case "external_id_freed":
      return { ...state, seq, at: event.at, external: undefined }
    case "order_adjusted":
      return orderAdjusted(state, event, seq)
    case "lots_dated":
      return lotsDated(state, event, seq)
    case "order_received":
      return ordersChanged(state, event, event.orders ?? 0, seq)
    case "profile_changed":
    case "clock_corrected":
    case "points_expiring":
    case "erased":
      return { ...state, seq, at: event.at }
    case "reserved":
      return reserved(state, event, seq)
    case "captured":
    case "released":
    case "refunded":
    case "hold_expired":
      return holdEnded(state, event, seq)
    case "reward_issued": {
      const rewards = [...state.rewards, issuedReward(event)]
      return { ...state, seq, at: event.at, rewards, issued: event.n, cards: Math.max(state.cards, event.card ?? 0) }
    }
    case "challenge_progressed":
      return { ...state, seq, at: event.at, challenges: progressed(state, event) }
    case "challenge_completed": {
      const { at, issued, type: _, ...completion } = event
      return { ...state, seq, at, challenges: Challenges.completed(state.challenges, completion, issued !== undefined) }
    }
    case "moved_in":
      return movedIn(state, event, seq)
    case "merged_in":
      return mergedIn(state, event, seq)
    case "merged_away":
      return mergedAway(state, event, seq)
    case "reward_received": {
      const rewards = [...state.rewards, issuedReward({ ...event.was, issued: event.issued })]
      return { ...state, seq, at: event.at, rewards, issued: event.was.n }
    }
    case "reward_moved": {
      const rewards = state.rewards.filter((reward) => reward.issued !== event.issued)
      return { ...state, seq, at: event.at, rewards }
    }
    case "reward_redeemed":
    case "reward_restored":
    case "reward_cancelled":
    case "reward_expired":
      return rewardChanged(state, event, seq)
  }
}

const withUnit = (units: ReadonlyArray<UnitBalance>, balance: UnitBalance): ReadonlyArray<UnitBalance> => {
  const index = units.findIndex((other) => other.unit === balance.unit)
  return index < 0 ? units.concat(balance) : units.with(index, balance)
}

/** Drops the oldest ended items beyond the latest few. */
const forgetEnded = <A>(items: ReadonlyArray<A>, ended: (item: A) => boolean): ReadonlyArray<A> => {
  let surplus = -ENDED_KEPT
  for (const item of items) if (ended(item)) surplus++
  return surplus <= 0 ? items : items.filter((item) => !(ended(item) && surplus-- > 0))
}

/** True if an entry counts as earned (contract/points.md *Metrics*). */
const earns = (event: Posted): boolean =>
  event.op === "accrual" || event.op === "manual" || (event.op === "adjustment" && event.reset !== true)

type Counted = Pick<State, "units" | "period" | "lastPeriod">

/**
 * The figures once something counts in `period`. Those of another period become the last ones. A period that a wrong clock
 * has left too early is taken up again.
 */
const within = (before: Counted, period: number | undefined): Counted => {
  if (period === undefined || period === before.period) return before
  const isKnown = period === before.lastPeriod
  return {
    period,
    lastPeriod: before.period,
    units: before.units.map((balance) => ({
      ...balance,
      qualified: isKnown ? balance.last : 0,
      last: balance.qualified
    }))
  }
}

/**
 * Orders and limits after an accrual's entry. An order's first entry has the minimum; of a record of earlier rules, which
 * knows none, the first event counts.
 */
const countedOrder = (state: State, event: Posted, seq: number): Pick<State, "orders" | "uses"> => {
  const { orders, uses: before } = state
  if (event.op !== "accrual") return { orders, uses: before }
  const isFirst = event.minimum !== undefined || event.orders !== undefined || state.seq !== seq
  if (!isFirst) return { orders, uses: before }
  const { forgets, uses } = event
  const kept =
    forgets === undefined
      ? before
      : before.filter((use) => !forgets.some(({ id, since }) => id === use.id && since === use.since))
  return {
    orders: orders + (event.orders ?? 1),
    uses: uses === undefined ? kept : countedUses(kept, once(uses, 1), event.at)
  }
}

const once = (uses: ReadonlyArray<Use>, count: 1 | -1): ReadonlyArray<Uses> => uses.map((use) => ({ ...use, count }))

const progressed = (
  { challenges }: State,
  { at, changes, counts, forgets = [] }: ChallengeProgressed
): State["challenges"] => {
  const isKept = (one: Progress) => !forgets.some(({ id, since }) => id === one.id && since === one.since)
  return Challenges.progressed(challenges.filter(isKept), changes ?? counts ?? [], at)
}

const orderAdjusted = (state: State, event: OrderAdjusted, seq: number): State => {
  const isClosed = event.closes === true && event.again !== true
  return ordersChanged(state, event, event.orders ?? (isClosed ? -1 : 0), seq)
}

const ordersChanged = (
  state: State,
  { at, returns = [], takes = [] }: OrderAdjusted | OrderReceived,
  orders: number,
  seq: number
): State => {
  const uses = [...once(returns, -1), ...once(takes, 1)]
  return {
    ...state,
    seq,
    at,
    orders: Math.max(0, state.orders + orders),
    uses: uses.length === 0 ? state.uses : countedUses(state.uses, uses, at)
  }
}

/** The figures once something counts in the last period, which may be the first that does. */
const withinLast = (counted: Counted, lastPeriod: number | undefined): Counted =>
  lastPeriod === undefined || (counted.period !== undefined && counted.period >= lastPeriod)
    ? withLast(counted, counted.period === lastPeriod ? undefined : lastPeriod)
    : within(counted, lastPeriod)

const posted = (state: State, event: Posted, seq: number): State => {
  const { counted: uncounted = 0, counts = event.amount, lastPeriod, period: own }: CountedEntry = event
  const counted = withinLast(within(state, own), lastPeriod)
  const { units } = counted
  const before = unitOf(counted, event.unit)
  // An order of the last period is adjusted there, whether or not anything counts in a later one yet.
  const period = own ?? lastPeriod
  const countsIn = (one: number | undefined) => (period !== undefined && period === one ? counts : 0)
  const isEarned = earns(event)
  const balance: UnitBalance = {
    unit: before.unit,
    posted: before.posted + event.amount,
    reserved: before.reserved,
    lots: lotsAfter(before.lots, event),
    lifetime: before.lifetime + (isEarned ? counts : 0),
    qualified: before.qualified + countsIn(counted.period),
    last: before.last + countsIn(counted.lastPeriod),
    credited: before.credited + (isEarned ? event.amount : 0) - uncounted
  }
  return {
    ...state,
    seq,
    at: event.at,
    entries: event.n,
    units: withUnit(units, balance),
    idle: event.idle ?? state.idle,
    period: counted.period,
    lastPeriod: counted.lastPeriod,
    cards: event.card?.[1] ?? state.cards,
    card: event.card?.[0] ?? state.card,
    ...countedOrder(state, event, seq),
    reservations:
      event.op === "redemption"
        ? state.reservations.map((hold) => evolveReservation(hold, event, seq) ?? hold)
        : state.reservations
  }
}

/** The figures once `last` counts `lastPeriod`, which is no older than what it counts now. */
const withLast = (counted: Counted, lastPeriod: number | undefined): Counted =>
  lastPeriod === undefined || lastPeriod === counted.lastPeriod
    ? counted
    : { ...counted, lastPeriod, units: counted.units.map((balance) => ({ ...balance, last: 0 })) }

const movedIn = (state: State, event: MovedIn, seq: number): State => {
  const counted = within(state, event.period)
  let { units } = counted
  for (const [unit, lifetime, qualified] of event.counters) {
    const before = unitOf({ units }, unit)
    const sums = { lifetime: before.lifetime + lifetime, qualified: before.qualified + qualified }
    units = withUnit(units, { ...before, ...sums })
  }
  return {
    ...state,
    seq,
    at: event.at,
    units,
    period: counted.period,
    lastPeriod: counted.lastPeriod,
    orders: state.orders + event.orders,
    idle: event.idle ?? state.idle,
    promised: event.promised ?? state.promised,
    tier: event.tier ?? state.tier
  }
}

const mergedIn = (state: State, event: MergedIn, seq: number): State => {
  const { account, at, cards, counters, entries, lowest, member, merged, shift } = event
  const counted = withLast(within(state, event.period), event.lastPeriod)
  let { units } = counted
  for (const [unit, lifetime, qualified, credited, last = 0] of counters) {
    const before = unitOf({ units }, unit)
    units = withUnit(units, {
      ...before,
      lifetime: before.lifetime + lifetime,
      qualified: before.qualified + qualified,
      last: before.last + last,
      credited: before.credited + credited
    })
  }
  return {
    ...state,
    seq,
    at,
    units,
    idle: event.idle ?? state.idle,
    promised: event.promised ?? state.promised,
    period: counted.period,
    lastPeriod: counted.lastPeriod,
    cards: (event.card?.[1] ?? state.cards) + cards,
    card: event.card?.[0] ?? state.card,
    // Records of before do not say how many; a member with credits may have had one.
    orders: state.orders + (event.orders ?? (counters.some(([, lifetime]) => lifetime !== 0) ? 1 : 0)),
    uses: countedUses(state.uses, event.uses ?? [], at),
    challenges: Challenges.merged(state.challenges, event.challenges ?? [], at),
    merged: [...state.merged, { account, member, shift, lowest, entries, seq, merged }]
  }
}

const mergedAway = (state: State, { account, at, member, seq: takenIn }: MergedAway, seq: number): State => ({
  ...state,
  seq,
  at,
  status: "closed",
  mergedInto: { account, member, seq: takenIn },
  units: state.units.map((unit) => ({ ...unit, lifetime: 0, qualified: 0, last: 0, credited: 0 })),
  cards: 0,
  orders: 0,
  uses: [],
  challenges: []
})

const lotsAfter = (before: Lots.Lots, event: Posted): Lots.Lots => {
  let lots = before
  for (const share of event.taken ?? []) lots = Lots.remove(lots, share)
  for (const share of event.back ?? []) lots = Lots.add(lots, share)
  const made = lotMade(event)
  return made === undefined ? lots : Lots.add(lots, made)
}

const lotsDated = (state: State, { at, lots: dated, unit }: LotsDated, seq: number): State => {
  const before = unitOf(state, unit)
  let { lots } = before
  for (const share of dated) lots = Lots.add(Lots.remove(lots, Lots.withoutDate(share)), share)
  return { ...state, seq, at, units: withUnit(state.units, { ...before, lots }) }
}

/** The new lot that an entry makes; undefined if it makes none. */
export const lotMade = (event: Posted): Lots.LotShare | undefined => {
  const points = event.lot ?? (event.amount > 0 && event.back === undefined ? event.amount : 0)
  return points > 0 ? [event.n, points, event.expires ?? null, event.at] : undefined
}

const reserved = (state: State, event: Reserved, seq: number): State => {
  const before = unitOf(state, event.unit)
  const hold = evolveReservation(undefined, event, seq)
  return {
    ...state,
    seq,
    at: event.at,
    units:
      event.cost === 0 ? state.units : withUnit(state.units, { ...before, reserved: before.reserved + event.cost }),
    reservations: hold === undefined ? state.reservations : [...state.reservations, hold]
  }
}

const holdEnded = (state: State, event: HoldEnded, seq: number): State => {
  const hold = state.reservations.find((other) => other.reservation === event.reservation)
  let units = state.units
  if (hold?.status === "reserved" && hold.cost > 0) {
    const before = unitOf(state, hold.unit)
    units = withUnit(units, { ...before, reserved: before.reserved - hold.cost })
  }
  const reservations = forgetEnded(
    state.reservations.map((other) => evolveReservation(other, event, seq) ?? other),
    (other) => other.status !== "reserved"
  )
  return { ...state, seq, at: event.at, units, reservations }
}

const rewardChanged = (state: State, event: RewardChanged, seq: number): State => {
  const known = state.rewards.some((reward) => reward.issued === event.issued)
  const restored = known ? undefined : evolveReward(undefined, event, seq)
  const all = restored === undefined ? state.rewards : [...state.rewards, restored]
  const rewards = forgetEnded(
    known ? all.map((reward) => evolveReward(reward, event, seq) ?? reward) : all,
    (reward) => reward.status !== "issued"
  )
  return { ...state, seq, at: event.at, rewards }
}

/** A reservation after an event that concerns it, else undefined. */
export const evolveReservation = (
  hold: Reservation | undefined,
  event: Reserved | HoldEnded | Posted,
  seq: number
): Reservation | undefined => {
  if (event.type === "reserved") {
    if (hold !== undefined) return undefined
    const { at, isPaid: _p, type: _t, ...facts } = event
    return { ...facts, created: at, status: "reserved" }
  }
  if (hold === undefined || !("reservation" in event) || hold.reservation !== event.reservation) return undefined
  switch (event.type) {
    case "posted":
      return event.op === "redemption" ? { ...hold, entry: event.n, taken: event.taken ?? [] } : undefined
    case "captured":
      return { ...hold, status: "captured", captured: event.at, capturedSeq: seq }
    case "released":
    case "refunded":
      return {
        ...hold,
        status: "reversed",
        reversed: event.at,
        ...(event.closing === true ? undefined : { reversedSeq: seq })
      }
    case "hold_expired":
      return { ...hold, status: "expired" }
  }
}

const issuedReward = (event: Omit<RewardIssued, "type" | "card">): IssuedReward => ({
  issued: event.issued,
  n: event.n,
  reward: event.reward,
  status: "issued",
  at: event.at,
  artifact: event.artifact,
  ...(event.expires === undefined ? undefined : { expires: event.expires }),
  ...(event.paid === undefined ? undefined : { paid: event.paid })
})

/** An issued reward after an event that concerns it, else undefined. */
export const evolveReward = (
  reward: IssuedReward | undefined,
  event: AccountEvent,
  seq: number
): IssuedReward | undefined => {
  if (event.type === "reward_issued") return reward === undefined ? issuedReward(event) : undefined
  if (event.type === "reward_received") return issuedReward({ ...event.was, issued: event.issued })
  if (event.type === "reward_restored" && reward === undefined && event.was !== undefined)
    return issuedReward({ ...event.was, issued: event.issued })
  if (reward === undefined || !("issued" in event) || event.issued !== reward.issued) return undefined
  switch (event.type) {
    case "reward_redeemed":
      return { ...reward, status: "redeemed", redeemed: event.at }
    case "reward_restored": {
      const { redeemed: _, ...rest } = reward
      return { ...rest, status: "issued" }
    }
    case "reward_cancelled":
      return {
        ...reward,
        status: "cancelled",
        cancelled: event.at,
        reason: event.reason,
        ...(event.closing === true ? undefined : { cancelledSeq: seq })
      }
    case "reward_expired":
      return { ...reward, status: "expired" }
    case "reward_moved":
      return { ...reward, status: "merged" }
    default:
      return undefined
  }
}
