/** Bounds of the operators' reads of one member, each with its unit and its reason. */

/** Lots that one statement compares with their entries: about 200 kB of numbers. */
export const lotsPage = 10_000

/** Records that one statement reads for the entries of lots: about 1 MB. */
export const recordsPage = 1_000
