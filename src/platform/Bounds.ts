/** Bounds of the platform, each with its unit and the reason for the number. */

/** Members that a batch of events reads at a time: leaves the journal's connections free for other reads. */
export const memberReads = 8

/** How far ahead of the service's clock a consent may be recorded, ms: other systems' clocks differ. */
export const clockSkewMs = 300_000

/** Most members of a search that are read by number. More are found quickly by scanning in list order. */
export const fewFound = 2_000

/** Largest JSON of a member's attributes, bytes: every answer about the member contains it. */
export const attributesBytes = 65_536

/** Members that one statement selects for a run: about 0.2 s of writing. */
export const selectedMembers = 20_000

/** Members of a run that are granted at a time: two full groups of the journal. */
export const grantedMembers = 256

/** Targets of a run that are read at a time: more than are granted, because some are held out. */
export const readTargets = 512

/** Targets that one statement skips after a limit is used up: `selectedMembers` would take seconds. */
export const skippedMembers = 2_000

/** Interval at which schedules of campaigns are checked, ms: a run starts at most this late, also in a sandbox. */
export const schedulePollMs = 1_000

/** Pause of a run after storage failed or while writes are frozen, ms. */
export const runTroubleMs = 1_000

/** Pause of a run after accounts were overloaded, ms. */
export const runBusyMs = 50

/** Pause between two batches of runs, ms. The event loop's load during the pause is the load of requests. */
export const runPauseMs = 5

/** Share of a pause from which requests count as busy. A run then pauses as long as its last batch took. */
export const busyPauseShare = 0.6

/** Longest pause of a run for busy requests, ms. */
export const longestPauseMs = 500

/** Longest wait of `campaigns/run` for the end of the run, ms: below the timeout of clients. */
export const runAnswerMs = 5_000

/** Memory for all sorts and hashes of an audience's statement, MB: three rules over a million members fit. */
export const audienceMemoryMb = 192
/** Least memory for one sort or hash, MB: PostgreSQL's default for `work_mem`. */
export const leastMemoryMb = 4

/** Timeout of a statement over an audience, ms: a year of orders of a million members takes 8 s. */
export const audienceTimeoutMs = 60_000

/** Imports that run at a time: one keeps the journal busy, and two with one key must not run together. */
export const importsAtOnce = 1
/** Most imports that run or wait: each holds a body of up to 1 MiB and runs for a few seconds. */
export const importsWaiting = 16
/** Rows of an import that run at a time: their records share a few groups of the journal. */
export const importRows = 32
/** Rows after which the progress of an import is stored: a crash repeats at most these. */
export const importBatch = 100
