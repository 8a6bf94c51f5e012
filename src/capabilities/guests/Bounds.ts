/** Bounds of the guests' page, each with its unit and the reason for the number. */

/** How long a guest stays signed in, ms: a season. */
export const sessionMs = 90 * 24 * 3_600_000

/** Pause between two notes of a session's last use, ms: one write an hour, however often a guest looks. */
export const seenMs = 3_600_000

/** Sessions of a guest. One more ends the oldest. */
export const maxSessions = 20

/** How long a link works, ms: as long as an app takes to open it. */
export const linkMs = 15 * 60_000
