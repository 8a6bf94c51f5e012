/** Bounds of the operators' API, each with its unit and why it is that number. */

/** Connections of the operators' pool: a few people and scripts; a publish holds one for a moment. */
export const connections = 4

/** Limit of one attempt to connect, ms. */
export const connectTimeoutMs = 2_000

/** Server's limit of a statement, ms: the longest, a page of a list of millions, takes a hundredth of it. */
export const statementTimeoutMs = 10_000

/** How often a service asks whether tokens have changed, ms: a revoked one is refused within a second everywhere. */
export const keyPollMs = 250

/** How often uses of tokens and sessions are stored, ms: a first use from an address is in the audit within a second. */
export const usesFlushMs = 500

/** How long a stored last use may be old, ms: a write for every token in use each time. */
export const lastUsedMs = 10_000

/** First uses waiting to be stored; later ones are noticed again with the next connection. */
export const maxWaitingUses = 1_000

/** Addresses remembered of all tokens together; the table knows the others. */
export const maxKnownUses = 20_000

/** A session, ms: a working day (admin.md *Sessions*). */
export const sessionAgeMs = 8 * 3_600_000
export const sessionIdleMs = 30 * 60_000

/** Sessions at once; the oldest ends for one more. */
export const maxSessions = 10_000

/** Wrong keys of one address in a window before it is refused (admin.md *Sessions*). */
export const maxWrongKeys = 10
export const wrongKeysWindowSeconds = 60
export const firstBlockSeconds = 60
export const maxBlockSeconds = 15 * 60

/** An address that sent no wrong key for so long begins anew, s: a day of guessing at the slowest rate gains nothing. */
export const forgetGuesserSeconds = 24 * 3_600

/** Addresses with wrong keys that are remembered, some 2 MB; the one that was wrong longest ago is forgotten. */
export const maxGuessers = 10_000

/** Overlap of a rotation, s (admin.md). */
export const defaultOverlapSeconds = 86_400

/** How long the first result of a keyed request is kept, ms: a retry comes within minutes, a weekend's within days. */
export const keyedRequestMs = 30 * 86_400_000

/** How often older ones are removed, ms. */
export const purgeMs = 3_600_000

/** Entries read at once for a CSV file. */
export const csvPage = 1_000
