/** Bounds of e-mail, each with its unit and the reason for the number. */

/** Mails that wait, at most: a mail server that was away for a day takes them within some minutes. */
export const waiting = 10_000

/** Mails that wait when no code for a guest is taken any more: strangers ask for those, and invitations have the other half. */
export const waitingForCodes = 5_000

/** Mails of one batch: so many bodies are in memory. */
export const batchMails = 20

/** Mails that one statement removes, at most, because they are of no use: some ten milliseconds. */
export const lateMails = 1_000

/** Pause between two looks for those where there is no mail server, ms: nobody waits for it. */
export const lateLookMs = 60_000

/** Connections to the mail server: more, and servers of small companies refuse. */
export const connections = 2

/** Pause when nothing waits, ms: a guest who waits for a code hardly notices. */
export const idleMs = 500

/** Pause after the mail server was away, ms. */
export const troubleMs = 5_000

/** How long the mail server may take to answer the connection, ms. */
export const connectMs = 10_000

/** How long it may be silent, ms: servers look at a mail for up to half a minute before they take it. */
export const silentMs = 45_000

/** How long a mail is one node's, ms: longer than it may take to be sent. */
export const leaseMs = 180_000

/** Pause before a mail is sent again, ms: doubled each time, at most the longest. */
export const retryMs = 15_000
export const longestRetryMs = 900_000

/** Pause between two measurements of what waits, ms: metrics are scraped no more often. */
export const measureMs = 5_000
