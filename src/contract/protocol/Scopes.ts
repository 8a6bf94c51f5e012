/** Scopes: the permissions of tokens. */

/** The scopes of tokens (contract/operators.md *Tokens*). */
export const scopes = [
  "protocol:read",
  "protocol:write",
  "platform:read",
  "platform:write",
  "admin:read",
  "admin:write",
  "metrics:read"
] as const
export type Scope = (typeof scopes)[number]
