/** Bounds of the operators' API, each with its unit and the reason for the number. */

/** Overlap of a rotation, s (contract/operators.md *Tokens*). */
export const defaultOverlapSeconds = 86_400

/** Pause between two reads of the database's metrics, ms: Prometheus's usual scrape interval. */
export const databaseMetricsMs = 30_000

/** Most records counted as pending for the figures: a larger count is costly and tells an operator no more. */
export const countedPending = 100_000

/** Longest wait of a sandbox reset for requests in flight, and the pause between two checks, ms. */
export const drainMs = 8_000
export const drainPollMs = 10
