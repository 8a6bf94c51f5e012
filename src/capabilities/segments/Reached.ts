/**
 * Gifts of campaigns because of a person's acts on guests, for her limits (contract/operators.md *Limits*): she sets
 * attributes that an audience or a referral reads, records events that an audience reads, enrols guests by an import,
 * changes a tier or points that an audience reads, raises a tier, or credits points with a date of her own. Counted is
 * the gift to one member, once for each guest who may newly come, before it is done. For what a campaign gives in all,
 * its own person is counted already.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, int8s, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import { TierDirection, TriggerName } from "../../contract/platform/Triggers.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { Announcement } from "../../core/account/domain/Announced.ts"
import { announcements } from "../../core/account/domain/Announced.ts"
import * as Metrics from "../../core/account/domain/Metrics.ts"
import type { State } from "../../core/account/domain/State.ts"
import { mergedAccounts } from "../../core/account/domain/State.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Given from "../../desk/surface/Given.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { tierDirection } from "../../reads/feed/Event.ts"
import type { Attributes, Recorded } from "./Newcomers.ts"
import { mayComeBy, mayComeByEvent, mayHoldNewcomers, readsAttribute, readsChanges, readsStates } from "./Newcomers.ts"
import * as Pinned from "./Pinned.ts"

/** A guest as a person changes it. */
export interface Changed {
  /** Its account and those that were merged into it; none of a guest whom the change enrols. */
  readonly accounts: ReadonlyArray<number>
  readonly before: Attributes
  readonly after: Attributes
  /** True: an import enrols the guest. */
  readonly isImported: boolean
  /** True: the opening balance of an import raises its tier. */
  readonly isRaised?: boolean
  /** Its account before and after, with everything due by then applied, ms; absent: as it was. */
  readonly states?: { readonly before: State; readonly after: State; readonly at: number } | undefined
  /** The events that the person records of it. */
  readonly events?: ReadonlyArray<Recorded>
}

/** A guest whose account alone changes. `before`: with everything due applied; undefined: it is unknown. */
export const ofAccount = (
  { account, member: { attributes = {} }, state }: Resident,
  before: State | undefined,
  at: number
): Changed => ({
  accounts: [account, ...mergedAccounts(state)],
  before: attributes,
  after: attributes,
  isImported: false,
  states: before && { before, after: state, at }
})

/** The most cards that one recipient of so many points of a unit fills, if they are stamps: one may lack a single stamp. */
const cardsOf = ({ primaryUnit, stampCard }: Program, points: number, unit = primaryUnit): number =>
  stampCard?.unit === unit ? Math.ceil(points / stampCard.threshold) : 0

/** The most that one member gets of a campaign at once. */
export const byOne = ({ action: { credit } }: { readonly action: CampaignAction }, program: Program): Amounts => {
  const gift =
    credit === undefined
      ? { ...nothing, rewards: 1 }
      : { ...nothing, points: credit.amount, rewards: cardsOf(program, credit.amount, credit.unit) }
  return { ...gift, byCampaigns: gift }
}

/** Amounts, and a gift so many times. */
export const plus = <A extends Amounts>(amounts: A, { byCampaigns, points, rewards }: Amounts, times = 1): A => ({
  ...amounts,
  points: amounts.points + times * points,
  rewards: amounts.rewards + times * rewards,
  byCampaigns: byCampaigns ? plus(amounts.byCampaigns ?? nothing, byCampaigns, times) : amounts.byCampaigns
})

interface Campaign {
  readonly id: string
  readonly name: string
  readonly action: CampaignAction
  /** As of `Pinned.audiencesOf`. */
  readonly countedBy?: string | undefined
}

const campaignRows = rowsOf(
  Schema.Struct({ id: Schema.String, name: Schema.String, action: CampaignAction, countedBy: optional(Schema.String) })
)

const campaignsWhere = (condition: string) => (query: Query, program: string, now: number) =>
  campaignRows(
    query(
      `SELECT c.campaign_id AS id, c.name, c.action, CASE WHEN ${Pinned.isLimited} THEN nullif(c.counted_by, '') END AS "countedBy"
        FROM campaigns c WHERE c.program_id = $1 AND ${condition} AND ${Pinned.mayStillGive("$2")} ORDER BY c.campaign_id`,
      [PgTypes.text(program), int8(now)]
    )
  )

