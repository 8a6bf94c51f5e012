/**
 * Most that a campaign may give in all, for the limits of the person that activates it (contract/operators.md *Limits*):
 * counted once, by its own limit; a limit that was raised counts what is more. Somebody else who gives it another gift
 * or audience, makes it give again, or more often, is counted for all that is left: nobody gives to her friends what
 * the owner was counted for. Invariant: without `countedBy` nobody is counted for more than was given.
 */

import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8 } from "../../base/database/Values.ts"
import { canonical } from "../../contract/Decode.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type * as Given from "../../desk/surface/Given.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { byOne } from "../segments/Reached.ts"
import type { CampaignPlan } from "./CampaignPlan.ts"
import type { StoredCampaign } from "./CampaignStore.ts"
import { remaining } from "./Step.ts"

/** The gifts of a campaign so far. */
type Before = Pick<StoredCampaign, "credited" | "granted">

/** The most that the gifts so far were. Grants of before may have been of other amounts. */
const soFar = (plan: CampaignPlan, { credited, granted }: Before, program: Program): Amounts => {
  const { credit } = plan.action
  if (credit === undefined) return { ...nothing, rewards: granted }
  const { rewards } = byOne(plan, program)
  const whole = rewards === 0 ? 0 : Math.floor(credited / (program.stampCard?.threshold ?? Infinity))
  return { ...nothing, points: credited, rewards: Math.max(granted * rewards, whole) }
}

/**
 * The most that a campaign may give, with what it gave before; `Infinity` without a limit. Stamps count as the cards that
 * its recipients may fill, too.
 */
export const inAll = (plan: CampaignPlan, before: Before, program: Program): Amounts => {
  const { limitAmount = Infinity, limitRewards = Infinity } = plan
  const { credit } = plan.action
  if (credit === undefined) return { ...nothing, rewards: limitRewards }
  const given = soFar(plan, before, program)
  const points = Math.min(limitAmount, given.points + more(limitRewards, before.granted) * credit.amount)
  const { rewards } = byOne(plan, program)
  const cards = rewards === 0 ? 0 : Math.floor(more(points, given.points) / credit.amount) * rewards
  return { ...nothing, points, rewards: given.rewards + cards }
}

const more = (now: number, before: number): number => Math.max(0, now - before)

/**
 * True if a campaign gives, now or once it is resumed (`Pinned.mayStillGive`). While it does not, nobody is counted for
 * the guests that she brings into its audience.
 */
const mayGive = (campaign: StoredCampaign, now: number): boolean =>
  (campaign.status === "active" || campaign.status === "paused") &&
  (campaign.endsAt === undefined || campaign.endsAt > now) &&
  remaining(campaign, campaign.action) > 0

/** True if one member may get something more often than before. */
const givesOftener = ({ frequency, repeat }: CampaignPlan, before: CampaignPlan): boolean =>
  (repeat !== undefined && canonical({ repeat }) !== canonical({ repeat: before.repeat })) ||
  (before.frequency !== undefined &&
    (frequency === undefined || frequency.times > before.frequency.times || frequency.days < before.frequency.days))

const whatOf = ({ action, segment, trigger }: CampaignPlan): string => canonical({ action, segment, trigger })

const countedStatement =
  "UPDATE campaigns SET counted_points = $2, counted_rewards = $3, counted_by = $4 WHERE campaign_id = $1"

/**
 * A campaign as it is counted once the caller has changed it. If somebody else was counted, then for no more than it
 * may give now, and for nobody if its gift or audience is another, or if it gives again or more often. Requires: a
 * transaction with the campaign locked.
 */
export const changed = Effect.fnUntraced(function* (
  query: Query,
  next: StoredCampaign,
  before: StoredCampaign,
  program: Program,
  now: number
) {
  const { keyId } = yield* CurrentCaller
  const { countedBy, countedPoints, countedRewards, id } = before
  if (countedBy === undefined || countedBy === keyId) return before
  const isAnother =
    whatOf(next) !== whatOf(before) || givesOftener(next, before) || (mayGive(next, now) && !mayGive(before, now))
  const most = inAll(before, before, program)
  const after = {
    ...before,
    countedBy: isAnother ? undefined : countedBy,
    countedPoints: Math.min(countedPoints, most.points),
    countedRewards: Math.min(countedRewards, most.rewards)
  }
  yield* query(countedStatement, [
    PgTypes.text(id),
    int8(after.countedPoints),
    int8(after.countedRewards),
    PgTypes.text(after.countedBy ?? null)
  ])
  return after
})

/** Stands for several people, each of whom was counted for a part. */
const several = ""

/** Counts what nobody has been counted for. Requires: a transaction with the campaign locked. */
export const count = Effect.fnUntraced(function* (
  query: Query,
  { counts }: Pick<Effect.Success<typeof Given.make>, "counts">,
  plan: CampaignPlan,
  before: Before & Pick<StoredCampaign, "countedBy" | "countedPoints" | "countedRewards">,
  program: Program
) {
  const { countedBy, countedPoints, countedRewards } = before
  const { keyId } = yield* CurrentCaller
  const all = inAll(plan, before, program)
  const known =
    countedBy === undefined ? soFar(plan, before, program) : { points: countedPoints, rewards: countedRewards }
  const points = more(all.points, known.points)
  const rewards = more(all.rewards, known.rewards)
  if (countedBy !== undefined && points + rewards === 0) return
  yield* counts({ program, ...nothing, points, rewards })
  const kept = (amount: number, least: number) => int8(Number.isSafeInteger(amount) ? Math.max(amount, least) : least)
  yield* query(countedStatement, [
    PgTypes.text(plan.id),
    kept(all.points, known.points),
    kept(all.rewards, known.rewards),
    PgTypes.text(countedBy === undefined || countedBy === keyId ? keyId : several)
  ])
})

/** Counts the caller, who gives to other members than before, for all that is left, unless that was done before. */
export const redirected = Effect.fnUntraced(function* (
  query: Query,
  given: Pick<Effect.Success<typeof Given.make>, "counts">,
  campaign: StoredCampaign,
  program: Program
) {
  const { keyId } = yield* CurrentCaller
  const before = campaign.countedBy === keyId ? campaign : { ...campaign, countedBy: undefined }
  yield* count(query, given, campaign, before, program)
})
