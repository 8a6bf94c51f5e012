/**
 * An account's records in flight: submitted to the journal and not answered yet.
 *
 * The tip is the committed state with all of them applied; the next command is
 * decided on it. If a record is rejected, its successors are rejected too. Then
 * nothing is submitted until no record is in flight. After that the tip is the
 * committed state again, and the commands are decided again.
 *
 * More than one record in flight helps only a shared account, as of a company
 * or a test till: its rate is about eight times as high. Spread load gains nothing.
 */
import * as Effect from "effect/Effect"
import type { JournalRecord } from "../journal/Records.ts"
import * as Bounds from "./Bounds.ts"
import type { Recorded } from "./Codec.ts"
import type { State } from "./domain/State.ts"
import { initialState } from "./domain/State.ts"
import type { CommandRequest } from "./Request.ts"

export interface Submitted {
  readonly request: CommandRequest
  /** The state after the record. */
  readonly state: State
  readonly record: JournalRecord
  readonly recorded: Recorded
  /** True if the reply of an earlier record answers. */
  readonly hasEarlierReply: boolean
}

export class InFlight {
  private readonly submitted: Array<Submitted> = []
  /** Replaced when it is empty: a long-lived Set that grew would keep its old tables alive until a full collection. */
  private claims = new Set<string>()
  private retries: Array<CommandRequest> = []
  private hasRejected = false
  private onEmpty: (() => void) | undefined
  private tipState: State = initialState
  private hash = ""

  get isEmpty(): boolean {
    return this.submitted.length === 0
  }

  /** True while no further record may be submitted. */
  get isBlocked(): boolean {
    return this.hasRejected || this.submitted.length >= Bounds.inFlightRecords
  }

  get isRejected(): boolean {
    return this.hasRejected
  }

  get tip(): State {
    return this.tipState
  }

  get tipHash(): string {
    return this.hash
  }

  /** Commands that wait to be decided again. */
  get waiting(): number {
    return this.retries.length
  }

  isClaimed(key: string): boolean {
    return this.claims.has(key)
  }

  add(one: Submitted): void {
    this.submitted.push(one)
    for (const { key } of one.record.claims) this.claims.add(key)
    this.tipState = one.state
    this.hash = one.record.hash
  }

  /** The journal has answered a record; records of an account are answered in their order. */
  remove(one: Submitted): void {
    const index = this.submitted.indexOf(one)
    if (index >= 0) this.submitted.splice(index, 1)
    if (this.isEmpty) this.claims = new Set()
    else for (const { key } of one.record.claims) this.claims.delete(key)
    // Thrown only now, so that the other record stays in the list: the journal still has to answer it.
    if (index !== 0) throw new Error("the journal answered a record before one of its predecessors")
  }

  /** A record was rejected, or a defect left the account in doubt: nothing is submitted until none is in flight. */
  reject(): void {
    this.hasRejected = true
  }

  retryLater(request: CommandRequest): void {
    this.retries.push(request)
  }

  /** Sets the tip to the committed state. Returns the commands to decide again. Requires: no records in flight. */
  restart(state: State, hash: string): ReadonlyArray<CommandRequest> {
    if (!this.isEmpty) throw new Error("an account starts again with records in flight")
    this.hasRejected = false
    this.tipState = state
    this.hash = hash
    return this.retries.splice(0)
  }

  /** Resumes the waiter of `empty`. False if there is none. */
  notifyEmpty(): boolean {
    const notify = this.onEmpty
    this.onEmpty = undefined
    notify?.()
    return notify !== undefined
  }

  /** Ends when nothing is in flight. */
  readonly empty: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.isEmpty) return resume(Effect.void)
    this.onEmpty = () => resume(Effect.void)
  })
}
