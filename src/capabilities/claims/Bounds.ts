/** Bounds of orders without a guest, each with its unit and the reason for the number. */

/** Wrong codes of a member in an hour, from which on no code of hers is looked at: nobody mistypes so often. */
export const mostWrong = 10
/** Length of that hour, ms. */
export const wrongMs = 3_600_000
/** Counts of ended hours that go with one that is counted: more than are added. */
export const swept = 20
/** Age from which a claim that has not ended is finished by the worker, ms: the request that began it has ended by then. */
export const abandonedMs = 10_000
/** Claims that a round finishes at most: it takes about a second. */
export const roundClaims = 50
/** Records of the feed that a round looks at, at most: about 1 MB. */
export const roundRecords = 1_000
/** Pause between two rounds without work, ms: a refund reaches its guest within seconds. */
export const roundMs = 2_000
/** Pause while storage is away or writes are frozen, ms. */
export const troubleMs = 5_000
/** How often a claim is looked at again when another one ended in between. */
export const claimTries = 3
