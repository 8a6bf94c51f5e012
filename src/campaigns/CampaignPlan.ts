/**
 * Makes the plan of a campaign, which is what callers set of it, from a request: checks it against the programme, and
 * reads the two spellings that the contract has of some properties (contract/engagement.md *Campaigns*).
 */
import { Effect } from "effect"
import { refuseFaults } from "../surface/Refusal.ts"
import type { Refused } from "../contract/admin/Common.ts"
import type { BodyFault } from "../contract/Decode.ts"
import type { CampaignAction, CampaignFacts } from "../contract/platform/Campaigns.ts"
import { defaultAttributionDays } from "../contract/platform/Campaigns.ts"
import type { Frequency, Trigger } from "../contract/platform/Triggers.ts"
import { toMillis } from "../contract/Values.ts"
import { zoneOf } from "../program/Calendar.ts"
import type { Program } from "../program/Program.ts"
import type { CronSchedule } from "../contract/platform/Occurrences.ts"
import { cronFault } from "../contract/platform/Occurrences.ts"

/** The properties of a campaign that a caller sets. Times are ms. */
export interface CampaignPlan {
  readonly id: string
  readonly program: string
  readonly name: string
  readonly guestName: string | undefined
  readonly guestText: string | undefined
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
type AddFault = (path: string, message: string) => void

/** A value with two spellings. If both are given they must be the same; a fault names the short one. */
const either = <A>(
  fault: AddFault,
  [value, path]: readonly [A | undefined, string],
  [short, shortPath]: readonly [A | undefined, string],
  isSame: (a: A, b: A) => boolean = Object.is
): A | undefined => {
  if (value !== undefined && short !== undefined && !isSame(value, short))
    fault(shortPath, `must be the same as ${path}`)
  return value ?? short
}

const actionOf = (fault: AddFault, facts: CampaignFacts): CampaignAction | undefined => {
  const { credit, issue_reward: reward } = facts.action ?? {}
  const { issued_reward_ttl_seconds: ttl, reward_id: short } = facts
  if (credit !== undefined) {
    if (reward !== undefined) fault("/action", "must be one of `issue_reward` and `credit`")
    if (credit.reason.trim() === "") fault("/action/credit/reason", "must not be blank")
    if (short !== undefined) fault("/reward_id", "must not come with `action.credit`")
    if (ttl !== undefined) fault("/issued_reward_ttl_seconds", "must not come with `action.credit`")
    return { credit }
  }
  const id = either(fault, [reward?.reward_id, "/action/issue_reward/reward_id"], [short, "/reward_id"])
  const expires = either(
    fault,
    [reward?.expires_in_seconds, "/action/issue_reward/expires_in_seconds"],
    [ttl, "/issued_reward_ttl_seconds"]
  )
  if (id === undefined) {
    if (facts.action === undefined) fault("/action", "is required, or `reward_id`")
    else fault("/action", "must be one of `issue_reward` and `credit`")
    return undefined
  }
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
const timesOf = (fault: AddFault, { ends_at, schedule, starts_at }: CampaignFacts) => {
  const isSame = (a: string, b: string) => toMillis(a) === toMillis(b)
  const from = either(fault, [schedule?.starts_at, "/schedule/starts_at"], [starts_at, "/starts_at"], isSame)
  const until = either(fault, [schedule?.ends_at, "/schedule/ends_at"], [ends_at, "/ends_at"], isSame)
  const [startsAt, endsAt] = [from, until].map((at) => (at === undefined ? undefined : toMillis(at)))
  if (startsAt !== undefined && endsAt !== undefined && endsAt <= startsAt)
    fault(schedule?.ends_at === undefined ? "/ends_at" : "/schedule/ends_at", "must be after it starts")
  return { startsAt, endsAt }
}

/** Adds a fault if the action needs a reward or account that the programme does not have. */
const checkAction = (
  fault: AddFault,
  { action }: CampaignFacts,
  { credit, issue_reward: reward }: CampaignAction,
  program: Program
) => {
  if (reward !== undefined && !program.rewards.has(reward.reward_id))
    fault(
      action?.issue_reward === undefined ? "/reward_id" : "/action/issue_reward/reward_id",
      `is no reward of programme ${program.id}`
    )
  if (credit?.unit !== undefined && !program.accounts.some(({ unit }) => unit === credit.unit))
    fault("/action/credit/unit", `is no account of programme ${program.id}`)
}

/** Adds faults of a trigger, and of what a campaign must have with or without one. */
const checkTrigger = (fault: AddFault, facts: CampaignFacts, program: Program) => {
  const { frequency, segment_id, trigger } = facts
  if (trigger === undefined) {
    if (segment_id === undefined) fault("/segment_id", "is required without `trigger`")
    return
  }
  for (const name of ["schedule", "starts_at", "ends_at"] as const)
    if (facts[name] !== undefined) fault(`/${name}`, "must not come with `trigger`")
  const { direction, include_imports: withImports, on, once = "member", to, where } = trigger
  if (where !== undefined && on !== "order.accrued") fault("/trigger/where", "must come with `on: order.accrued`")
  if (direction !== undefined && on !== "tier.changed") fault("/trigger/direction", "must come with `on: tier.changed`")
  if (withImports !== undefined && on !== "member.enrolled")
    fault("/trigger/include_imports", "must come with `on: member.enrolled`")
  const spend = where?.minimum_spend
  if (spend !== undefined && spend.currency !== program.currency)
    fault("/trigger/where/minimum_spend/currency", `must be ${program.currency}`)
  if (spend !== undefined && spend.amount < 0) fault("/trigger/where/minimum_spend/amount", "must be at least 0")
  if (to === undefined) return
  if (on !== "order.accrued") fault("/trigger/on", "must be `order.accrued` with `to: referrer`")
  if (once !== "member") fault("/trigger/once", "must be `member` with `to: referrer`")
  if (frequency === undefined) fault("/frequency", "is required with `to: referrer`")
}

/** The campaign to store. `holdout`: the share of the stored campaign, percent; undefined: a new campaign. */
export const planOf = (
  facts: CampaignFacts,
  id: string,
  program: Program,
  holdout: number | undefined
): Effect.Effect<CampaignPlan, Refused> => {
  const faults: Array<BodyFault> = []
  const fault: AddFault = (path, message) => faults.push({ path, message })
  const action = actionOf(fault, facts)
  const { endsAt, startsAt } = timesOf(fault, facts)
  const repeat = repeatOf(fault, facts, program)
  const attributionDays =
    either(
      fault,
      [facts.attribution_days, "/attribution_days"],
      [facts.attribution_window_days, "/attribution_window_days"]
    ) ?? defaultAttributionDays
  const { amount: limitAmount, rewards: limitRewards } = facts.limit ?? {}
  if (limitAmount !== undefined && action !== undefined && action.credit === undefined)
    fault("/limit/amount", "must come with `action.credit`")
  checkTrigger(fault, facts, program)
  if (action !== undefined && faults.length === 0) checkAction(fault, facts, action, program)
  if (action === undefined || faults.length > 0) return refuseFaults(faults)
  return Effect.succeed({
    id,
    program: program.id,
    name: facts.name,
    guestName: facts.guest_name,
    guestText: facts.guest_text,
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
    attributionDays
  })
}
