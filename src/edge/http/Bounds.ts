/** Bounds of the HTTP layer, each with its unit and the reason for the number. */

/** Longest time for all headers, ms: enough for a till on a bad network. */
export const headersTimeoutMs = 10_000
/** Longest time for a whole request to arrive, ms: a megabyte at 35 kB/s. */
export const requestTimeoutMs = 30_000
/** Longest idle time of a connection, ms: longer than a till's pauses at lunch. */
export const keepAliveMs = 65_000
/** Largest header block, bytes: Node's own default, ten times what clients send. */
export const maxHeaderBytes = 16_384
/**
 * Longest wait for operations in flight when the service stops, ms: above the longest statement, 2 s below the limit of
 * supervisors.
 */
export const gracefulStopMs = 8_000
/** Time for a caller to read its last answer before the connection is closed, ms: a slow mobile round trip. */
export const lingerMs = 500
/** Open connections: each costs about 20 kB; further ones are closed unanswered. */
export const maxConnections = 10_000
/**
 * Connections waiting to be accepted: after a restart all tills reconnect at once. Linux caps it at
 * `net.core.somaxconn`.
 */
export const acceptBacklog = 4_096
/** Interval of Node's checks for requests past their time limit, ms: a tenth of the shortest limit. */
export const timeoutCheckMs = 1_000
/**
 * Unanswered requests of one connection; with more it is closed. Clients wait for an answer before the next request, and
 * one read of a connection can have 2,000 requests, which would hold up the event loop.
 */
export const pipelined = 64
/** Longest wait for the journal's answer on readiness, ms: probes give up after a few seconds. */
export const readinessMs = 2_000
/** Longest body of a request whose caller is not known, bytes: four times a passkey with its attestation. */
export const unknownBodyBytes = 16_384
/** Default bounds on what callers can make the service hold. */
export const held = {
  /**
   * Operations in flight: two groups of the journal, the next one, and commands being decided. Each garbage collection
   * moves all of them, so more would answer fewer requests.
   */
  inFlight: 256,
  /** Connections from one address: a large restaurant chain behind one router, a tenth of all. */
  connectionsPerAddress: 1_000,
  /** Bytes of all bodies being received: 64 of the largest. Unknown and known callers have a budget each. */
  bodyBytes: 64 * 1_048_576,
  /** Bytes of all large answers being sent: as for bodies. Unknown and known callers have a budget each. */
  largeAnswerBytes: 64 * 1_048_576
}
export type Held = typeof held
/** Bytes of streamed answers that callers have not read: 300 pages of a stream of events. The next page waits behind each. */
export const unreadBytes = 32 * 1_048_576
/** Answers up to this size do not count as large, bytes: a page of a ledger. */
export const smallAnswerBytes = 65_536
/** Longest time for a caller to read a large answer, ms: 3 MB at 25 kB/s. */
export const largeAnswerMs = 120_000
/** Time after which a stream ends whose caller reads nothing, ms: two comments of a stream of events. */
export const stalledMs = 30_000
/** Longest time that an incomplete body delays a stop, ms: a quarter of `gracefulStopMs`. */
export const stoppingBodyMs = 2_000
/**
 * Longest body that is read and dropped after a rejection, bytes: nearly every order; past it the connection is closed.
 */
export const droppedBodyBytes = 65_536
/** `Retry-After` of a shed request, ms: the smallest value of the header. */
export const shedRetryMs = 1_000
/** Pause in reading a connection that retries before `Retry-After`, ms: half of that time. */
export const shedPauseMs = 500

/** Interval at which the event loop's delay is sampled, ms: below what callers notice, and costs nothing. */
export const eventLoopResolutionMs = 20

/** Window of the event loop's metrics, ms: below the usual interval of scraping. */
export const eventLoopWindowMs = 10_000

/**
 * Requests of guests that run at once: as many as people's requests have connections. Each holds one for a short statement; of
 * those that hold one for longer fewer run at once (`signInsAtOnce`).
 */
export const guestsAtOnce = 4
/** Share of the thread's time in use from which a turn of guests rests before the next request: tills keep it busy. */
export const guestBusyShare = 0.6
/** Rest of a turn, as a multiple of the time that its request took, and the longest one, ms: a guest notices half a second. */
export const guestRestTimes = 3
export const guestRestMs = 500
/** Requests of guests that run or wait, each about 20 kB: the last one waits some seconds. Further ones get `overloaded`. */
export const guestsWaiting = 1_000
/** `Retry-After` of those, seconds, from the first to the last, by chance: all at once would be as many again. */
export const guestRetrySeconds = [5, 15] as const
