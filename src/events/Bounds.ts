/** Bounds of guests' events, each with its unit and the reason for the number. */

/** Members that a batch of events reads at a time: leaves the journal's connections free for other reads. */
export const memberReads = 8
