/** Bounds of `journal verify`, `rebuild` and `show`, each with its unit and the reason for the number. */

/** Most rows of one table in a range of accounts: about 3 MB of records, cheap to hold and to copy. */
export const rangeRows = 4_000

/** Records in a page of a seal that a service makes: the thread is free again within some milliseconds. */
export const servedPageRows = 250

/** Pause of a service after such a page, in times of what the page took: a tenth of the time is the seal's. */
export const sealRest = 9

/** Time from the start of a node to its first look for a span to seal, ms: a node that begins has more urgent work. */
export const firstSealMs = 60_000

/** Pause between two such looks, ms: a span is over once a month. */
export const sealLookMs = 600_000

/** The same after a span with differences, ms: it is read again whole, and somebody has to look first. */
export const differingMs = 86_400_000

/** Pause between two looks whether claims are to be indexed, ms: it is due once in some months at most. */
export const indexLookMs = 6 * 3_600_000

/** Accounts that one statement of a seal writes: about 1 MB of states. */
export const sealedBatch = 500

/** Records and ledger entries in a page of a long account, one with more rows than a range. */
export const pageRecords = 500

/** Accounts that are compared in one turn of the loop: about a millisecond. */
export const turnAccounts = 8

/** Rows fetched at once from the claims' cursor. One row has the claims of up to `pageRecords` records, usually at most 80 kB. */
export const fetchedClaims = 500

/** Largest message from the database, bytes: a page of the largest records. */
export const maxMessageBytes = 1024 ** 3

/** `work_mem` of the database sessions: the sort of the claims spills to disk above it. */
export const sortMemory = "256MB"

/** Most differences reported for one table of one account: enough to see the pattern. */
export const maxReported = 20

/** Most differences printed; the rest is counted. */
export const maxPrinted = 1_000

/** Pause between two lines of progress, ms: on a terminal, and in a log. */
export const terminalProgressMs = 200
export const logProgressMs = 5_000

/** Parts of an anchor: it names the part that differs, and stays small with any number of accounts. */
export const parts = 256

/** Longest time by which a record may be dated after its writing, ms: above the clocks' largest tolerance. */
export const datedAheadMs = 2 * 3_600_000

/** Rows that one statement of an archive reads: about 1.5 MB of records. */
export const archivedPage = 1_000

/** Pause before a span's partition is dropped, or attached, once more, ms: each try holds tills up for a quarter of a second at most. */
export const lockedMs = 5_000

/** Most such tries: five minutes. */
export const lockedTries = 60
