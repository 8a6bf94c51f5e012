/** A reservation's id names its account and its first record. So it is unique, and needs no table to find the record. */
import type { ClaimHolder } from "../journal/Records.ts"

const pattern = /^rsv_([0-9a-z]{1,11})_([0-9a-z]{1,11})$/

export const make = (account: number, seq: number): string => `rsv_${account.toString(36)}_${seq.toString(36)}`

export const accountOf = (id: string): number | undefined => placeOf(id)?.account

/** The record that made a reservation. */
export const placeOf = (id: string): Pick<ClaimHolder, "account" | "seq"> | undefined => {
  const [, account, seq] = pattern.exec(id) ?? []
  return account === undefined || seq === undefined
    ? undefined
    : { account: Number.parseInt(account, 36), seq: Number.parseInt(seq, 36) }
}
