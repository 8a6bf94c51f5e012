/**
 * Every bound of the journal: queue, group, retry and timeout, with its unit
 * and why it is that number.
 */

/** Records waiting or on their way. About a second of the busiest machine; past it, `overloaded`. */
export const maxPendingRecords = 16_384

/** The same in characters of JSON text, so that few large records cannot fill memory. */
export const maxPendingChars = 64 * 1024 * 1024

/**
 * Records of one group. A server writes more of them a second in longer groups, up to 200 and more; but then everybody
 * waits for one group and comes back at once, and the disk has nothing to do meanwhile. Measured with 256 callers: no
 * group was on its way for 41 % of the time in groups of up to 256, for 8 % in groups of up to 48.
 */
export const maxGroupRecords = 64

/** Characters of JSON text of one group: far below PostgreSQL's 1 GB parameter limit, and sent in one go. */
export const maxGroupChars = 4 * 1024 * 1024

/** What a record counts beside its text, in characters: claims, entries and columns. */
export const recordOverheadChars = 256

/**
 * A group of records of fewer accounts waits for more while another is on its way. Measured with 256 callers of the
 * mix: 32 gives 1.04 times as much as 16, and no longer waits.
 */
export const smallGroupAccounts = 32

/** But no longer than this, in ms: a group takes 2 to 5 ms, unless its server is in trouble. */
export const maxHoldMs = 10

/**
 * Groups on their way at once, each on a connection of its own. Two keep the
 * disk busy while the other group is sent and read; more only make groups smaller.
 */
export const writerConnections = 2

/** Connections for reads: they answer in well under a millisecond and share one event loop. */
export const readerConnections = 4

/** Tries of a group that met another node's rows. Each one sees what the last one met, so few are ever used. */
export const maxGroupTries = 8

/** Server side limit of one statement, in ms: a group takes 5 ms, so that 5 s means something is badly wrong. */
export const statementTimeoutMs = 5_000

/** Client side limit of one statement, in ms: for a server that does not answer at all. Above the server's own. */
export const answerTimeoutMs = 7_000

/** Longest wait for a session that was given up to end, in ms: it ends at once unless its server stands still. */
export const endSessionMs = 2_000

/** Limit of one attempt to connect, in ms: service must be back 5 s after PostgreSQL is. */
export const connectTimeoutMs = 2_000

/** First pause after a failed attempt to connect, in ms; doubled each time. */
export const reconnectMinMs = 50

/** Longest pause between two attempts to connect, in ms. */
export const reconnectMaxMs = 1_000

/** How long closing waits for what is queued, in ms: longer than one statement may take. */
export const flushTimeoutMs = 10_000

/** Keys asked for with one statement. */
export const maxHolderKeys = 2_048

/**
 * Least size of an era of claims, in bytes of their table: some 1,500,000, whose index is small enough that the claims
 * between two checkpoints share its pages.
 */
export const eraBytes = 128 * 1024 * 1024

/** Claims written between two looks at the size of the present era; it may grow beyond by these, and by those that come while one before it is learnt. */
export const claimsPerEraLook = 20_000

/** Memory for each claim of an era that has ended: of those that were never made, fewer than one in a hundred is asked for. */
export const filterBytesPerClaim = 1.5

/** Memory for all of them, in bytes: 180,000,000 claims. Those of further eras are looked for in their indexes. */
export const filterBytes = 256 * 1024 * 1024

/** Bytes of the claims' table that a claim takes at the least: a row of 80 bytes and its pointer. */
export const claimBytes = 84

/**
 * Pages of the claims' table read at once to learn what has been claimed: half a megabyte, some 6,000 claims, where the
 * log takes them whole; otherwise 50,000 claims, 15 ms of PostgreSQL's.
 */
export const learntPages = { least: 64, most: 512 }

/**
 * Keys read at once along the index to learn an era that has just ended: each of another page, 2 MB, where the log takes
 * those whole; otherwise 12 ms of PostgreSQL's.
 */
export const learntKeys = { least: 256, most: 8_192 }

/** Bytes of keys learnt in one turn of the event loop: 5,000 claims, 2 ms. */
export const learntBytes = 80_000

/** Least pause between two reads, in ms: learning takes its time, so that groups on their way do not. */
export const learnPauseMs = 10

/** Growth of the log within a reading that is not held to be its own, in bytes: that of the groups beside it. */
export const learnLogBytes = 256 * 1024

/** What it has grown beyond, in bytes for each ms of pause: 2 to 4 MB a second, no more than 3,000 accruals a second write. */
export const learnLogBytesPerMs = 2_000

/** Numbers in a block, the increment of the sequence account_numbers. What a restart leaves unused is lost: numbers may be skipped. */
export const accountNumberBlock = 100

/** Longest wait of `setFrozen` for writes on their way, in ms; above the longest statement. */
export const freezeTimeoutMs = 10_000
