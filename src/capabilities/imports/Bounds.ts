/** Bounds of imports, each with its unit and the reason for the number. */

/** Imports that run at a time on a node: one keeps the journal busy. */
export const importsAtOnce = 1
/** Most imports that run or wait: each holds a body of up to 1 MiB and runs for a few seconds. */
export const importsWaiting = 16
/** Rows of an import that run at a time: their records share a few groups of the journal. */
export const importRows = 32
/** Rows after which the progress of an import is stored: a crash repeats at most these. */
export const importBatch = 100
/** Records of a guest that are read to tell what was done since an import. A guest who has more was not idle. */
export const recordsSince = 50
