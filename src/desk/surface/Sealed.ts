/**
 * Encrypts secrets that the service needs in plain text later, such as those that sign
 * webhooks: AES-256-GCM. The key is derived from the database's secret (`claimKey`). So
 * a copy of one table reveals nothing, but a copy of the whole database reveals all.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import type { ClaimKey } from "../../core/journal/Hashing.ts"

const algorithm = "aes-256-gcm"
const nonceBytes = 12
const tagBytes = 16

/** A key of 256 bits: two keyed hashes of 128 bits. */
const keyOf = (claimKey: ClaimKey): Buffer =>
  Buffer.from(["first", "second"].map((half) => claimKey("sealing key", half).replaceAll("-", "")).join(""), "hex")

/** Encrypts a secret: nonce, tag, ciphertext. Only `open` with the same owner decrypts it. */
export const seal = (claimKey: ClaimKey, owner: string, secret: string): Buffer => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(algorithm, keyOf(claimKey), nonce).setAAD(Buffer.from(owner))
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** Decrypts a secret. A changed one, or one of another owner, is a defect. */
export const open = (claimKey: ClaimKey, owner: string, sealed: Buffer): string => {
  const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)]
  const decipher = createDecipheriv(algorithm, keyOf(claimKey), nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]).toString("utf8")
}
