/** Bounds of guests' events, each with its unit and the reason for the number. */

/** Members that a batch of events reads at a time: leaves the journal's connections free for other reads. */
export const memberReads = 8

/** Records that a read of the feed takes at once: a page of events of the usual size in one read. */
export const feedRecords = 200
/** Most records that one request reads for a filter that few events pass, before it answers with what it has. */
export const feedScan = 10_000
/** Pause of a waiting reader until it looks for records of other nodes, ms (contract/events.md *Feed*). */
export const feedPollMs = 250
/** Pause after a commit of this node or before a held-back record, ms: other transactions of the moment end meanwhile. */
export const feedSettleMs = 10
/** Readers of one node that wait at once: each reads four times a second. */
export const feedWaiters = 100
/** Longest stream, ms: its reader connects again, so that a revoked token reads no further (contract/events.md *Feed*). */
export const streamMs = 5 * 60_000
/** Time between two comments of a stream, ms (contract/events.md *Feed*). */
export const heartbeatMs = 15_000
