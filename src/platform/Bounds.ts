/** Bounds of the platform, each with its unit and its reason. */

/** Members that a batch reads at once: a connection of the journal's reads serves others in between. */
export const memberReads = 8

/** How far ahead of the service's clock a consent may be recorded, ms: other systems' clocks differ. */
export const clockSkewMs = 300_000

/** Members found by a search that are sorted by themselves; where it finds more, they are dense in all members. */
export const fewFound = 2_000

/** Longest JSON of a member's attributes, bytes: each answer about the member carries it. */
export const attributesBytes = 65_536

/** Members that one statement selects for a campaign's run: a fifth of a second of writing. */
export const selectedMembers = 20_000

/** Members of a run that are given something at once: two full groups of the journal. */
export const givenMembers = 256

/** Targets of a run that are read at once: so that a batch is full, although some of them are held out. */
export const readTargets = 512

/** Outcomes that one statement writes after a limit is used up: as many as are selected at once would take seconds. */
export const skippedMembers = 2_000

/** How often the schedules of campaigns are looked at, ms: an occurrence begins within a second, also in a sandbox. */
export const schedulePollMs = 1_000

/** Pause of a run after storage failed or while writes are frozen, ms. */
export const runTroubleMs = 1_000

/** Pause of a run after accounts were overloaded, ms. */
export const runBusyMs = 50

/** Rest between two batches of runs, ms: what keeps the event loop busy meanwhile is the work of others. */
export const runRestMs = 5

/** From this share of rests on, others count as busy: a run rests then as long as its last batch took. */
export const busyRestShare = 0.6

/** Longest rest of a run for others, ms. */
export const longestRestMs = 500

/** How long the answer to a start of a run waits for its end, ms: less than any client's timeout. */
export const runAnswerMs = 5_000

/** Memory of an audience's sorts and hashes together, MB: three rules over a million members need no file. */
export const audienceMemoryMb = 192
/** Memory of each where a segment has very many conditions, MB: PostgreSQL's own default. */
export const leastMemoryMb = 4

/** How long a statement over an audience may take, ms: orders of a year over a million members take eight seconds. */
export const audienceTimeoutMs = 60_000

/** Imports that run at once: one keeps the journal busy, and two of one key must not run together. */
export const importsAtOnce = 1
/** Imports that run or wait, each with a body of up to 1 MiB and a few seconds. */
export const importsWaiting = 16
/** Rows of an import that are done at once: their records share a few groups of the journal. */
export const importRows = 32
/** Rows after which an import's progress is kept: what a crash lets be done again. */
export const importWave = 100
