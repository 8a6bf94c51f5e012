/** Numbers of definitions, with bounds that messages and the served description name. */
import { grouped, told } from "./Said.ts"
import { whole } from "./Values.ts"

/** The message for a number out of bounds, or with a fraction. */
export const outOfBounds = (minimum: number, maximum: number): string =>
  told`must be a whole number from ${grouped(minimum)} to ${grouped(maximum)}`

/** A whole number with bounds that its message names; without `maximum`, of what JSON carries exactly. */
export const from = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  whole(minimum, maximum, outOfBounds(minimum, maximum))

/** Longest time that a definition can have, seconds: ten years. */
export const maxTtlSeconds = 315_360_000
