/**
 * Gifts of campaigns because of a person's acts on guests, for her limits (contract/operators.md *Limits*): she sets
 * attributes that an audience or a referral reads, enrols guests by an import, or raises a tier. Counted is the gift to one
 * member, once for each guest who may newly come, before it is done. For what a campaign gives in all, its own person is counted already.
 */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf } from "../../base/database/Values.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/admin/Common.ts"
import { CampaignAction } from "../../contract/platform/Campaigns.ts"
import { TierDirection, TriggerName } from "../../contract/platform/Triggers.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import { announcements } from "../../core/account/domain/Announced.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Given from "../../desk/surface/Given.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { tierDirection } from "../../reads/feed/Event.ts"
import type { Attributes } from "../segments/Newcomers.ts"
import { mayComeBy, mayHoldNewcomers, readsAttributes } from "../segments/Newcomers.ts"
import * as Pinned from "../segments/Pinned.ts"

/** A guest as a person changes it. */
export interface Changed {
  readonly before: Attributes
  readonly after: Attributes
  /** True: an import enrols the guest. */
  readonly isImported: boolean
}

/** The most cards that one recipient of so many points of a unit fills, if they are stamps: one may lack a single stamp. */
const cardsOf = ({ primaryUnit, stampCard }: Program, points: number, unit = primaryUnit): number =>
  stampCard?.unit === unit ? Math.ceil(points / stampCard.threshold) : 0

/** The most that one member gets of a campaign at once. */
export const byOne = ({ action: { credit } }: { readonly action: CampaignAction }, program: Program): Amounts =>
  credit === undefined
    ? { ...nothing, rewards: 1 }
    : { ...nothing, points: credit.amount, rewards: cardsOf(program, credit.amount, credit.unit) }

/** Amounts, and a gift so many times. */
export const plus = <A extends Amounts>(amounts: A, { points, rewards }: Amounts, times = 1): A => ({
  ...amounts,
  points: amounts.points + times * points,
  rewards: amounts.rewards + times * rewards
})

interface Campaign {
  readonly id: string
  readonly action: CampaignAction
  /** As of `Pinned.audiencesOf`. */
  readonly countedBy?: string | undefined
}

const campaignRows = rowsOf(
  Schema.Struct({ id: Schema.String, action: CampaignAction, countedBy: optional(Schema.String) })
)

const campaignsWhere = (condition: string) => (query: Query, program: string, now: number) =>
  campaignRows(
    query(
      `SELECT c.campaign_id AS id, c.action, CASE WHEN ${Pinned.isLimited} THEN nullif(c.counted_by, '') END AS "countedBy"
        FROM campaigns c WHERE c.program_id = $1 AND ${condition} AND ${Pinned.mayStillGive("$2")} ORDER BY c.campaign_id`,
      [PgTypes.text(program), int8(now)]
    )
  )

/** The active campaigns of a programme that members whom an import enrols start. */
export const startedByImports = campaignsWhere(
  `c.status = 'active' AND c.trigger ->> 'on' = 'member.enrolled' AND (c.trigger -> 'include_imports')::boolean`
)

/** The campaigns, active or paused, that give to those whom other members name as `referred_by`. */
export const givingToReferrers = campaignsWhere("c.trigger ->> 'to' = 'referrer'")

const referrer = "referred_by"

const namesReferrer = ({ after, before }: Changed): boolean =>
  typeof after[referrer] === "string" && after[referrer] !== before[referrer]

/** A campaign, and the guests to whom, or because of whom, it gives. */
interface Source {
  readonly one: Campaign
  readonly isReached: (guest: Changed) => boolean
}

