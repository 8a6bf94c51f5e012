/**
 * Keyed hashes: what the claims table holds instead of the values themselves.
 *
 * The secret is made once per database, so that nobody who reads `claims` can
 * try out identities or order ids against it.
 */
import { hash } from "node:crypto"
import type { Hash128 } from "./Journal.ts"

/** Hash of a list of well-formed strings; no two lists collide, for each part carries its length. */
export type ClaimKey = (...parts: ReadonlyArray<string>) => Hash128

/**
 * The first 128 bits of SHA-256 over the secret and the parts. Cut in half, it
 * tells nothing that could be extended, so a plain prefix serves as the key.
 */
export const makeClaimKey = (secret: string): ClaimKey => {
  const prefix = `${secret.length}:${secret}`
  return (...parts) => {
    let text = prefix
    for (const part of parts) text += `${part.length}:${part}`
    const hex = hash("sha256", text, "hex")
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  }
}
