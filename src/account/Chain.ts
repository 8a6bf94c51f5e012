/**
 * Chains the records of an account: each one's hash covers the one before, so
 * that a record changed, taken out or put in by hand does not go unseen.
 */
import type { Claim, Hash128, Journal, StoredRecord } from "../journal/Journal.ts"

import type { Event } from "./domain/Event.ts"
import { artifactClaim, issuedClaim } from "./Rows.ts"

type ClaimKey = Journal["Service"]["claimKey"]

/** What the hash covers, whichever way the claims stand. */
type Chained = Omit<StoredRecord, "hash">

const text = (claims: ReadonlyArray<Claim>): string => claims.map((claim) => claim.key + claim.fingerprint).join()

/** Characters of a hash in the text form of a UUID. */
const hashLength = 36

/** Claims of a text, in its order. */
export const claimsOf = (chained: string): ReadonlyArray<Claim> =>
  chained === ""
    ? []
    : chained.split(",").map((claim) => ({ key: claim.slice(0, hashLength), fingerprint: claim.slice(hashLength) }))

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
    claims
  )

const byKey = (a: Claim, b: Claim): number => (a.key < b.key ? -1 : 1)

const sorted = (claims: ReadonlyArray<Claim>): ReadonlyArray<Claim> => {
  const [first, second] = claims
  if (first === undefined || second === undefined) return claims
  // Nearly every record has two, for which `toSorted` would allocate 800 bytes.
  if (claims.length > 2) return claims.toSorted(byKey)
  return byKey(first, second) < 0 ? claims : [second, first]
}

/** Claims as the hash covers them: key and fingerprint of each, in the order of the keys. */
export const claimsText = (claims: ReadonlyArray<Claim>): string => text(sorted(claims))

/** The hash of a record of the present format on top of the one before ("" before the first). */
export const chain = (claimKey: ClaimKey, previous: string, record: Chained, claims: ReadonlyArray<Claim>): Hash128 =>
  hashOf(claimKey, previous, record, claimsText(claims))

/** The first format whose hash covers the claims in the order of their keys. */
const sortedSince = 2

const orders = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length < 2
    ? [items]
    : items.flatMap((item, index) => orders(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))

/** The claims of stamp card rewards that a record of format 1 made, in their order. */
const cardKeys = (claimKey: ClaimKey, program: string, events: string): ReadonlyArray<Hash128> =>
  (JSON.parse(events) as ReadonlyArray<Event>).flatMap((event) =>
    event.type === "reward_issued" && event.card !== undefined
      ? [issuedClaim(claimKey, event.issued), artifactClaim(claimKey, program, event.artifact.value)]
      : []
  )

/**
 * The orders in which a record of format 1 may have made its claims, which no table keeps: the
 * few of the request itself in any order, then those of the cards that it filled.
 */
const madeOrders = (claimKey: ClaimKey, program: string, events: string, claims: ReadonlyArray<Claim>) => {
  const cards = cardKeys(claimKey, program, events)
  const ofCards = cards.flatMap((key) => claims.find((claim) => claim.key === key) ?? [])
  const ofRequest = claims.filter((claim) => !cards.includes(claim.key))
  // A request makes three at the most: its key, its business identifier, one value more.
  return ofRequest.length > 4 ? [] : orders(ofRequest).map((order) => [...order, ...ofCards])
}

/** Whether a record that was read back, with its `claimsText`, has the hash that belongs there. */
export const isChained = (
  claimKey: ClaimKey,
  program: string,
  previous: string,
  record: StoredRecord,
  claims: string
): boolean =>
  record.version >= sortedSince
    ? hashOf(claimKey, previous, record, claims) === record.hash
    : madeOrders(claimKey, program, record.events, claimsOf(claims)).some(
        (order) => hashOf(claimKey, previous, record, text(order)) === record.hash
      )
