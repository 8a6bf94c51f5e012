/** Bounds of the rollups, each with its unit and the reason for the number. */

/** Records in one change: a few ms of work on this thread, so that requests hardly wait. */
export const batchRecords = 256

/** Records in one change of a rebuild. It has its own thread, and larger changes need fewer round trips. */
export const remakeRecords = 4_096

/** Members that get their tier by a new ladder in one change: about as much work as a batch of records. */
export const sortedMembers = 1_000

/** Pause when there is nothing to read, ms: the delay of figures in a quiet service. */
export const idleMs = 1_000

/**
 * Pause after a change while the service is busy, ms: 1,500 records a second, at about a twentieth of two processors.
 */
export const busyMs = 150

/** Interval at which the lag is measured, ms: metrics are scraped no more often. */
export const measureMs = 5_000

/** Pause after a failed change, ms. */
export const troubleMs = 5_000

/** Length of the intervals of lots and activity, ms: in every time zone an interval starts at midnight. */
export const quarterMs = 900_000

/** Lengths of the intervals of sales and rewards, ms: with days of UTC a year has 365 rows instead of 35,040. */
export const spansMs = [quarterMs, 86_400_000] as const

/** Instead of a length: an interval of sales by business day. */
export const businessSpan = 0
