/** Bounds of the deletion of what is old, each with its unit and the reason for the number. */

/** Rows that one statement deletes at most: it takes some ten milliseconds, and its locks end with it. */
export const batchRows = 1_000
/**
 * Pause after a batch, and a further one while requests keep the thread busy, ms. A batch of old orders makes the rollups read again
 * what they count (`forget_orders`): in the pause they go on. A million rows take some minutes, and nobody waits for them.
 */
export const pauseMs = 250
/** Time from the start of a node, or from a round's end, to the next round, ms: rows are kept for days. */
export const roundMs = 3_600_000
/** The same for the first round, ms: a node that begins has more urgent work. */
export const firstMs = 60_000
/** Pause while storage is away, writes are frozen or the clock is not trusted, ms. */
export const troubleMs = 60_000
