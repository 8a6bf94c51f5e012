/** Bounds of the feed, each with its unit and the reason for the number. */

/** The largest 64-bit transaction id. */
export const transactionsEnd = 2n ** 64n - 1n
