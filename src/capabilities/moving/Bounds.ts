/** Bounds of moves, each with its unit and the reason for the number. */

/** Bytes of a file that are read at a time. */
export const readBytes = 256 * 1024
/** Longest line of a file, bytes: the most that the CSV reader takes. */
export const lineBytes = 1024 * 1024
/** Parts into which rows are divided by guest: of a million guests, a part has 16,000 and fits into memory. */
export const parts = 64
/** Bytes of a part that wait for a write. 64 parts have 8 MiB. */
export const partBytes = 128 * 1024
/** Rows of a file from which a mapping is suggested. */
export const sampledRows = 1_000
/** Guests of a request that move at a time: their records share a few groups of the journal. */
export const movedAtOnce = 32
/** Times that a guest is looked at again because somebody changed the same meanwhile. */
export const lookedAgain = 3
/** Guests in a request, so that an answer takes less than a second. */
export const sentGuests = 100
/** Characters of guests in a request: a quarter of the largest body. */
export const sentLength = 256 * 1024
/** Requests of a move at a time: two nodes have work while others are answered. */
export const sentAtOnce = 4
/** Accounts that are looked through for a page of guests of earlier moves: well below a second, and no long snapshot. */
export const accountsListed = 2_000
/** Accounts of a page whose archived entries are read: each takes a read of every archived month that it has records of. */
export const filedListed = 50
/** Pause between lines of progress, ms. */
export const progressMs = 5_000
/** Pause between reports of a run, ms: a few hundred rows change for a million guests. */
export const reportMs = 15_000
/** Time after which a run that told nothing counts as interrupted, ms: eight reports. */
export const silentMs = 120_000
