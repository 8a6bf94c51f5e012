/** Bounds of segments' statements, each with its unit and the reason for the number. */

/** Memory for all sorts and hashes of an audience's statement, MB: three rules over a million members fit. */
export const audienceMemoryMb = 192
/** Least memory for one sort or hash, MB: PostgreSQL's default for `work_mem`. */
export const leastMemoryMb = 4

/** Timeout of a statement over an audience, ms: a year of orders of a million members takes 8 s. */
export const audienceTimeoutMs = 60_000
