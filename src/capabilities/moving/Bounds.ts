/** Bounds of moves, each with its unit and the reason for the number. */

/** Bytes of a file that are read at a time. */
export const readBytes = 256 * 1024
/** Longest line of a file, bytes: the most that the CSV reader takes. */
export const lineBytes = 1024 * 1024
/** Parts into which rows are divided by guest: of a million guests, a part has 16,000 and fits into memory. */
export const parts = 64
/** Bytes of a part that wait for a write. 64 parts have 8 MiB. */
export const partBytes = 128 * 1024
/** Guests that are looked up with one statement. */
export const lookedUp = 500
/** Rows of a file from which a mapping is suggested. */
export const sampledRows = 1_000
