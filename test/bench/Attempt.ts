/** An attempt at a measure, and whether the machine stayed the same for its length. */
import type { Measurement } from "./Measure.ts"

/**
 * How far the saturations before and after a fixed rate may lie apart, as a share of the higher: past it the machine
 * has changed its speed meanwhile, and half of the one was not half of the other.
 */
export const maxDrift = 0.15
/** What may disturb a measurement: past any of these, what is measured is the machine. */
export interface Limits {
  /** Cores that the machine's host gives to others. */
  readonly stolen: number
  /** Cores that others on the machine use, as another server's PostgreSQL does when it tidies up. */
  readonly others: number
  /** Share of the time in which the disk, or the whole machine, stands still. */
  readonly still: number
}

/** Half a percent of each of two cores, and of the time: whoever comes meanwhile waits, and is among the slowest hundredth. */
export const fixedLimits: Limits = { stolen: 0.01, others: 0.05, still: 0.005 }
/** At saturation it costs no more than its own share. */
export const saturatedLimits: Limits = { stolen: 0.04, others: 0.2, still: 0.05 }

/** A fixed rate, and the saturation that it was taken from. */
export interface Attempt {
  readonly saturation: Measurement
  /** At half of that saturation; for overload, at twice. */
  readonly fixed: Measurement
  /** The saturation once more, where figures at the fixed rate are held to something. */
  readonly after: Measurement | undefined
}

/** Good answers a second at saturation. */
export const peak = ({ after, saturation }: Attempt): number =>
  after === undefined ? saturation.rate : (saturation.rate + after.rate) / 2

/** How far the machine's speed changed under an attempt, as a share. */
const drift = ({ after, saturation: { rate } }: Attempt): number =>
  after === undefined ? 0 : Math.abs(after.rate - rate) / Math.max(after.rate, rate)

/** How much the machine disturbed a measurement, as a share of what it may. */
const disturbanceOf = ({ cost }: Measurement, limits: Limits): number =>
  Math.max(
    cost.stolenCores / limits.stolen,
    cost.othersCores / limits.others,
    cost.paused / limits.still,
    (cost.diskStill ?? 0) / limits.still
  )

/** How much the machine itself disturbed an attempt; up to 1 it counts. */
export const disturbance = (attempt: Attempt): number => {
  const { after, fixed, saturation } = attempt
  const saturated = after === undefined ? [saturation] : [saturation, after]
  return Math.max(
    drift(attempt) / maxDrift,
    disturbanceOf(fixed, fixedLimits),
    ...saturated.map((one) => disturbanceOf(one, saturatedLimits))
  )
}

/** Whether the machine was the same, and our own, for the length of an attempt. */
export const isSteady = (attempt: Attempt): boolean => disturbance(attempt) <= 1
