/** Bounds of what an assistant gets in one answer: it reads every character, and more would not be read well. */

/** Most items of any list in an answer. The answer says what it left out. */
export const rows = 50
/** Guests that a search shows: by default, and at most. */
export const foundByDefault = 10
export const mostFound = 25
/** Entries of a ledger, or of the audit: by default, and at most. */
export const entriesByDefault = 20
export const mostEntries = 50
/** Segments of one page. The size of each is a question of its own to the database. */
export const audiences = 10
/** Most characters of one text that somebody outside wrote. */
export const textCharacters = 500
/** Members that are looked at for an order's entries: a search finds more than orders. */
export const orderCandidates = 5
/** Pages of 200 entries that are looked through for an order's entries, so 1,000 orders of a member. */
export const ledgerPages = 5
/** Pages of 100 events that are looked through for an order's event, beginning with the entry's commit. */
export const feedPages = 3
/** How long before an entry's time its event is looked for, ms: the entry's time may be a few ms before its commit's. */
export const feedBeforeMs = 60_000