/** The active campaigns of a programme that members whom an import enrols start. */
export const startedByImports = campaignsWhere(
  `c.status = 'active' AND c.trigger ->> 'on' = 'member.enrolled' AND (c.trigger -> 'include_imports')::boolean`
)

/** The active campaigns of a programme that a member's higher tier triggers. */
const startedByRise = campaignsWhere(
  "c.status = 'active' AND c.trigger ->> 'on' = 'tier.changed' AND coalesce(c.trigger ->> 'direction', 'up') = 'up'"
)

/** The campaigns, active or paused, that give to those whom other members name as `referred_by`. */
export const givingToReferrers = campaignsWhere("c.trigger ->> 'to' = 'referrer'")

const referrer = "referred_by"

/**
 * True if a changed guest newly names a member who may get something: one who is not there may join by the name later,
 * and be merged into one who joined before the guest.
 */
const isReferred = ({ after, before }: Changed): boolean =>
  typeof after[referrer] === "string" && after[referrer] !== before[referrer]

/** A campaign, and the guests to whom, or because of whom, it gives. */
interface Source {
  readonly one: Campaign
  /** Asks if an attribute of a guest matters. Absent: none does. */
  readonly reads?: (attribute: string) => boolean
  readonly isReached: (guest: Changed) => boolean
  /** True: it gives to a guest again for whose own order it has given to another one, her referrer. */
  readonly isOfReferrers?: boolean
  /** True: tiers or points decide about a guest. */
  readonly isOfStates?: boolean
}

/** Everything that may give because of changed guests. */
const sourcesOf = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  now: number
): Effect.fn.Return<ReadonlyArray<Source>, Refused> {
  const started = yield* startedByImports(query, program.id, now)
  const risen = yield* startedByRise(query, program.id, now)
  const referrals = yield* givingToReferrers(query, program.id, now)
  const audiences = yield* Pinned.audiencesOf(query, program, now)
  return [
    ...started.map((one): Source => ({ one, isReached: ({ isImported }) => isImported })),
    ...risen.map((one): Source => ({ one, isReached: ({ isRaised }) => isRaised === true })),
    ...referrals.map((one): Source => ({ one, reads: (name) => name === referrer, isReached: isReferred })),
    ...audiences.flatMap(({ audience, one }): ReadonlyArray<Source> => {
      const holdsNewcomers = !one.isTriggered && mayHoldNewcomers(audience)
      const isOfStates = readsStates(audience)
      if (!holdsNewcomers && !isOfStates && !readsChanges(audience)) return []
      const isReached = ({ after, before, events = [], isImported, states }: Changed) => {
        const at = states?.at ?? now
        return (
          (holdsNewcomers && isImported) ||
          mayComeBy(
            audience,
            { attributes: before, state: states?.before, at },
            { attributes: after, state: states?.after, at }
          ) ||
          events.some((event) => mayComeByEvent(audience, event))
        )
      }
      const isOfReferrers = referrals.some(({ id }) => id === one.id)
      return [{ one, reads: (name) => readsAttribute(audience, name), isReached, isOfStates, isOfReferrers }]
    })
  ]
})

const givenRows = rowsOf(Schema.Struct({ id: Schema.String, account: Schema.Number }))

/**
 * Members to whom, or because of whom, campaigns have given for good: nothing that the caller does makes them give again.
 * Holding out is for good, too. A campaign with runs by key gives again with the next key.
 */
const givenStatement = `SELECT c.campaign_id AS id, e.account FROM campaigns c
    JOIN campaign_events e ON e.campaign_id = c.campaign_id
    WHERE c.campaign_id = ANY ($1) AND coalesce(c.trigger -> 'once', '"member"') = '"member"'
      AND e.account = ANY ($2) AND e.outcome IN ('issued', 'holdout')
  UNION SELECT c.campaign_id, t.account FROM campaigns c
    JOIN campaign_runs r ON r.campaign_id = c.campaign_id AND r.run_key IS NULL
    JOIN campaign_targets t ON t.run = r.n
    WHERE c.campaign_id = ANY ($1) AND c.trigger IS NULL AND c.cron IS NULL
      AND t.account = ANY ($2) AND t.outcome IN ('issued', 'holdout')
      AND NOT EXISTS (SELECT FROM campaign_runs k WHERE k.campaign_id = c.campaign_id AND k.run_key IS NOT NULL)`

