/** Durations in words. */
import { durationStrings } from "./fieldStrings.ts"
import { number } from "./format.ts"

const units = [
  ["days", 86_400],
  ["hours", 3_600],
  ["minutes", 60]
] as const

/** Seconds in the largest unit of which they are a whole number: `60 days`; undefined: in seconds alone. */
export const durationText = (seconds: number): string | undefined => {
  const found = units.find(([, size]) => seconds >= size && seconds % size === 0)
  if (found === undefined) return undefined
  const [unit, size] = found
  return durationStrings[unit](seconds / size, number(seconds / size))
}
