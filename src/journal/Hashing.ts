/**
 * Keyed hashes: what the claims table holds instead of the values themselves.
 *
 * The secret is made once per database, so that nobody who reads `claims` can
 * try out identities or order ids against it.
 */
import { hash } from "node:crypto"
import type { Hash128 } from "./Journal.ts"

/** A well-formed string, whole or in pieces, themselves well-formed, that nobody has put together yet. */
export type Part = string | ReadonlyArray<string>

/** Hash of a list of strings; no two lists collide, for each part carries its length. */
export type ClaimKey = (...parts: ReadonlyArray<Part>) => Hash128

/** Shorter texts are put into the bytes character by character: a call that writes them costs more. */
const shortText = 64
/** The most bytes that a character takes. */
const characterBytes = 3
/** The most bytes that a part's length takes, with its colon. */
const lengthBytes = 17
/** Bytes that are kept to hash in, from one time to the next: all that an order of a hundred lines needs. */
const keptBytes = 65_536

/** Puts a short text into bytes; where it ends. */
const putShort = (text: string, bytes: Buffer, at: number): number => {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127) return at + bytes.write(text, at)
    bytes[at + index] = code
  }
  return at + text.length
}

const put = (text: string, bytes: Buffer, at: number): number =>
  text.length < shortText ? putShort(text, bytes, at) : at + bytes.write(text, at)

const putPart = (part: Part, bytes: Buffer, at: number): number => {
  if (typeof part === "string") return put(part, bytes, at)
  let end = at
  for (const piece of part) end = put(piece, bytes, end)
  return end
}

const lengthOf = (part: Part): number =>
  typeof part === "string" ? part.length : part.reduce((sum, piece) => sum + piece.length, 0)

/**
 * The first 128 bits of SHA-256 over the secret and the parts. Cut in half, it
 * tells nothing that could be extended, so a plain prefix serves as the key.
 *
 * What is hashed is put together in the same bytes every time: as a text it was a
 * tenth of all that an accrual allocates.
 */
export const makeClaimKey = (secret: string): ClaimKey => {
  const prefix = Buffer.from(`${secret.length}:${secret}`)
  const kept = Buffer.alloc(prefix.length + keptBytes)
  prefix.copy(kept)
  return (...parts) => {
    let most = prefix.length
    for (const part of parts) most += lengthBytes + characterBytes * lengthOf(part)
    let bytes = kept
    if (most > kept.length) {
      bytes = Buffer.alloc(most)
      prefix.copy(bytes)
    }
    let at = prefix.length
    for (const part of parts) at = putPart(part, bytes, putShort(`${lengthOf(part)}:`, bytes, at))
    return uuidOf(hash("sha256", bytes.subarray(0, at), "binary"))
  }
}

/** The code of each byte's high digit and of its low one. */
const high = Uint8Array.from({ length: 256 }, (_, byte) => (byte >> 4).toString(16).charCodeAt(0))
const low = Uint8Array.from({ length: 256 }, (_, byte) => (byte & 15).toString(16).charCodeAt(0))
/** Where each of the 16 bytes stands in the text. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
/** The text in the making, its hyphens in place. */
const codes: Array<number> = Array.from("00000000-0000-0000-0000-000000000000", (digit) => digit.charCodeAt(0))

/** The first 16 characters of a byte string in the text form of a UUID: one flat string, as maps like their keys. */
const uuidOf = (bytes: string): Hash128 => {
  for (let index = 0; index < 16; index++) {
    const byte = bytes.charCodeAt(index)
    const place = places[index]!
    codes[place] = high[byte]!
    codes[place + 1] = low[byte]!
  }
  return String.fromCharCode.apply(undefined, codes)
}

/** The value of each hexadecimal digit's code. */
const digits = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0)

const digit = (text: string, at: number): number => digits[text.charCodeAt(at)]!
/** Four hexadecimal digits as a number. */
const quarter = (text: string, at: number): number =>
  (digit(text, at) << 12) | (digit(text, at + 1) << 8) | (digit(text, at + 2) << 4) | digit(text, at + 3)

/** Words of 32 bits in a hash. */
export const hashWords = 4

/** A hash's words, out of its text form. */
export const readHash = (text: Hash128, into: Uint32Array, at: number): void => {
  into[at] = (quarter(text, 0) << 16) | quarter(text, 4)
  into[at + 1] = (quarter(text, 9) << 16) | quarter(text, 14)
  into[at + 2] = (quarter(text, 19) << 16) | quarter(text, 24)
  into[at + 3] = (quarter(text, 28) << 16) | quarter(text, 32)
}
