/** The wizards whose answer is a campaign, with the segment that it needs. Pure. */
import type { Campaign, CampaignFacts } from "../../contract/platform/Campaigns.ts"
import { maxTtlSeconds } from "../../contract/platform/Campaigns.ts"
import type { Rules } from "../../contract/platform/Rules.ts"
import { maxBirthdayDays, maxCount, maxDays } from "../../contract/platform/Rules.ts"
import { maxDelaySeconds, maxTimes } from "../../contract/platform/Triggers.ts"
import { maxAmount } from "../../contract/Values.ts"
import { money, number } from "../shared/format.ts"
import type { Answers, Question } from "./answers.ts"
import type { Told } from "./programWizards.ts"
import { wizardStrings as text } from "./wizardStrings.ts"

/** The guests that a campaign is for. */
interface For {
  readonly name: string
  readonly rules: Rules
}

export interface CampaignWizard {
  readonly name: "birthday" | "winBack" | "bringFriend"
  readonly asks: readonly [Question, Question, Question]
  readonly starts: Partial<Answers>
  /** Whether a campaign is of the same kind; `rules`: those of its segment. */
  readonly isSameAs: (campaign: Pick<Campaign, "trigger">, rules: Rules | undefined) => boolean
  /** Undefined: for everybody whom its trigger concerns. */
  readonly segment?: (answers: Answers) => For
  readonly campaign: (
    answers: Answers,
    zone: string
  ) => Pick<CampaignFacts, "action" | "frequency" | "schedule" | "trigger">
  readonly says: (answers: Answers, told: Told) => string
  /** Rules of the guests whom it reaches in 30 days, as of now; `but` those among them who were reached before. */
  readonly month?: (answers: Answers) => { readonly rules: Rules; readonly but?: Rules }
  /** The cost of one, where nobody knows how often it happens. */
  readonly each?: (answers: Answers, told: Told) => string | undefined
}

const daySeconds = 86_400
const monthDays = 30
/** Once a year, though the day may be another one in the next year. */
const onceAYear = { times: 1, days: 300 }
/** So long a reward that brings somebody back can be used, days. */
const winBackDays = 30

const daysWords = (days: number): string => text.days(days, number(days))

const awayWords = (days: number): string => text.awayDays(days, number(days))

const everyMorning = (time_zone: string) => ({ repeat: { cron: "0 8 * * *", time_zone } })

const issue = (reward_id: string, days: number) => ({
  issue_reward: { reward_id, expires_in_seconds: days * daySeconds }
})

const active = { status: ["active"] } as Rules

const birthdays = (birthday_within_days: number): Rules => ({ all: [active, { birthday_within_days }] })

const lapsed = (days: number, orders: number): Rules => ({
  all: [active, { inactive_days: days }, { order: { minimum_count: orders } }]
})

/** Whether rules have a condition of a kind somewhere. */
const asksFor = (rules: unknown, condition: string): boolean =>
  typeof rules === "object" &&
  rules !== null &&
  Object.entries(rules).some(([name, inner]) => name === condition || (name !== "not" && asksFor(inner, condition)))

export const campaignWizards: ReadonlyArray<CampaignWizard> = [
  {
    name: "birthday",
    asks: [
      { is: "reward" },
      { is: "number", name: "ahead", least: 1, most: maxBirthdayDays },
      { is: "number", name: "usable", least: 1, most: maxTtlSeconds / daySeconds }
    ],
    starts: {},
    isSameAs: (_, rules) => asksFor(rules, "birthday_within_days"),
    segment: ({ ahead }) => ({ name: text.birthday.segment, rules: birthdays(Number(ahead)) }),
    campaign: ({ reward, usable }, zone) => ({
      action: issue(reward, Number(usable)),
      schedule: everyMorning(zone),
      frequency: onceAYear
    }),
    says: ({ ahead, reward, usable }, { rewardOf }) =>
      text.birthday.says(rewardOf(reward), Number(ahead), number(Number(ahead)), daysWords(Number(usable))),
    month: () => ({ rules: birthdays(monthDays - 1) })
  },
  {
    name: "winBack",
    asks: [
      // Its cost asks for those who were away a month longer.
      { is: "number", name: "away", least: 7, most: maxDays - monthDays },
      { is: "number", name: "orders", least: 1, most: maxCount },
      { is: "reward" }
    ],
    starts: {},
    isSameAs: (_, rules) => asksFor(rules, "inactive_days"),
    segment: ({ away, orders }) => ({
      name: text.winBack.segment(awayWords(Number(away))),
      rules: lapsed(Number(away), Number(orders))
    }),
    campaign: ({ reward }, zone) => ({
      action: issue(reward, winBackDays),
      schedule: everyMorning(zone),
      frequency: onceAYear
    }),
    says: ({ away, orders, reward }, { rewardOf }) => {
      const count = Number(orders)
      return text.winBack.says(awayWords(Number(away)), text.winBack.orderCount(count, number(count)), rewardOf(reward))
    },
    // Those who have just stayed away so long: as many of them come each month.
    month: ({ away, orders }) => ({
      rules: lapsed(Number(away), Number(orders)),
      but: lapsed(Number(away) + monthDays, Number(orders))
    })
  },
  {
    name: "bringFriend",
    asks: [
      { is: "number", name: "points", least: 1, most: maxAmount },
      { is: "number", name: "delay", least: 0, most: maxDelaySeconds / daySeconds },
      { is: "number", name: "most", least: 1, most: maxTimes }
    ],
    starts: { points: 50 },
    isSameAs: ({ trigger }) => trigger?.to === "referrer",
    campaign: ({ delay, most, points }) => ({
      action: { credit: { amount: Number(points), reason: text.bringFriend.reason } },
      trigger: { on: "order.accrued", to: "referrer", delay_seconds: Number(delay) * daySeconds },
      frequency: { times: Number(most), days: monthDays }
    }),
    says: ({ delay, most, points }, { pointsOf }) =>
      text.bringFriend.says(pointsOf(Number(points)), daysWords(Number(delay)), Number(most), number(Number(most))),
    each: ({ points }, { currency, worthOfPoints }) => {
      const worth = worthOfPoints(Number(points))
      return worth === undefined ? undefined : text.bringFriend.each(money({ amount: worth, currency }))
    }
  }
]
