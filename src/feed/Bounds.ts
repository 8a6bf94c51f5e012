/** Bounds of the feed, each with its unit and why it is that number. */

/** Connections: a reader of rollups, one of events, one for lag. */
export const connections = 3

/** Limit of one attempt to connect, ms: as the journal's. */
export const connectTimeoutMs = 2_000

/** Server side limit of one statement, ms: a page of thousands of records takes tens of them. */
export const statementTimeoutMs = 10_000

/** Above every transaction id: they have 64 bits. */
export const transactionsEnd = 2n ** 64n - 1n
