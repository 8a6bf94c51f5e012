/**
 * Gives what events trigger (contract/engagement.md *Triggers*), in rounds of `CampaignRuns`.
 *
 * A round first reads the feed for each campaign from its place. The events that trigger it are stored in the transaction
 * that moves the place, so each is stored once. Then each campaign with due events does a step under its lock: it begins
 * a batch, or ends the one that was begun. Invariant: only an event that is begun may have its grant without an outcome.
 * Such grants are recorded before anything else is weighed, so a kill lets nobody get more than frequency and limit say.
 *
 * A campaign with a segment reads no further than the figures of members count, which its segment is asked of, and
 * weighs nothing while they are behind its place, as in a rebuild: a guest who has just become a VIP is one in the
 * figures too.
 */
import { Effect } from "effect"
import { WorkPool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { typeOf } from "../../contract/platform/EventTypes.ts"
import type { FeedEvent } from "../../contract/platform/FeedEvents.ts"
import type { Trigger } from "../../contract/platform/Triggers.ts"
import { referrerDelaySeconds } from "../../contract/platform/Triggers.ts"
import type { Refused } from "../../contract/Refused.ts"
import { toMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { isErased, mergedAccounts } from "../../core/account/domain/State.ts"
import type { Resident, Trouble } from "../../core/account/Outcome.ts"
import { ArchiveFiles } from "../../core/journal/archive/ArchiveFiles.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { dayMs } from "../../core/rules/Calendar.ts"
import type { EventPage, PlacedEvent } from "../../reads/feed/EventFeed.ts"
import { EventFeed } from "../../reads/feed/EventFeed.ts"
import type { Place } from "../../reads/feed/Place.ts"
import * as PlaceOf from "../../reads/feed/Place.ts"
import * as Audience from "../segments/Audience.ts"
import * as Pinned from "../segments/Pinned.ts"
import * as Bounds from "./Bounds.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import * as Store from "./CampaignStore.ts"
import { closedOrders } from "./ClosedOrders.ts"
import type { EventOutcome, SeenEvent, StoredEvent } from "./EventStore.ts"
import * as EventStore from "./EventStore.ts"
import * as Grants from "./Grants.ts"
import type { StepResult } from "./Step.ts"
import { countOutcomes, inFull, orWait, remaining } from "./Step.ts"

const partsOf = Effect.gen(function* () {
  return {
    accounts: yield* Accounts,
    claimKey: (yield* Journal).claimKey,
    database: yield* WorkPool,
    feed: yield* EventFeed,
    files: yield* ArchiveFiles,
    freeze: yield* WriteFreeze,
    fork: Effect.runForkWith(yield* Effect.context<never>()),
    grants: yield* Grants.make,
    now: (yield* serviceTime).now,
    programs: yield* Programs
  }
})

/** The parts of the worker. */
type Parts = Effect.Success<typeof partsOf>

export const make = Effect.map(partsOf, (parts) => ({ round: round(parts) }))

/** A campaign with a trigger. */
interface Triggered extends StoredCampaign {
  readonly trigger: Trigger
}

const isTriggered = (campaign: StoredCampaign | undefined): campaign is Triggered => campaign?.trigger !== undefined

const millisPerSecond = 1_000

type Accrued = Extract<FeedEvent, { readonly type: ReturnType<typeof typeOf<"order.accrued">> }>["data"]

/** True if an order earned by a base rule of some account, not by promotions alone. */
const hasEarned = ({ entries, promotions = [] }: Accrued): boolean =>
  entries.some(({ amount, unit }) => {
    const given = promotions.reduce((sum, one) => (one.unit === unit ? sum + one.amount : sum), 0)
    return amount > given
  })

/** True if the event triggers the campaign. */
const matches = ({ program, trigger }: Triggered, event: FeedEvent): boolean => {
  const { direction, include_imports: withImports = false, on, to, where } = trigger
  if (event.programid !== program || event.type !== typeOf(on)) return false
  // The accrual of a moved order has triggered what there was.
  if ("moved" in event.data && event.data.moved === true) return false
  if (event.type === typeOf("member.enrolled"))
    return event.data.via !== "move_in" && (withImports || event.data.via !== "import")
  if (event.type === typeOf("tier.changed")) return direction === undefined || event.data.direction === direction
  if (event.type !== typeOf("order.accrued")) return true
  const { eligible_spend: spend, first_order: isFirst, location_id: location } = event.data
  if (!hasEarned(event.data)) return false
  if ((to === "referrer" || where?.first_order === true) && !isFirst) return false
  if (where?.minimum_spend !== undefined && spend.amount < where.minimum_spend.amount) return false
  return where?.location_ids === undefined || (location !== undefined && where.location_ids.includes(location))
}

/** An event is due at once or after the delay, and never before it was read: what is given lasts from then. */
const seenOf = ({ trigger }: Triggered, { event, place }: PlacedEvent, now: number): SeenEvent => {
  const delay = trigger.delay_seconds ?? (trigger.to === "referrer" ? referrerDelaySeconds : 0)
  const occurredAt = toMillis(event.time)
  return {
    place,
    event: event.id,
    member: event.subject,
    order: event.type === typeOf("order.accrued") ? event.data.order_id : undefined,
    occurredAt,
    dueAt: Math.max(now, occurredAt + delay * millisPerSecond)
  }
}

/** The place that the figures of members have reached: the end of what is readable, if they count every record. */
const countedOf = Effect.fnUntraced(function* ({ database, feed }: Parts) {
  const end = yield* feed.now
  const counted = yield* EventStore.counted(database.query)
  return (yield* feed.oldestAfter(counted)) === undefined ? end : counted
})

/** The part of a page up to a place. */
const upTo = (page: EventPage, place: Place): Pick<EventPage, "events" | "next"> =>
  PlaceOf.isAfter(page.next, place)
    ? { events: page.events.filter((one) => !PlaceOf.isAfter(one.place, place)), next: place }
    : page

/**
 * Reads the feed for a campaign. `pages`: those of this round, which campaigns at the same place share. `counted`: the
 * place that the figures of members have reached.
 */
const readFor = Effect.fnUntraced(function* (
  { database, feed, now }: Parts,
  id: string,
  pages: Map<string, EventPage>,
  counted: Place
): Effect.fn.Return<StepResult | "idle", Refused | JournalUnavailable> {
  const campaign = yield* Store.find(database.query, id)
  if (!isTriggered(campaign) || campaign.place === undefined) return "idle"
  const place = PlaceOf.fromText(campaign.place)
  if (place === undefined) throw new Error(`campaign ${id} has no place ${campaign.place}`)
  const horizon: Place | undefined = campaign.status === "active" ? undefined : yield* feed.now
  // A stopped campaign reads to the end: it weighs nothing.
  const needsFigures = campaign.segment !== undefined && horizon === undefined
  if (needsFigures && PlaceOf.isAfter(place, counted)) return "idle"
  // A campaign that stops needs a page that was read behind its horizon.
  const shared = horizon === undefined ? pages.get(campaign.place) : undefined
  const page = shared ?? (yield* feed.read(place, { programs: undefined, accounts: undefined }, Bounds.readRecords))
  pages.set(campaign.place, page)
  const known = needsFigures ? upTo(page, counted) : page
  const next = PlaceOf.toText(known.next)
  if (next !== campaign.place) {
    const seen = known.events.filter((one) => one.isRehearsal !== true && matches(campaign, one.event))
    const at = now()
    yield* EventStore.advance(
      database.query,
      campaign,
      seen.map((one) => seenOf(campaign, one, at)),
      next
    )
    return "worked"
  }
  if (horizon !== undefined) yield* EventStore.close(database.query, campaign, horizon)
  return "idle"
})

/** An event with its member and its receiver. */
interface Weighed {
  readonly event: StoredEvent
  readonly receiver: Grants.Receiver
  /** The accounts of the event's member. */
  readonly subjects: ReadonlyArray<number>
}

const skipped = ({ n }: StoredEvent, code: string): EventOutcome => ({ n, outcome: "skipped", code, receiver: null })

const receiverOf = ({ account, state }: Resident): Grants.Receiver => ({
  account,
  member: state.member,
  program: state.program,
  contained: mergedAccounts(state)
})

const accountsOf = ({ account, contained }: Grants.Receiver): ReadonlyArray<number> => [account, ...contained]

/** The referrer of a member, or why there is none. */
const referrerOf = Effect.fnUntraced(function* (
  { accounts, database }: Parts,
  event: StoredEvent,
  friend: Resident
): Effect.fn.Return<Grants.Receiver | EventOutcome | Trouble, Refused> {
  const name = friend.member.attributes?.["referred_by"]
  if (typeof name !== "string") return skipped(event, "no_referrer")
  const found = yield* accounts.read(event.program, name)
  if (found === undefined) return skipped(event, "no_referrer")
  if (found._tag !== "Resident") return found
  if (found.account === friend.account) return skipped(event, "own_referrer")
  if (found.state.status !== "active") return skipped(event, "referrer_not_active")
  const referrer = receiverOf(found)
  const known = accountsOf(referrer)
  const first = yield* EventStore.firstEnrolled(database.query, [...known, ...accountsOf(receiverOf(friend))])
  return known.includes(first) ? referrer : skipped(event, "referrer_joined_later")
})

/** Reads an event's member and receiver. */
const weigh = Effect.fnUntraced(function* (
  parts: Parts,
  { trigger }: Triggered,
  event: StoredEvent
): Effect.fn.Return<Weighed | EventOutcome | Trouble, Refused> {
  const found = yield* parts.accounts.readOn(event.account)
  if (found === undefined || (found._tag === "Resident" && isErased(found.state)))
    return { n: event.n, outcome: "failed", code: "not_found", receiver: null }
  if (found._tag !== "Resident") return found
  const own = receiverOf(found)
  const receiver = trigger.to === "referrer" ? yield* referrerOf(parts, event, found) : own
  return "member" in receiver ? { event, receiver, subjects: accountsOf(own) } : receiver
})

const weighOrFail = (parts: Parts, campaign: Triggered, event: StoredEvent) =>
  Effect.catchDefect(weigh(parts, campaign, event), (defect) =>
    Effect.as(Effect.logError(`Campaign ${event.campaign} cannot weigh event ${event.event}`, defect), {
      n: event.n,
      outcome: "failed",
      code: "internal_error",
      receiver: null
    } satisfies EventOutcome)
  )

const troubleOf = ({ _tag }: Trouble): StepResult => (_tag === "Overloaded" ? "busy" : "waits")

/** One event at a time for a member, also as a receiver: the next one must see the first one's outcome. */
const apart = (all: ReadonlyArray<Weighed>): ReadonlyArray<Weighed> => {
  const taken = new Set<number>()
  return all.filter(({ receiver, subjects }) => {
    const accounts = [...subjects, ...accountsOf(receiver)]
    const isFree = !accounts.some((account) => taken.has(account))
    for (const account of accounts) taken.add(account)
    return isFree
  })
}

/** Those of the accounts that are in the campaign's segment now; undefined: all are. */
const inSegment = Effect.fnUntraced(function* (
  { database, now, programs }: Parts,
  { id: campaign, program: id, segment }: Triggered,
  accounts: ReadonlyArray<number>
): Effect.fn.Return<ReadonlySet<number> | undefined, Refused> {
  const program = programs.get(id)
  if (segment === undefined || program === undefined) return undefined
  const audience = yield* Pinned.ofCampaign(database.query, program, { id: campaign, segment })
  return yield* Audience.among(database, audience, now(), accounts)
})

/** The outcomes of events that give nothing, and the events that give something. */
const judge = Effect.fnUntraced(function* (
  { claimKey, database, files, now }: Parts,
  campaign: Triggered,
  all: ReadonlyArray<Weighed>,
  segment: ReadonlySet<number> | undefined
): Effect.fn.Return<{ readonly done: ReadonlyArray<EventOutcome>; readonly open: ReadonlyArray<Weighed> }, Refused> {
  const { frequency, holdoutPercent, id, trigger } = campaign
  const { once = "member" } = trigger
  const { query } = database
  const at = now()
  const since = typeof once === "object" ? at - once.days * dayMs : -1
  const subjects = all.flatMap((one) => one.subjects)
  const reached = once === "event" ? new Set<number>() : yield* EventStore.reached(query, id, subjects, since)
  const receivers = all.flatMap(({ receiver }) => accountsOf(receiver))
  const given =
    frequency === undefined
      ? new Map<number, number>()
      : yield* Store.grantsSince(query, id, receivers, at - frequency.days * dayMs)
  const closed = yield* closedOrders(
    query,
    files,
    all.map(({ event, subjects }) => ({ event, accounts: subjects }))
  )
  const outcomeOf = ({ event, receiver, subjects }: Weighed): EventOutcome | undefined => {
    const accounts = accountsOf(receiver)
    const times = accounts.reduce((sum, account) => sum + (given.get(account) ?? 0), 0)
    if (closed.has(event.n)) return skipped(event, "order_closed")
    if (subjects.some((account) => reached.has(account))) return skipped(event, "already_reached")
    if (segment?.has(receiver.account) === false) return skipped(event, "not_in_segment")
    if (frequency !== undefined && times >= frequency.times) return skipped(event, "frequency_reached")
    if (remaining(campaign, event.action) === 0) return skipped(event, "limit_reached")
    return accounts.some((account) => Grants.isHeldOut(claimKey, id, account, holdoutPercent))
      ? { n: event.n, outcome: "holdout", code: null, receiver: receiver.account }
      : undefined
  }
  const done: Array<EventOutcome> = []
  const open: Array<Weighed> = []
  for (const one of all) {
    const outcome = outcomeOf(one)
    if (outcome?.outcome === "skipped") done.push(outcome)
    // Gifts that the limit has no room for beside the others are weighed again in the next step.
    else if (open.length >= remaining(campaign, one.event.action)) continue
    else if (outcome !== undefined) done.push(outcome)
    else open.push(one)
  }
  return { done, open }
})

const record = Effect.fnUntraced(function* (
  { database, now }: Parts,
  campaign: string,
  done: ReadonlyArray<EventOutcome>
): Effect.fn.Return<StepResult, Refused> {
  if (!(yield* EventStore.record(database.query, database.holder, campaign, done, now()))) return "replaced"
  yield* countOutcomes(done)
  return "worked"
})

/** Gives to one receiver. Returns a step if the event must be tried again. */
const grantOne = ({ grants }: Parts, { event, receiver }: Weighed): Effect.Effect<EventOutcome | StepResult> =>
  grants.grantFor(event, receiver).pipe(
    Effect.map((granted): EventOutcome | StepResult =>
      "_tag" in granted
        ? troubleOf(granted)
        : { n: event.n, outcome: granted.outcome, code: granted.code, receiver: receiver.account }
    ),
    Effect.catchDefect((defect) =>
      Effect.as(Effect.logError(`Campaign ${event.campaign} cannot grant for event ${event.event}`, defect), {
        n: event.n,
        outcome: "failed",
        code: "internal_error",
        receiver: receiver.account
      } satisfies EventOutcome)
    )
  )

/** Ends the events that are begun, as far as it can. */
const endBegun = Effect.fnUntraced(function* (
  parts: Parts,
  campaign: Triggered,
  begun: ReadonlyArray<StoredEvent>
): Effect.fn.Return<StepResult, Refused | JournalUnavailable> {
  const given = yield* parts.grants.receivers(begun)
  if (given.size > 0) {
    const done = [...given].map(([n, receiver]): EventOutcome => ({ n, outcome: "issued", code: null, receiver }))
    return yield* record(parts, campaign.id, done)
  }
  const done: Array<EventOutcome> = []
  const weighed: Array<Weighed> = []
  let trouble: StepResult | undefined
  const all = yield* Effect.forEach(begun, (event) => weighOrFail(parts, campaign, event), {
    concurrency: Bounds.grantedMembers
  })
  for (const one of all) {
    if ("event" in one) weighed.push(one)
    else if ("n" in one) done.push(one)
    else if (trouble !== "waits") trouble = troubleOf(one)
  }
  // An event behind one whose member cannot be read may be of the same member.
  if (trouble !== undefined) return trouble
  const now = apart(weighed)
  const segment = yield* inSegment(
    parts,
    campaign,
    now.map(({ receiver }) => receiver.account)
  )
  const judged = yield* judge(parts, campaign, now, segment)
  const results = yield* inFull(
    parts.fork,
    Effect.forEach(judged.open, (one) => grantOne(parts, one), { concurrency: Bounds.grantedMembers })
  )
  for (const result of results) {
    if (typeof result === "object") done.push(result)
    else if (trouble !== "waits") trouble = result
  }
  const step = yield* record(parts, campaign.id, [...done, ...judged.done])
  return step === "worked" ? (trouble ?? "worked") : step
})

/** Begins the next events that are due, or ends those that are begun. */
const stepOf = Effect.fnUntraced(function* (
  parts: Parts,
  id: string,
  counted: Place
): Effect.fn.Return<StepResult, Refused | JournalUnavailable> {
  const { database, freeze, now, programs } = parts
  if (!freeze.mayWrite()) return "waits"
  yield* Store.holdGrants(database.query, id)
  // The campaign may have stopped since it was found.
  const campaign = yield* Store.find(database.query, id)
  if (!isTriggered(campaign) || campaign.status !== "active") return "stopped"
  if (programs.get(campaign.program)?.isRehearsal === true) return "stopped"
  const place = PlaceOf.fromText(campaign.place ?? "")
  if (campaign.segment !== undefined && place !== undefined && PlaceOf.isAfter(place, counted)) return "waits"
  const begun = yield* EventStore.begun(database.query, id)
  if (begun.length > 0) return yield* endBegun(parts, campaign, begun)
  yield* EventStore.begin(database.query, id, now(), Bounds.grantedMembers)
  return "worked"
})

/** Reads the feed for each campaign, then does one step of each that has due events. */
const round = Effect.fnUntraced(function* (parts: Parts): Effect.fn.Return<ReadonlyArray<StepResult>, Refused> {
  const { database, now } = parts
  const results: Array<StepResult> = []
  const pages = new Map<string, EventPage>()
  const readers = yield* EventStore.readers(database.query)
  if (readers.length === 0) return results
  const counted = yield* orWait("The triggers", countedOf(parts))
  if (counted === "waits") return [counted]
  for (const id of readers) {
    const result = yield* orWait(`The trigger of campaign ${id}`, readFor(parts, id, pages, counted))
    if (result !== "idle") results.push(result)
  }
  for (const id of yield* EventStore.due(database.query, now()))
    results.push(yield* orWait(`Campaign ${id}`, database.transaction(stepOf(parts, id, counted))))
  return results
})
