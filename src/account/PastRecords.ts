/**
 * Reads committed records again: for the reply of a replay, and for things that
 * are closed and have left memory. Recent records come from memory.
 */
import * as Effect from "effect/Effect"
import type { ClaimHolder, JournalUnavailable } from "../journal/Journal.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import { decodeRecord, type Recorded } from "./Codec.ts"
import type { Recalled } from "./domain/Decision.ts"
import { recall as fold, type Want } from "./domain/Recall.ts"
import * as Rows from "./Rows.ts"

type Deps = Pick<AccountDeps, "journal" | "recent">

/** A record with a reply of its own: one that repeats another is followed to it. */
export const read = Effect.fnUntraced(function* (
  { journal, recent }: Deps,
  account: number,
  seq: number
): Effect.fn.Return<Recorded, JournalUnavailable> {
  for (let wanted = seq; ; ) {
    const kept = recent.record(account, wanted)
    const text = kept ?? (yield* journal.records(account, wanted, 1))[0]
    if (text?.seq !== wanted) throw new Error(`record ${account}/${wanted} is claimed but not in the journal`)
    if (kept === undefined) recent.keep(text)
    const record = decodeRecord(text)
    if (record.reply.type !== "same") return record
    wanted = record.reply.seq
  }
})

/** An account as far as its records are concerned: `seq` is that of its newest. */
interface Owner {
  readonly number: number
  readonly programId: string
  readonly seq: number
}

/** Folds a thing again, from the record that claimed it or that its id names. */
export const recall = Effect.fnUntraced(function* (
  deps: Deps,
  owner: Owner,
  want: Want
): Effect.fn.Return<Recalled, JournalUnavailable> {
  const { journal, recent } = deps
  const from = want.type === "reservation" ? Rows.reservationSeq(want.id) : yield* claimedBy(deps, owner, want)
  if (from === undefined) return fold(want, [])
  const found: Array<Recorded> = []
  for (let seq = from; seq <= owner.seq; ) {
    const kept = recent.record(owner.number, seq)
    const page = kept === undefined ? yield* journal.records(owner.number, seq, Bounds.readPage) : [kept]
    for (const record of page) found.push(decodeRecord(record))
    if (page.length === 0) break
    seq += page.length
  }
  return fold(want, found)
})

/** The record of this account that claimed a thing. */
const claimedBy = (
  { journal, recent }: Deps,
  { number, programId }: Owner,
  want: Want
): Effect.Effect<number | undefined, JournalUnavailable> => {
  const claim = Rows.wantedClaim(journal.claimKey, programId, want)
  const seqOf = (holder: ClaimHolder | undefined) => (holder?.account === number ? holder.seq : undefined)
  const kept = recent.holder(claim)
  return kept === undefined
    ? Effect.map(journal.holders([claim]), ([holder]) => seqOf(holder))
    : Effect.succeed(seqOf(kept))
}
