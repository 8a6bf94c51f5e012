/** Bounds of people, each with its unit and the reason for the number. */

/** How long an invitation works, ms: over a weekend and a holiday. */
export const invitationMs = 7 * 24 * 3_600_000

/** How long an authenticator may take to sign, ms (contract/people.md *Passkeys*). */
export const challengeMs = 5 * 60_000

/** Open challenges of one address. One more deletes its oldest, so that asking for them fills no table and ends nobody else's. */
export const maxChallenges = 100

/** How long a session of the provider holds without being confirmed, ms (contract/people.md *OpenID Connect*). */
export const confirmedMs = 15 * 60_000

/** When the provider is asked again after it has confirmed a session, and after it was silent, ms. */
export const confirmMs = 10 * 60_000
export const confirmAgainMs = 30_000

/** Sign-ins of one node that ask the provider at the same instant. Further ones are refused: it may be silent for long. */
export const askingAtOnce = 16

/** Pause between two looks for sessions to confirm, ms; sessions that are confirmed at a look. */
export const confirmLookMs = 5_000
export const confirmedAtOnce = 20

/** Passkeys of a user: more than anybody has devices. */
export const maxPasskeys = 20
