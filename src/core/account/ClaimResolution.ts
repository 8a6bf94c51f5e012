/**
 * The one answer to a taken claim: a replay, the first result, or a conflict
 * (contract/idempotency.md *Business identifiers*). `resolve` requires that the account has no records in flight.
 */
import type { ClaimHolder } from "../journal/Records.ts"
import type { Command } from "./Command.ts"
import type { Action } from "./domain/Action.ts"
import { type Refusal, refusal } from "./domain/Refusal.ts"
import { isNamed, pathFrom, type State } from "./domain/State.ts"
import type { Guards } from "./Guards.ts"

type Resolution =
  /** Another owner has written to the account: load it and decide again. */
  | { readonly type: "reload" }
  /** Answer with that record's reply. */
  | { readonly type: "replay"; readonly account: number; readonly seq: number }
  /** The same was done under another key: answer with its entries and the balances of now, and record this key for it. */
  | { readonly type: "repeat"; readonly account: number; readonly seq: number }
  /** That record reserved the redemption: answer with the reservation's present state. */
  | { readonly type: "show_reservation"; readonly account: number; readonly seq: number }
  /** Another account has the identity or the member id. */
  | { readonly type: "taken"; readonly holder: ClaimHolder }
  /** The claim is taken with other facts. For a business identifier: a conflict, unless the key has a record. */
  | { readonly type: "conflict"; readonly refusal: Refusal }

/** The account that the command is on. */
export interface Owner {
  readonly number: number
  /** The committed state in memory. */
  readonly state: State
  /** Of a command on an order that was moved here: the accounts that had it before. Their records of it count as own. */
  readonly before?: ReadonlyArray<number>
}

/** A claim that says nothing about the command itself, such as an artifact's value, belongs to another record. */
export const valueTaken: Refusal = refusal("conflict", "A value that must be unique is already in use.")

const conflicts = {
  key: refusal("idempotency_conflict", "The idempotency key was used with a different payload."),
  order: refusal(
    "conflict",
    "The order has accrued before, with other facts or for another member. An order_id stays unique in the programme: if your numbers repeat, put shop and day before them."
  ),
  identifier: refusal("conflict", "The identifier was used before with other facts.")
}

/** Refuses a command whose claim was made with other facts, or for another member. */
export const conflict = (
  action: Action["type"] | undefined,
  { key }: Pick<Guards, "key">,
  holder: ClaimHolder
): Refusal => {
  if (holder.key === key?.key) return conflicts.key
  return action === "accrue" ? conflicts.order : conflicts.identifier
}

/** True if a record is of this account, or of one that was merged into it. */
export const isOwn = ({ before = [], number, state }: Owner, { account }: Pick<ClaimHolder, "account">): boolean =>
  account === number || before.includes(account) || pathFrom(state, account) !== undefined

/**
 * True if a claim of the command was made with the same payload or facts
 * (contract/idempotency.md *Business identifiers*).
 */
const isSame = (owner: Owner, { guards }: Command, holder: ClaimHolder, which: "key" | "business"): boolean => {
  const { named } = guards
  if (holder.fingerprint !== guards[which]?.fingerprint) return false
  return named === undefined || (isOwn(owner, holder) && named.every((name) => isNamed(owner.state, name)))
}

/** True if the holder of the business identifier did the same on this account. */
export const isRepeat = (owner: Owner, command: Command, holder: ClaimHolder): boolean =>
  holder.key === command.guards.business?.key && isSame(owner, command, holder, "business")

/** Resolves a taken claim. The first applicable case wins. */
export const resolve = (owner: Owner, command: Command, holder: ClaimHolder): Resolution => {
  const { action, guards } = command
  const { account, seq } = holder
  if (account === owner.number && seq > owner.state.seq) return { type: "reload" }
  if (holder.key === guards.key?.key) {
    if (isSame(owner, command, holder, "key")) return { type: "replay", account, seq }
  } else if (action.type === "enroll") return { type: "taken", holder }
  if (!isRepeat(owner, command, holder)) return { type: "conflict", refusal: conflict(action.type, guards, holder) }
  return { type: action.type === "reserve" ? "show_reservation" : "repeat", account, seq }
}

/** The holder to resolve first: the idempotency key's. */
export const first = (
  { guards }: Pick<Command, "guards">,
  holders: ReadonlyArray<ClaimHolder>
): ClaimHolder | undefined => holders.find((holder) => holder.key === guards.key?.key) ?? holders[0]

/** The claim keys that show whether a command was done before. */
export const guardKeys = ({ guards: { business, key } }: Pick<Command, "guards">): ReadonlyArray<string> =>
  [key, business].flatMap((claim) => (claim === undefined ? [] : [claim.key]))

/** The same for `Journal.holders`: the business identifier's, then the idempotency key's. */
export const guarded = ({
  guards: { business, key }
}: Pick<Command, "guards">): readonly [ReadonlyArray<string>, string | undefined] => [
  business === undefined ? [] : [business.key],
  key?.key
]
