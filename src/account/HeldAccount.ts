/**
 * An account that a merge holds: nothing is in flight, and nothing else is
 * decided on it until it is released.
 */
import * as Effect from "effect/Effect"
import type { AppendOutcome, JournalRecord, JournalUnavailable } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import type { Committed } from "./Committed.ts"
import type { Decided } from "./domain/Decision.ts"
import type { InFlight } from "./InFlight.ts"
import type { Resident } from "./Outcome.ts"
import * as Record from "./Record.ts"
import type { RecordFacts } from "./Record.ts"

interface Holding {
  readonly number: number
  readonly programId: string
  readonly deps: AccountDeps
  readonly committed: Committed
  readonly inFlight: InFlight
  readonly release: () => void
}

export class HeldAccount {
  readonly _tag = "HeldAccount"
  readonly number: number
  /** Lets the account go on. */
  readonly release: () => void
  private readonly holding: Holding

  constructor(holding: Holding) {
    this.number = holding.number
    this.release = holding.release
    this.holding = holding
  }

  /** The committed state. */
  get resident(): Resident {
    const { resident } = this.holding.committed
    if (resident === undefined) throw new Error("a held account is loaded")
    return resident
  }

  /** Loads what another owner has written. */
  reload(): Effect.Effect<void, JournalUnavailable> {
    const { committed, inFlight } = this.holding
    committed.invalidate()
    return Effect.map(committed.load(), () => void inFlight.restart(committed.state, committed.hash))
  }

  /** The record of a decision on the committed state. */
  record(
    decision: Decided,
    facts: Pick<RecordFacts, "actor" | "audit" | "claims" | "member" | "profile">
  ): JournalRecord {
    const { committed, deps, number, programId } = this.holding
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

  /** The record was committed. */
  advance({ state }: Decided, record: JournalRecord): void {
    const { committed, deps, inFlight } = this.holding
    committed.advance(state, record.hash, record.member)
    inFlight.restart(committed.state, committed.hash)
    for (const { fingerprint, key } of record.claims)
      deps.recent.holds({ key, fingerprint, account: this.number, seq: record.seq })
    deps.recent.keep(record)
    deps.due(this.number, record.totals.nextDue)
    committed.snapshotIfDue()
  }

  /** The record was not committed, or nobody knows. */
  rejected({ _tag }: AppendOutcome): void {
    const { committed, deps } = this.holding
    if (_tag !== "stale" && _tag !== "in_doubt") return
    committed.invalidate()
    // Only the journal knows now whether something falls due by the record: the scheduler looks again.
    if (_tag === "in_doubt") deps.due(this.number, deps.now())
  }
}
