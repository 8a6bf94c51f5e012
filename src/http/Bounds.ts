/** Bounds of the HTTP layer, each with its unit and why it is that number. */

/** Longest time for all headers, ms: a till on a bad line still makes it. */
export const headersTimeoutMs = 10_000
/** Longest time for a whole request to arrive, ms: a megabyte at 35 kB/s. */
export const requestTimeoutMs = 30_000
/** How long an idle connection is kept, ms: longer than the pauses of a till at lunch. */
export const keepAliveMs = 65_000
/** Largest header block, bytes: Node's own default, ten times what clients send. */
export const maxHeaderBytes = 16_384
/** Longest wait for what is in flight when the service stops, ms: above the longest statement, below what supervisors grant. */
export const gracefulStopMs = 10_000
/** How long a caller may still read its last answer before the connection is cut, ms: a slow mobile round trip. */
export const lingerMs = 500
/** Connections at once: each costs some 20 kB; past it, new ones are closed unanswered. */
export const maxConnections = 10_000
/**
 * Connections that may wait until they are accepted: after a restart all tills come back at once, and one that finds
 * no room tries again a second later. The system may allow fewer (on Linux `net.core.somaxconn`, 4,096 by itself).
 */
export const acceptBacklog = 4_096
/** How often Node looks for requests whose time is over, ms. */
export const timeoutCheckMs = 1_000
/** Longest wait for the journal's word on readiness, ms: probes give up after a few seconds. */
export const readinessMs = 2_000
/**
 * Operations being carried out at once: what keeps the machine busy, some 50 ms of its work with a bunch beside it. Measured
 * at twice the load that saturates: with 1,024 a half of the saturated rate was answered well, as all that waits is moved by
 * every collection.
 */
export const maxUnderWay = 320
/**
 * The same while more come than can be carried out: two groups of the journal on their way, the next, and what is being
 * decided. In one service by turns on a disk, eight slices each, 0.69 of the saturated rate was answered well with 160, 0.75
 * with 224, 0.76 with 288, a good answer after 61, 77 and 97 ms; in memory those of 128 to 320 lay within an eighth.
 */
export const maxUnderWayCrowded = 224
/** How long that is taken to last, ms: as long as those who are turned away are told to wait. */
export const crowdedMs = 1_000
/** Longest body of a request that is turned away with the least effort, bytes: any order but the very largest. */
export const turnedAwayBytes = 65_536
/** Heads of requests that are remembered of a connection where one was turned away: one for each operation that it sends. */
export const knownHeads = 16
/** Such heads kept for all connections together, some 4 kB each with the answer: a thousand tills, each with a token of its own. */
export const keptHeads = 1_024
