/** Bounds of the surfaces' shared parts, each with its unit and the reason for the number. */

/** Connections of the operators' pool: a few people and scripts; a publish holds one for a moment. */
export const connections = 4

/** Transactions with statements of up to a minute at once: half of the connections stay free for others. */
export const longTransactions = 2

/** Limit of one attempt to connect, ms. */
export const connectTimeoutMs = 2_000

/** Timeout of a statement on the server, ms: the longest one, a page of a list of millions, takes a hundredth of it. */
export const statementTimeoutMs = 10_000

/** Entries read at once for a CSV file. */
export const csvPage = 1_000
