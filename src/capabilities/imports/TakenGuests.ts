/** Looks at a guest of an import, and tells what taking the import back does. Pure but for reads. */
import { Effect } from "effect"
import type { KeptReason } from "../../contract/platform/ImportTakenBack.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { Unit } from "../../contract/Values.ts"
import type { Accounts } from "../../core/account/Accounts.ts"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import { decodeEvents } from "../../core/account/Codec.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type { LotOrigin } from "../../core/account/domain/Action.ts"
import { fitting } from "../../core/account/domain/MoveIn.ts"
import type { State } from "../../core/account/domain/State.ts"
import { isErased } from "../../core/account/domain/State.ts"
import { view } from "../../core/account/domain/View.ts"
import type { Resident } from "../../core/account/Outcome.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { StoredRecord } from "../../core/journal/Records.ts"
import type { Program } from "../../core/rules/Program.ts"
import { orUnavailable, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import type { KeptRow } from "./ImportStore.ts"
import { rowKey } from "./RowClaims.ts"

interface Parts {
  readonly accounts: Pick<Accounts["Service"], "readOn">
  readonly journal: Pick<Journal["Service"], "claimKey" | "holders" | "records">
  readonly program: Program
  /** ms */
  readonly now: number
}

/** A guest as the rows of an import have it. */
export interface ImportedGuest {
  readonly account: number
  /** The account's newest record by the import. */
  readonly seq: number
  readonly isEnrolled: boolean
  /** The record with the opening balance; undefined: the import credited none. */
  readonly opening: number | undefined
}

/** The guests of an import, in the order of their first rows. */
export const guestsOf = Effect.fnUntraced(function* (
  { journal }: Pick<Parts, "journal">,
  id: string,
  rows: ReadonlyArray<KeptRow>
): Effect.fn.Return<ReadonlyArray<ImportedGuest>, Refused> {
  const keys = rows.map(({ row }) => rowKey(journal.claimKey, id, row).key)
  const holders = yield* orUnavailable(journal.holders(keys))
  const enrolled = new Set(holders.flatMap(({ account, seq }) => (seq === 1 ? [account] : [])))
  const guests = new Map<number, ImportedGuest>()
  for (const { account, opening, seq = 0 } of rows) {
    if (account === undefined) continue
    const before = guests.get(account)
    guests.set(account, {
      account,
      seq: Math.max(seq, before?.seq ?? 0),
      isEnrolled: enrolled.has(account),
      opening: opening ?? before?.opening
    })
  }
  return [...guests.values()]
})

/** The id of the entry that takes a guest's opening balance back. */
export const takenId = (account: number): string => `opening-taken-back:${account.toString(36)}`

/** The claim of that entry: an opening balance is taken back once. */
export const takenClaim = (claimKey: ClaimKey, program: string, account: number) => ({
  key: ClaimKeys.adjustment(claimKey, program, takenId(account)),
  fingerprint: claimKey("opening taken back", program, String(account))
})

/** Something that a guest did, or that was done to her, after the import. Undefined: nothing that a guest would miss. */
const reasonIn = (event: AccountEvent, account: number): KeptReason | undefined => {
  switch (event.type) {
    case "posted":
      if (event.op === "expiration") return undefined
      if (event.op === "manual") return event.adjustment === takenId(account) ? undefined : "changed"
      return event.op === "accrual" || event.op === "adjustment" ? "ordered" : "spent"
    case "order_adjusted":
    case "order_received":
      return "ordered"
    case "reserved":
    case "captured":
    case "released":
    case "refunded":
    case "hold_expired":
    case "reward_redeemed":
    case "reward_restored":
      return "spent"
    case "merged_in":
    case "merged_away":
      return "merged"
    // Gifts of campaigns and what becomes due come without the guest.
    case "reward_issued":
    case "reward_expired":
    case "tier_changed":
    case "points_expiring":
    case "lots_dated":
    case "clock_corrected":
      return undefined
    default:
      return "changed"
  }
}

const order: ReadonlyArray<KeptReason> = ["merged", "ordered", "spent", "changed"]

/** Why a guest whom the import enrolled stays, by the records after the import's. */
const reasonSince = (records: ReadonlyArray<StoredRecord>, account: number): KeptReason | undefined => {
  // Nobody who only came with an import has so many.
  if (records.length === Bounds.recordsSince) return "changed"
  const reasons = new Set(records.flatMap((record) => decodeEvents(record)).map((event) => reasonIn(event, account)))
  return order.find((reason) => reasons.has(reason))
}

/** Points that the import credited to a guest, and the lot that they made. */
interface Credited {
  readonly amount: number
  readonly unit: Unit
  readonly lots: ReadonlyArray<LotOrigin>
}

const creditedIn = (record: StoredRecord | undefined): Credited | undefined => {
  const posted = (record === undefined ? [] : decodeEvents(record)).find(
    (event) => event.type === "posted" && event.op === "manual" && event.classification === "migration"
  )
  if (record === undefined || posted?.type !== "posted") return undefined
  return { amount: posted.amount, unit: posted.unit, lots: [{ account: record.account, n: posted.n }] }
}

export interface TakenGuest {
  readonly resident: Resident
  readonly state: State
  readonly unit: Unit
  readonly credited: number
  /** Points that were taken back before. */
  readonly taken: number
  /** Points that are to be taken back now. */
  readonly left: number
  /** Undefined: the guest is erased, or was. */
  readonly kept: KeptReason | undefined
  readonly isErased: boolean
}

const keptFor = Effect.fnUntraced(function* (
  { journal }: Parts,
  { account, isEnrolled, seq }: ImportedGuest,
  { account: remaining, state }: Resident
): Effect.fn.Return<KeptReason | undefined, Refused> {
  if (!isEnrolled) return state.status === "closed" ? "not_active" : "was_there"
  if (remaining !== account || state.merged.length > 0) return "merged"
  if (state.status !== "active") return "not_active"
  if (state.seq === seq) return undefined
  return reasonSince(yield* orUnavailable(journal.records(account, seq + 1, Bounds.recordsSince)), account)
})

/** Tells what is taken back of a guest: nothing that was spent, is held or has expired, so nothing goes below what is there. */
export const look = Effect.fnUntraced(function* (
  parts: Parts,
  guest: ImportedGuest
): Effect.fn.Return<TakenGuest, Refused> {
  const { accounts, journal, now, program } = parts
  const { account, opening } = guest
  const resident = yield* accounts.readOn(account)
  if (resident === undefined) throw new Error(`account ${account} is there: the import has a row of it`)
  if (resident._tag !== "Resident") return yield* refusedBy(resident)
  const at = Math.max(now, resident.state.at)
  const state = view(resident.state, program, at)
  const recordAt = (of: number, seq: number) =>
    Effect.map(orUnavailable(journal.records(of, seq, 1)), ([record]) => (record?.seq === seq ? record : undefined))
  const credited = opening === undefined ? undefined : creditedIn(yield* recordAt(account, opening))
  const { amount = 0, lots = [], unit = program.primaryUnit } = credited ?? {}
  const { key } = takenClaim(journal.claimKey, program.id, account)
  const [holder] = amount === 0 ? [] : yield* orUnavailable(journal.holders([key]))
  const before = holder === undefined ? undefined : creditedIn(yield* recordAt(holder.account, holder.seq))
  const [fits] = fitting(state, [{ adjustment: takenId(account), unit, amount: -amount, lots }], at)
  const isGone = isErased(resident.state)
  return {
    resident,
    state,
    unit,
    credited: amount,
    taken: 0 - (before?.amount ?? 0),
    left: holder !== undefined || state.status !== "active" ? 0 : 0 - (fits?.amount ?? 0),
    kept: isGone && guest.isEnrolled ? undefined : yield* keptFor(parts, guest, resident),
    isErased: isGone
  }
})
