/** Every bound of the journal: queues, groups, retries and timeouts, each with its unit and its reason. */

/** Records waiting or in flight: about a second of work; past it, `overloaded`. */
export const maxPendingRecords = 16_384

/** Characters of JSON text in those records, so that few large ones cannot fill memory. */
export const maxPendingChars = 64 * 1024 * 1024

/** Records in a group. With longer groups every caller waits for the same group, and the disk is idle between two. */
export const maxGroupRecords = 64

/** Characters of JSON text in a group: far below PostgreSQL's limit of 1 GB for a parameter. */
export const maxGroupChars = 4 * 1024 * 1024

/** Characters that a record counts beside its text: for claims, entries and columns. */
export const recordOverheadChars = 256

/** Groups in flight, each on a connection of its own: while one is fsynced, the other is sent. More make groups smaller. */
export const writerConnections = 2

/** Retries of a group that met another node's rows: each one sees the rows that the last one met, so few are used. */
export const maxGroupTries = 8

/** Server's limit of a statement, ms: a thousand times the usual time of a group. */
export const statementTimeoutMs = 5_000

/** Client's limit of a statement, ms: above the server's, for a server that does not answer at all. */
export const answerTimeoutMs = 7_000

/** Longest wait for the end of an in-doubt session, ms: only a server that hangs needs longer. */
export const endSessionMs = 2_000

/** First pause after a failed attempt to connect, ms; doubled each time. */
export const reconnectMinMs = 50

/** Longest pause between two attempts to connect, ms: far below the 5 s in which service must be back. */
export const reconnectMaxMs = 1_000

/** Longest wait of closing for pending records, ms: longer than one statement may take. */
export const flushTimeoutMs = 10_000

/**
 * Least size of an era of claims, bytes of their table: about 1,500,000 claims. The index of such an era is so small
 * that the claims between two checkpoints share its pages.
 */
export const eraBytes = 128 * 1024 * 1024

/** Claims written between two checks of the present era's size: few beside an era's 1,500,000. */
export const claimsPerEraLook = 20_000

/** Bytes of filter for each claim of an ended era: fewer than 1 % of new keys then need a read of the indexes. */
export const filterBytesPerClaim = 1.5

/** Bytes of all filters: 180,000,000 claims. Claims of further eras are looked up in their indexes. */
export const filterBytes = 256 * 1024 * 1024

/** Least bytes of a claim in its table, or of a key in its own: a row of 80 bytes and its pointer. */
export const claimBytes = 84

/** Most bytes of the filters of keys with an end: 447,000,000, which a million orders a day have in 400 days and the month after. */
export const keyFilterBytes = 640 * 1024 * 1024

/**
 * Least bytes of claims in ended eras that a new index adds: what the filters hold. With a quarter more claims than in the index
 * before, so that each claim is indexed a few times, and few eras have none.
 */
export const indexedBytes = (filterBytes / filterBytesPerClaim) * claimBytes
export const indexedShare = 1 / 4

/** Pages of the table of claims in one read: the least while reads grow the WAL, the most otherwise. */
export const learntPages = { least: 64, most: 512 }

/** Keys in one read by the index: as for pages; each key may be in a page of its own. */
export const learntKeys = { least: 256, most: 8_192 }

/** Bytes of keys added in one turn of the event loop: 5,000 claims, so that requests are not delayed. */
export const learntBytes = 80_000

/** Least pause between two reads, ms: learning has time, groups in flight have not. */
export const learnPauseMs = 10

/** WAL growth during a read that is attributed to groups and not to the read, bytes. */
export const learnLogBytes = 256 * 1024

/** WAL growth beyond that, bytes for each ms of pause: 2 MB/s, the WAL of about 800 accruals a second. */
export const learnLogBytesPerMs = 2_000

/** Pause between two looks whether a span has to begin, ms: a span may begin some minutes into its month. */
export const spanLookMs = 600_000

/** Account numbers in a block, the increment of the sequence account_numbers. A restart skips the unused ones. */
export const accountNumberBlock = 100

/** Acknowledged records that are kept in memory, about 150 bytes each, so that the log can name them if they are lost. */
export const namedRecords = 10_000

/** Records that one line of the log names. */
export const recordsOfLine = 100

/** Records that one statement asks for when lost ones are looked for. */
export const askedRecords = 1_000

/** Longest wait of `setFrozen` for groups in flight, ms: above the longest statement. */
export const freezeTimeoutMs = 10_000

/** Archive files that a node keeps open: two years of months. The index of one has 6 MB for ten million orders. */
export const openArchiveFiles = 24

/** Decompressed blocks that it keeps, 128 kB each: an account's records of ten years, or a stretch of the feed. */
export const archiveBlocks = 128

/**
 * Reads of archive files at once: half of the threads that wait for disks and look up hosts, so that a mount that hangs leaves
 * some to the rest.
 */
export const archiveReads = 2

/** Longest wait for a read of archive files, ms: below that of a statement, and above what a mounted bucket takes. */
export const archiveReadMs = 5_000

/** Accounts whose archived entries are in memory as whole rows at once: about 10 MB, if each has some hundred. */
export const filedAccounts = 50