/** Asks if a campaign gives no more because of a member with these accounts. */
const givenTo = Effect.fnUntraced(function* (
  query: Query,
  campaigns: ReadonlyArray<string>,
  accounts: ReadonlyArray<number>
): Effect.fn.Return<(campaign: string, accounts: ReadonlyArray<number>) => boolean, Refused> {
  if (campaigns.length === 0 || accounts.length === 0) return () => false
  const rows = yield* givenRows(query(givenStatement, [texts(campaigns), int8s(accounts)]))
  const given = new Set(rows.map(({ account, id }) => `${account} ${id}`))
  return (campaign, of) => of.some((account) => given.has(`${account} ${campaign}`))
})

/** Amounts that sources give because of guests: of each campaign once for a guest. */
const amountsOf = Effect.fnUntraced(function* (
  query: Query,
  sources: ReadonlyArray<Source>,
  guests: ReadonlyArray<Changed>,
  program: Program
): Effect.fn.Return<Amounts, Refused, CurrentCaller> {
  const { keyId } = yield* CurrentCaller
  const counted = sources.filter(({ one }) => one.countedBy !== keyId)
  const reached = [...Map.groupBy(counted, ({ one }) => one.id).values()].flatMap((same) => {
    const those = guests.flatMap((guest) => {
      const by = same.filter(({ isReached }) => isReached(guest))
      return by.length === 0 ? [] : [{ guest, givesAgain: by.some(({ isOfReferrers }) => isOfReferrers) }]
    })
    return same.slice(0, 1).map(({ one }) => ({ gift: byOne(one, program), guests: those, id: one.id }))
  })
  const accounts = reached.flatMap((one) => one.guests.flatMap(({ guest }) => guest.accounts))
  const isGiven = yield* givenTo(
    query,
    reached.map(({ id }) => id),
    accounts
  )
  return reached.reduce((all, { gift, guests, id }) => {
    const times = guests.filter(({ givesAgain, guest }) => givesAgain || !isGiven(id, guest.accounts)).length
    return plus(all, gift, times)
  }, nothing)
})

const triggerRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    action: CampaignAction,
    countedBy: optional(Schema.String),
    on: TriggerName,
    direction: optional(TierDirection),
    isAimed: Schema.Boolean
  })
)

/** The active automations that tiers, challenges and expiring points trigger. */
const triggeredStatement = `SELECT c.campaign_id AS id, c.action,
    CASE WHEN ${Pinned.isLimited} THEN nullif(c.counted_by, '') END AS "countedBy", c.trigger ->> 'on' AS on,
    c.trigger ->> 'direction' AS direction, coalesce(c.segment_id, '') <> '' AS "isAimed"
  FROM campaigns c WHERE c.program_id = $1 AND c.status = 'active'
    AND c.trigger ->> 'on' IN ('tier.changed', 'challenge.completed', 'points.expiring') AND ${Pinned.mayStillGive("$2")}
  ORDER BY c.campaign_id`

/** Events of a record of a guest, and the events that are due without the record. */
export interface Caused {
  readonly guest: Changed
  readonly events: ReadonlyArray<AccountEvent>
  readonly due: ReadonlyArray<AccountEvent>
  /** True: points that it credits are warned of later. */
  readonly isWarned?: boolean
}

/** Amounts that campaigns give because of a record. */
export interface Effects {
  readonly amounts: Amounts
  /** True: they depend on the points before the record, whatever it is about. */
  readonly dependsOnState: boolean
}

const toldOf = (events: ReadonlyArray<AccountEvent>) =>
  announcements(events).filter(({ name }) => name === "tier.changed" || name === "challenge.completed")

/** True if a record of a guest raises its tier beyond the one that is due. */
export const raisesTier = (program: Program, events: ReadonlyArray<AccountEvent>, { states }: Changed): boolean =>
  states !== undefined &&
  toldOf(events).some((told) => told.name === "tier.changed" && tierDirection(told) === "up") &&
  Metrics.tierOf(states.before, program, states.at) !== Metrics.tierOf(states.after, program, states.at)

/** The tier to which a tier.changed goes. */
const tierOf = ({ events }: Announcement): string | undefined =>
  events.flatMap((event) => (event.type === "tier_changed" ? [event.to] : [])).at(-1)

