/**
 * Ledger cursors: opaque, bound to their filters, tamper-evident. The text is the
 * last entry's place and a keyed hash over it and the filters.
 */
import type { ClaimKey } from "../journal/Hashing.ts"

const seal = (claimKey: ClaimKey, filters: string, place: string): string =>
  claimKey("cursor", filters, place).replaceAll("-", "")

export const make = (claimKey: ClaimKey, filters: string, place: string): string =>
  `${place}.${seal(claimKey, filters, place)}`

/** The entry's place; undefined if the cursor is not from this service with these filters. */
export const read = (claimKey: ClaimKey, filters: string, cursor: string): string | undefined => {
  const [, place, sealed] = /^([0-9a-z~-]{1,40})\.([0-9a-f]{32})$/.exec(cursor) ?? []
  return place === undefined || sealed !== seal(claimKey, filters, place) ? undefined : place
}
