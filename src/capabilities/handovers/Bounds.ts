/** Bounds of work that people hand over. */

/** A campaign or a change of the programme is planned for weeks, not for the guest at the counter. */
export const openMs = 14 * 24 * 3_600_000
/** Two weeks after it was over, who handed it over has read so. */
export const keptMs = 28 * 24 * 3_600_000
/** More open ones of a person than colleagues read. */
export const mostOpen = 20
/** Most of an answer. */
export const mostListed = 50
