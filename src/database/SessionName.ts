/**
 * `application_name` of a session. Invariant: it ends with the holder's id. A
 * standby that takes over ends the sessions with the former holder's id.
 */
export const sessionName = (purpose: string, holder?: string): string =>
  holder === undefined ? `lotbook ${purpose}` : `lotbook ${purpose} ${holder}`
