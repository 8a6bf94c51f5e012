/**
 * The actor of one member account: decides one command at a time.
 *
 * Commands wait in a `Mailbox` and are decided on the tip: the `Committed` state
 * with the records `InFlight` on top. Callers and readers see committed state
 * only. `ClaimResolution` resolves a command whose claim is taken. If a record is
 * in doubt, the account is loaded from the journal before the next decision. If
 * programmes have changed, they are loaded before it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { AppendOutcome, Claim, ClaimHolder, MemberRow, NewAccount, ProfileChange } from "../journal/Records.ts"
import type { AccountDeps } from "./AccountDeps.ts"
import * as Bounds from "./Bounds.ts"
import * as ClaimResolution from "./ClaimResolution.ts"
import type { Recorded } from "./Codec.ts"
import type { Command } from "./Command.ts"
import { Committed } from "./Committed.ts"
import type { Action, CardReward } from "./domain/Action.ts"
import { decide } from "./domain/Decide.ts"
import { balances, type Decided, type Decision, type Recalled } from "./domain/Decision.ts"
import { wants } from "./domain/Recall.ts"
import { refusal } from "./domain/Refusal.ts"
import { isErased, mergedAccounts, mergedMembers } from "./domain/State.ts"
import type { Guards } from "./Guards.ts"
import { HeldAccount } from "./HeldAccount.ts"
import { InFlight, type RecordPlace, type Submitted } from "./InFlight.ts"
import { Mailbox } from "./Mailbox.ts"
import { type Outcome, type Resident, type Trouble, unavailable } from "./Outcome.ts"
import * as PastRecords from "./PastRecords.ts"
import * as Record from "./Record.ts"
import type { CommandRequest, HoldRequest, ReadRequest, Request } from "./Request.ts"
import * as Rows from "./Rows.ts"

export class Account {
  readonly number: number
  readonly programId: string
  private readonly deps: AccountDeps
  private readonly committed: Committed
  private readonly inFlight = new InFlight()
  private readonly mailbox: Mailbox<Request>
  /** A revision of the programmes that is not in force any more. The next decision must use a newer one. */
  private outdated: number | undefined
  /** seq of a record that is known to be committed. If the state in memory is older, another owner wrote it. */
  private knownSeq = 0

  private constructor(number: number, programId: string, deps: AccountDeps, opens: NewAccount | undefined) {
    this.number = number
    this.programId = programId
    this.deps = deps
    this.committed = new Committed(number, deps, opens)
    this.mailbox = new Mailbox<Request>({
      busy: deps.busy,
      fork: deps.fork,
      prepare: () => this.prepare(),
      serve: (request) => this.serve(request),
      stopped: (requests, cause) => this.stopped(requests, cause)
    })
  }

  /** An account that the journal has. It is loaded at the first request. */
  static stored(number: number, programId: string, deps: AccountDeps): Account {
    return new Account(number, programId, deps, undefined)
  }

  /** An account that its first record will open. */
  static opening(number: number, opens: NewAccount, deps: AccountDeps): Account {
    return new Account(number, opens.programId, deps, opens)
  }

  /** True if no request waits and no record is in flight. */
  get isIdle(): boolean {
    return this.mailbox.isIdle && this.inFlight.isEmpty && this.inFlight.waiting === 0
  }

  /** The seq of the newest record; 0 before the account is loaded. */
  get seq(): number {
    return this.committed.state.seq
  }

  /** Records since the last snapshot. */
  get tail(): number {
    return this.committed.tail
  }

  snapshot(): Effect.Effect<void> {
    return this.committed.snapshot()
  }

  /** Executes a command, also if the caller disconnects. */
  execute(command: Command): Effect.Effect<Outcome> {
    return Effect.callback<Outcome>((resume) => {
      this.send({
        type: "command",
        command,
        // Yields first: otherwise the caller would continue while the account is between two states.
        done: (outcome) => resume(Effect.as(Effect.yieldNow, outcome)),
        broke: (cause) => resume(Effect.failCause(cause)),
        tries: 0
      })
    })
  }

  /** The committed state. For a merged member: the other member's state, unless `isOfItself`. */
  read(isOfItself = false): Effect.Effect<Resident | Trouble> {
    return Effect.suspend(() => {
      const { current } = this.committed
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
    const { committed, deps, inFlight, number, programId } = this
    return Effect.callback((resume) => {
      this.send({
        type: "hold",
        held: (release) =>
          resume(Effect.succeed(new HeldAccount({ number, programId, deps, committed, inFlight, release }))),
        done: (trouble) => resume(Effect.succeed(trouble)),
        broke: (cause) => resume(Effect.failCause(cause))
      })
    })
  }

  /** Takes over a request on a member that record `seq` merged into this one. */
  takeOver(request: Request, seq: number): void {
    this.knownSeq = Math.max(this.knownSeq, seq)
    this.send(request)
  }

  private send(request: Request): void {
    const waiting = this.mailbox.length + this.inFlight.waiting
    if (waiting >= Bounds.mailboxCommands) return request.done({ _tag: "Overloaded" })
    this.mailbox.push(request)
  }

  /** Fails the requests with the cause. Later requests load the account from the journal. An interruption means that the service closes. */
  private stopped(requests: ReadonlyArray<Request>, cause: Cause.Cause<never>): Effect.Effect<void> {
    this.committed.invalidate()
    if (!this.inFlight.isEmpty) this.inFlight.reject()
    if (Cause.hasInterruptsOnly(cause)) {
      for (const request of requests) request.done(unavailable)
      return Effect.void
    }
    for (const request of requests) request.broke(cause)
    return Effect.logError(`Account ${this.number} stopped on a defect`, cause)
  }

  private prepare(): Effect.Effect<void> | undefined {
    if (this.inFlight.isBlocked) return this.inFlight.empty
    if (this.outdated === this.deps.revision()) return this.leaveRevision(this.outdated)
    if (this.committed.current !== undefined) {
      if (this.committed.state.seq >= this.knownSeq) return undefined
      this.committed.invalidate()
      if (!this.inFlight.isEmpty) {
        this.inFlight.reject()
        return this.inFlight.empty
      }
    }
    return Effect.map(Effect.result(this.committed.load()), (loaded) => {
      if (Result.isSuccess(loaded)) {
        this.deps.activated()
        this.mailbox.putBack(this.inFlight.restart(this.committed.state, this.committed.hash))
      } else this.answerUnavailable()
    })
  }

  /** Loads the programmes in force before the next decision. If that fails, all requests get `Unavailable`. */
  private leaveRevision(revision: number): Effect.Effect<void> {
    return Effect.map(this.deps.leaveRevision(revision), (isDone) => {
      if (isDone) this.outdated = undefined
      else this.answerUnavailable()
    })
  }

  private answerUnavailable(): void {
    for (const request of this.mailbox.takeAll()) request.done(unavailable)
  }

  private serve(request: Request): Effect.Effect<void> | undefined {
    if (request.type === "hold") return this.serveHold(request)
    const { mergedInto } = this.committed.state
    if (mergedInto !== undefined && !isOfItself(request)) {
      this.deps.forward(mergedInto, this.programId, request)
      return undefined
    }
    if (request.type === "read") {
      request.done(this.committed.resident ?? unavailable)
      return undefined
    }
    if (!this.deps.mayWrite()) {
      request.done({ _tag: "Frozen" })
      return undefined
    }
    if (++request.tries > Bounds.maxTries) {
      request.done({ _tag: "Overloaded" })
      return undefined
    }
    return this.consider(request)
  }

  private serveHold(request: HoldRequest): Effect.Effect<void> {
    if (!this.inFlight.isEmpty) {
      this.mailbox.putBack([request])
      return this.inFlight.empty
    }
    return Effect.callback<void>((resume) => request.held(() => resume(Effect.void)))
  }

  /** Serves the request after all records in flight are answered. */
  private afterInFlight(request: CommandRequest): Effect.Effect<void> {
    this.mailbox.putBack([request])
    request.tries--
    return this.inFlight.empty
  }

  private consider(request: CommandRequest): Effect.Effect<void> | undefined {
    const { once } = request.command.guards
    if (once !== undefined && this.inFlight.tip.merged.length > 0) return this.considerOnce(request, once)
    for (const key of ClaimResolution.guardKeys(request.command)) {
      if (this.inFlight.isClaimed(key)) return this.afterInFlight(request)
      const holder = this.deps.recent.holder(key)
      if (holder !== undefined) {
        return this.inFlight.isEmpty ? this.resolve(request, holder) : this.afterInFlight(request)
      }
    }
    return needsMember.has(request.command.action.type) ? this.considerMember(request) : this.decideWith(request, {})
  }

  /** Resolves a command whose key has a record, or that was done for a member which this one contains. */
  private considerOnce(request: CommandRequest, once: NonNullable<Guards["once"]>): Effect.Effect<void> | undefined {
    if (!this.inFlight.isEmpty) return this.afterInFlight(request)
    const { key } = request.command.guards
    const { member } = this.committed.state
    const contained = [{ account: this.number, member }, ...mergedMembers(this.committed.state)]
    const claims = new Map(contained.map(once).map((claim) => [claim.key, claim.fingerprint]))
    const asked = this.deps.journal.holders([...keyOf(request.command.guards).map((one) => one.key), ...claims.keys()])
    return Effect.flatMap(Effect.result(asked), (found) =>
      Effect.suspend(() => {
        if (Result.isFailure(found)) {
          request.done(unavailable)
          return Effect.void
        }
        const holders = found.success
        const ofKey = holders.find((holder) => holder.key === key?.key)
        if (ofKey !== undefined) return this.resolve(request, ofKey) ?? Effect.void
        const same = holders.find((holder) => claims.get(holder.key) === holder.fingerprint)
        if (same !== undefined) this.submitRepeat(request, same, true)
        else if (holders.length > 0) request.done(doneBefore)
        else return this.decideWith(request, {}) ?? Effect.void
        return Effect.void
      })
    )
  }

  /** The member's data is written as a whole, so it must belong to the state that is decided on. */
  private considerMember(request: CommandRequest): Effect.Effect<void> | undefined {
    if (!this.inFlight.isEmpty) return this.afterInFlight(request)
    const { resident } = this.committed
    const isNewest =
      resident !== undefined && Rows.hasIdentitiesOf(this.deps.journal.claimKey, resident.state, resident.member)
    // Another owner changed one of them between the two reads.
    if (!isNewest) return Effect.sync(() => this.reload(request))
    return this.decideWith(request, {})
  }

  /** Recalls everything that the action needs, then decides. */
  private decideWith(request: CommandRequest, recalled: Recalled): Effect.Effect<void> | undefined {
    const want = wants(this.inFlight.tip, request.command.action, recalled)
    if (want === undefined) return this.judge(request, this.decide(request.command, recalled))
    if (!this.inFlight.isEmpty) return this.afterInFlight(request)
    return Effect.flatMap(Effect.result(PastRecords.recall(this.deps, this.owner, want)), (found) =>
      Effect.suspend(() => {
        if (Result.isSuccess(found)) return this.decideWith(request, { ...recalled, ...found.success }) ?? Effect.void
        request.done(unavailable)
        return Effect.void
      })
    )
  }

  private decide(command: Command, recalled?: Recalled): Decision {
    const { tip } = this.inFlight
    const program = this.deps.programOf(this.programId)
    if (program === undefined) return refusal("not_found", `There is no programme ${this.programId}.`)
    const given = {
      now: this.deps.now(),
      program,
      ...(recalled === undefined ? undefined : { recalled }),
      ...(command.action.type === "reserve" ? { reservation: Rows.reservationId(this.number, tip.seq + 1) } : undefined)
    }
    const decision = decide(tip, command.action, given)
    if (decision._tag !== "NeedsCards") return decision
    return decide(tip, command.action, { ...given, cards: this.deps.makeCards(decision.count) })
  }

  private judge(request: CommandRequest, decision: Decision): Effect.Effect<void> | undefined {
    switch (decision._tag) {
      case "Decided":
        if (decision.events.length > 0 || decision.reply.type !== "none") {
          // Again: the clock may have jumped before the decision read it.
          if (this.deps.mayWrite()) this.submit(request, decision)
          else request.done({ _tag: "Frozen" })
          return undefined
        }
        return this.confirmed(request, {
          _tag: "Answered",
          record: recordOf(this.number, this.committed.state.seq, decision)
        })
      case "Repeats":
        if (!this.inFlight.isEmpty) return this.afterInFlight(request)
        this.submitRepeat(request, { account: decision.account ?? this.number, seq: decision.seq })
        return undefined
      case "NeedsCards":
        throw new Error("a decision asked for cards that it was given")
      case "Refusal":
        return this.confirmed(request, decision)
    }
  }

  private confirmed(request: CommandRequest, outcome: Outcome): Effect.Effect<void> {
    return this.inFlight.isEmpty ? this.confirmCurrent(request, outcome) : this.afterInFlight(request)
  }

  /**
   * Checks the tables before a refusal is answered: a refusal writes nothing, so
   * no key exposes a second owner. Checks that no claim of the command is taken
   * (contract/idempotency.md *Precedence of answers*), that the state is the newest, and that the
   * programmes are still in force.
   */
  private confirmCurrent(request: CommandRequest, outcome: Outcome): Effect.Effect<void> {
    const keys = ClaimResolution.guardKeys(request.command)
    const decidedUnder = this.deps.revision()
    return Effect.flatMap(Effect.result(this.deps.journal.witness(this.number, keys)), (asked) =>
      Effect.suspend(() => {
        if (Result.isFailure(asked)) {
          request.done(unavailable)
          return Effect.void
        }
        const holder = ClaimResolution.first(request.command, asked.success.holders)
        if (holder !== undefined) return this.resolve(request, holder) ?? Effect.void
        if (asked.success.seq > this.committed.state.seq) this.reload(request)
        else if (asked.success.revision !== decidedUnder) this.decideLater(request, decidedUnder)
        else request.done(outcome)
        return Effect.void
      })
    )
  }

  /** Resolves a command whose claim is taken. Requires: no records in flight. */
  private resolve(request: CommandRequest, holder: ClaimHolder): Effect.Effect<void> | undefined {
    this.deps.recent.holds(holder)
    const resolution = ClaimResolution.resolve(this.owner, request.command, holder)
    switch (resolution.type) {
      case "reload":
        this.reload(request)
        return Effect.void
      case "replay":
        return this.answerFrom(request, resolution.account, resolution.seq, true)
      case "repeat":
        this.submitRepeat(request, resolution, true)
        return undefined
      case "show_reservation":
        return this.showReservation(request, resolution)
      case "held":
        request.done({ _tag: "Held", holder: resolution.holder })
        return undefined
      case "conflict":
        return this.confirmConflict(request, holder, resolution.refusal)
    }
  }

  /**
   * Refuses a command whose claim is taken with other facts. Before that it looks for the idempotency key's record,
   * which takes precedence, and for merges that another owner has written: they change whom a member id stands for.
   */
  private confirmConflict(request: CommandRequest, { key: taken }: ClaimHolder, outcome: Outcome): Effect.Effect<void> {
    const { key } = request.command.guards
    const asked = this.deps.journal.witness(this.number, key === undefined || key.key === taken ? [] : [key.key])
    return Effect.flatMap(Effect.result(asked), (found) => {
      if (Result.isFailure(found)) {
        request.done(unavailable)
        return Effect.void
      }
      const { holders, seq } = found.success
      if (holders[0] !== undefined) return this.resolve(request, holders[0]) ?? Effect.void
      if (seq > this.committed.state.seq) this.reload(request)
      else request.done(outcome)
      return Effect.void
    })
  }

  private reload(request: CommandRequest): void {
    this.committed.invalidate()
    this.mailbox.putBack([request])
  }

  /** The programmes have changed since the refusal was decided: decide again with the new ones. */
  private decideLater(request: CommandRequest, decidedUnder: number): void {
    this.outdated = decidedUnder
    request.tries--
    this.mailbox.putBack([request])
  }

  /** Answers a repeated redemption with the present state of its reservation. */
  private showReservation(request: CommandRequest, { account, seq }: RecordPlace): Effect.Effect<void> {
    const { business: _, further: __, ...guards } = request.command.guards
    return Effect.flatMap(Effect.result(PastRecords.read(this.deps, account, seq)), (found) =>
      Effect.suspend(() => {
        if (Result.isFailure(found)) {
          request.done(unavailable)
          return Effect.void
        }
        const { reply } = found.success
        if (reply.type !== "reservation") throw new Error("a redemption's record answers with its reservation")
        const action = { type: "find_reservation", reservation: reply.reservation.reservation } as const
        return this.decideWith({ ...request, command: { ...request.command, action, guards } }, {}) ?? Effect.void
      })
    )
  }

  private answerFrom(request: CommandRequest, account: number, seq: number, isReplay = false): Effect.Effect<void> {
    return Effect.map(Effect.result(PastRecords.read(this.deps, account, seq)), (found) => {
      request.done(Result.isSuccess(found) ? { _tag: "Answered", record: found.success, isReplay } : unavailable)
    })
  }

  /**
   * Records the key for an earlier reply; `isRepeat`: of a repeated business identifier, which is answered with the
   * balances of now. Everything due is posted first, because events cannot be dated before this record later.
   */
  private submitRepeat(request: CommandRequest, { account, seq }: RecordPlace, isRepeat = false): void {
    const due = this.decide({ action: { type: "expire" }, guards: {} })
    if (due._tag === "Refusal") return request.done(due)
    const program = this.deps.programOf(this.programId)
    if (due._tag !== "Decided" || program === undefined) throw new Error("what is due is always decided")
    const elsewhere = account === this.number ? undefined : { account }
    const figures = isRepeat ? { balances: balances(due.state, program) } : undefined
    this.submit(request, { ...due, reply: { type: "same", seq, ...elsewhere, ...figures } }, true)
  }

  /** From here on the account refuses nothing: the journal's outcome decides. */
  private submit(request: CommandRequest, decision: Decided, repeats = false): void {
    const { guards } = request.command
    const record = Record.make(this.deps.journal.claimKey, decision, {
      account: this.number,
      before: this.inFlight.tip,
      previous: this.inFlight.tipHash,
      program: this.deps.programOf(this.programId),
      revision: this.deps.revision(),
      claims: repeats ? keyOf(guards) : this.claimsOf(guards, decision.cards),
      actor: request.command.actor,
      origin: request.command.origin,
      audit: repeats ? undefined : request.command.audit,
      opens: this.committed.opens,
      member: this.memberAfter(request.command, decision),
      profile: repeats ? undefined : this.profileChange(request.command, decision.state.seq)
    })
    const recorded = recordOf(this.number, record.seq, decision)
    const submitted: Submitted = { request, state: decision.state, record, recorded, repeats }
    this.inFlight.add(submitted)
    this.deps.journal.submit(record, (outcome) => this.answered(submitted, outcome))
  }

  /** The member's data if the decision changes it. Requires: no records in flight, so that the data is the newest. */
  private memberAfter(
    { action, attributes, identities = [] }: Command,
    { events, state }: Decided
  ): MemberRow | undefined {
    const { resident } = this.committed
    if (!needsMember.has(action.type) || resident === undefined) return undefined
    if (isErased(state)) return { identities: [] }
    if (attributes !== undefined) return Rows.withAttributes(resident.member, attributes)
    return Rows.memberAfter(this.deps.journal.claimKey, resident.state, resident.member, events, identities)
  }

  /** An erasure includes all accounts that were merged into this one. A member that was found is answered as it is now. */
  private profileChange({ action, profile }: Command, seq: number): ProfileChange | undefined {
    const { resident } = this.committed
    if (action.type === "find_member" && resident !== undefined) return { type: "shown", seq, member: resident.member }
    if (action.type !== "erase") return profile
    return { type: "erase", reason: action.reason, merged: mergedAccounts(this.committed.state) }
  }

  /** Everything that a record claims. */
  private claimsOf(guards: Guards, cards: ReadonlyArray<CardReward>): ReadonlyArray<Claim> {
    const { business, further = [] } = guards
    const { claimKey } = this.deps.journal
    return [
      ...keyOf(guards),
      ...(business === undefined ? [] : [business]),
      ...further,
      ...cards.flatMap((card) => Rows.cardClaims(claimKey, this.programId, card))
    ]
  }

  private answered(submitted: Submitted, outcome: AppendOutcome): void {
    try {
      this.inFlight.remove(submitted)
      if (outcome._tag === "committed") this.onCommitted(submitted)
      else this.onRejected(submitted, outcome)
    } catch (defect) {
      this.deps.fork(this.stopped([submitted.request], Cause.die(defect)))
      this.inFlight.reject()
    }
    if (this.inFlight.isEmpty) this.onEmpty()
  }

  /** Answers outside the mailbox, and passes a defect on to the caller, because the mailbox does not see it. */
  private forkAnswer(request: CommandRequest, answer: Effect.Effect<void>): void {
    this.deps.fork(
      Effect.catchCause(answer, (cause) =>
        Effect.sync(() => {
          if (Cause.hasInterruptsOnly(cause)) request.done(unavailable)
          else request.broke(cause)
        })
      )
    )
  }

  private onCommitted({ record, recorded, repeats, request, state }: Submitted): void {
    const { account, seq } = record
    const { due, recent } = this.deps
    this.committed.advance(state, record.hash, record.member)
    for (const { fingerprint, key } of record.claims) recent.holds({ key, fingerprint, account, seq })
    recent.keep(record)
    due(this.number, record.totals.nextDue)
    if (repeats) this.forkAnswer(request, this.answerFrom(request, account, seq))
    else request.done({ _tag: "Answered", record: recorded, resident: this.committed.resident })
    this.committed.snapshotIfDue()
  }

  private onRejected(
    { record, request }: Submitted,
    outcome: Exclude<AppendOutcome, { readonly _tag: "committed" }>
  ): void {
    this.inFlight.reject()
    switch (outcome._tag) {
      case "taken":
        return this.onTaken(request, outcome.holder)
      case "stale":
        this.committed.invalidate()
        return this.inFlight.retryLater(request)
      case "outdated":
        this.outdated = record.revision
        request.tries--
        return this.inFlight.retryLater(request)
      case "superseded":
        // The record itself was not checked, so this is not counted as a try.
        request.tries--
        return this.inFlight.retryLater(request)
      case "frozen":
        return request.done({ _tag: "Frozen" })
      case "overloaded":
        return request.done({ _tag: "Overloaded" })
      case "in_doubt":
        this.committed.invalidate()
        // The record may have changed what falls due, so the scheduler must read the journal.
        this.deps.due(this.number, this.deps.now())
        return request.done(unavailable)
      case "unavailable":
        return request.done(unavailable)
    }
  }

  private onTaken(request: CommandRequest, holder: ClaimHolder): void {
    const { command } = request
    // Not kept in `recent`, because an identity can be removed later.
    if (command.action.type === "enroll" && command.action.identity === holder.key)
      return request.done({ _tag: "Held", holder })
    if (command.action.type === "change_identities" && command.action.add.includes(holder.key))
      return this.onIdentityTaken(request, holder, "Another member has the identity.")
    if (isExternalOf(command.action, holder.key))
      return this.onIdentityTaken(request, holder, "Another member has the external_id.")
    this.deps.recent.holds(holder)
    if (ClaimResolution.guardKeys(command).includes(holder.key)) this.inFlight.retryLater(request)
    else if (command.action.type === "enroll") request.done({ _tag: "Held", holder })
    else request.done(refusal("conflict", "Something that must be unique is taken."))
  }

  /** Refuses if another account has the identity. If this account has it, another owner added it: load and decide again. */
  private onIdentityTaken(request: CommandRequest, holder: ClaimHolder, detail: string): void {
    if (holder.account !== this.number) return request.done(refusal("conflict", detail))
    this.committed.invalidate()
    this.inFlight.retryLater(request)
  }

  /** No record is in flight any more. Commands of rejected records are decided again, on the committed state. */
  private onEmpty(): void {
    if (this.inFlight.isRejected) {
      this.mailbox.putBack(this.inFlight.restart(this.committed.state, this.committed.hash))
    }
    if (!this.inFlight.notifyEmpty()) this.mailbox.wake()
  }

  private get owner() {
    return { number: this.number, programId: this.programId, state: this.committed.state }
  }
}

const doneBefore = refusal("conflict", "It was done before for a member that this one contains.")

/** True if the request concerns this account even after its member was merged into another. */
const isOfItself = (request: CommandRequest | ReadRequest): boolean =>
  request.type === "read" ? request.isOfItself : ofItself.has(request.command.action.type)

const ofItself: ReadonlySet<Action["type"]> = new Set(["set_status", "change_identities"])

/** The actions that write or keep the member's data as a whole. */
const needsMember: ReadonlySet<Action["type"]> = new Set([
  "change_identities",
  "change_profile",
  "erase",
  "find_member"
])

const isExternalOf = (action: Action, key: string): boolean =>
  (action.type === "enroll" || action.type === "change_profile") && action.external === key

const keyOf = ({ key }: Guards): ReadonlyArray<Claim> => (key === undefined ? [] : [key])

const recordOf = (account: number, seq: number, { at, events, reply }: Decided): Recorded => ({
  account,
  seq,
  at,
  events,
  reply
})
