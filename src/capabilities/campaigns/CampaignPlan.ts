/**
 * Makes the plan of a campaign, which is what callers set of it, from a request: checks it against the programme, and
 * reads the two spellings that the contract has of some properties (contract/engagement.md *Campaigns*).
 */
import { Effect } from "effect"
import type { BodyFault } from "../../contract/Decode.ts"
import { conditionFaults } from "../../contract/platform/CampaignConditions.ts"
import type { CampaignMail } from "../../contract/platform/CampaignMail.ts"
import type { CampaignAction, CampaignFacts } from "../../contract/platform/Campaigns.ts"
import { defaultAttributionDays } from "../../contract/platform/Campaigns.ts"
import type { CronSchedule } from "../../contract/platform/Occurrences.ts"
import { cronFault } from "../../contract/platform/Occurrences.ts"
import type { Frequency, Trigger } from "../../contract/platform/Triggers.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Sentence } from "../../contract/Said.ts"
import { faultAt, said } from "../../contract/Said.ts"
import { toMillis } from "../../contract/Values.ts"
import { zoneOf } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import { refuseFaults } from "../../desk/surface/Refusal.ts"

/** The properties of a campaign that a caller sets. Times are ms. */
export interface CampaignPlan {
  readonly id: string
  readonly program: string
  readonly name: string
  readonly guestName: string | undefined
  readonly guestText: string | undefined
  readonly guestTexts: CampaignFacts["guest_texts"]
  readonly guestDays: number | undefined
  readonly mail: CampaignMail | undefined
  /** Undefined: anybody; only with a trigger. */
  readonly segment: string | undefined
  readonly trigger: Trigger | undefined
  readonly frequency: Frequency | undefined
  readonly action: CampaignAction
  readonly startsAt: number | undefined
  readonly endsAt: number | undefined
  readonly repeat: CronSchedule | undefined
  readonly holdoutPercent: number
  readonly limitRewards: number | undefined
  readonly limitAmount: number | undefined
  readonly attributionDays: number
}

/** Adds a fault of the request. */
type AddFault = (path: string, sentence: Sentence) => void

/** The action of facts without faults. */
const actionOf = ({ action, issued_reward_ttl_seconds: ttl, reward_id: short }: CampaignFacts) => {
  const { credit, issue_reward: reward } = action ?? {}
  if (credit !== undefined) return { credit }
  const id = reward?.reward_id ?? short
  const expires = reward?.expires_in_seconds ?? ttl
  if (id === undefined) return undefined
  return { issue_reward: { reward_id: id, ...(expires === undefined ? undefined : { expires_in_seconds: expires }) } }
}

const repeatOf = (fault: AddFault, { schedule }: CampaignFacts, program: Program): CronSchedule | undefined => {
  if (schedule?.repeat === undefined) return undefined
  const { cron, time_zone: named } = schedule.repeat
  const time_zone = named ?? program.zone
  if (zoneOf(time_zone) === undefined) {
    fault("/schedule/repeat/time_zone", "must be an IANA time zone such as Europe/Berlin")
    return undefined
  }
  const wrong = cronFault({ cron, time_zone })
  if (wrong !== undefined) fault("/schedule/repeat/cron", wrong)
  return { cron, time_zone }
}

/** Start and end of a schedule, ms. */
const timesOf = ({ ends_at, schedule, starts_at }: CampaignFacts) => {
  const times = [schedule?.starts_at ?? starts_at, schedule?.ends_at ?? ends_at]
  const [startsAt, endsAt] = times.map((at) => (at === undefined ? undefined : toMillis(at)))
  return { startsAt, endsAt }
}

/** Adds a fault if the action needs a reward or account that the programme does not have, or gives for a blank reason. */
const checkAction = (
  fault: AddFault,
  { action }: CampaignFacts,
  { credit, issue_reward: reward }: CampaignAction,
  program: Program
) => {
  if (reward !== undefined && !program.rewards.has(reward.reward_id))
    fault(
      action?.issue_reward === undefined ? "/reward_id" : "/action/issue_reward/reward_id",
      said`is no reward of programme ${program.id}`
    )
  if (credit?.reason.trim() === "") fault("/action/credit/reason", "must not be blank")
  if (credit?.unit !== undefined && !program.accounts.some(({ unit }) => unit === credit.unit))
    fault("/action/credit/unit", said`is no account of programme ${program.id}`)
}

/** The campaign to store. `holdout`: the share of the stored campaign, percent; undefined: a new campaign. */
export const planOf = (
  facts: CampaignFacts,
  id: string,
  program: Program,
  holdout: number | undefined
): Effect.Effect<CampaignPlan, Refused> => {
  const faults: Array<BodyFault> = [...conditionFaults(facts)]
  const fault: AddFault = (path, sentence) => faults.push(faultAt(path, sentence))
  const action = actionOf(facts)
  const repeat = repeatOf(fault, facts, program)
  if (action !== undefined) checkAction(fault, facts, action, program)
  const spend = facts.trigger?.where?.minimum_spend
  if (spend !== undefined && spend.currency !== program.currency)
    fault("/trigger/where/minimum_spend/currency", said`must be ${program.currency}`)
  if (facts.guest_texts !== undefined && facts.guest_text === undefined)
    fault("/guest_texts", "must come with `guest_text`")
  if (facts.mail !== undefined && program.file.guest_page === undefined)
    fault("/mail", "needs the programme's page for guests")
  if (action === undefined || faults.length > 0) return refuseFaults(faults)
  const { endsAt, startsAt } = timesOf(facts)
  const { amount: limitAmount, rewards: limitRewards } = facts.limit ?? {}
  const { attribution_days: days = facts.attribution_window_days } = facts
  return Effect.succeed({
    id,
    program: program.id,
    name: facts.name,
    guestName: facts.guest_name,
    guestText: facts.guest_text,
    guestTexts: facts.guest_texts,
    guestDays: facts.guest_days,
    mail: facts.mail,
    segment: facts.segment_id,
    trigger: facts.trigger,
    frequency: facts.frequency,
    action,
    startsAt,
    endsAt,
    repeat,
    holdoutPercent: facts.holdout_percent ?? holdout ?? 0,
    limitRewards,
    limitAmount,
    attributionDays: days ?? defaultAttributionDays
  })
}
