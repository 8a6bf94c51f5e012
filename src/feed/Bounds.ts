/** Bounds of the feed, each with its unit and the reason for the number. */

/** Connections: one for rollups, one for events, one for the lag. */
export const connections = 3

/** Timeout of a connection attempt, ms: as the journal's. */
export const connectTimeoutMs = 2_000

/** Timeout of a statement on the server, ms: a page of thousands of records takes tens of ms. */
export const statementTimeoutMs = 10_000

/** The largest 64-bit transaction id. */
export const transactionsEnd = 2n ** 64n - 1n
