/** Bounds of exports, each with its unit and the reason for the number. */

/** Characters of lines that are written at a time: larger ones compress no better. */
export const writtenLength = 128 * 1024
/** Rows of a guest that are read out of archive files at a time: records have about 3 kB. */
export const filedRows = 1_000
/** Bytes of a file that are read at a time. */
export const readBytes = 256 * 1024
/** Bytes of a file's end that are looked at for what follows its frame: an empty frame has 13. */
export const tailBytes = 64
/** Longest line of an export, bytes: a record with the most lots that a merge brings has a tenth. */
export const lineBytes = 64 * 1024 * 1024
/** Guests of one turn of the loop: about a millisecond. */
export const turnGuests = 8
/** Pause after which an unfinished file is touched, ms: six times before others take it for left. */
export const touchMs = 10_000
/** Time after which a file of another host that was not touched counts as left, ms: clocks of hosts differ by seconds. */
export const untouchedMs = 60_000
