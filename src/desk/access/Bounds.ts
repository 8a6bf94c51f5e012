/** Bounds of keys, sessions and wrong keys, each with its unit and the reason for the number. */

/** Interval at which a service checks for changed tokens, ms: every service refuses a revoked token within a second. */
export const keyPollMs = 250

/** Length of a rate limit's window, s (contract/transport.md *Rate limits*). */
export const rateWindowSeconds = 60

/**
 * Interval at which nodes exchange counted requests and wrong keys, ms: what one counts, all know within a second, with
 * one read of every node in this time.
 */
export const sharePauseMs = 500

/** Wrong keys that wait to be told to the other nodes, and that a node hears at once. Further ones count here alone. */
export const maxSharedGuesses = 500

/** Requests with a token that this node does not know, which wait for the database. Further ones are refused at once. */
export const maxAskedKeys = 256

/** Longest wait of such a request, ms: as long as a node may answer without the database. */
export const askedKeyMs = 2_000

/** Requests with the cookie of a session that this node does not know yet, which wait for the database. */
export const maxAskedSessions = 256

/** Interval at which uses of tokens and sessions are stored, ms: a first use from an address is in the audit within a second. */
export const usesFlushMs = 500

/** Age at which a stored last use is written again, ms: each token in use costs one write in this time. */
export const lastUsedMs = 10_000

/** First uses that wait to be stored. Further ones are dropped, and noticed again at the next connection. */
export const maxWaitingUses = 1_000

/** Addresses of all tokens kept in memory. The table has the others. */
export const maxKnownUses = 20_000

/** The longest session, ms: a working day (contract/operators.md *Sessions*). */
export const sessionAgeMs = 8 * 3_600_000
export const sessionIdleMs = 30 * 60_000

/** Sessions at the same time. One more ends the oldest. */
export const maxSessions = 10_000

/** Wrong keys from one address within the window before it is blocked (contract/operators.md *Wrong keys*). */
export const maxWrongKeys = 10
export const wrongKeysWindowSeconds = 60
export const firstBlockSeconds = 60
export const maxBlockSeconds = 15 * 60

/** Time without a wrong key after which an address is forgotten, s: guessing slowly enough gains nothing. */
export const forgetGuesserSeconds = 24 * 3_600

/** `Retry-After` while all places of an address are taken by keys that are being looked at, s. */
export const placeSeconds = 1

/** How long a key that people chose passes a block of an address that it was right from, s (contract/operators.md *Wrong keys*). */
export const rightKeySeconds = 24 * 3_600

/** Right keys with their networks kept in memory: about 4 MB. One more evicts the one that was used longest ago. */
export const maxRightKeys = 20_000

/** Addresses with wrong keys kept in memory: about 2 MB. One more evicts the one whose last wrong key is oldest. */
export const maxGuessers = 10_000
