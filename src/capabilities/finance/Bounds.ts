/** Bounds of finance, each with its unit and the reason for the number. */

/** Records younger than this may be uncounted in an answer, ms: sums are a few seconds behind the tills. */
export const lagMs = 60_000
