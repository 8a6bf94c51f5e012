/**
 * What a campaign may give in all, for the limits of the person that activates it (contract/operators.md *Limits*):
 * counted once, by its own limit; a limit that was raised counts what is more.
 */
import { Effect } from "effect"
import type { Program } from "../program/Program.ts"
import type { Query } from "../database/Pools.ts"
import { int8 } from "../database/Values.ts"
import { PgTypes } from "@effect/sql-pg"
import type * as Given from "../surface/Given.ts"
import type { Amounts } from "../surface/Limits.ts"
import { nothing } from "../surface/Limits.ts"
import type { CampaignPlan } from "./CampaignPlan.ts"
import type { StoredCampaign } from "./CampaignStore.ts"

/** The points or rewards of so many grants; `Infinity` without a limit. Stamps count as the cards that they fill, too. */
const givenBy = (
  { action: { credit } }: Pick<CampaignPlan, "action">,
  grants: number,
  most: number,
  program: Program
) => {
  if (credit === undefined) return { ...nothing, rewards: grants }
  const { stampCard } = program
  const points = Math.min(most, grants * credit.amount)
  const isOfCard = stampCard?.unit === (credit.unit ?? program.primaryUnit)
  return { ...nothing, points, rewards: isOfCard ? Math.floor(points / stampCard.threshold) : 0 }
}

/** The most that a campaign may give. */
export const inAll = (plan: CampaignPlan, program: Program): Amounts =>
  givenBy(plan, plan.limitRewards ?? Infinity, plan.limitAmount ?? Infinity, program)

/** What one member gets. */
export const byOne = (plan: CampaignPlan, program: Program): Amounts => givenBy(plan, 1, Infinity, program)

const countedStatement = `UPDATE campaigns SET counted_points = greatest(counted_points, $2),
  counted_rewards = greatest(counted_rewards, $3) WHERE campaign_id = $1`

const more = (now: number, before: number): number => Math.max(0, now - before)

/** Counts what nobody has been counted for. Requires: a transaction with the campaign locked. */
export const count = Effect.fnUntraced(function* (
  query: Query,
  { counts }: Pick<Effect.Success<typeof Given.make>, "counts">,
  plan: CampaignPlan,
  { countedPoints, countedRewards }: Pick<StoredCampaign, "countedPoints" | "countedRewards">,
  program: Program
) {
  const all = inAll(plan, program)
  const points = more(all.points, countedPoints)
  const rewards = more(all.rewards, countedRewards)
  yield* counts({ program, ...nothing, points, rewards })
  const kept = (amount: number) => int8(Number.isSafeInteger(amount) ? amount : 0)
  yield* query(countedStatement, [PgTypes.text(plan.id), kept(all.points), kept(all.rewards)])
})
