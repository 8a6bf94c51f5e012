/**
 * Ledger cursors: opaque, bound to their filters, tamper-evident. The text is
 * the last entry's number and a keyed hash over it and the filters.
 */
import type { ClaimKey } from "../journal/Hashing.ts"

const seal = (claimKey: ClaimKey, filters: string, n: string): string =>
  claimKey("cursor", filters, n).replaceAll("-", "")

export const make = (claimKey: ClaimKey, filters: string, n: number): string => {
  const text = n.toString(36)
  return `${text}.${seal(claimKey, filters, text)}`
}

/** The entry's number; undefined if the cursor is not from this service with these filters. */
export const read = (claimKey: ClaimKey, filters: string, cursor: string): number | undefined => {
  const [, n, sealed] = /^([0-9a-z]{1,11})\.([0-9a-f]{32})$/.exec(cursor) ?? []
  return n === undefined || sealed !== seal(claimKey, filters, n) ? undefined : Number.parseInt(n, 36)
}
