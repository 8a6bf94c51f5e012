/**
 * The actor of one member account: serves one request at a time.
 *
 * Requests wait in a `Mailbox`. `Deciding` decides commands on the tip: the `Committed` state with the records
 * `InFlight` on top. `Submitting` records the decisions. Callers and readers see committed state only. If a record is
 * in doubt, the account is loaded from the journal before the next decision. If programmes have changed, they are
 * loaded before it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { NewAccount } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import type { Command } from "./Command.ts"
import { Committed } from "./Committed.ts"
import { consider } from "./Deciding.ts"
import type { Action } from "./domain/Action.ts"
import { HeldAccount } from "./HeldAccount.ts"
import { InFlight } from "./InFlight.ts"
import { Mailbox } from "./Mailbox.ts"
import { type Outcome, type Resident, type Taken, type Trouble, troubleOf, unavailable } from "./Outcome.ts"
import type { CommandRequest, HoldRequest, ReadRequest, Request } from "./Request.ts"
import type { AccountParts } from "./Submitting.ts"
import { stopped } from "./Submitting.ts"

export class Account {
  private readonly parts: AccountParts
  /** seq of a record that is known to be committed. If the state in memory is older, another owner wrote it. */
  private knownSeq = 0
  /** True once requests go to another node, or to another `Account` of this one. */
  private isRetired = false
  /** Times in which another node may be writing to the account. */
  private doubts = 0
  /** True if another node may have written: load before the next decision or read. */
  private isOutdated = false

  private constructor(number: number, programId: string, deps: AccountDeps, opens: NewAccount | undefined) {
    const mailbox = new Mailbox<Request>({
      busy: deps.busy,
      fork: deps.fork,
      prepare: () => this.prepare(),
      serve: (request) => this.serve(request),
      stopped: (requests, cause) => stopped(this.parts, requests, cause)
    })
    const committed = new Committed(number, deps, opens)
    this.parts = { number, programId, deps, committed, inFlight: new InFlight(), mailbox, outdated: undefined }
  }

  /** An account that the journal has. It is loaded at the first request. */
  static stored(number: number, programId: string, deps: AccountDeps): Account {
    return new Account(number, programId, deps, undefined)
  }

  /** An account that its first record will open. */
  static opening(number: number, opens: NewAccount, deps: AccountDeps): Account {
    return new Account(number, opens.programId, deps, opens)
  }

  get number(): number {
    return this.parts.number
  }

  get programId(): string {
    return this.parts.programId
  }

  /** True if no request waits and no record is in flight. */
  get isIdle(): boolean {
    const { inFlight, mailbox } = this.parts
    return mailbox.isIdle && inFlight.isEmpty && inFlight.waiting === 0
  }

  /** True until the journal has the account: nobody else knows its number. */
  get isOpening(): boolean {
    return this.parts.committed.opens !== undefined && this.seq === 0
  }

  /** The seq of the newest record; 0 before the account is loaded. */
  get seq(): number {
    return this.parts.committed.state.seq
  }

  /** Records since the last snapshot. */
  get tail(): number {
    return this.parts.committed.tail
  }

  snapshot(): Effect.Effect<void> {
    return this.parts.committed.snapshot()
  }

  /** Executes a command, also if the caller disconnects. */
  execute(command: Command): Effect.Effect<Outcome> {
    return this.ask(command, (outcome) => {
      if (outcome._tag === "Taken") throw new Error("only an enrolment finds an identity taken")
      return outcome
    })
  }

  /** The same for the enrolment that opens the account. */
  enroll(command: Command): Effect.Effect<Outcome | Taken> {
    return this.ask(command, (outcome) => outcome)
  }

  private ask<A>(command: Command, answerOf: (outcome: Outcome | Taken) => A): Effect.Effect<A> {
    return Effect.callback<A>((resume) => {
      this.send({
        type: "command",
        command,
        // Yields first: otherwise the caller would continue while the account is between two states.
        done: (outcome) => resume(Effect.as(Effect.yieldNow, answerOf(outcome))),
        broke: (cause) => resume(Effect.failCause(cause)),
        tries: 0
      })
    })
  }

  /** The committed state. For a merged member: the other member's state, unless `isOfItself`. */
  read(isOfItself = false): Effect.Effect<Resident | Trouble> {
    return Effect.suspend(() => {
      if (this.doubts > 0) this.isOutdated = true
      const current = this.isNewest && !this.isRetired ? this.parts.committed.current : undefined
      if (current !== undefined && (isOfItself || current.state.mergedInto === undefined))
        return Effect.succeed(current)
      return Effect.callback<Resident | Trouble>((resume) => {
        this.send({
          type: "read",
          isOfItself,
          done: (view) => resume(Effect.succeed(view)),
          broke: (cause) => resume(Effect.failCause(cause))
        })
      })
    })
  }

  /** Waits until nothing is in flight. Nothing else is decided or read on the account until the hold is released. */
  hold(): Effect.Effect<HeldAccount | Trouble> {
    return Effect.callback((resume) => {
      this.send({
        type: "hold",
        held: (account) => {
          if (!(account instanceof HeldAccount)) throw new Error("an account is held as a HeldAccount")
          resume(Effect.succeed(account))
        },
        done: (trouble) => resume(Effect.succeed(trouble)),
        broke: (cause) => resume(Effect.failCause(cause))
      })
    })
  }

  /** Takes over a request on a member that record `seq` merged into this one. */
  takeOver(request: Request, seq: number): void {
    this.knows(seq)
    this.send(request)
  }

  /** Record `seq` is known to be committed. */
  knows(seq: number): void {
    this.knownSeq = Math.max(this.knownSeq, seq)
  }

  /** Another node may be writing: every read of the next `ms` loads the account. */
  doubtReads(ms: number): void {
    this.doubts++
    this.parts.deps.fork(
      Effect.andThen(
        Effect.sleep(ms),
        Effect.sync(() => {
          this.doubts--
          // The last load may have come before the other node's write.
          this.isOutdated = true
        })
      )
    )
  }

  /** From now on requests go to the account's present owner, which may be this node. Requires: idle. */
  retire(): void {
    if (!this.isIdle) throw new Error("an account is retired with requests in flight")
    this.isRetired = true
  }

  private send(request: Request): void {
    const { deps, inFlight, mailbox, number, programId } = this.parts
    // The journal lacks an account whose enrolment has only now come: no other `Account` can serve it.
    if (this.isRetired) return this.isOpening ? request.done(unavailable) : deps.reroute(number, programId, request)
    const waiting = mailbox.length + inFlight.waiting
    if (waiting >= Bounds.mailboxCommands) return request.done({ _tag: "Overloaded" })
    mailbox.push(request)
  }

  /** True unless another node has written to the account, or may have. */
  private get isNewest(): boolean {
    return !this.isOutdated && this.parts.committed.state.seq >= this.knownSeq
  }

  private prepare(): Effect.Effect<void> | undefined {
    const { committed, deps, inFlight, mailbox, outdated } = this.parts
    if (inFlight.isBlocked) return inFlight.empty
    if (outdated === deps.revision()) return this.leaveRevision(outdated)
    if (committed.current !== undefined) {
      if (this.isNewest) return undefined
      committed.invalidate()
      if (!inFlight.isEmpty) {
        inFlight.reject()
        return inFlight.empty
      }
    }
    this.isOutdated = false
    return Effect.map(Effect.result(committed.load()), (loaded) => {
      if (Result.isSuccess(loaded)) {
        deps.activated()
        mailbox.putBack(inFlight.restart(committed.state, committed.hash))
      } else this.answerAll(troubleOf(loaded.failure))
    })
  }

  /** Loads the programmes in force before the next decision. If that fails, all requests get `Unavailable`. */
  private leaveRevision(revision: number): Effect.Effect<void> {
    return Effect.map(this.parts.deps.leaveRevision(revision), (isDone) => {
      if (isDone) this.parts.outdated = undefined
      else this.answerAll(unavailable)
    })
  }

  private answerAll(trouble: Trouble): void {
    for (const request of this.parts.mailbox.takeAll()) request.done(trouble)
  }

  private serve(request: Request): Effect.Effect<void> | undefined {
    if (request.type === "hold") return this.serveHold(request)
    const { committed, deps, programId } = this.parts
    const { mergedInto } = committed.state
    if (mergedInto !== undefined && !isOfItself(request)) {
      deps.forward(mergedInto, programId, request)
      return undefined
    }
    if (request.type === "read") {
      request.done(committed.resident ?? unavailable)
      return undefined
    }
    if (!deps.mayWrite()) {
      request.done({ _tag: "Frozen" })
      return undefined
    }
    if (++request.tries > Bounds.maxTries) {
      request.done({ _tag: "Overloaded" })
      return undefined
    }
    return consider(this.parts, request)
  }

  private serveHold(request: HoldRequest): Effect.Effect<void> {
    const { inFlight, mailbox } = this.parts
    if (!inFlight.isEmpty) {
      mailbox.putBack([request])
      return inFlight.empty
    }
    return Effect.callback<void>((resume) => request.held(new HeldAccount(this.parts, () => resume(Effect.void))))
  }
}

/** True if the request concerns this account even after its member was merged into another. */
const isOfItself = (request: CommandRequest | ReadRequest): boolean =>
  request.type === "read" ? request.isOfItself : ofItself.has(request.command.action.type)

const ofItself: ReadonlySet<Action["type"]> = new Set(["set_status", "change_identities"])
