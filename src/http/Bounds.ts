/** Bounds of the HTTP layer, each with its unit and why it is that number. */

/** Longest time for all headers, ms: a till on a bad line still makes it. */
export const headersTimeoutMs = 10_000
/** Longest time for a whole request, ms. */
export const requestTimeoutMs = 30_000
/** How long an idle connection is kept, ms: longer than the pauses of a till at lunch. */
export const keepAliveMs = 65_000
/** Largest header block, bytes. */
export const maxHeaderBytes = 16_384
/** Longest wait for what is in flight when the service stops, ms. */
export const gracefulStopMs = 10_000
