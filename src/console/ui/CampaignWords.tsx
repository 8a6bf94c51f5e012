/** A campaign's action, schedule and progress in words. */
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { Offer } from "../app/audience.ts"
import { number, time, weekday } from "../app/format.ts"
import { draftOf } from "../app/schedule.ts"
import { segmentStrings } from "../app/segmentStrings.ts"
import { strings } from "../app/strings.ts"
import { Status } from "./Status.tsx"

const text = strings.campaigns

const daySeconds = 86_400

export const rewardName = (offer: Offer | undefined, id: string): string =>
  offer?.rewards.find(({ value }) => value === id)?.label ?? id

/** The account's name. An absent unit means the primary account. */
export const unitName = (offer: Offer | undefined, unit: string | undefined): string =>
  (unit === undefined ? offer?.units[0] : offer?.units.find(({ value }) => value === unit))?.label ??
  unit ??
  segmentStrings.rules.points

export const actionWords = ({ credit, issue_reward: reward }: Campaign["action"], offer: Offer | undefined): string => {
  if (reward !== undefined) {
    const name = rewardName(offer, reward.reward_id)
    const seconds = reward.expires_in_seconds
    return seconds === undefined
      ? text.givesReward(name)
      : text.givesRewardFor(name, number(Math.round((seconds / daySeconds) * 100) / 100))
  }
  return credit === undefined ? "" : text.givesCredit(number(credit.amount), unitName(offer, credit.unit))
}

export const scheduleWords = (schedule: Campaign["schedule"], usual: string): string => {
  const draft = draftOf(schedule, usual)
  const { zone } = draft
  if (draft.mode === "once" && schedule?.starts_at !== undefined) return text.when.once(time(schedule.starts_at, zone))
  const what = () => {
    switch (draft.pattern) {
      case "daily":
        return text.when.daily(draft.time)
      case "weekdays":
        return text.when.weekdays(draft.time)
      case "weekly":
        return text.when.weekly(draft.days.map(weekday).join(", "), draft.time)
      case "monthly":
        return text.when.monthly(draft.day ?? 1, draft.time)
      case "advanced":
        return text.when.advanced(draft.cron)
    }
  }
  const parts = [
    draft.mode === "none" ? text.when.none : text.when.inZone(what(), zone),
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
  completed: "neutral",
  expired: "neutral"
} as const

export const CampaignStatus = ({ status }: Pick<Campaign, "status">) => (
  <Status tone={tones[status]}>{text.statuses[status]}</Status>
)

/** The limits over all runs. */
export const limitWords = ({ action, limit }: Pick<Campaign, "action" | "limit">, offer: Offer | undefined): string =>
  [
    ...(limit?.rewards === undefined ? [] : [text.limitRewards(number(limit.rewards))]),
    ...(limit?.amount === undefined
      ? []
      : [text.limitAmount(number(limit.amount), unitName(offer, action.credit?.unit))])
  ].join(", ")
