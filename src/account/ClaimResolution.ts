/**
 * Resolves a command whose claims are taken: a replay, the first result, or a
 * conflict (decisions.md §4 Idempotency). Requires: the account has no records in
 * flight.
 */
import type { ClaimHolder } from "../journal/Records.ts"
import type { Action } from "./domain/Command.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import { pathFrom, type State } from "./domain/State.ts"
import type { Command } from "./Guards.ts"

export type Resolution =
  /** Another owner has written to the account: load it and decide again. */
  | { readonly type: "reload" }
  /** Answer with that record's reply. */
  | { readonly type: "replay"; readonly account: number; readonly seq: number }
  /** The same was done under another key: answer with its reply, and record this key for it. */
  | { readonly type: "repeat"; readonly account: number; readonly seq: number }
  /** That record reserved the redemption: answer with the reservation's present state. */
  | { readonly type: "show_reservation"; readonly account: number; readonly seq: number }
  /** Another account has the identity or the member id. */
  | { readonly type: "held"; readonly holder: ClaimHolder }
  /** The business identifier is taken with other facts: a conflict, unless the key has a record. */
  | { readonly type: "conflict_unless_key_held"; readonly refusal: Refusal }
  | { readonly type: "refuse"; readonly refusal: Refusal }

/** The account that the command is on. */
export interface Owner {
  readonly number: number
  /** The committed state in memory. */
  readonly state: State
}

export const keyConflict: Refusal = refusal(
  "idempotency_conflict",
  "The idempotency key was used with a different payload."
)

const businessConflict = (action: Action["type"]): Refusal =>
  refusal(
    "conflict",
    action === "accrue"
      ? "The order has accrued before, with other facts or for another member."
      : "The identifier was used before with other facts."
  )

/** Resolves a taken claim. The first applicable case wins. */
export const resolve = (owner: Owner, { action, guards }: Command, holder: ClaimHolder): Resolution => {
  const { business, key } = guards
  const { account, seq } = holder
  if (account === owner.number && seq > owner.state.seq) return { type: "reload" }
  if (holder.key === key?.key) {
    return holder.fingerprint === key.fingerprint
      ? { type: "replay", account, seq }
      : { type: "refuse", refusal: keyConflict }
  }
  if (action.type === "enroll") return { type: "held", holder }
  const isOwn = account === owner.number || pathFrom(owner.state, account) !== undefined
  const isSame = holder.key === business?.key && holder.fingerprint === business.fingerprint && isOwn
  if (!isSame) return { type: "conflict_unless_key_held", refusal: businessConflict(action.type) }
  return { type: action.type === "reserve" ? "show_reservation" : "repeat", account, seq }
}

/** The holder to resolve first: the idempotency key's. */
export const first = ({ guards }: Command, holders: ReadonlyArray<ClaimHolder>): ClaimHolder | undefined =>
  holders.find((holder) => holder.key === guards.key?.key) ?? holders[0]

/** The claim keys that show whether a command was done before. */
export const guardKeys = ({ guards: { business, key } }: Command): ReadonlyArray<string> =>
  [key, business].flatMap((claim) => (claim === undefined ? [] : [claim.key]))
