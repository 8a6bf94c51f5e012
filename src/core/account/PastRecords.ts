/**
 * Reads committed records again: for the reply of a replay, and for things that
 * are closed and have left memory. Recent records come from memory.
 */
import * as Effect from "effect/Effect"
import type { ClaimHolder, JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import { decodeRecord, type Recorded, type Repeat } from "./Codec.ts"
import type { OrderReceived } from "./domain/AccountEvent.ts"
import type { Recalled } from "./domain/Decision.ts"
import { recall as fold, type Segment, type Want } from "./domain/Recall.ts"
import { pathFrom, type State } from "./domain/State.ts"
import { type Outcome, orUnavailable } from "./Outcome.ts"
import type { CommandRequest } from "./Request.ts"
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

/** The stored answer of an earlier record. */
export const replay = (
  deps: Deps,
  { account, seq }: RecordPlace,
  isReplay = true
): Effect.Effect<Outcome, JournalUnavailable> =>
  Effect.map(read(deps, account, seq), (record) => ({ _tag: "Answered", record, isReplay, isEarlier: true }))

/** Answers a command with the reply of an earlier record. */
export const answer = (
  deps: Deps,
  request: CommandRequest,
  place: RecordPlace,
  isReplay = false
): Effect.Effect<void> => Effect.map(orUnavailable(replay(deps, place, isReplay)), request.done)

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
  const began =
    want.type === "reservation" ? ReservationId.placeOf(want.id) : yield* claimedBy(deps, owner.programId, want)
  if (began === undefined) return fold(want, [])
  const found = yield* recallFrom(deps, owner, want, began)
  if (want.type !== "order" || (found.order !== undefined && found.order.isMoved !== true)) return found
  const last = yield* lastMove(deps, owner.programId, want.id)
  if (last === undefined) return found
  if (ClaimResolution.isOwn(owner, last)) return yield* recallFrom(deps, owner, want, last)
  return { order: undefined, ...(wasHere(owner, last) ? { elsewhere: last } : undefined) }
})

/** The last move of an order: the record that has the order from then on. */
export interface LastMove extends RecordPlace {
  readonly event: OrderReceived
}

/** True if an order belonged to the account before it was moved. */
export const wasHere = (owner: ClaimResolution.Owner, { event }: LastMove): boolean =>
  event.before.some((account) => ClaimResolution.isOwn(owner, { account }))

/** The last move of an order; undefined if it was never moved. */
export const lastMove = Effect.fnUntraced(function* (
  deps: Deps,
  program: string,
  order: string
): Effect.fn.Return<LastMove | undefined, JournalUnavailable> {
  let last: RecordPlace | undefined
  for (let move = 1; ; move++) {
    const [holder] = yield* deps.journal.holders([ClaimKeys.movedOrder(deps.journal.claimKey, program, order, move)])
    if (holder === undefined) break
    last = holder
  }
  if (last === undefined) return undefined
  const { account, seq } = last
  const { events } = yield* read(deps, account, seq)
  const event = events.find((one) => one.type === "order_received")
  if (event === undefined) throw new Error(`record ${account}/${seq} claims a move of order ${order}, and has none`)
  return { account, seq, event }
})

/** Folds a thing again from a record, through merges to the owner. */
const recallFrom = Effect.fnUntraced(function* (
  deps: Deps,
  owner: Owner,
  want: Want,
  began: RecordPlace
): Effect.fn.Return<Recalled, JournalUnavailable> {
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
export const claimedBy = (
  { journal, recent }: Deps,
  programId: string,
  want: Want
): Effect.Effect<RecordPlace | undefined, JournalUnavailable> => {
  const claim = ClaimKeys.wanted(journal.claimKey, programId, want)
  const kept = recent.holder(claim)
  return kept === undefined ? Effect.map(journal.holders([claim]), ([holder]) => holder) : Effect.succeed(kept)
}
