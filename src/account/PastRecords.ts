/**
 * Reads committed records again: for the reply of a replay, and for things that
 * are closed and have left memory. Recent records come from memory.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ClaimHolder, JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import { decodeRecord, type Recorded, type Repeat } from "./Codec.ts"
import type { Recalled } from "./domain/Decision.ts"
import { recall as fold, type Segment, type Want } from "./domain/Recall.ts"
import { pathFrom, type State } from "./domain/State.ts"
import { unavailable } from "./Outcome.ts"
import type { CommandRequest } from "./Request.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import * as ReservationId from "./ReservationId.ts"

type Deps = Pick<AccountDeps, "journal" | "recent">

/** Reads a record. If it repeats another record, reads that one, with the balances of the repeat. */
export const read = Effect.fnUntraced(function* (
  { journal, recent }: Deps,
  account: number,
  seq: number
): Effect.fn.Return<Recorded, JournalUnavailable> {
  let place: RecordPlace = { account, seq }
  let repeat: Repeat | undefined
  for (;;) {
    const { account, seq } = place
    const kept = recent.record(account, seq)
    const text = kept ?? (yield* journal.records(account, seq, 1))[0]
    if (text?.seq !== seq) throw new Error(`record ${account}/${seq} is claimed but not in the journal`)
    if (kept === undefined) recent.keep(text)
    const record = decodeRecord(text)
    const { at, reply } = record
    if (reply.type !== "same") return repeat === undefined ? record : { ...record, repeat }
    if (reply.balances !== undefined) repeat ??= { account, at, balances: reply.balances }
    place = { account: reply.account ?? account, seq: reply.seq }
  }
})

/** A record of this account, or of one that was merged into it. */
export type RecordPlace = Pick<ClaimHolder, "account" | "seq">

/** Answers a command with the reply of an earlier record. */
export const answer = (
  deps: Deps,
  request: CommandRequest,
  { account, seq }: RecordPlace,
  isReplay = false
): Effect.Effect<void> =>
  Effect.map(Effect.result(read(deps, account, seq)), (found) => {
    request.done(Result.isSuccess(found) ? { _tag: "Answered", record: found.success, isReplay } : unavailable)
  })

/** The account that a thing is recalled for. */
interface Owner {
  readonly number: number
  readonly programId: string
  /** Committed. */
  readonly state: State
}

/** Folds a thing again, from the record that claimed it or that its id names, through merges to the owner. */
export const recall = Effect.fnUntraced(function* (
  deps: Deps,
  owner: Owner,
  want: Want
): Effect.fn.Return<Recalled, JournalUnavailable> {
  const began = want.type === "reservation" ? ReservationId.placeOf(want.id) : yield* claimedBy(deps, owner, want)
  if (began === undefined) return fold(want, [])
  const path = began.account === owner.number ? [] : pathFrom(owner.state, began.account)
  // The thing belongs to another member.
  if (path === undefined) return fold(want, [])
  const segments: Array<Segment> = [{ records: yield* recordsFrom(deps, owner, began) }]
  for (const [index, merged] of path.entries()) {
    const account = path[index + 1]?.account ?? owner.number
    segments.push({ merged, records: yield* recordsFrom(deps, owner, { account, seq: merged.seq }) })
  }
  return fold(want, segments)
})

/** The records of an account from a place on; of the owner, those up to its committed state. */
const recordsFrom = Effect.fnUntraced(function* (
  { journal, recent }: Deps,
  { number, state }: Owner,
  { account, seq: first }: RecordPlace
): Effect.fn.Return<ReadonlyArray<Recorded>, JournalUnavailable> {
  const last = account === number ? state.seq : Infinity
  const found: Array<Recorded> = []
  for (let seq = first; seq <= last; ) {
    const kept = recent.record(account, seq)
    const page = kept === undefined ? yield* journal.records(account, seq, Bounds.readPage) : [kept]
    for (const record of page) found.push(decodeRecord(record))
    if (page.length === 0) break
    seq += page.length
  }
  return found
})

/** The record that claimed a thing. */
const claimedBy = (
  { journal, recent }: Deps,
  { programId }: Owner,
  want: Want
): Effect.Effect<RecordPlace | undefined, JournalUnavailable> => {
  const claim = ClaimKeys.wanted(journal.claimKey, programId, want)
  const kept = recent.holder(claim)
  return kept === undefined ? Effect.map(journal.holders([claim]), ([holder]) => holder) : Effect.succeed(kept)
}
