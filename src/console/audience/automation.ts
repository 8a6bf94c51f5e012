/**
 * The model of the form of a campaign's trigger and frequency. Converts the contract's to it and back. Pure.
 */
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import type { Rules } from "../../contract/platform/Rules.ts"
import type { Frequency, Trigger } from "../../contract/platform/Triggers.ts"
import { referrerDelaySeconds, TriggerName } from "../../contract/platform/Triggers.ts"
import { lapsedOf } from "./segmentWire.ts"

export const events = TriggerName.literals

/** Units of a delay with their lengths, seconds; the longest first. */
const lengths = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const
export type DelayUnit = keyof typeof lengths
export const delayUnits = Object.keys(lengths) as ReadonlyArray<DelayUnit>

type Amount = number | undefined

export interface Delay {
  readonly value: Amount
  readonly unit: DelayUnit
}

export const receivers = ["member", "referrer"] as const
export const repeats = ["member", "event", "days"] as const
export const directions = ["up", "down", "both"] as const

export interface Draft {
  readonly on: TriggerName
  readonly to: (typeof receivers)[number]
  readonly places: ReadonlyArray<string>
  /** Minor units. */
  readonly spend: Amount
  readonly isFirst: boolean
  /** Of changes of tier. */
  readonly direction: (typeof directions)[number]
  /** Members whom an import enrols count too. */
  readonly withImports: boolean
  readonly delay: Delay
  readonly once: (typeof repeats)[number]
  readonly onceDays: Amount
}

/** How often a member gets something. Both absent: without this bound. */
export interface FrequencyDraft {
  readonly times: Amount
  readonly days: Amount
}

/** A delay in the longest unit that divides it. */
export const delayOf = (seconds: number | undefined): Delay => {
  if (seconds === undefined || seconds === 0) return { value: undefined, unit: "days" }
  const unit = delayUnits.find((one) => seconds % lengths[one] === 0) ?? "seconds"
  return { value: seconds / lengths[unit], unit }
}

/** The delay in force: a referrer's default is not 0. */
export const delayInForce = ({ delay_seconds, to }: Trigger): Delay =>
  delayOf(delay_seconds ?? (to === "referrer" ? referrerDelaySeconds : 0))

export const draftOf = (trigger: Trigger | undefined): Draft => {
  const { once = "member", to = "member", where = {} } = trigger ?? {}
  return {
    on: trigger?.on ?? "member.enrolled",
    to,
    places: where.location_ids ?? [],
    spend: where.minimum_spend?.amount,
    isFirst: where.first_order === true,
    direction: trigger?.direction ?? (trigger?.on === "tier.changed" ? "both" : "up"),
    withImports: trigger?.include_imports === true,
    delay: trigger === undefined ? delayOf(0) : delayInForce(trigger),
    once: typeof once === "string" ? once : "days",
    onceDays: typeof once === "string" ? undefined : once.days
  }
}

/** The draft with another receiver. A referrer gets something for orders alone, usually after 14 days. */
export const withReceiver = (draft: Draft, to: Draft["to"]): Draft =>
  to === "referrer"
    ? { ...draft, to, on: "order.accrued", once: "member", delay: delayOf(referrerDelaySeconds) }
    : { ...draft, to, delay: delayOf(0) }

const whereOf = ({ isFirst, on, places, spend }: Draft, currency: string): Trigger["where"] => {
  if (on !== "order.accrued") return undefined
  const where = {
    ...(places.length === 0 ? {} : { location_ids: places }),
    ...(spend === undefined ? {} : { minimum_spend: { amount: spend, currency } }),
    ...(isFirst ? { first_order: true as const } : {})
  }
  return Object.keys(where).length === 0 ? undefined : where
}

/** The contract's trigger. Requires: the draft is complete. */
export const triggerOf = (draft: Draft, currency: string): Trigger => {
  const { delay, direction, on, once, onceDays = 0, to, withImports } = draft
  const where = whereOf(draft, currency)
  const seconds = Math.round((delay.value ?? 0) * lengths[delay.unit])
  return {
    on,
    ...(where === undefined ? {} : { where }),
    ...(on === "tier.changed" && direction !== "both" ? { direction } : {}),
    ...(on === "member.enrolled" && withImports ? { include_imports: true as const } : {}),
    // Written with a referrer even if it is 0: the default is not.
    ...(seconds === 0 && to === "member" ? {} : { delay_seconds: seconds }),
    ...(to === "referrer" ? { to } : once === "member" ? {} : { once: once === "days" ? { days: onceDays } : once })
  }
}

export const isComplete = ({ once, onceDays }: Draft): boolean => once !== "days" || onceDays !== undefined

/** True if both numbers of a frequency are there, or, where it may be absent, neither. */
export const isFrequencyComplete = ({ days, times }: FrequencyDraft, isRequired: boolean): boolean =>
  days === undefined && times === undefined ? !isRequired : days !== undefined && times !== undefined

export const frequencyOf = ({ days, times }: FrequencyDraft): Frequency | undefined =>
  days === undefined || times === undefined ? undefined : { times, days }

const noFrequency: FrequencyDraft = { times: undefined, days: undefined }
/** Points that a referrer usually gets at most. */
const ofReferrer: FrequencyDraft = { times: 5, days: 30 }
/** Once a year: a birthday or a win-back comes on another day of the next year. */
const ofYear: FrequencyDraft = { times: 1, days: 300 }

/** True if rules say who has a birthday, or has stayed away; what they exclude does not count. */
const areForOnceAYear = (rules: unknown): boolean => {
  const { all = [], any = [], birthday_within_days, inactive_days } = rules as Rules
  return (
    birthday_within_days !== undefined ||
    inactive_days !== undefined ||
    lapsedOf(rules as Rules) !== undefined ||
    [...all, ...any].some(areForOnceAYear)
  )
}

/**
 * How many days ahead rules look for birthdays, where all members of the segment have one then; undefined: they do not.
 */
export const birthdaysAhead = (rules: Rules | undefined): number | undefined => {
  const { all = [], birthday_within_days: own } = (rules ?? {}) as Rules
  return own ?? all.map((one) => birthdaysAhead(one as Rules)).find((days) => days !== undefined)
}

/** The frequency that a new campaign has until it is changed in the form. */
export const usualFrequency = (trigger: Draft | undefined, segmentRules: Rules | undefined): FrequencyDraft => {
  if (trigger !== undefined) return trigger.to === "referrer" ? ofReferrer : noFrequency
  return segmentRules !== undefined && areForOnceAYear(segmentRules) ? ofYear : noFrequency
}

/** The frequency that the form starts with; undefined: the usual one. */
export const frequencyDraftOf = (campaign: Campaign | undefined): FrequencyDraft | undefined =>
  campaign === undefined ? undefined : (campaign.frequency ?? noFrequency)
