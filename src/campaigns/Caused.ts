/**
 * What a campaign may give in all, for the limits of the person that activates it (contract/operators.md *Limits*):
 * counted once, by its own limit; a limit that was raised counts what is more. Another gift or audience by somebody else
 * counts all that is left: nobody gives to her friends what the owner was counted for.
 */
import { Effect } from "effect"
import { CurrentCaller } from "../access/CurrentCaller.ts"
import { canonical } from "../contract/Decode.ts"
import type { Program } from "../program/Program.ts"
import type { Query } from "../database/Pools.ts"
import { int8 } from "../database/Values.ts"
import { PgTypes } from "@effect/sql-pg"
import type * as Given from "../surface/Given.ts"
import type { Amounts } from "../surface/Limits.ts"
import { nothing } from "../surface/Limits.ts"
import type { CampaignPlan } from "./CampaignPlan.ts"
import type { StoredCampaign } from "./CampaignStore.ts"

/** The cards that so many points of a unit fill, if they are stamps; not yet whole ones. */
const cardsOf = ({ primaryUnit, stampCard }: Program, points: number, unit = primaryUnit): number =>
  stampCard?.unit === unit ? points / stampCard.threshold : 0

/** The gifts of a campaign so far. */
type Before = Pick<StoredCampaign, "credited" | "granted">

/**
 * The most that a campaign may give, with what it gave before; `Infinity` without a limit. Stamps count as the cards that
 * so many fill, too.
 */
export const inAll = (plan: CampaignPlan, { credited, granted }: Before, program: Program): Amounts => {
  const { limitAmount = Infinity, limitRewards = Infinity } = plan
  const { credit } = plan.action
  if (credit === undefined) return { ...nothing, rewards: limitRewards }
  // Grants of before may have been of other amounts.
  const points = Math.min(limitAmount, credited + Math.max(0, limitRewards - granted) * credit.amount)
  return { ...nothing, points, rewards: Math.floor(cardsOf(program, points, credit.unit)) }
}

/** The most that one member gets at once: a stamp fills a card that lacks one. */
export const byOne = ({ action: { credit } }: Pick<CampaignPlan, "action">, program: Program): Amounts =>
  credit === undefined
    ? { ...nothing, rewards: 1 }
    : { ...nothing, points: credit.amount, rewards: Math.ceil(cardsOf(program, credit.amount, credit.unit)) }

const countedStatement = `UPDATE campaigns SET counted_points = greatest(counted_points, $2),
  counted_rewards = greatest(counted_rewards, $3), counted_by = $4 WHERE campaign_id = $1`

const uncountedStatement = `UPDATE campaigns SET counted_points = $2, counted_rewards = $3, counted_by = NULL
  WHERE campaign_id = $1`

const givenSoFar = ({ credited, granted }: Before, { action }: Pick<CampaignPlan, "action">, program: Program) =>
  action.credit === undefined
    ? { countedPoints: 0, countedRewards: granted }
    : { countedPoints: credited, countedRewards: Math.floor(cardsOf(program, credited, action.credit.unit)) }

const more = (now: number, before: number): number => Math.max(0, now - before)

/**
 * The count that still holds once the caller has changed a campaign: the gifts so far, if somebody else
 * was counted and the gift or its audience is another. Requires: a transaction with the campaign locked.
 */
export const changed = Effect.fnUntraced(function* (
  query: Query,
  plan: CampaignPlan,
  before: StoredCampaign,
  program: Program
) {
  const { keyId } = yield* CurrentCaller
  const what = ({ action, segment, trigger }: CampaignPlan) => canonical({ action, segment, trigger })
  if (what(plan) === what(before) || before.countedBy === keyId) return before
  const left = givenSoFar(before, before, program)
  yield* query(uncountedStatement, [PgTypes.text(plan.id), int8(left.countedPoints), int8(left.countedRewards)])
  return { ...before, ...left }
})

/** Counts what nobody has been counted for. Requires: a transaction with the campaign locked. */
export const count = Effect.fnUntraced(function* (
  query: Query,
  { counts }: Pick<Effect.Success<typeof Given.make>, "counts">,
  plan: CampaignPlan,
  before: Before & Pick<StoredCampaign, "countedPoints" | "countedRewards">,
  program: Program
) {
  const { countedPoints, countedRewards } = before
  const all = inAll(plan, before, program)
  const points = more(all.points, countedPoints)
  const rewards = more(all.rewards, countedRewards)
  yield* counts({ program, ...nothing, points, rewards })
  const kept = (amount: number) => int8(Number.isSafeInteger(amount) ? amount : 0)
  const { keyId } = yield* CurrentCaller
  yield* query(countedStatement, [PgTypes.text(plan.id), kept(all.points), kept(all.rewards), PgTypes.text(keyId)])
})