/** Everything that may give because of changed guests. */
const sourcesOf = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  now: number
): Effect.fn.Return<ReadonlyArray<Source>, Refused> {
  const started = yield* startedByImports(query, program.id, now)
  const referrals = yield* givingToReferrers(query, program.id, now)
  const audiences = yield* Pinned.audiencesOf(query, program, now)
  return [
    ...started.map((one): Source => ({ one, isReached: ({ isImported }) => isImported })),
    ...referrals.map((one): Source => ({ one, isReached: namesReferrer })),
    ...audiences.flatMap(({ audience, one }): ReadonlyArray<Source> => {
      const holdsNewcomers = !one.isTriggered && mayHoldNewcomers(audience)
      if (!holdsNewcomers && !readsAttributes(audience)) return []
      const isReached = ({ after, before, isImported }: Changed) =>
        (holdsNewcomers && isImported) || mayComeBy(audience, before, after)
      return [{ one, isReached }]
    })
  ]
})

/** Amounts that sources give because of guests: of each campaign once for a guest. */
const amountsOf = (
  sources: ReadonlyArray<Source>,
  guests: ReadonlyArray<Changed>,
  caller: string,
  program: Program
): Amounts => {
  let all = nothing
  for (const same of Map.groupBy(sources, ({ one }) => one.id).values()) {
    const [{ one } = { one: undefined }] = same
    if (one === undefined || one.countedBy === caller) continue
    const reached = guests.filter((guest) => same.some(({ isReached }) => isReached(guest))).length
    all = plus(all, byOne(one, program), reached)
  }
  return all
}

const triggerRows = rowsOf(
  Schema.Struct({
    id: Schema.String,
    action: CampaignAction,
    countedBy: optional(Schema.String),
    on: TriggerName,
    direction: optional(TierDirection)
  })
)

/** The active automations that tiers and challenges trigger. */
const triggeredStatement = `SELECT c.campaign_id AS id, c.action,
    CASE WHEN ${Pinned.isLimited} THEN nullif(c.counted_by, '') END AS "countedBy", c.trigger ->> 'on' AS on,
    c.trigger ->> 'direction' AS direction
  FROM campaigns c WHERE c.program_id = $1 AND c.status = 'active'
    AND c.trigger ->> 'on' IN ('tier.changed', 'challenge.completed') AND ${Pinned.mayStillGive("$2")}
  ORDER BY c.campaign_id`

/** Amounts that the automations of a programme give because of a record's events. */
const amountsBy = Effect.fnUntraced(function* (
  query: Query,
  program: Program,
  events: ReadonlyArray<AccountEvent>,
  now: number
): Effect.fn.Return<Amounts, Refused, CurrentCaller> {
  const told = announcements(events).filter(({ name }) => name === "tier.changed" || name === "challenge.completed")
  if (told.length === 0) return nothing
  const { keyId } = yield* CurrentCaller
  const automations = yield* triggerRows(query(triggeredStatement, [PgTypes.text(program.id), int8(now)]))
  let all = nothing
  for (const one of automations) {
    const times = told.filter(
      (announced) =>
        announced.name === one.on &&
        (announced.name !== "tier.changed" || one.direction === undefined || one.direction === tierDirection(announced))
    ).length
    if (one.countedBy !== keyId) all = plus(all, byOne(one, program), times)
  }
  return all
})

export const make = Effect.gen(function* () {
  const { isLimited } = yield* Given.make
  const { query } = yield* PeoplePool
  const { now } = yield* serviceTime

  /** Amounts that campaigns give because of guests, for a caller with limits. `guests` is read only where a campaign may give. */
  const because = Effect.fnUntraced(function* <R>(
    program: Program,
    guests: Effect.Effect<ReadonlyArray<Changed>, Refused, R>
  ): Effect.fn.Return<Amounts, Refused, R | CurrentCaller> {
    if (!(yield* isLimited)) return nothing
    const sources = yield* sourcesOf(query, program, now())
    if (sources.length === 0) return nothing
    return amountsOf(sources, yield* guests, (yield* CurrentCaller).keyId, program)
  })

  /** Amounts that automations give because of a record that a caller with limits brings about. */
  const by = Effect.fnUntraced(function* (
    program: Program,
    events: ReadonlyArray<AccountEvent>
  ): Effect.fn.Return<Amounts, Refused, CurrentCaller> {
    return (yield* isLimited) ? yield* amountsBy(query, program, events, now()) : nothing
  })

  return { because, by }
})
