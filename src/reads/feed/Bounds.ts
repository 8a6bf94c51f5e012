/** Bounds of reading the feed, each with its unit and the reason for the number. */

/** Records that a read of events takes at once: a page of events of the usual size in one read. */
export const feedRecords = 200
/** Pause of waiting readers until records of other nodes are looked for, ms (contract/events.md *Feed*). */
export const feedPollMs = 250
/** Shortest time between two looks, and the pause before a held-back record, ms: other transactions of the moment end meanwhile. */
export const feedSettleMs = 10
/** Events at the end of the feed that stay in memory while readers wait: half a second of a busy node, about 2 MB. */
export const tailEvents = 1_000
/** How long they stay once nobody waits, ms: the readers of a page come back within that time. */
export const tailIdleMs = 1_000
