/** Every queue, batch and retry of the accounts, each with its unit and its reason. */

/** Commands waiting for one account: 50 ms of work at 10,000 decisions a second. */
export const mailboxCommands = 512

/** Records of one account in flight: eight full groups of the journal. */
export const inFlightRecords = 512

/** Tries of a command after another owner's write or a taken claim. Two busy owners win alternately, so 32 are plenty. */
export const maxTries = 32

/** Accounts in memory: about 3 kB each, so 300 MB. */
export const residentAccounts = 100_000

/** An account that is unused for this time is evicted, ms: a guest seldom orders twice in a quarter of an hour. */
export const idleMs = 900_000

/** Time between two searches for idle accounts, ms: a fifteenth of `idleMs`. */
export const sweepMs = 60_000

/** Member ids whose account number is remembered: about 150 bytes each. */
export const knownMembers = 1_000_000

/** Records kept with their replies, so that a retry needs no read: an accrual's is about 1 kB. */
export const keptRecords = 2_048

/** Longest record that is kept, characters: few are longer, and all kept records together stay below 32 MB. */
export const keptRecordChars = 8_192

/** Claims kept in memory: about 250 bytes each. */
export const keptClaims = 8_192

/** Records between two snapshots of an account: 64 records replay in less than a millisecond. */
export const snapshotEvery = 64

/** Lots of an account for each further record between two snapshots: large states are written less often. */
export const lotsPerSnapshotRecord = 16

/** Longest hold for a merge on another node, ms: the time that its append may take. */
export const holdMs = 5_000

/** How long reads ask the journal after such a hold ran out, ms: twice the longest statement. */
export const doubtMs = 10_000

/** Pause between two looks at whether an account's last requests are answered before it goes to another node, ms. */
export const drainPauseMs = 5

/** Records since the last snapshot from which a passivation writes a new one: replaying fewer is cheaper than a write. */
export const passivatedTail = 20

/** Records in one read, when an account is activated or a closed order is folded again: about 1 MB. */
export const readPage = 1_000
