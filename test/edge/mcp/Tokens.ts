/** Tokens for tests, known from the start. */
import { hash } from "node:crypto"
import type { Scope } from "../../../src/contract/Scopes.ts"
import type { TokenGrant } from "../../../src/desk/access/Keys.ts"

/** The secret of the token that has these scopes alone. */
export const secretOf = (scopes: ReadonlyArray<Scope>, programs?: ReadonlyArray<string>): string =>
  `assistant-${[...scopes, ...(programs ?? [])].join("-").replaceAll(":", ".")}`

export const granted = (scopes: ReadonlyArray<Scope>, programs?: ReadonlyArray<string>): TokenGrant => {
  const secret = secretOf(scopes, programs)
  return { token_sha256: hash("sha256", secret), scopes, name: secret, ...(programs === undefined ? {} : { programs }) }
}
