/** Bounds of what operators read of one member, each with its unit and its reason. */

/** Lots whose entries are read in one statement: some 100 kB of rows. */
export const lotsPage = 1_000

/** Entries of a page of a CSV export: some 150 kB, so that a reader who is slow holds little. */
export const csvPage = 1_000
