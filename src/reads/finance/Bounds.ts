/** Bounds of the sums of finance, each with its unit and the reason for the number. */

/** Records in one change: larger ones hardly need fewer round trips for each, and take longer at once on this thread. */
export const batchRecords = 1_024

/** Records in one change of a rebuild. It has its own thread, and larger changes need fewer round trips. */
export const remakeRecords = 4_096

/** Records that are read without room for requests: 3 ms of work on this thread. */
export const turnRecords = 128

/** Pause when there is nothing to read, ms: months are closed days later, and a page that is open asks again. */
export const idleMs = 2_000

/** Pause after a change while the service is busy, as a multiple of the time that the change took: about a twentieth. */
export const busyTimes = 12

/** The longest such pause, ms: sums go on beside requests, however long a change takes. */
export const busyMostMs = 1_000

/** Interval at which the lag is measured, ms: metrics are scraped no more often. */
export const measureMs = 5_000

/** Pause after a failed change, ms. */
export const troubleMs = 5_000
