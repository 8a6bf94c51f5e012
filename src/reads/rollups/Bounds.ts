/** Bounds of the rollups, each with its unit and the reason for the number. */

/** Records in one change: larger ones hardly need fewer round trips for each, and take longer at once on this thread. */
export const batchRecords = 1_024

/** Records that are counted without room for requests: 3 ms of work on this thread. */
export const turnRecords = 128

/** Records in one change of a rebuild. It has its own thread, and larger changes need fewer round trips. */
export const remakeRecords = 4_096

/** Members that get their tier by a new ladder in one change: about as much work as a batch of records. */
export const sortedMembers = 1_000

/** Pause when there is nothing to read, ms: the delay of figures in a quiet service. */
export const idleMs = 1_000

/**
 * Pause after a change while the service is busy, as a multiple of the time that the change took: about a twentieth of two
 * processors.
 */
export const busyTimes = 12

/** The longest such pause, ms: figures go on beside requests, however long a change takes. */
export const busyMostMs = 1_000

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

/** Time after a day's end in which its closing is recorded, ms: a start of the service may take a while, and later amounts are not that day's. */
export const closingMs = 3_600_000

/** Pause between two looks whether a day has ended, ms. */
export const closingPauseMs = 60_000

/** An answer about what is owed now is kept for so many times as long as it took: of one connection, this is a twentieth. */
export const owedKept = 20
