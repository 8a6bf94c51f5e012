/** Bounds of campaigns' mails, each with its unit and the reason for the number. */

/** Mails of one batch, and so of a second: mail servers of small companies take about as many, and codes come between. */
export const batchMails = 5

/** Pause between two batches, ms. */
export const batchPauseMs = 1_000

/** Connections to the mail server: codes have others. */
export const connections = 1

/** Pause when nothing waits, ms: nobody waits for news. */
export const idleMs = 2_000

/** Pause after the mail server was away, ms. */
export const troubleMs = 15_000

/** How long a mail may be on its way, ms: longer than the mail server may be silent. Later nobody knows whether it was sent. */
export const leaseMs = 300_000

/** Pause before a mail that was refused for now is tried again, ms: doubled each time, at most the longest. */
export const retryMs = 60_000
export const longestRetryMs = 3_600_000

/** Mails that one statement ends or a sandbox rehearses, at most: some ten milliseconds. */
export const endedMails = 500

/** Pause between two measurements of what waits, ms: metrics are scraped no more often. */
export const measureMs = 15_000
