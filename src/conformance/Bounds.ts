/** Every limit of the conformance commands, with its unit and the reason for the number. */

/** Longest wait for one answer, ms: a host that needs longer would lose a till's sale as well. */
export const answerTimeoutMs = 10_000
/** Cases that run at once: enough that those that wait for a clock do not hold up the others. */
export const casesAtOnce = 8
/** Requests at once where many members are read (expectations, closing). */
export const readsAtOnce = 16
/** Requests that a race sends at once. */
export const racers = 8
/** Times that a request is sent again, as it was, after 429 or a 503 that passes. */
export const maxRepeats = 3
/** Longest `Retry-After` that is waited for, seconds. */
export const maxRetryAfterSeconds = 5
/** Longest hold whose end is waited for, seconds (issue: "only where the programme's is at most 10 s"). */
export const maxAwaitedHoldSeconds = 10
/** How far ahead a lot or a wallet reward expires that a case waits for, ms. */
export const shortLifeMs = 2_000
/** How long after its instant something that is due may take to show, ms. */
export const dueWithinMs = 3_000
/** Pause between looks at something that is due, ms. */
export const lookEveryMs = 100
/** Difference between the host's clock and this one's that is accepted, ms: what NTP never exceeds in practice. */
export const maxClockSkewMs = 2_000
/** Median answer time above which doctor says that the host is slow for a till, ms. */
export const slowAnswerMs = 500
/** Requests that the latency is taken from. */
export const latencySamples = 9
/** Days of validity below which doctor says that the certificate wants renewing. */
export const certificateDaysLeft = 14
/** Largest body limit that is tried out, bytes: more would burden the host. */
export const maxTriedBodyBytes = 16 * 1_048_576
/** Characters of an answer that a difference repeats. */
export const maxToldText = 600
/** Differences reported of one case. */
export const maxDifferences = 10
/** Pages of one ledger that are read at the most; a case's own members have a few. */
export const maxPages = 50
