/** Every limit of the conformance commands, with its unit and the reason for the number. */

/** Longest wait for one answer, ms: with a slower host, a till loses the sale. */
export const answerTimeoutMs = 10_000
/** Cases that run at once: enough that cases which wait for a clock do not delay the others. */
export const casesAtOnce = 8
/** Concurrent requests when many members are read (expectations, closing). */
export const readsAtOnce = 16
/** Requests that a race sends at once. */
export const racers = 8
/** Retries of a request after 429 or a temporary 503. */
export const maxRepeats = 3
/** Longest `Retry-After` that is obeyed, seconds; a longer one is a difference. */
export const maxRetryAfterSeconds = 5
/** Longest hold whose end a case waits for, seconds. */
export const maxAwaitedHoldSeconds = 10
/** Lifetime of a lot or wallet reward whose expiration a case waits for, ms. */
export const shortLifeMs = 4_000
/** Longest delay between a due time and its visible effect, ms. */
export const dueWithinMs = 10_000
/** Pause between polls for a due effect, ms. */
export const pollEveryMs = 100
/** Accepted difference between the host's clock and this one, ms: NTP keeps clocks closer in practice. */
export const maxClockSkewMs = 2_000
/** Median answer time above which doctor reports the host as too slow for a till, ms. */
export const slowAnswerMs = 500
/** Requests for the latency check. */
export const latencySamples = 9
/** Days of validity below which doctor reports the certificate. */
export const certificateDaysLeft = 14
/** Largest advertised body limit that is tested, bytes: more would burden the host. */
export const maxTestedBodyBytes = 16 * 1_048_576
/** Most characters of an answer in a difference. */
export const maxDisplayChars = 600
/** Most differences reported for one case. */
export const maxDifferences = 10
/** Most pages read of one ledger; a case's own members have a few. */
export const maxPages = 50
