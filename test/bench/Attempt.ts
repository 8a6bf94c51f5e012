/** An attempt at a measure, and whether the machine stayed the same for its length. */
import type { Measurement } from "./Measure.ts"

/**
 * How far the saturations before and after a fixed rate may lie apart, as a share of the higher: past it the machine
 * has changed its speed meanwhile, and half of the one was not half of the other.
 */
export const maxDrift = 0.15
/** Cores that the machine's host may give to others at saturation: past it, what is measured is the host. */
export const maxStolenSaturated = 0.04
/** The same under a fixed rate, half a percent of each of two: whoever comes meanwhile is among the slowest hundredth. */
export const maxStolenFixed = 0.01
/** Cores that others on the machine may use under a fixed rate, as another server's PostgreSQL does when it tidies up. */
export const maxOthersFixed = 0.05
/** The same at saturation, where it costs no more than its own share. */
export const maxOthersSaturated = 0.2
/**
 * Share of the time in which the disk, or the whole machine, may stand still under a fixed rate: whoever comes then
 * waits, and those behind them, so that past it the slowest hundredth are the disk's, or the machine's.
 */
export const maxStill = 0.005
/** The same at saturation, where it costs no more than its own time. */
export const maxStillSaturated = 0.05

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

/** The larger of the shares of the time in which the disk and the machine stood still. */
const stood = ({ cost }: Measurement): number => Math.max(cost.diskStill ?? 0, cost.paused)

/** How much the machine itself disturbed an attempt; up to 1 it counts. */
export const disturbance = (attempt: Attempt): number => {
  const { after, fixed, saturation } = attempt
  const saturated = after === undefined ? [saturation] : [saturation, after]
  return Math.max(
    drift(attempt) / maxDrift,
    stood(fixed) / maxStill,
    fixed.cost.stolenCores / maxStolenFixed,
    fixed.cost.othersCores / maxOthersFixed,
    ...saturated.map((one) => stood(one) / maxStillSaturated),
    ...saturated.map(({ cost }) => cost.stolenCores / maxStolenSaturated),
    ...saturated.map(({ cost }) => cost.othersCores / maxOthersSaturated)
  )
}

/** Whether the machine was the same, and our own, for the length of an attempt. */
export const isSteady = (attempt: Attempt): boolean => disturbance(attempt) <= 1
