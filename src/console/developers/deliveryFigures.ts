/** Figures of the deliveries that the service keeps: how long they took, and attempts by hour. Pure. */
import type { Attempt, Delivery } from "../../contract/platform/Deliveries.ts"

/** As many deliveries as one replay names, and as the service keeps successes of. */
export const mostDeliveries = 1_000
const hourMs = 3_600_000
/** Hours of the chart of attempts. */
const mostHours = 24
/** Attempts that the service keeps of a delivery. Of one that has as many, older ones may be missing. */
const keptAttempts = 20

/** The newest deliveries of a status. `isAll`: false if there are more. */
export interface Newest {
  readonly deliveries: ReadonlyArray<Delivery>
  readonly isAll: boolean
}

export const isSuccess = ({ status = 0 }: Pick<Attempt, "status">): boolean => status >= 200 && status < 300

/** The attempts that led to the last success. A replay of a delivered event begins anew. */
const lastTries = ({ attempts }: Delivery): ReadonlyArray<Attempt> => {
  const before = attempts.slice(0, -1).findLastIndex(isSuccess)
  return attempts.slice(before + 1)
}

/** Time from the first attempt to the end of the one that succeeded, ms. Undefined: none did. */
export const delayOf = (delivery: Delivery): number | undefined => {
  const tries = lastTries(delivery)
  const [first, last] = [tries[0], tries.at(-1)]
  if (first === undefined || last === undefined || !isSuccess(last)) return undefined
  return Date.parse(last.at) + last.duration_ms - Date.parse(first.at)
}

/** Upper ends of the bars of delays, ms. The last bar has none. */
const delayBounds = [1_000, 10_000, 60_000, 600_000, hourMs] as const

export interface Delays {
  readonly count: number
  /** Time of the oldest success; undefined: there is none. */
  readonly since: string | undefined
  /** Deliveries whose first attempt succeeded. */
  readonly atOnce: number
  /** The receiver's time to answer of half and of 95 % of the successes, ms. */
  readonly medianMs: number
  readonly slowMs: number
  /** Deliveries of each bar. */
  readonly bars: ReadonlyArray<number>
}

const quantile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const delays = (delivered: ReadonlyArray<Delivery>): Delays => {
  const succeeded = delivered.filter((one) => delayOf(one) !== undefined)
  const last = succeeded.flatMap(({ attempts }) => attempts.slice(-1))
  const answerMs = last.map(({ duration_ms }) => duration_ms).toSorted((a, b) => a - b)
  const bars: Array<number> = new Array(delayBounds.length + 1).fill(0)
  for (const one of succeeded) {
    const delay = delayOf(one) ?? 0
    const bar = delayBounds.findIndex((bound) => delay < bound)
    const at = bar === -1 ? delayBounds.length : bar
    bars[at] = (bars[at] ?? 0) + 1
  }
  return {
    count: succeeded.length,
    since: last
      .map(({ at }) => at)
      .toSorted()
      .at(0),
    atOnce: succeeded.filter((one) => lastTries(one).length === 1).length,
    medianMs: quantile(answerMs, 0.5),
    slowMs: quantile(answerMs, 0.95),
    bars
  }
}

export interface Hour {
  /** Its beginning. */
  readonly at: string
  readonly succeeded: number
  readonly failed: number
}

/**
 * Attempts of the last full hours and this one, as far back as all attempts are known. Undefined: of fewer than two hours.
 * The service keeps the last successes alone, so an hour before the oldest of them is not known whole.
 */
export const attemptsByHour = (
  { delivered, failed, pending }: Readonly<Record<"delivered" | "failed" | "pending", Newest>>,
  now: number
): ReadonlyArray<Hour> | undefined => {
  if (!failed.isAll || !pending.isAll) return undefined
  const all = [delivered, failed, pending].flatMap(({ deliveries }) => deliveries)
  const cut = all.flatMap(({ attempts }) => (attempts.length < keptAttempts ? [] : attempts.slice(0, 1)))
  const isCut = !delivered.isAll || delivered.deliveries.length >= mostDeliveries
  const oldest = isCut ? delivered.deliveries.flatMap(({ attempts }) => attempts.slice(-1)) : []
  // A success that was dropped ended before the oldest that is kept. An attempt that was dropped began before the oldest.
  const oldestKept = oldest.length === 0 ? [] : [Math.min(...oldest.map(({ at }) => Date.parse(at)))]
  const known = Math.max(now - mostHours * hourMs, ...oldestKept, ...cut.map(({ at }) => Date.parse(at)))
  const from = Math.ceil(known / hourMs) * hourMs
  const count = Math.floor((now - from) / hourMs) + 1
  if (count < 2) return undefined
  const hours = Array.from({ length: count }, () => ({ succeeded: 0, failed: 0 }))
  for (const attempt of all.flatMap(({ attempts }) => attempts)) {
    const hour = hours[Math.floor((Date.parse(attempt.at) - from) / hourMs)]
    if (hour !== undefined) hour[isSuccess(attempt) ? "succeeded" : "failed"]++
  }
  return hours.map((hour, n) => ({ at: new Date(from + n * hourMs).toISOString(), ...hour }))
}
