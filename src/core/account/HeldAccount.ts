/**
 * An account that a merge holds. It has no records in flight, and nothing else is
 * decided on it until it is released.
 */
import * as Effect from "effect/Effect"
import type { AppendOutcome, JournalRecord, JournalUnavailable } from "../journal/Records.ts"
import type { Decided } from "./domain/Decision.ts"
import type { Resident } from "./Outcome.ts"
import type { RecordFacts } from "./Record.ts"
import * as Record from "./Record.ts"
import type { AccountParts } from "./Submitting.ts"

export class HeldAccount {
  readonly _tag = "HeldAccount"
  readonly number: number
  /** Ends the hold: the account serves requests again. */
  readonly release: () => void
  /** False once the account's owner may have ended the hold: then nothing may be decided any more. */
  isValid: () => boolean = () => true
  private readonly parts: AccountParts

  constructor(parts: AccountParts, release: () => void) {
    this.number = parts.number
    this.release = release
    this.parts = parts
  }

  /** The committed state. */
  get resident(): Resident {
    const { resident } = this.parts.committed
    if (resident === undefined) throw new Error("a held account is loaded")
    return resident
  }

  /** The seq of the newest record; undefined if nobody knows, after a record in doubt. */
  get seq(): number | undefined {
    return this.parts.committed.current?.state.seq
  }

  /** Loads the account from the journal again, because another owner may have written to it. */
  reload(): Effect.Effect<void, JournalUnavailable> {
    const { committed, inFlight } = this.parts
    committed.invalidate()
    return Effect.map(committed.load(), () => void inFlight.restart(committed.state, committed.hash))
  }

  /** Another node writes: everything waits for the end of the hold, and then loads the account. */
  outdated(): void {
    this.parts.committed.invalidate()
  }

  /** Makes the record of a decision on the committed state. */
  record(
    decision: Decided,
    facts: Pick<RecordFacts, "actor" | "origin" | "audit" | "claims" | "member" | "profile">
  ): JournalRecord {
    const { committed, deps, number, programId } = this.parts
    return Record.make(deps.journal.claimKey, decision, {
      ...facts,
      account: number,
      before: committed.state,
      previous: committed.hash,
      program: deps.programOf(programId),
      revision: deps.revision(),
      opens: undefined
    })
  }

  /** Applies a committed record. */
  advance({ state }: Decided, record: JournalRecord): void {
    const { committed, deps, inFlight } = this.parts
    committed.advance(state, record.hash, record.member)
    inFlight.restart(committed.state, committed.hash)
    for (const { fingerprint, key } of record.claims)
      deps.recent.holds({ key, fingerprint, account: this.number, seq: record.seq })
    deps.recent.keep(record)
    deps.due(this.number, record.totals.nextDue)
    committed.snapshotIfDue()
  }

  /** Handles a record that was rejected or is in doubt. */
  rejected({ _tag }: AppendOutcome): void {
    const { committed, deps } = this.parts
    if (_tag !== "stale" && _tag !== "in_doubt") return
    committed.invalidate()
    // The record may have changed what falls due, so the scheduler must read the journal.
    if (_tag === "in_doubt") deps.due(this.number, deps.now())
  }
}
