/**
 * Encrypts secrets that the service needs in plain text later, such as those that sign
 * webhooks: AES-256-GCM. The key is derived from the database's secret (`claimKey`). So
 * a copy of one table reveals nothing, but a copy of the whole database reveals all.
 */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto"
import type { ClaimKey } from "../../core/journal/Hashing.ts"

const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

const keys = new WeakMap<ClaimKey, KeyObject>()

/** A key of 256 bits: two keyed hashes of 128 bits. */
const keyOf = (claimKey: ClaimKey): KeyObject => {
  const halves = () => ["first", "second"].map((half) => claimKey("sealing key", half).replaceAll("-", "")).join("")
  const key = keys.get(claimKey) ?? createSecretKey(halves(), "hex")
  keys.set(claimKey, key)
  return key
}

/** Encrypts a secret, a text or its UTF-8: nonce, tag, ciphertext. Only `open` with the same owner decrypts it. */
export const seal = (claimKey: ClaimKey, owner: string, secret: string | Uint8Array): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, keyOf(claimKey), nonce).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(typeof secret === "string" ? Buffer.from(secret) : secret), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Decrypts what a caller has sent; undefined: it was not sealed here for this owner. */
export const opened = (claimKey: ClaimKey, owner: string, sealed: Buffer): string | undefined => {
  try {
    return open(claimKey, owner, sealed)
  } catch {
    return undefined
  }
}

/** Decrypts a secret. A changed one, or one of another owner, is a defect. */
export const open = (claimKey: ClaimKey, owner: string, sealed: Buffer): string => {
  const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)]
  const decipher = createDecipheriv(algorithm, keyOf(claimKey), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8")
}

/** Places of one kind. All are sealed at one length, which tells nothing: that of the longest text. */
export interface PlaceKind {
  readonly of: string
  readonly length: number
}

const placeMark = "s"

/** A place without what it tells of other restaurants' guests and of how much there is. */
export const sealedPlace = (claimKey: ClaimKey, { length, of }: PlaceKind, place: string): string =>
  `${placeMark}${seal(claimKey, of, place.padEnd(length)).toString("base64url")}`

/** The text of a sealed place, and any other text as it is. */
export const openedPlace = (claimKey: ClaimKey, { of }: PlaceKind, text: string): string => {
  if (!text.startsWith(placeMark)) return text
  return opened(claimKey, of, Buffer.from(text.slice(placeMark.length), "base64url"))?.trimEnd() ?? text
}
