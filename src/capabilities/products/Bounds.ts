/** Bounds of the products that are noted, each with its unit and the reason for the number. */

/** Products of a programme that are kept, in memory and in the table: more than a menu has, ids of a broken till included. */
export const maxProducts = 10_000
/** Categories of a product that are kept: a till sends few, and a row stays small. */
export const maxCategories = 20
/** Products that wait to be written, of all programmes. Notes beyond them are dropped: what is sold is sold again. */
export const maxWaiting = 10_000
/** Products that one statement writes: it takes some ten milliseconds. */
export const writeRows = 500
/** A later sale alone is written again after so long, ms: it decides only what is offered first, and when a product is gone. */
export const soldMs = 3_600_000
/** From the first note that waits to the write, ms: a new till's products show while somebody sets it up. */
export const settleMs = 2_000
/** From a write to the next one, ms. */
export const pauseMs = 60_000
/** A product that was not sold for so long is gone, days: as long as figures of single orders are kept. */
export const keptDays = 760
