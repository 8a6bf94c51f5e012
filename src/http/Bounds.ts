/** Bounds of the HTTP layer, each with its unit and why it is that number. */

/** Longest time for all headers, ms: a till on a bad line still makes it. */
export const headersTimeoutMs = 10_000
/** Longest time for a whole request to arrive, ms: a megabyte at 35 kB/s. */
export const requestTimeoutMs = 30_000
/** How long an idle connection is kept, ms: longer than the pauses of a till at lunch. */
export const keepAliveMs = 65_000
/** Largest header block, bytes: Node's own default, ten times what clients send. */
export const maxHeaderBytes = 16_384
/**
 * Longest wait for what is in flight when the service stops, ms: above the longest statement's answer (7 s), and the rest of
 * the stop still ends within the 10 s that supervisors grant.
 */
export const gracefulStopMs = 8_000
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
 * Operations being carried out at once: two groups of the journal in flight, the next, and what is being decided, some 50 ms
 * of the machine's work. All that waits is moved by every garbage collection, so more of them means fewer good answers.
 */
export const maxUnderWay = 256
/** Connections from one address: a large restaurant chain behind one router, and no more than a tenth of all. */
export const maxConnectionsPerAddress = 1_000
/** Bytes of bodies that have not come to their end, in all: 64 of the largest. */
export const bodyBytesUnderWay = 64 * 1_048_576
/** Answers up to this size are not counted as large, bytes: a page of a ledger. */
export const smallAnswerBytes = 65_536
/** Bytes of large answers that have not left yet, in all. */
export const largeAnswerBytesUnderWay = 64 * 1_048_576
/** Longest time that a half-sent body holds up a stop, ms. */
export const stoppingBodyMs = 2_000
/** Longest body that is read and dropped after a refusal, bytes: any order but the very largest; past it the connection ends. */
export const droppedBodyBytes = 65_536
/** A refusal for overload says to come again after this, ms. */
export const shedAgainMs = 1_000
/** How long a connection is not read that came again sooner, ms: half of what it was told to wait. */
export const shedPauseMs = 500
