/** Bounds of campaigns' runs, each with its unit and the reason for the number. */

/** Members that one statement selects for a run: about 0.2 s of writing. */
export const selectedMembers = 20_000

/** Members of a run that are granted at a time: two full groups of the journal. */
export const grantedMembers = 256

/** Targets of a run that are read at a time: more than are granted, because some are held out. */
export const readTargets = 512

/** Targets that one statement skips after a limit is used up: `selectedMembers` would take seconds. */
export const skippedMembers = 2_000

/** Records of the feed that one read takes for triggers: a page of events of the usual size. */
export const readRecords = 200

/** Interval at which schedules and triggers of campaigns are checked, ms: a run starts at most this late. */
export const schedulePollMs = 1_000

/** Rounds of one stop of a sandbox's clock: a run of a million members. Without a bound, callers could keep it from ending. */
export const movedRounds = 5_000

/** Pause of a run after storage failed or while writes are frozen, ms. */
export const runTroubleMs = 1_000

/** Longest pause of a run for busy requests, ms. */
export const longestPauseMs = 500

/** Longest wait of `campaigns/run` for the end of the run, ms: below the timeout of clients. */
export const runAnswerMs = 5_000

/** Interval at which `campaigns/run` looks for the end of the run, ms: a small run takes about as long. */
export const runPollMs = 50

/** Longest wait of an interrupted step for its grants, ms: below the time in which a node hands its partitions over. */
export const lastGrantsMs = 3_000

/** Grants whose ids a report hashes at a time: about 2 ms, in which the node does nothing else. */
export const hashedGrants = 1_000

/** Timeout of the statement that finds rewards of one cause, ms: without a range it reads every wallet of a programme. */
export const takenBackMs = 60_000

/** Rewards that one request tries to take back, with those that it must leave: a few seconds. */
export const mostTried = 1_000

/** Texts of campaigns that a guest's page shows: a few lines. */
export const toldCampaigns = 3
