/** Bounds of the operators' API, each with its unit and why it is that number. */

/** Connections of the operators' pool: a few people and scripts; a publish holds one for a moment. */
export const connections = 4

/** Limit of one attempt to connect, ms. */
export const connectTimeoutMs = 2_000

/** Server's limit of a statement, ms: the longest, a page of a list of millions, takes a hundredth of it. */
export const statementTimeoutMs = 10_000
