/** A campaign's action, schedule and progress in words. */
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { clockTime, number, time, weekday } from "../shared/format.ts"
import { Status } from "../shared/Status.tsx"
import type { Draft } from "../shared/schedule.ts"
import { draftOf } from "../shared/schedule.ts"
import { strings } from "../shared/strings.ts"
import type { Offer } from "./audience.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { segmentStrings } from "./segmentStrings.ts"

const text = campaignStrings

const daySeconds = 86_400

export const rewardName = (offer: Offer | undefined, id: string): string =>
  offer?.rewards.find(({ value }) => value === id)?.label ?? id

/** The account's name, behind an amount. An absent unit means the primary account. */
export const unitName = (offer: Offer | undefined, unit: string | undefined, amount: number): string => {
  const label =
    (unit === undefined ? offer?.units[0] : offer?.units.find(({ value }) => value === unit))?.label ??
    unit ??
    segmentStrings.rules.points
  return strings.values.unitOf(amount, label)
}

export const actionWords = ({ credit, issue_reward: reward }: Campaign["action"], offer: Offer | undefined): string => {
  if (reward !== undefined) {
    const name = rewardName(offer, reward.reward_id)
    const seconds = reward.expires_in_seconds
    return seconds === undefined
      ? text.givesReward(name)
      : text.givesRewardFor(name, Math.round((seconds / daySeconds) * 100) / 100, number)
  }
  return credit === undefined
    ? ""
    : text.givesCredit(number(credit.amount), unitName(offer, credit.unit, credit.amount))
}

/** How often a schedule repeats, in its own zone: `Every day at 08:00`. */
const patternWords = (draft: Draft): string => {
  const at = clockTime(draft.time)
  switch (draft.pattern) {
    case "daily":
      return text.when.daily(at)
    case "weekdays":
      return text.when.weekdays(at)
    case "weekly":
      return text.when.weekly(draft.days.map(weekday).join(", "), at)
    case "monthly":
      return text.when.monthly(draft.day ?? 1, at)
    case "advanced":
      return text.when.advanced(draft.cron)
  }
}

/** The same, with the schedule's zone if it is another than `shown`; undefined: it does not repeat. */
export const repeatWords = (schedule: Campaign["schedule"], shown: string): string | undefined => {
  const draft = draftOf(schedule, shown)
  if (draft.mode !== "repeated") return undefined
  return draft.zone === shown ? patternWords(draft) : text.when.inZone(patternWords(draft), draft.zone)
}

export const scheduleWords = (schedule: Campaign["schedule"], usual: string): string => {
  const draft = draftOf(schedule, usual)
  const { zone } = draft
  if (draft.mode === "once" && schedule?.starts_at !== undefined) return text.when.once(time(schedule.starts_at, zone))
  const parts = [
    draft.mode === "none" ? text.when.none : text.when.inZone(patternWords(draft), zone),
    ...(schedule?.starts_at === undefined ? [] : [text.when.from(time(schedule.starts_at, zone))]),
    ...(schedule?.ends_at === undefined ? [] : [text.when.until(time(schedule.ends_at, zone))])
  ]
  return parts.join(", ")
}

const tones = {
  draft: "neutral",
  active: "good",
  scheduled: "good",
  paused: "waiting",
  archived: "neutral",
  completed: "neutral",
  expired: "neutral"
} as const

export const CampaignStatus = ({ status }: Pick<Campaign, "status">) => (
  <Status tone={tones[status]}>{text.statuses[status]}</Status>
)

/** The limits over all runs. */
export const limitWords = ({ action, limit }: Pick<Campaign, "action" | "limit">, offer: Offer | undefined): string =>
  [
    ...(limit?.rewards === undefined ? [] : [text.limitRewards(limit.rewards, number(limit.rewards))]),
    ...(limit?.amount === undefined
      ? []
      : [text.limitAmount(number(limit.amount), unitName(offer, action.credit?.unit, limit.amount))])
  ].join(", ")
