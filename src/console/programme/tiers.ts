/** Tiers of an edited programme, as the dialog for one shows and changes them. Pure. */
import type { Metric } from "../../contract/ProgramFile.ts"
import type { Tier } from "../../contract/protocol/Program.ts"
import type { Draft } from "./draft.ts"
import { withPart } from "./occasions.ts"
import { idOf } from "./rewards.ts"

const wholeBps = 10_000

/** A tier, as the dialog holds it. */
export interface TierEntry {
  readonly name: string
  readonly minimum: number
  /** Basis points; 10,000 is once. */
  readonly multiplierBps: number
  /** Names. */
  readonly benefits: ReadonlyArray<string>
}

export const tierEntryOf = ({ benefits, earn_multiplier_bps, minimum, name }: Tier): TierEntry => ({
  name,
  minimum,
  multiplierBps: earn_multiplier_bps ?? wholeBps,
  benefits: benefits.map((one) => one.name)
})

/** The benefits of these names: those that are there stay as they are, new ones get ids of their names. */
const benefitsOf = (before: Tier["benefits"], names: ReadonlyArray<string>): Tier["benefits"] => {
  const left = [...before]
  const made: Array<Tier["benefits"][number]> = []
  for (const name of names) {
    const place = left.findIndex((one) => one.name === name)
    const [kept] = place < 0 ? [] : left.splice(place, 1)
    const taken = [...before, ...made].map(({ benefit_id }) => benefit_id)
    made.push(kept ?? { benefit_id: idOf(name, taken, "benefit"), name })
  }
  return made
}

/** The tier with what the dialog says. All else stays. */
export const withTierEntry = (before: Tier, entry: TierEntry): Tier => {
  const benefits = benefitsOf(before.benefits, entry.benefits)
  const isUsual = entry.multiplierBps === wholeBps && before.earn_multiplier_bps === undefined
  return withPart(
    { ...before, name: entry.name, minimum: entry.minimum, benefits },
    "earn_multiplier_bps",
    isUsual ? undefined : entry.multiplierBps
  )
}

const partOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** The tiers from the lowest; those without a minimum come last. */
export const ascending = (tiers: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const minimumOf = (tier: unknown) => {
    const minimum = partOf(tier, "minimum")
    return typeof minimum === "number" ? minimum : Infinity
  }
  return tiers.toSorted((a, b) => Math.sign(minimumOf(a) - minimumOf(b)) || 0)
}

/** The metric that decides the tiers, and the metrics with it: a programme without one gets everything ever earned. */
export const metricOf = (
  draft: Draft,
  primary: Metric["unit"],
  name: string
): { readonly id: string; readonly metrics: ReadonlyArray<unknown> } => {
  const metrics: ReadonlyArray<unknown> = Array.isArray(draft["metrics"]) ? draft["metrics"] : []
  const tiers: ReadonlyArray<unknown> = Array.isArray(draft["tiers"]) ? draft["tiers"] : []
  const id =
    partOf(draft["tier_policy"], "metric_id") ??
    partOf(tiers[0], "qualification_metric_id") ??
    partOf(metrics[0], "metric_id")
  if (typeof id === "string" && id !== "") return { id, metrics }
  const metric: Metric = { metric_id: "earned", name, unit: primary, source: "lifetime_earned" }
  return { id: metric.metric_id, metrics: [...metrics, metric] }
}

/** The name of a metric. */
export const metricNameOf = (draft: Draft, id: string): string => {
  const metrics: ReadonlyArray<unknown> = Array.isArray(draft["metrics"]) ? draft["metrics"] : []
  const name = partOf(
    metrics.find((one) => partOf(one, "metric_id") === id),
    "name"
  )
  return typeof name === "string" && name !== "" ? name : id
}
