/**
 * Keyed hashes: what the claims table holds instead of the values themselves.
 *
 * The secret is made once per database, so that nobody who reads `claims` can
 * try out identities or order ids against it.
 */
import { hash } from "node:crypto"
import type { Hash128 } from "./Records.ts"

/** Hash of a list of well-formed strings; no two lists collide, for each part is preceded by its length. */
export type ClaimKey = (...parts: ReadonlyArray<string>) => Hash128

/** 32 hexadecimal digits in the text form of a UUID. */
const uuidOf = (hex: string): Hash128 =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`

/**
 * The first 128 bits of SHA-256 over the secret and the parts. Half of the hash
 * gives nothing that could be extended, so a plain prefix serves as the key.
 */
export const makeClaimKey = (secret: string): ClaimKey => {
  const prefix = `${secret.length}:${secret}`
  return (...parts) => {
    let text = prefix
    for (const part of parts) text += `${part.length}:${part}`
    return uuidOf(hash("sha256", text, "hex"))
  }
}

/** Words of 32 bits in a hash. */
export const hashWords = 4

const hexDigits = "0123456789abcdef"
/** By character code: a digit's value; 16 for the dashes. */
const digitOf = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = hexDigits.indexOf(String.fromCharCode(code))
  return digit < 0 ? 16 : digit
})

/** A hash's words, out of its text form. */
export const readHash = (text: Hash128, into: Uint32Array, at: number): void => {
  let word = 0
  let digits = 0
  for (let i = 0; i < text.length; i++) {
    const digit = digitOf[text.charCodeAt(i)]!
    if (digit === 16) continue
    word = (word << 4) | digit
    if (++digits % 8 === 0) into[at + digits / 8 - 1] = word
  }
}
