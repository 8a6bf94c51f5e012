/** Bounds of the guests' page, each with its unit and the reason for the number. */

/** How long a guest stays signed in, ms: a season. */
export const sessionMs = 90 * 24 * 3_600_000

/** Pause between two notes of a session's last use, ms: one write an hour, however often a guest looks. */
export const seenMs = 3_600_000

/** Sessions of a guest. One more ends the oldest. */
export const maxSessions = 20

/** How long a link works, ms: as long as an app takes to open it. */
export const linkMs = 15 * 60_000

/** Dates of expiry that are shown: a year by months. */
export const expiringDates = 12

/** Wrong codes of a network in an hour, from which on none of it is looked at: guests of a restaurant share one. */
export const mostWrong = 50
/** New addresses that a guest names in an hour: nobody mistypes more. */
export const addressesPerGuest = 10

/** Length of that hour, ms. */
export const wrongMs = 3_600_000

/** How long a code works, ms: a mail may take minutes. */
export const codeMs = 10 * 60_000

/** Wrong codes of a request: five of a million codes. */
export const codeTries = 5

/** How long a session may do what needs a fresh code, ms. */
export const freshMs = 10 * 60_000

/** Mails with codes to an address in an hour for one network that asks: nobody mistypes more. */
export const codesPerAddress = 3

/** The same for all networks: nobody is flooded, and a stranger needs four networks to use them up. */
export const codesOfAddress = 10

/** Codes that are asked for, and entered, from a network in an hour: all guests of a full restaurant behind one router. */
export const codesPerNetwork = 200
export const entriesPerNetwork = 400

/**
 * Codes for signing in that are asked of a programme in an hour: more than one a second, as when all guests of a chain read of
 * the page. Strangers with many networks make the service mail no more to addresses that they invent.
 */
export const codesPerProgram = 5_000

/** `Retry-After` while too many mails wait, seconds: the sender sends some hundred in it. */
export const fullRetrySeconds = 60

/** Length of that hour, ms. */
export const countMs = 3_600_000

/** Rows that are over and go with one that is added: more than are added. */
export const swept = 20

/** Rows of a table that one statement removes because they are over, at most: some ten milliseconds. */
export const removedAtOnce = 1_000

/** Sign-ins that open a session or join at once on a node: half of the connections that people's requests have. */
export const signInsAtOnce = 2

/** Guests of an address to choose from: a family with one address. */
export const maxChoice = 20

/** How long a guest who leaves may come back, ms. */
export const leaveMs = 7 * 24 * 3_600_000

/** How long a mail that tells of a change is of use, ms. */
export const toldMs = 24 * 3_600_000

/** Pause between two looks for guests who have left, ms: nobody waits for it. */
export const leaveLookMs = 60_000

/** Pause before a guest who cannot be erased is tried again, ms. */
export const leaveAgainMs = 3_600_000

/** Guests who are erased in a round, at most: some seconds. */
export const leavingAtOnce = 20

/** Codes to a telephone in an hour for one network that asks: nobody mistypes more. */
export const codesPerPhone = 3

/** The same for all networks: each costs money and rings in a pocket, and a stranger needs two networks to use them up. */
export const codesOfPhone = 6

/** Codes to telephones for one network in an hour: guests who join at their tables. A stranger needs half a day for a day's 500. */
export const textsPerNetwork = 40

/** Codes to telephones of a programme in a day, where its page says nothing: those of a large restaurant. */
export const codesPerDay = 500

/** So many times as many codes a day go out where a guest who has signed in asks: strangers cannot use up hers. */
export const sessionShare = 2

/** `Retry-After` once there were as many, seconds: the day may be over then, and nobody waits for it. */
export const dayRetrySeconds = 3_600

/** Programmes in memory with whether they send codes to telephones, and how long one is held, ms. */
export const offersHeld = 100
export const offersMs = 10_000

/** Codes to telephones in flight of a programme, and of all: so many connections are open. */
export const textsInFlight = 8
export const allTextsInFlight = 64

/** How long a code is one node's, ms: longer than a receiver has to answer. */
export const textLeaseMs = 20_000

/** Pause before a code is sent again, ms: doubled each time, at most the longest. Its guest waits. */
export const textRetryMs = 2_000
export const longestTextRetryMs = 60_000

/** Pause when no code waits, ms: a guest hardly notices. */
export const textIdleMs = 500

/** Pause after trouble with the storage, ms. */
export const textTroubleMs = 5_000

/** Pause between two looks for codes that ended, ms: they can do nothing any more. */
export const textSweepMs = 10_000
