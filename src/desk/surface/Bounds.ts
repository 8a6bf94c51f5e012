/** Bounds of the surfaces' shared parts, each with its unit and the reason for the number. */

/** Entries read at once for a CSV file. */
export const csvPage = 1_000

/** Requests with one Idempotency-Key at once, the running one included: retries of a client that gives up too soon. */
export const sameKey = 64
/**
 * Longest wait for a request with the same Idempotency-Key that another process runs, ms: as long as a statement may
 * take. In one process a request waits for the end of the first one.
 */
export const heldKeyWaitMs = 10_000
/** Interval of the looks at such a key, ms: a hundredth of the wait, and three short statements a look. */
export const heldKeyPollMs = 100

/** Time for which the first result of a keyed request is kept, ms: retries come within minutes, or days after a weekend. */
export const keptResultMs = 30 * 86_400_000

/** Interval at which older results are deleted, ms. */
export const purgeMs = 3_600_000

/**
 * Time after which a request that gives something and has not ended is taken for dead, ms, because its service was
 * stopped: six times as long as a statement may take.
 */
export const runningMs = 60_000
