/** Bounds of the platform, each with its unit and its reason. */

/** Members that a batch reads at once: a connection of the journal's reads serves others in between. */
export const memberReads = 8

/** How far ahead of the service's clock a consent may be recorded, ms: other systems' clocks differ. */
export const clockSkewMs = 300_000

/** Members found by a search that are sorted by themselves; where it finds more, they are dense in all members. */
export const fewFound = 2_000

/** Longest JSON of a member's attributes, bytes: each answer about the member carries it. */
export const attributesBytes = 65_536
