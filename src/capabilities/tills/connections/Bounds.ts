/** Bounds of connections and of what comes over them. */

/** Default overlap of a rotation, minutes. */
export const overlapMinutes = 60
/** How long transactions and checks are kept, ms: 30 days. */
export const keptMs = 30 * 86_400_000
/** Span of a connection's health, ms: a day. */
export const healthMs = 86_400_000
