/** Bounds of guests' events, each with its unit and the reason for the number. */

/** Members that a batch of events reads at a time: leaves the journal's connections free for other reads. */
export const memberReads = 8

/** Most records that one request reads for a filter that few events pass, before it answers with what it has. */
export const feedScan = 10_000
/** Readers of one node that wait at once: half of its connections, so that tills find one. */
export const feedWaiters = 5_000
/** Pages of older events that waiting readers of one node read at the same time: requests have their turn in between. */
export const readsAtOnce = 1
/** How far ahead a reader's clock may be, ms: its "now" begins now. */
export const aheadMs = 60_000
/** Longest stream, ms: its reader connects again, to whichever node there is then (contract/events.md *Feed*). */
export const streamMs = 5 * 60_000
/** Interval at which a node looks whether callers of open streams may read on, ms: with the reading of keys within a second. */
export const lookMs = 500
/** Time between two comments of a stream, ms (contract/events.md *Feed*). */
export const heartbeatMs = 15_000
