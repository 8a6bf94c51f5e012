/** Bounds of the operators' work on the whole journal, each with its unit and why it is that number. */

/** Rows of any one table looked at with one set of queries, in whole accounts: some 3 MB of records, little to hold and to copy. */
export const rangeRows = 4_000

/** Records, and ledger entries, read at once of an account that has more than a range: it comes in pages. */
export const pageRecords = 500

/** Rows of claims fetched at once, each the claims of up to `pageRecords` records of one account, 80 kB at the most as a rule. */
export const fetchedClaims = 500

/** Largest message of the database, bytes: a page of the largest records. */
export const maxMessageBytes = 1024 ** 3

/** Threads of a verification: beyond a few, one database is what they wait for. */
export const maxThreads = 4

/** Memory of a thread for what is young, MB: what a range makes is gone with the next one. */
export const threadYoungMb = 24

/** Memory for the database's sort of the claims before it goes to disk. */
export const sortMemory = "256MB"

/** Differences printed one by one; the rest is counted. */
export const maxPrinted = 1_000

/** Between two lines of progress, ms: on a terminal, and in a log. */
export const terminalProgressMs = 200
export const logProgressMs = 5_000
