/** Bounds of the operators' API, each with its unit and the reason for the number. */

/** Overlap of a rotation, s (contract/operators.md *Tokens*). */
export const defaultOverlapSeconds = 86_400

/** Pause between two reads of the database's metrics, ms: as often as Prometheus usually asks. */
export const databaseMetricsMs = 30_000

/** Most records that are counted as pending for the figures: counting more would cost the database more than it tells. */
export const countedPending = 100_000

/** How long a sandbox that is started over waits for requests in flight, and the pause between two looks, ms. */
export const drainMs = 8_000
export const drainPollMs = 10
