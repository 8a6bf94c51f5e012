/** Parts that steps of runs and of triggers share: results, a campaign's limit, and grants that outlast a step. */
import { Cause, Effect, Fiber, Metric, Option } from "effect"
import * as Series from "../../base/metrics/Series.ts"
import { OutcomeStatus } from "../../contract/platform/CampaignOutcome.ts"
import type { CampaignAction } from "../../contract/platform/Campaigns.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { JournalUnavailable } from "../../core/journal/Records.ts"
import * as Bounds from "./Bounds.ts"
import type { StoredCampaign } from "./CampaignStore.ts"

/**
 * The result of a step. `busy`: accounts were overloaded. `waits`: storage is unavailable, or writes are frozen.
 * `stopped`: the campaign is not active. `replaced`: this node was declared dead.
 */
export type StepResult = "worked" | "busy" | "waits" | "stopped" | "replaced"

/** Results by the pause that they need, the shortest first. A round returns the first one that a step had. */
export const byPause: ReadonlyArray<StepResult> = ["replaced", "worked", "busy", "waits", "stopped"]

const outcomesTotal = Metric.counter("lotbook_campaign_outcomes_total", {
  description: "Outcomes of members in campaign runs and of events that triggered campaigns, by outcome",
  incremental: true
})
const totalOf = (outcome: OutcomeStatus) => Metric.withAttributes(outcomesTotal, { outcome })

/** Shows the series of outcomes before the first one. */
export const beginSeries = Effect.forEach(OutcomeStatus.literals, (outcome) => Series.begin(totalOf(outcome)), {
  discard: true
})

/** Counts outcomes that were recorded. */
export const countOutcomes = (done: ReadonlyArray<{ readonly outcome: OutcomeStatus }>) =>
  Effect.forEach(done, ({ outcome }) => Metric.update(totalOf(outcome), 1), { discard: true })

/** The number of grants that the campaign's limit still allows; `Infinity` without a limit. */
export const remaining = (
  { credited, granted, limitAmount, limitRewards }: StoredCampaign,
  { credit }: CampaignAction
): number => {
  const members = limitRewards === undefined ? Infinity : limitRewards - granted
  const byAmount =
    limitAmount === undefined || credit === undefined ? Infinity : Math.floor((limitAmount - credited) / credit.amount)
  return Math.max(0, Math.min(members, byAmount))
}

/**
 * Grants outside the step's transaction, and waits for grants that were begun also if the step is interrupted: the next
 * holder of the lock must see their end. What has not ended by then is given up, so that nothing begins under its lock.
 */
export const inFull = <A>(
  fork: <B>(granting: Effect.Effect<B>) => Fiber.Fiber<B>,
  granting: Effect.Effect<A>
): Effect.Effect<A> =>
  Effect.suspend(() => {
    const fiber = fork(granting)
    return Effect.onInterrupt(Fiber.join(fiber), () =>
      Effect.andThen(
        Effect.timeoutOption(Fiber.await(fiber), Bounds.lastGrantsMs),
        Effect.sync(() => fiber.interruptUnsafe())
      )
    )
  })

/** Turns trouble of a step into `waits`, and logs it. `name`: a noun phrase with a capital letter. */
export const orWait = <A>(
  name: string,
  step: Effect.Effect<A, Refused | JournalUnavailable>
): Effect.Effect<A | "waits"> =>
  Effect.catchCause(step, (cause) =>
    Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(logTrouble(name, cause), "waits" as const)
  )

const logTrouble = (name: string, cause: Cause.Cause<Refused | JournalUnavailable>) =>
  Option.isSome(Cause.findErrorOption(cause))
    ? Effect.logDebug(`${name} waits for the database`, cause)
    : Effect.logError(`${name} cannot continue`, cause)
