/**
 * Conditions between the properties of a campaign (contract/engagement.md *Campaigns*). They are told beside the faults of single
 * properties, so each may meet any JSON, and reads only what it is about.
 */
import { Schema } from "effect"
import type { BodyFault } from "../Decode.ts"
import { told } from "../Said.ts"

interface Wrong {
  readonly path: ReadonlyArray<string>
  readonly issue: string
}

/** The properties that conditions read, which may be anything. */
interface Facts {
  readonly action?: {
    readonly credit?: unknown
    readonly issue_reward?: { readonly reward_id?: unknown; readonly expires_in_seconds?: unknown }
  }
  readonly reward_id?: unknown
  readonly issued_reward_ttl_seconds?: unknown
  readonly schedule?: { readonly starts_at?: unknown; readonly ends_at?: unknown }
  readonly starts_at?: unknown
  readonly ends_at?: unknown
  readonly segment_id?: unknown
  readonly frequency?: unknown
  readonly attribution_days?: unknown
  readonly attribution_window_days?: unknown
  readonly limit?: { readonly amount?: unknown }
  readonly trigger?: {
    readonly on?: unknown
    readonly where?: { readonly minimum_spend?: { readonly amount?: unknown } }
    readonly direction?: unknown
    readonly include_imports?: unknown
    readonly once?: unknown
    readonly to?: unknown
  }
}

const wrong = (isWrong: boolean, path: string, issue: string): ReadonlyArray<Wrong> =>
  isWrong ? [{ path: path.slice(1).split("/"), issue }] : []

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** A value with two spellings: if both are given they must be the same. A fault names the short one. */
const differ = (
  [value, path]: readonly [unknown, string],
  [short, shortPath]: readonly [unknown, string],
  of: (value: unknown) => unknown = (one) => one
): ReadonlyArray<Wrong> =>
  wrong(
    isGiven(value) && isGiven(short) && !Object.is(of(value), of(short)),
    shortPath,
    told`must be the same as ${path}`
  )

/** ms, NaN for what is no time. */
const msOf = (value: unknown): number => Date.parse(String(value))

const oneAction = ({ action, reward_id: short }: Facts) => {
  const { credit, issue_reward: reward } = action ?? {}
  const both = isGiven(credit) && isGiven(reward)
  const neither = isGiven(action) && !isGiven(credit) && !isGiven(reward) && !isGiven(short)
  return [
    ...wrong(!isGiven(action) && !isGiven(short), "/action", "is required, or `reward_id`"),
    ...wrong(both || neither, "/action", "must be one of `issue_reward` and `credit`"),
    ...wrong(isGiven(credit) && isGiven(short), "/reward_id", "must not come with `action.credit`"),
    ...differ([reward?.reward_id, "/action/issue_reward/reward_id"], [short, "/reward_id"])
  ]
}

const oneLifetime = ({ action, issued_reward_ttl_seconds: short }: Facts) => {
  const path = "/issued_reward_ttl_seconds"
  const ttl = action?.issue_reward?.expires_in_seconds
  return [
    ...wrong(isGiven(action?.credit) && isGiven(short), path, "must not come with `action.credit`"),
    ...differ([ttl, "/action/issue_reward/expires_in_seconds"], [short, path])
  ]
}

const oneTime = ({ ends_at, schedule, starts_at }: Facts) => {
  const from = schedule?.starts_at ?? starts_at
  const until = schedule?.ends_at ?? ends_at
  const path = isGiven(schedule?.ends_at) ? "/schedule/ends_at" : "/ends_at"
  return [
    ...differ([schedule?.starts_at, "/schedule/starts_at"], [starts_at, "/starts_at"], msOf),
    ...differ([schedule?.ends_at, "/schedule/ends_at"], [ends_at, "/ends_at"], msOf),
    ...wrong(isGiven(from) && isGiven(until) && msOf(until) <= msOf(from), path, "must be after it starts")
  ]
}

const untriggered = (["schedule", "starts_at", "ends_at"] as const).map(
  (name) => (facts: Facts) =>
    wrong(isGiven(facts.trigger) && isGiven(facts[name]), `/${name}`, "must not come with `trigger`")
)

const ofTrigger = ({ trigger }: Facts) => {
  const { direction, include_imports: withImports, on, once, to, where } = trigger ?? {}
  const amount = where?.minimum_spend?.amount
  return [
    ...wrong(isGiven(where) && on !== "order.accrued", "/trigger/where", "must come with `on: order.accrued`"),
    ...wrong(isGiven(direction) && on !== "tier.changed", "/trigger/direction", "must come with `on: tier.changed`"),
    ...wrong(
      isGiven(withImports) && on !== "member.enrolled",
      "/trigger/include_imports",
      "must come with `on: member.enrolled`"
    ),
    ...wrong(Number(amount) < 0, "/trigger/where/minimum_spend/amount", told`must be at least ${0}`),
    ...wrong(isGiven(to) && on !== "order.accrued", "/trigger/on", "must be `order.accrued` with `to: referrer`"),
    ...wrong(isGiven(to) && (once ?? "member") !== "member", "/trigger/once", "must be `member` with `to: referrer`")
  ]
}

const segmentOrTrigger = ({ segment_id, trigger }: Facts) =>
  wrong(!isGiven(trigger) && !isGiven(segment_id), "/segment_id", "is required without `trigger`")

const bounded = ({ frequency, trigger }: Facts) =>
  wrong(isGiven(trigger?.to) && !isGiven(frequency), "/frequency", "is required with `to: referrer`")

const oneAttribution = ({ attribution_days, attribution_window_days }: Facts) =>
  differ([attribution_days, "/attribution_days"], [attribution_window_days, "/attribution_window_days"])

const amountOfCredit = ({ action, limit }: Facts) =>
  wrong(isGiven(limit?.amount) && !isGiven(action?.credit), "/limit/amount", "must come with `action.credit`")

/** A condition about a property comes after those that read the property for another one: its fault would hide theirs. */
const conditions = [
  oneAction,
  oneLifetime,
  oneTime,
  ...untriggered,
  segmentOrTrigger,
  bounded,
  ofTrigger,
  oneAttribution,
  amountOfCredit
]
const filters = conditions.map((condition) => Schema.makeFilter(condition))

/**
 * One filter a condition: a fault of a property hides only conditions that read it. The cast is safe because there are
 * conditions; the type of `map` does not say that its result has as many.
 */
export const campaignConditions = filters as unknown as readonly [(typeof filters)[0], ...typeof filters]

/** The faults of all conditions, for callers without a request. */
export const conditionFaults = (facts: Facts): ReadonlyArray<BodyFault> =>
  conditions.flatMap((condition) =>
    condition(facts).map(({ issue, path }) => ({ path: `/${path.join("/")}`, message: issue }))
  )
