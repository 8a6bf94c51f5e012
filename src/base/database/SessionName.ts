/**
 * `application_name` of a session. Invariant: it ends with the node's id, by
 * which other nodes end the sessions of a dead one.
 */
export const sessionName = (purpose: string, node?: string): string =>
  node === undefined ? `lotbook ${purpose}` : `lotbook ${purpose} ${node}`
