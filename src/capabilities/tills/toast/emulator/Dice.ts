/** Random numbers that a seed repeats. */

export interface Dice {
  /** A whole number, both bounds included. */
  readonly between: (low: number, high: number) => number
  /** True once in `n`. */
  readonly once: (n: number) => boolean
}

/** Mulberry32. */
export const from = (seed: number): Dice => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return { between, once: (n) => between(1, n) === 1 }
}
