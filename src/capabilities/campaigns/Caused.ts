/**
 * Most that a campaign may give in all, for the limits of the person that activates it (contract/operators.md *Limits*):
 * counted once, by its own limit; a limit that was raised counts what is more. Another gift or audience by somebody else
 * counts all that is left: nobody gives to her friends what the owner was counted for. Invariant: without `countedBy`
 * nobody is counted for more than was given.
 */

import { PgTypes } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8 } from "../../base/database/Values.ts"
import { canonical } from "../../contract/Decode.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type * as Given from "../../desk/surface/Given.ts"
import type { Amounts } from "../../desk/surface/Limits.ts"
import { nothing } from "../../desk/surface/Limits.ts"
import { byOne } from "../segments/Reached.ts"
import type { CampaignPlan } from "./CampaignPlan.ts"
import type { StoredCampaign } from "./CampaignStore.ts"

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

const uncountedStatement = "UPDATE campaigns SET counted_by = NULL WHERE campaign_id = $1"

/** Nobody is counted any more for what a campaign has not given yet. */
export const uncount = (query: Query, id: string): Effect.Effect<void, Refused> =>
  Effect.asVoid(query(uncountedStatement, [PgTypes.text(id)]))

/** The gift of a campaign and those who get it: with another end, one that has ended gives to those who came in meanwhile. */
const giftOf = ({ action, endsAt, repeat, segment, trigger }: CampaignPlan, hasEnded: boolean): string =>
  canonical({ action, repeat, segment, trigger, ...(hasEnded && { endsAt }) })

/** True if members get something more often than before. */
const isOftener = (now: CampaignPlan["frequency"], before: CampaignPlan["frequency"]): boolean =>
  before !== undefined && (now === undefined || now.times > before.times || now.days < before.days)

/**
 * A campaign as it is counted once the caller has changed it: for nobody, if somebody else was counted and the gift, its
 * audience or its pace is another. Requires: a transaction with the campaign locked.
 */
export const changed = Effect.fnUntraced(function* (
  query: Query,
  plan: CampaignPlan,
  before: StoredCampaign,
  now: number
) {
  const { keyId } = yield* CurrentCaller
  const hasEnded = before.endsAt !== undefined && before.endsAt <= now
  const isSame = giftOf(plan, hasEnded) === giftOf(before, hasEnded) && !isOftener(plan.frequency, before.frequency)
  if (isSame || before.countedBy === keyId) return before
  yield* uncount(query, plan.id)
  return { ...before, countedBy: undefined }
})

const countedStatement =
  "UPDATE campaigns SET counted_points = $2, counted_rewards = $3, counted_by = $4 WHERE campaign_id = $1"

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
