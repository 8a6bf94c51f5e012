/**
 * Latencies in buckets of less than 1 % width: recording costs nanoseconds and
 * memory does not grow with the number of requests.
 */

/** Steps in each doubling: a value is known to 1/128 of itself. */
const steps = 128
/** Doublings above one bucket a microsecond: up to 128 µs × 2^24, some 35 minutes. */
const doublings = 24

export interface Percentiles {
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

export class Histogram {
  private readonly buckets = new Uint32Array(steps * (doublings + 1))
  private max = 0
  count = 0

  /** Adds a latency in ms. */
  record(ms: number): void {
    const us = ms * 1000
    this.count++
    if (ms > this.max) this.max = ms
    this.buckets[indexOf(us)]!++
  }

  /** The latency, in ms, that a share of all stay within. */
  at(share: number): number {
    let left = Math.ceil(this.count * share)
    if (left === 0) return 0
    // The last bucket has no upper end.
    for (let index = 0; index < this.buckets.length - 1; index++) {
      left -= this.buckets[index]!
      if (left <= 0) return Math.min(this.max, upperEnd(index) / 1000)
    }
    return this.max
  }

  percentiles(): Percentiles {
    return { p50: this.at(0.5), p95: this.at(0.95), p99: this.at(0.99), p999: this.at(0.999), max: this.max }
  }
}

/** Below `steps` µs a bucket is 1 µs wide; each doubling above has `steps` buckets. */
const indexOf = (us: number): number => {
  if (us < steps) return Math.max(0, Math.floor(us))
  const doubling = Math.min(doublings - 1, Math.floor(Math.log2(us / steps)))
  const within = us / (steps * 2 ** doubling) - 1
  return steps * (doubling + 1) + Math.min(steps - 1, Math.floor(within * steps))
}

const upperEnd = (index: number): number => {
  if (index < steps) return index + 1
  const doubling = Math.floor(index / steps) - 1
  return steps * 2 ** doubling * (1 + ((index % steps) + 1) / steps)
}
