/**
 * Chains the records of an account: each record's hash covers the previous hash,
 * so that changed, removed or inserted records are detected.
 */
import type { ClaimKey } from "../journal/Hashing.ts"
import type { Claim, Hash128, StoredRecord } from "../journal/Records.ts"

/** The fields that the hash covers, besides the claims. */
type Chained = Omit<StoredRecord, "announced" | "hash">

const hashOf = (claimKey: ClaimKey, previous: string, record: Chained, claims: string): Hash128 =>
  claimKey(
    "record",
    previous,
    String(record.account),
    String(record.seq),
    String(record.at),
    String(record.version),
    record.events,
    record.reply,
    String(record.programVersion),
    record.actor ?? "",
    record.balances,
    claims,
    ...(record.origin === undefined ? [] : [record.origin])
  )

const byKey = (a: Claim, b: Claim): number => (a.key < b.key ? -1 : 1)

/** Claims as the hash covers them: key and fingerprint of each, in the order of the keys. */
export const claimsText = (claims: ReadonlyArray<Claim>): string =>
  claims
    .toSorted(byKey)
    .map(({ fingerprint, key }) => key + fingerprint)
    .join()

/** The hash of a record after the one with hash `previous` ("" before the first record). */
export const chain = (claimKey: ClaimKey, previous: string, record: Chained, claims: ReadonlyArray<Claim>): Hash128 =>
  hashOf(claimKey, previous, record, claimsText(claims))

/** True if a stored record, with its `claimsText`, has the right hash. */
export const isChained = (claimKey: ClaimKey, previous: string, record: StoredRecord, claims: string): boolean =>
  hashOf(claimKey, previous, record, claims) === record.hash
