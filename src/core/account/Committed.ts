/**
 * The committed state of an account. It is loaded from the newest readable
 * snapshot and the journal's records after it. Each commit advances it. From time
 * to time it is written as a snapshot.
 */
import * as Effect from "effect/Effect"
import type { JournalUnavailable, MemberRow, NewAccount } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import { decodeRecord, decodeSnapshot, encodeSnapshot, type Recorded, SNAPSHOT_VERSION } from "./Codec.ts"
import * as Announced from "./domain/Announced.ts"
import { evolve } from "./domain/Evolve.ts"
import * as Lots from "./domain/Lots.ts"
import { initialState, type State } from "./domain/State.ts"
import type { Resident } from "./Outcome.ts"
import * as SealedState from "./SealedState.ts"

type Deps = Pick<AccountDeps, "fork" | "journal" | "mayWrite">

/** The state after a record: applies its events, then sets seq, time and the number of announced events. */
export const replay = (state: State, record: Pick<Recorded, "at" | "events" | "seq">): State => {
  let next = state
  for (const event of record.events) next = evolve(next, event, record.seq)
  const announced = state.announced + Announced.count(record.events)
  return { ...next, seq: record.seq, at: record.at, announced }
}

/** A state to replay records on, and the hash of its last one. */
interface Beginning {
  readonly state: State
  readonly hash: string
}
const beforeAll: Beginning = { state: initialState, hash: "" }

export class Committed {
  private readonly account: number
  private readonly deps: Deps
  private loaded: Resident | undefined
  /** Hash of the newest record. */
  private chainHash = ""
  private snapshotSeq = 0
  private opening: NewAccount | undefined
  /** True if the journal may have records that are not in memory. */
  private mustReload = false

  constructor(account: number, deps: Deps, opening: NewAccount | undefined) {
    this.account = account
    this.deps = deps
    this.opening = opening
    if (opening !== undefined) this.loaded = { _tag: "Resident", account, state: initialState, member: opening }
  }

  /** The state that readers may see; undefined if it must be loaded first. */
  get current(): Resident | undefined {
    return this.mustReload ? undefined : this.loaded
  }

  /** The last known state. It may be older than the journal. */
  get resident(): Resident | undefined {
    return this.loaded
  }

  get state(): State {
    return this.loaded?.state ?? initialState
  }

  get hash(): string {
    return this.chainHash
  }

  /** The data with which the first record opens the account; undefined once it is open. */
  get opens(): NewAccount | undefined {
    return this.opening
  }

  /** Records since the last snapshot: what an activation has to replay. */
  get tail(): number {
    return this.state.seq - this.snapshotSeq
  }

  /** Another owner wrote, or nobody knows whether a record was committed: load before the next decision. */
  invalidate(): void {
    this.mustReload = true
  }

  /** Applies a committed record; `member` is the member's data if it changed. */
  advance(state: State, hash: string, member: MemberRow | undefined): void {
    if (this.loaded !== undefined) this.loaded = { ...this.loaded, state, member: member ?? this.loaded.member }
    this.chainHash = hash
  }

  load(): Effect.Effect<void, JournalUnavailable> {
    const self = this
    const { account, deps } = this
    return Effect.gen(function* () {
      const stored = yield* deps.journal.loadAccount(account)
      if (stored === undefined) {
        if (self.opening === undefined) throw new Error(`account ${account} is not in the journal`)
        self.mustReload = false
        return
      }
      const kept = stored.snapshot
      const snapshot = kept === undefined ? undefined : decodeSnapshot(deps.journal.claimKey, kept.version, kept.state)
      // A snapshot ahead of the journal belongs to another history, and only the journal is authoritative.
      const isUsable = snapshot !== undefined && snapshot.state.seq <= stored.seq
      const { from, hash, state } = yield* self.opened(stored.seq, isUsable ? snapshot : undefined)
      self.snapshotSeq = from
      self.loaded = { _tag: "Resident", account, state, member: stored.member }
      self.opening = undefined
      self.chainHash = hash
      self.mustReload = false
      if (kept !== undefined && !isUsable) deps.fork(self.snapshot())
      else self.snapshotIfDue()
    })
  }

  /**
   * The newest state: from the snapshot, else from the newest seal, unless that would spare few records. Records between a
   * snapshot and the seal, or before it, may be archived; then the seal is the only beginning.
   */
  private opened(newest: number, snapshot: Beginning | undefined) {
    const first = snapshot ?? (newest < Bounds.passivatedTail ? beforeAll : undefined)
    const sealed = Effect.map(this.sealed(newest), (found) => found ?? beforeAll)
    if (first === undefined) return Effect.flatMap(sealed, (from) => this.replayFrom(from))
    return Effect.catchTag(this.replayFrom(first), "JournalUnavailable", (error) =>
      error.archived === undefined ? Effect.fail(error) : Effect.flatMap(sealed, (from) => this.replayFrom(from))
    )
  }

  /** The state in the newest seal; undefined without a usable one. */
  private sealed(newest: number) {
    const { claimKey, sealed } = this.deps.journal
    return Effect.map(sealed(this.account), (found): Beginning | undefined => {
      const state = found === undefined ? undefined : SealedState.read(claimKey, found)
      return found === undefined || state === undefined || state.seq > newest ? undefined : { state, hash: found.chain }
    })
  }

  /** The state and the hash after all records that follow a beginning, and the record `from` which they were read. */
  private replayFrom(beginning: Beginning) {
    const { account, deps } = this
    return Effect.gen(function* () {
      let { hash, state } = beginning
      for (;;) {
        const page = yield* deps.journal.records(account, state.seq + 1, Bounds.readPage)
        for (const record of page) {
          if (record.seq !== state.seq + 1) throw new Error(`account ${account} misses record ${state.seq + 1}`)
          state = replay(state, decodeRecord(record))
          hash = record.hash
        }
        if (page.length < Bounds.readPage) return { state, hash, from: beginning.state.seq }
      }
    })
  }

  /** Writes a snapshot in its own fiber if many records have been written since the last one. */
  snapshotIfDue(): void {
    if (this.tail < Bounds.snapshotEvery) return
    const lots = this.state.units.reduce((sum, unit) => sum + Lots.roughCount(unit.lots), 0)
    if (this.tail >= lots / Bounds.lotsPerSnapshotRecord) this.deps.fork(this.snapshot())
  }

  /** Writes a snapshot of the state, which shortens the next load. */
  snapshot(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { journal, mayWrite } = this.deps
      const state = this.current?.state
      if (state === undefined || state.seq === this.snapshotSeq || !mayWrite()) return Effect.void
      this.snapshotSeq = state.seq
      const text = encodeSnapshot(journal.claimKey, state, this.chainHash)
      const snapshot = { seq: state.seq, version: SNAPSHOT_VERSION, state: text }
      return Effect.catch(journal.saveSnapshot(this.account, snapshot), (error) =>
        Effect.logDebug("A snapshot was not written; the journal has everything", error)
      )
    })
  }
}
