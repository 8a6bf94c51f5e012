/** Bounds of deliveries, each with its unit and the reason for the number. */

/** Time in which a receiver must answer, ms (contract/events.md *Delivery*). */
export const answerMs = 10_000
/** Bytes of an answer that are read (contract/events.md *Delivery*). */
export const answerBytes = 1_024
/** Idle connections to a receiver are closed after this time, ms: many servers close theirs after 5 s. */
export const idleSocketMs = 4_000

/** Pauses after failed attempts, ms; the last one repeats (contract/events.md *Delivery*). */
export const pausesMs = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const
/** Pauses between attempts while all fail, ms: at most 10 minutes (contract/events.md *Delivery*). */
export const probesMs = [5_000, 30_000, 120_000, 600_000] as const
/** Share by which a pause varies, so that receivers are not asked in waves (contract/events.md *Delivery*). */
export const jitter = 0.2
/** Longest pause that a receiver can ask for, ms (contract/events.md *Delivery*). */
export const retryAfterMs = 86_400_000
/** Failed attempts without a success between them, after which all fail (contract/events.md *Delivery*). */
export const failuresInARow = 5
/** Time after which an event that others overtake has failed, ms (contract/events.md *Delivery*). */
export const eventMs = 6 * 3_600_000
/** Time without a success after which a connector is disabled, ms (contract/events.md *Delivery*). */
export const connectorMs = 3 * 86_400_000

/** Attempts that are kept of a delivery (contract/platform/Deliveries.ts). */
export const attempts = 20
/** Successes that are kept of a connector (contract/events.md *Delivery*). */
export const successes = 1_000
/** Replays of a connector at once (contract/events.md *Replay*). */
export const replays = 10

/** Unfinished deliveries of a connector, beyond which no more events are read (contract/events.md *Delivery*): some 2 MB. */
export const unfinished = 10_000
/** Events that wait for their first attempt, beyond which no more are read: enough for 64 in flight. */
export const fresh = 100
/** Events of a source from its first unfinished one on, beyond which no more of it are read: fewer than `successes`. */
export const ahead = 500
/** Records that a read takes: some 100 kB of events. */
export const pageRecords = 100
/** Events that a round reads for all connectors, so that a round stays short. */
export const roundEvents = 400

/** Time after which an event in flight gets a row, and a place is stored that no outcome came with, ms. */
export const storeMs = 1_000
/** Successes after which those beyond the last `successes` are deleted: each time would read a thousand rows. */
export const trimmed = 100
/** Interval at which connectors and replays are read, ms: new ones begin. */
export const pollMs = 1_000
/** Interval at which commits of other nodes are looked for, ms. */
export const feedPollMs = 250
/** Pause after a commit of this node, ms: others that come with it are read with it, 20 reads a second at most. */
export const settleMs = 50
/** Pause after a round while requests keep the thread busy, ms: some 400 events a second, a tenth of a processor. */
export const busyMs = 250
/** Pause after a failed round, ms. */
export const troubleMs = 1_000
/** Longest wait for the last progress when another node takes over, ms: what is not stored is sent again. */
export const stopMs = 2_000
/** Interval at which lag and waiting deliveries are measured, ms: metrics are scraped no more often. */
export const measureMs = 5_000
