/** Bounds of gifts that people ask others for. */

/** An answer tomorrow still helps a guest who complained today. */
export const openMs = 24 * 3_600_000
/** After a week who asked has read the answer. */
export const keptMs = 7 * 24 * 3_600_000
/** More open questions of a person than a colleague reads. */
export const mostOpen = 20
/** Most questions of an answer. */
export const mostListed = 50
/** A gift takes milliseconds: after so long without an outcome, somebody else may give it, ms. */
export const doingMs = 60_000
