/**
 * Every queue, batch and retry of the account part, with its unit and why it is that number.
 */

/** Commands waiting for one account: at 10,000 decisions a second a full box is 50 ms of work. */
export const mailboxCommands = 512

/** Decisions of one account on their way at once: two full groups of the journal. */
export const inFlightRecords = 512

/** Times a command is decided again after another owner or a taken claim got in between: two busy owners win by turns. */
export const maxTries = 32

/** Accounts in memory: about 3 KB each, so 300 MB. */
export const residentAccounts = 100_000

/** An account that nobody asked for so long leaves memory, ms: a guest seldom orders twice in a quarter of an hour. */
export const idleMs = 900_000

/** How often idle accounts are looked for while there is traffic, ms. */
export const sweepMs = 60_000

/** Member ids whose account number is remembered: about 150 bytes each. */
export const knownMembers = 1_000_000

/** Records kept with their replies, so that a retry needs no reading: an accrual's is about 1 KB. */
export const keptRecords = 2_048

/** Characters of a record that is kept at the most: few records are longer, and the bound on all of them is 32 MB. */
export const keptRecordChars = 8_192

/** Claims kept in memory: about 250 bytes each. */
export const keptClaims = 8_192

/** Records between two snapshots of an account: a tail of 64 replays in well under a millisecond. */
export const snapshotEvery = 64

/** Lots of an account for which a snapshot waits one record longer: what is long to write is written seldom. */
export const lotsPerSnapshotRecord = 16

/** Records since its last snapshot that a passivated account is worth a new one for: fewer replay faster than one is written. */
export const passivatedTail = 20

/** Records read at once when an account is activated or a closed thing is folded again. */
export const readPage = 1_000
