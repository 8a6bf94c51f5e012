/**
 * Secrets that the service must be able to use again, as they are stored:
 * AES-256-GCM under a key of the installation. A hash would not do, as a
 * connector's secret signs. The key comes from the database's own secret, so a copy
 * of one table tells nothing, and a copy of the whole database tells all.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { ClaimKey } from "../journal/Hashing.ts"

const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

/** 256 bits: two keyed hashes of 128. */
const keyOf = (claimKey: ClaimKey): Buffer =>
  Buffer.from(["first", "second"].map((half) => claimKey("sealing key", half).replaceAll("-", "")).join(""), "hex")

/** A secret as it is stored: nonce, tag, ciphertext. It can be opened only as the same owner's. */
export const seal = (claimKey: ClaimKey, owner: string, secret: string): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, keyOf(claimKey), nonce).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** The secret again. A stored one that was changed, or is another owner's, is a defect. */
export const open = (claimKey: ClaimKey, owner: string, sealed: Buffer): string => {
  const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)]
  const decipher = createDecipheriv(algorithm, keyOf(claimKey), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8")
}
