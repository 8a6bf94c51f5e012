/** Durations in words. */

import { number } from "../format.ts"
import { durationStrings } from "../words/fieldStrings.ts"

const units = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60]
] as const

/** Seconds in words, in the largest unit that divides them: `60 days`. Undefined: not even minutes do. */
export const durationText = (seconds: number): string | undefined => {
  const found = units.find(([, size]) => seconds >= size && seconds % size === 0)
  if (found === undefined) return undefined
  const [unit, size] = found
  return durationStrings[unit](seconds / size, number(seconds / size))
}
