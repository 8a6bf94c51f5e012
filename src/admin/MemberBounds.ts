/** Bounds of what operators read of one member, each with its unit and its reason. */

/** Lots that are held against their entries in one statement: some 200 kB of numbers. */
export const lotsPage = 10_000

/** Records that are read in one statement for the entries of lots: about 1 MB. */
export const recordsPage = 1_000
