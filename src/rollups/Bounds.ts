/** Bounds of the rollups, each with its unit and why it is that number. */

/** Records in one change: some ms of work of this thread, so that requests hardly wait. */
export const batchRecords = 256

/** Records in one change where nobody else uses this thread: fewer round trips. */
export const remakeRecords = 4_096

/** Members sorted by a new ladder in one change: as much work as a batch. */
export const sortedMembers = 1_000

/** Pause where there is nothing to read, ms: how late figures are in a quiet service. */
export const idleMs = 1_000

/** Pause after a change while the service is busy, ms: 1,500 records a second, at about a twentieth of two processors. */
export const busyMs = 150

/** Share of this thread's time from which the service is busy. */
export const busyShare = 0.5

/** Time between two looks at the lag, ms: what collects metrics asks seldom. */
export const measureMs = 5_000

/** Pause after trouble, ms. */
export const troubleMs = 5_000

/** Connections of the one who keeps the rollups: it makes one statement after the other. */
export const connections = 1

/** Connections for the operators' figures and lists. */
export const readerConnections = 2

/** Limit of one attempt to connect, ms: as the journal's. */
export const connectTimeoutMs = 2_000

/** Server side limit of one statement, ms: a change takes tens of them. */
export const statementTimeoutMs = 10_000

/** Length of the times by which lots and activity are summed up, ms: every zone's midnight is the start of one. */
export const quarterMs = 900_000

/** Lengths of the times by which sales and rewards are summed up, ms: with days of UTC a year is 365 rows, not 35,040. */
export const spansMs = [quarterMs, 86_400_000] as const

/** Members of a list's time that are read one by one for a prefix: some 10 ms. */
export const fewJoined = 10_000

/** Members with the same identity value, of whatever type, issuer and programme. */
export const foundByIdentity = 1_000

/** Later than anything happens, ms: one more is still a safe integer. */
export const endOfTime = Number.MAX_SAFE_INTEGER - 1
