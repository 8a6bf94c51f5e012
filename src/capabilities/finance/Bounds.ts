/** Bounds of finance, each with its unit and the reason for the number. */

/** Records younger than this may be uncounted in an answer, ms: sums are a few seconds behind the tills. So old is a month that is closed. */
export const lagMs = 60_000

/** Longest wait of a close until the sums count what was posted before it, ms: they are 2 s behind. */
export const closeWaitMs = 15_000

/** Pause between two looks at how far they are, ms. */
export const closePauseMs = 250

/** Members with something due that a refusal counts: more are told as so many. */
export const maxDue = 1_000

/** Most days in a range on which restaurants change hands, for rows by franchisee: a month has no more, and each cuts all sums. */
export const maxHandovers = 40
