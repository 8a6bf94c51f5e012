/** Bounds of the operators' API, each with its unit and the reason for the number. */

/** Connections of the operators' pool: a few people and scripts; a publish holds one for a moment. */
export const connections = 4

/** Transactions with statements of up to a minute at once: half of the connections stay free for others. */
export const longTransactions = 2

/** Limit of one attempt to connect, ms. */
export const connectTimeoutMs = 2_000

/** Timeout of a statement on the server, ms: the longest one, a page of a list of millions, takes a hundredth of it. */
export const statementTimeoutMs = 10_000

/** Interval at which a service checks for changed tokens, ms: every service refuses a revoked token within a second. */
export const keyPollMs = 250

/** Interval at which uses of tokens and sessions are stored, ms: a first use from an address is in the audit within a second. */
export const usesFlushMs = 500

/** Age at which a stored last use is written again, ms: each token in use costs one write in this time. */
export const lastUsedMs = 10_000

/** First uses that wait to be stored. Further ones are dropped, and noticed again at the next connection. */
export const maxWaitingUses = 1_000

/** Addresses of all tokens kept in memory. The table has the others. */
export const maxKnownUses = 20_000

/** The longest session, ms: a working day (admin.md *Sessions*). */
export const sessionAgeMs = 8 * 3_600_000
export const sessionIdleMs = 30 * 60_000

/** Sessions at the same time. One more ends the oldest. */
export const maxSessions = 10_000

/** Wrong keys from one address within the window before it is blocked (admin.md *Sessions*). */
export const maxWrongKeys = 10
export const wrongKeysWindowSeconds = 60
export const firstBlockSeconds = 60
export const maxBlockSeconds = 15 * 60

/** Time without a wrong key after which an address is forgotten, s: guessing slowly enough gains nothing. */
export const forgetGuesserSeconds = 24 * 3_600

/** Addresses with wrong keys kept in memory: about 2 MB. One more evicts the one whose last wrong key is oldest. */
export const maxGuessers = 10_000

/** Overlap of a rotation, s (admin.md). */
export const defaultOverlapSeconds = 86_400

/** Time for which the first result of a keyed request is kept, ms: retries come within minutes, or days after a weekend. */
export const keyedRequestMs = 30 * 86_400_000

/** Interval at which older results are deleted, ms. */
export const purgeMs = 3_600_000

/** Entries read at once for a CSV file. */
export const csvPage = 1_000

/** Pause between two reads of the database's metrics, ms: as often as Prometheus usually asks. */
export const databaseMetricsMs = 30_000

/** Most records that are counted as pending for the figures: counting more would cost the database more than it tells. */
export const countedPending = 100_000

/** How long a sandbox that is started over waits for requests in flight, and the pause between two looks, ms. */
export const drainMs = 8_000
export const drainPollMs = 10
