/** Randomness that a seed repeats: each caller and each fault draws from a stream of its own. */
import { hash } from "node:crypto"

export interface Random {
  /** In [0, 1). */
  readonly next: () => number
  /** A whole number from `low` to `high`, both included. */
  readonly whole: (low: number, high: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A
}

/** The stream of this seed and name (sfc32, seeded by a hash). */
export const make = (seed: number, name: string): Random => {
  const state = new Uint32Array(Uint8Array.from(hash("sha256", `${seed} ${name}`, "buffer").subarray(0, 16)).buffer)
  let [a = 0, b = 0, c = 0, counter = 1] = state
  const next = () => {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }
  const whole = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    whole,
    pick: (items) => {
      const item = items[whole(0, items.length - 1)]
      if (item === undefined) throw new Error("nothing to pick from")
      return item
    }
  }
}
