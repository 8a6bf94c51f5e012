/** Every bound of the cluster, each with its unit and its reason. */
import { maxBodyBytes } from "../../contract/protocol/Protocol.ts"

/**
 * Largest payload of a frame, bytes: a request's largest body as a string in JSON, where a quote takes two bytes, and
 * the call around it.
 */
export const maxPayloadBytes = 2 * maxBodyBytes + 65_536

/** Bytes that wait to be written to a peer: the requests that a node holds for a peer that does not read. */
export const maxWaitingBytes = 16 * 1_048_576

/** Requests of one connection without an answer; past it the node stops reading: four times a node's own in flight. */
export const maxRequestsInFlight = 1_024

/** Connections without a finished handshake; a further one replaces the oldest. Nodes need one for each peer. */
export const maxHandshakes = 64

/** Longest handshake, ms: a thousand times the usual one. */
export const handshakeMs = 2_000

/** Longest attempt to connect with its handshake, ms: calls wait for it, and their callers wait at most a few seconds. */
export const connectMs = 1_000

/** First pause after a lost connection or a failed attempt, ms; doubled after each failed attempt. */
export const reconnectMinMs = 50

/** Longest pause between two attempts, ms: a node that is back is found within a second. */
export const reconnectMaxMs = 1_000

/** Pause between two heartbeats on a link, ms. */
export const heartbeatMs = 250

/** Longest silence of a peer, ms; then its connection is given up. Less than makes a node dead. */
export const silenceMs = 2_000

/** Idle time before TCP probes a peer, ms. The kernel closes after ten probes, one each second. */
export const keepAliveMs = 1_000

/** Longest wait of a stop for the requests in flight, ms: above the longest statement, as for HTTP. */
export const drainMs = 8_000

/**
 * Longest wait of a call for an owner, ms: above the time in which a dead node's partitions have a new one. A link that is
 * down for longer is to a node that lives: calls fail at once, and readiness, log and metric say so.
 */
export const holdMs = 4_000

/** Calls that wait for an owner, and their characters: a second of a node's load. Further ones get 503. */
export const heldCalls = 256
export const heldChars = 16 * 1_048_576

/** Pause before a call is tried again without news of owners, ms. */
export const heldPauseMs = 50
