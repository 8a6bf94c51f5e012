/**
 * The state of an account in the seal of a span (contract/databases.md *Seals*): JSON that every later version reads.
 *
 * A change of `StateText` that an earlier version would misread raises `version`, and `decode` goes on reading the texts
 * of before.
 */
import type { ClaimKey } from "../journal/Hashing.ts"
import type { Hash128, SealedAccount } from "../journal/Records.ts"
import type { StateText } from "./Codec.ts"
import { fromText, toText } from "./Codec.ts"
import type { State } from "./domain/State.ts"

/** Format of the text. */
export const version = 1

type Hashed = Omit<SealedAccount, "hash" | "state"> & { readonly state: string }

/** The hash of a row. */
export const hashOf = (claimKey: ClaimKey, { account, chain, seq, span, state, version }: Hashed): Hash128 =>
  claimKey("sealed", String(span), String(account), String(seq), chain, String(version), state)

export const encode = (state: State): string => JSON.stringify(toText(state))

/** The state of a text. Throws on a format that this version does not know: a later version has written it. */
export const decode = (text: string, format: number): State => {
  if (format !== version) throw new Error(`a sealed state has format ${format}; this version reads up to ${version}`)
  return fromText(JSON.parse(text) as StateText)
}

/** The state of a row; undefined where it has none, was changed, or was written by a later version. */
export const read = (claimKey: ClaimKey, row: SealedAccount): State | undefined => {
  const { hash, state } = row
  if (state === undefined || row.version !== version || hashOf(claimKey, { ...row, state }) !== hash) return undefined
  return decode(state, row.version)
}
