/** Bounds of the platform, each with its unit and its reason. */

/** Members that a batch reads at once: a connection of the journal's reads serves others in between. */
export const memberReads = 8
