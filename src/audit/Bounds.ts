/** Bounds of the operators' work on the whole journal, each with its unit and why it is that number. */

/** Account numbers looked at with one set of queries: some ten thousand records, a few MB. */
export const rangeAccounts = 1_000

/** Records, and ledger entries, of one account that are read at once: larger accounts come in pages. */
export const pageRecords = 500

/** Rows of claims fetched at once, each the claims of up to `pageRecords` records of one account. */
export const fetchedClaims = 2_000

/** Largest message of the database, bytes: a page of the largest records. */
export const maxMessageBytes = 1024 ** 3

/** Threads of a verification: beyond a few, one database is what they wait for. */
export const maxThreads = 4

/** Memory for the database's sort of the claims before it goes to disk. */
export const sortMemory = "256MB"

/** Differences printed one by one; the rest is counted. */
export const maxPrinted = 1_000

/** Between two lines of progress, ms: on a terminal, and in a log. */
export const terminalProgressMs = 200
export const logProgressMs = 5_000
