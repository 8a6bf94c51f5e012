/** Bounds of connections and of what comes over them. */

/** How long a node goes by what it has read of connections, ms: a pause or a rotation holds everywhere after that. */
export const knownMs = 500
/** How long a node goes by the time zone that it has read of a location, ms. */
export const zoneMs = 5_000
/** Locations whose time zones a node keeps: as many as the largest chains have. */
export const knownZones = 10_000
/** Within this time of the last note, a connection's `last_seen_at` is not written again, ms. */
export const seenMs = 10_000
/** Default overlap of a rotation, minutes. */
export const overlapMinutes = 60
/** How long after its end a key still gets the answers to REDEEMs that were carried out, ms: tills repeat them within minutes. */
export const formerMs = 3_600_000
/** How long transactions and checks are kept, ms: 30 days. */
export const keptMs = 30 * 86_400_000
/** Span of a connection's health, ms: a day. */
export const healthMs = 86_400_000
/**
 * How long a request has the turn on its check, ms. It ends sooner when the request ends. Longer than any command takes, so
 * that only the turn of a process that died, or stands still, runs out.
 */
export const turnMs = 8_000
/** Pause before a request asks again for the turn on its check, ms. */
export const turnPauseMs = 40
/** Groups of each statement of turns in flight. More make groups smaller, and take connections that people wait for. */
export const groupsInFlight = 1
/** Requests of a group: as many as the journal's groups have records. */
export const groupSize = 64
/** How long a request waits for its turn, ms: twice the longest turn, so that it also outlives one of a process that died. */
export const waitMs = 16_000
/** A till gives up after 5 s. From here on the answer is that it should ask again, ms. */
export const answerMs = 4_000
/** Pause before a refusal is recorded, or a redemption undone, again, because the database has not answered, ms. */
export const refusalPauseMs = 100
/** A transaction that has begun this long ago and not ended is finished, or undone, by the worker, ms. */
export const abandonedMs = 15_000
/** Pause of the worker that finishes transactions, ms. */
export const roundMs = 5_000
/** Transactions that a round finishes. */
export const roundSize = 50
/** Pause between two removals of what is too old, ms. */
export const removalMs = 600_000
/** Rows that a step of the deletion of a connection deletes: it takes some 10 ms. */
export const clearedRows = 1_000
/** Most guests that a search finds. */
export const found = 10
/** Fewest letters of a name that is searched for. */
export const nameLetters = 3
/** Searches by name of one restaurant in a minute. */
export const nameSearches = 60
