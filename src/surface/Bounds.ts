/** Bounds of the surfaces' shared parts, each with its unit and the reason for the number. */

/** Entries read at once for a CSV file. */
export const csvPage = 1_000
