/** Bounds of reads and writes of members, each with its unit and the reason for the number. */

/** Newest orders that a search by a part of their ids reads: about 50 ms. */
export const newestOrders = 100_000

/** Most members that a part of an order's id finds: a clerk looks for one. */
export const fewOrdered = 100

/** Most members that a search with a typing error finds, and of others beside whom they are looked for: more is no help. */
export const fewSimilar = 100

/** How far ahead of the service's clock a consent may be recorded, ms: other systems' clocks differ. */
export const clockSkewMs = 300_000

/** Most members of a search that are read by number. More are found quickly by scanning in list order. */
export const fewFound = 2_000

/** Largest JSON of a member's attributes, bytes: every response about the member contains it. */
export const attributesBytes = 65_536

/** Lots that one statement compares with their entries: about 200 kB of numbers. */
export const lotsPage = 10_000

/** Records that one statement reads for the entries of lots: about 1 MB. */
export const recordsPage = 1_000

/** For how many days a restaurant sees a guest who has ordered there. */
export const guestDays = 400

/** Shortest time of an answer that no guest is known, ms: longer than the look at most guests' entries, which it must not tell. */
export const unknownMs = 100

/** Entries that one statement reads of a guest, and how many such pages: the entries of 20 years of daily visits. */
export const guestPage = 500
export const guestPages = 40

/** Orders and reservations of a guest that are looked up at a time: leaves the journal's connections free for tills. */
export const placesAtOnce = 4

/** How often a gift is looked at before it is given: each time, an order or another gift has come between. */
export const giftTries = 5