/** Amounts that the automations of a programme give because of a record's events, by campaign. */
const amountsBy = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  { due, events, guest: { accounts }, isWarned = false }: Caused,
  now: number
): Effect.fn.Return<ReadonlyMap<string, Amounts>, Refused, CurrentCaller> {
  const given = new Map<string, Amounts>()
  if (!isWarned && toldOf(events).length === 0) return given
  const { keyId } = yield* CurrentCaller
  const automations = yield* triggerRows(query(triggeredStatement, [PgTypes.text(program.id), int8(now)]))
  const isGiven = yield* givenTo(
    query,
    automations.map(({ id }) => id),
    accounts
  )
  for (const one of automations) {
    if (one.countedBy === keyId || isGiven(one.id, accounts)) continue
    const answered = (told: ReadonlyArray<AccountEvent>) =>
      toldOf(told).filter(
        (announced) =>
          announced.name === one.on &&
          (announced.name !== "tier.changed" ||
            one.direction === undefined ||
            one.direction === tierDirection(announced))
      )
    const own = answered(events)
    // For an audience a higher tier than the one that is due may be another gift.
    const anyway = answered(due).filter((told) => !one.isAimed || own.some((other) => tierOf(other) === tierOf(told)))
    const times = one.on === "points.expiring" ? Number(isWarned) : Math.max(0, own.length - anyway.length)
    if (times > 0) given.set(one.id, plus(nothing, byOne(one, program), times))
  }
  return given
})

/** Counts what campaigns give because of a changed guest, and does the work. `isNew`: false if it was done before. */
export type Within = <A>(
  guest: Changed,
  isNew: (done: A) => boolean,
  work: Effect.Effect<A, Refused>
) => Effect.Effect<A, Refused>

interface Counting {
  readonly because: Because
  readonly caller: RequestCaller
  readonly idOf: (guest: Changed) => Given.Gift["id"]
  readonly program: Program
}

/** Counts changes of guests for a caller. */
export const countingIn =
  (given: Effect.Success<typeof Given.make>, { because, caller, idOf, program }: Counting): Within =>
  (guest, isNew, work) =>
    Effect.flatMap(because([guest]), (caused) =>
      given.within({ program, id: idOf(guest), ...caused }, (done) => ({ isNew: isNew(done) }), work)
    ).pipe(Effect.provideService(CurrentCaller, caller))

/** Tells the amounts that campaigns give because of guests. */
export type Because = (guests: ReadonlyArray<Changed>) => Effect.Effect<Amounts, Refused, CurrentCaller>

export const make = Effect.gen(function* () {
  const { isLimited } = yield* Given.make
  const { query } = yield* PeoplePool
  const { now } = yield* serviceTime

  /**
   * Tells the amounts that campaigns give because of guests. Undefined: the caller has no limits, or no campaign may give
   * because of any guest. `attributes`: nothing but these of guests changes; absent: anything.
   */
  const because = Effect.fnUntraced(function* (
    program: Program,
    attributes?: ReadonlyArray<string>
  ): Effect.fn.Return<Because | undefined, Refused, CurrentCaller> {
    if (!(yield* isLimited)) return undefined
    const all = yield* sourcesOf(query, program, now())
    const sources = attributes === undefined ? all : all.filter(({ reads }) => reads && attributes.some(reads))
    return sources.length === 0 ? undefined : (guests) => amountsOf(query, sources, guests, program)
  })

  /** Amounts that campaigns give because of a record that a caller with limits brings about: of each campaign once. */
  const by = Effect.fnUntraced(function* (
    program: Program,
    caused: Caused
  ): Effect.fn.Return<Effects, Refused, CurrentCaller> {
    if (!(yield* isLimited)) return { amounts: nothing, dependsOnState: false }
    const at = now()
    const told = yield* amountsBy(query, program, caused, at)
    const sources = yield* sourcesOf(query, program, at)
    const untold = sources.filter(({ one }) => !told.has(one.id))
    const others = yield* amountsOf(query, untold, [caused.guest], program)
    const amounts = [...told.values()].reduce((all, one) => plus(all, one), others)
    return { amounts, dependsOnState: sources.some(({ isOfStates }) => isOfStates) }
  })

  return { because, by }
})
