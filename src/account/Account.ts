/**
 * The actor of one member account: decides one command at a time.
 *
 * A fiber drains a bounded mailbox while there is something in it. Commands are
 * decided on the tip, which is the committed state with the decisions still on
 * their way on top; callers and readers see only what is committed. A record
 * that is left out takes its successors with it and they are decided again.
 * When nobody knows whether a commit happened, the state is forgotten and read
 * from the journal before the next decision.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type {
  AppendOutcome,
  Claim,
  ClaimHolder,
  Journal,
  JournalRecord,
  JournalUnavailable,
  MemberRow,
  NewAccount
} from "../journal/Journal.ts"
import type { Program } from "../program/Program.ts"
import * as Bounds from "./Bounds.ts"
import type { Recorded } from "./Codec.ts"
import { decodeRecord, decodeSnapshot, encodeSnapshot, SNAPSHOT_VERSION } from "./Codec.ts"
import type { CardReward } from "./domain/Command.ts"
import { decide } from "./domain/Decide.ts"
import type { Decided, Decision, Recalled } from "./domain/Decision.ts"
import { evolve } from "./domain/Evolve.ts"
import * as Lots from "./domain/Lots.ts"
import type { Want } from "./domain/Recall.ts"
import { recall, wants } from "./domain/Recall.ts"
import type { RecentWork } from "./Recent.ts"
import type { Refusal } from "./domain/Refusal.ts"
import { refusal } from "./domain/Refusal.ts"
import type { Command, Guards } from "./Guards.ts"
import * as Record from "./Record.ts"
import * as Rows from "./Rows.ts"
import type { State } from "./domain/State.ts"
import { initialState } from "./domain/State.ts"

/** Why a command was not carried out, outside the domain's own refusals. */
export type Trouble = { readonly _tag: "Unavailable" } | { readonly _tag: "Overloaded" } | { readonly _tag: "Frozen" }

/** What a command came to: a record (its own, or the one it repeats), a refusal, trouble. */
export type Outcome =
  | {
      readonly _tag: "Answered"
      readonly record: Recorded
      /** The account that the record is of, where it was at hand. */
      readonly resident?: Resident | undefined
    }
  | { readonly _tag: "Held"; readonly holder: ClaimHolder }
  | Refusal
  | Trouble

/** What every account shares. */
export interface Surroundings {
  readonly journal: Journal["Service"]
  readonly recent: RecentWork
  readonly now: () => number
  /** Runs an effect in a fiber of its own. */
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly programOf: (programId: string) => Program | undefined
  readonly makeCards: (count: number) => ReadonlyArray<CardReward>
  /** Told after every commit when the account is next due. */
  readonly due: (account: number, at: number | null) => void
  /** False while writes are frozen: commands get `Frozen`, and no snapshot is written. */
  readonly mayWrite: () => boolean
}

type Item =
  | {
      readonly type: "command"
      readonly command: Command
      readonly done: (outcome: Outcome) => void
      readonly broke: (cause: Cause.Cause<never>) => void
      tries: number
    }
  | {
      readonly type: "read"
      readonly done: (view: Resident | Trouble) => void
      readonly broke: (cause: Cause.Cause<never>) => void
    }

type CommandItem = Extract<Item, { readonly type: "command" }>

interface OnItsWay {
  readonly item: CommandItem
  readonly state: State
  readonly record: JournalRecord
  readonly recorded: Recorded
  /** The record whose reply answers, where that is not its own. */
  readonly repeats?: number
}

/** What a reader sees: the committed state and the member's data beside it. */
export interface Resident {
  readonly _tag: "Resident"
  readonly account: number
  readonly state: State
  readonly member: MemberRow
}

const unavailable: Trouble = { _tag: "Unavailable" }

export class Account {
  readonly number: number
  readonly programId: string
  /** When the directory last handed it out, and when it last found it so, ms. */
  usedAt = 0
  movedAt = 0
  private readonly around: Surroundings
  private resident: Resident | undefined
  private tip: State = initialState
  private hash = ""
  private tipHash = ""
  private snapshotSeq = 0
  private opens: NewAccount | undefined
  private mailbox: Array<Item> = []
  private onItsWay: Array<OnItsWay> = []
  /** Claims of the records in flight. */
  private readonly claimed = new Set<string>()
  private again: Array<Item> = []
  private draining = false
  /** What the drain has taken out of the mailbox and not yet dealt with. */
  private serving: Item | undefined
  private broken = false
  private mustReload = false
  private whenLanded: (() => void) | undefined

  private constructor(number: number, programId: string, around: Surroundings) {
    this.number = number
    this.programId = programId
    this.around = around
  }

  /** An account that the journal knows; it is read when first asked. */
  static stored(number: number, programId: string, around: Surroundings): Account {
    return new Account(number, programId, around)
  }

  /** An account that its first record will open. */
  static opening(number: number, opens: NewAccount, around: Surroundings): Account {
    const account = new Account(number, opens.programId, around)
    account.opens = opens
    account.resident = { _tag: "Resident", account: number, state: initialState, member: opens }
    return account
  }

  /** Nothing waits and nothing is on its way. */
  get isIdle(): boolean {
    return !this.draining && this.mailbox.length === 0 && this.onItsWay.length === 0 && this.again.length === 0
  }

  get seq(): number {
    return this.resident?.state.seq ?? 0
  }

  /** Records since the last snapshot: what an activation has to replay. */
  get tail(): number {
    return this.seq - this.snapshotSeq
  }

  private get isSnapshotDue(): boolean {
    if (this.tail < Bounds.snapshotEvery) return false
    const lots = (this.resident?.state.units ?? []).reduce((sum, unit) => sum + Lots.roughCount(unit.lots), 0)
    return this.tail >= lots / Bounds.lotsPerSnapshotRecord
  }

  /** Carries a command out. A caller that goes away changes nothing about it. */
  execute(command: Command): Effect.Effect<Outcome> {
    return Effect.callback<Outcome>((resume) => {
      this.send({
        type: "command",
        command,
        // A caller that went on at once would find the account between two states.
        done: (outcome) => resume(Effect.as(Effect.yieldNow, outcome)),
        broke: (cause) => resume(Effect.failCause(cause)),
        tries: 0
      })
    })
  }

  /** The committed state. */
  read(): Effect.Effect<Resident | Trouble> {
    return Effect.suspend(() => {
      if (this.resident !== undefined && !this.mustReload) return Effect.succeed(this.resident)
      return Effect.callback<Resident | Trouble>((resume) => {
        this.send({
          type: "read",
          done: (view) => resume(Effect.succeed(view)),
          broke: (cause) => resume(Effect.failCause(cause))
        })
      })
    })
  }

  private send(item: Item): void {
    if (this.mailbox.length + this.again.length >= Bounds.mailboxCommands) return item.done({ _tag: "Overloaded" })
    this.mailbox.push(item)
    this.wake()
  }

  /** Serves the mailbox: at once as far as nothing has to be waited for, the rest in a fiber. */
  private wake(): void {
    if (this.draining || this.mailbox.length === 0) return
    this.draining = true
    let rest: Effect.Effect<void> | undefined
    try {
      rest = this.turn()
    } catch (defect) {
      rest = Effect.die(defect)
    }
    if (rest === undefined) {
      this.draining = false
      return
    }
    this.around.fork(
      Effect.onExit(rest, (exit) =>
        Effect.suspend(() => {
          this.draining = false
          if (exit._tag !== "Success") return this.stopped(exit.cause)
          this.wake()
          return Effect.void
        })
      )
    )
  }

  /**
   * A defect is for the command that met it, or for all where the account cannot be
   * read; the others go on with what the journal says. Interrupted, the service closes.
   */
  private stopped(cause: Cause.Cause<never>): Effect.Effect<void> {
    this.mustReload = true
    if (this.onItsWay.length > 0) this.broken = true
    const met = this.serving === undefined ? this.mailbox.splice(0) : [this.serving]
    this.serving = undefined
    if (Cause.hasInterruptsOnly(cause)) {
      for (const item of [...met, ...this.mailbox.splice(0)]) item.done(unavailable)
      return Effect.void
    }
    for (const item of met) item.broke(cause)
    this.wake()
    return Effect.logError(`Account ${this.number} stopped on a defect`, cause)
  }

  /** Handles what can be handled without waiting; what has to be waited for, and everything after it, is the rest. */
  private turn(): Effect.Effect<void> | undefined {
    for (;;) {
      this.serving = undefined
      if (this.mailbox.length === 0) return undefined
      const waits = this.prepare() ?? this.next()
      if (waits !== undefined) return Effect.flatMap(waits, () => this.turn() ?? Effect.void)
    }
  }

  private next(): Effect.Effect<void> | undefined {
    this.serving = this.mailbox.shift()
    return this.serving === undefined ? undefined : this.take(this.serving)
  }

  private prepare(): Effect.Effect<void> | undefined {
    if (this.broken || this.onItsWay.length >= Bounds.inFlightRecords) return this.landed
    if (this.resident !== undefined && !this.mustReload) return undefined
    return Effect.flatMap(Effect.result(this.load()), (loaded) =>
      Effect.sync(() => {
        if (Result.isSuccess(loaded)) return
        for (const item of this.mailbox.splice(0)) item.done(unavailable)
      })
    )
  }

  /** Ends when nothing is on its way. */
  private readonly landed: Effect.Effect<void> = Effect.callback<void>((resume) => {
    if (this.onItsWay.length === 0) return resume(Effect.void)
    this.whenLanded = () => resume(Effect.void)
  })

  private take(item: Item): Effect.Effect<void> | undefined {
    if (item.type === "read") {
      item.done(this.resident ?? unavailable)
      return undefined
    }
    if (!this.around.mayWrite()) {
      item.done({ _tag: "Frozen" })
      return undefined
    }
    if (++item.tries > Bounds.maxTries) {
      item.done({ _tag: "Overloaded" })
      return undefined
    }
    return this.consider(item)
  }

  /** Puts an item back and waits until its predecessors are known. */
  private afterLanding(item: Item): Effect.Effect<void> {
    this.mailbox.unshift(item)
    if (item.type === "command") item.tries--
    return this.landed
  }

  private consider(item: CommandItem): Effect.Effect<void> | undefined {
    const { guards } = item.command
    const { recent } = this.around
    for (const claim of [guards.key, guards.business]) {
      if (claim === undefined) continue
      if (this.claimed.has(claim.key)) return this.afterLanding(item)
      const holder = recent.holder(claim.key)
      if (holder !== undefined) return this.onItsWay.length > 0 ? this.afterLanding(item) : this.settle(item, holder)
    }
    return this.considerWith(item, {})
  }

  /** Decides with what was recalled, once nothing more is wanted. */
  private considerWith(item: CommandItem, recalled: Recalled): Effect.Effect<void> | undefined {
    const want = wants(this.tip, item.command.action, recalled)
    if (want === undefined) return this.judge(item, this.decide(item.command, recalled))
    if (this.onItsWay.length > 0) return this.afterLanding(item)
    return Effect.flatMap(Effect.result(this.recall(want)), (found) =>
      Effect.suspend(() => {
        if (Result.isSuccess(found)) return this.considerWith(item, { ...recalled, ...found.success }) ?? Effect.void
        item.done(unavailable)
        return Effect.void
      })
    )
  }

  private decide(command: Command, recalled?: Recalled): Decision {
    const program = this.around.programOf(this.programId)
    if (program === undefined) return refusal("not_found", `There is no programme ${this.programId}.`)
    const given = {
      now: this.around.now(),
      program,
      ...(recalled === undefined ? undefined : { recalled }),
      ...(command.action.type === "reserve"
        ? { reservation: Rows.reservationId(this.number, this.tip.seq + 1) }
        : undefined)
    }
    const decision = decide(this.tip, command.action, given)
    if (decision._tag !== "NeedsCards") return decision
    return decide(this.tip, command.action, { ...given, cards: this.around.makeCards(decision.count) })
  }

  private judge(item: CommandItem, decision: Decision): Effect.Effect<void> | undefined {
    switch (decision._tag) {
      case "Decided":
        if (decision.events.length === 0 && decision.reply.type === "none") {
          if (this.onItsWay.length > 0) return this.afterLanding(item)
          return this.vouch(item, { _tag: "Answered", record: recordOf(this.number, this.seq, decision) })
        }
        this.submit(item, decision)
        return undefined
      case "Repeats":
        if (this.onItsWay.length > 0) return this.afterLanding(item)
        this.submitRepeat(item, decision.seq)
        return undefined
      case "NeedsCards":
        throw new Error("a decision asked for cards that it was given")
      case "Refusal":
        if (this.onItsWay.length > 0) return this.afterLanding(item)
        return this.vouch(item, decision)
    }
  }

  /**
   * What writes nothing is fenced by no key, so that the tables are asked before it
   * leaves: whether a claim of the command is held (decisions.md §4 Idempotency), and
   * whether this is still the newest state of the account.
   */
  private vouch(item: CommandItem, outcome: Outcome): Effect.Effect<void> {
    const { business, key } = item.command.guards
    const keys = [key, business].flatMap((claim) => (claim === undefined ? [] : [claim.key]))
    return Effect.flatMap(Effect.result(this.around.journal.witness(this.number, keys)), (asked) =>
      Effect.suspend(() => {
        if (Result.isFailure(asked)) {
          item.done(unavailable)
          return Effect.void
        }
        const { holders, seq } = asked.success
        const holder = holders.find((one) => one.key === key?.key) ?? holders[0]
        if (holder !== undefined) return this.settle(item, holder) ?? Effect.void
        if (seq > this.seq) {
          this.mustReload = true
          this.mailbox.unshift(item)
        } else item.done(outcome)
        return Effect.void
      })
    )
  }

  /** Answers a command of which a claim is held: replay, first result, or conflict. Nothing is on its way. */
  private settle(item: CommandItem, holder: ClaimHolder): Effect.Effect<void> | undefined {
    const { action, guards } = item.command
    this.around.recent.holds(holder)
    // A record of ours that we have not seen, of another owner or given up as in doubt: read the account before settling.
    if (holder.account === this.number && holder.seq > this.seq) {
      this.mustReload = true
      this.mailbox.unshift(item)
      return Effect.void
    }
    if (holder.key === guards.key?.key) {
      if (guards.key.fingerprint === holder.fingerprint) return this.answerFrom(item, holder.account, holder.seq)
      item.done(refusal("idempotency_conflict", "The idempotency key was used with a different payload."))
    } else if (action.type === "enroll") {
      item.done({ _tag: "Held", holder })
    } else if (
      holder.key === guards.business?.key &&
      holder.fingerprint === guards.business.fingerprint &&
      holder.account === this.number
    ) {
      this.submitRepeat(item, holder.seq)
    } else {
      return this.conflict(item)
    }
    return undefined
  }

  /** Somebody holds the business identifier with other facts; but the key's own record comes first. */
  private conflict(item: CommandItem): Effect.Effect<void> {
    const { action, guards } = item.command
    const { key } = guards
    return Effect.flatMap(Effect.result(this.around.journal.holders(key === undefined ? [] : [key.key])), (asked) => {
      const holder = Result.isSuccess(asked) ? asked.success[0] : undefined
      if (holder !== undefined) return this.settle(item, holder) ?? Effect.void
      item.done(Result.isFailure(asked) ? unavailable : refusal("conflict", conflictDetail(action.type)))
      return Effect.void
    })
  }

  private answerFrom(item: CommandItem, account: number, seq: number): Effect.Effect<void> {
    return Effect.map(Effect.result(readRecord(this.around, account, seq)), (found) => {
      item.done(Result.isSuccess(found) ? { _tag: "Answered", record: found.success } : unavailable)
    })
  }

  /** Keeps the key. What is due is posted with it: after a later record it could not keep its own instant. */
  private submitRepeat(item: CommandItem, seq: number): void {
    const due = this.decide({ action: { type: "expire" }, guards: {} })
    if (due._tag === "Refusal") return item.done(due)
    if (due._tag !== "Decided") throw new Error("what is due is always decided")
    this.submit(item, { ...due, reply: { type: "same", seq } }, seq)
  }

  /** Past this point nothing is refused here: the journal says what becomes of the record. */
  private submit(item: CommandItem, decision: Decided, repeats?: number): void {
    const { guards } = item.command
    const claims = repeats === undefined ? this.claimsOf(guards, decision.cards) : keyOf(guards)
    const record = Record.make(this.around.journal.claimKey, decision, {
      account: this.number,
      before: this.tip,
      previous: this.tipHash,
      program: this.around.programOf(this.programId),
      claims,
      opens: this.opens
    })
    const recorded = recordOf(this.number, record.seq, decision)
    const entry: OnItsWay = {
      item,
      state: decision.state,
      record,
      recorded,
      ...(repeats === undefined ? undefined : { repeats })
    }
    this.onItsWay.push(entry)
    for (const { key } of claims) this.claimed.add(key)
    this.tip = decision.state
    this.tipHash = record.hash
    this.around.journal.submit(record, (outcome) => this.outcome(entry, outcome))
  }

  /** Everything that a record claims. */
  private claimsOf(guards: Guards, cards: ReadonlyArray<CardReward>): ReadonlyArray<Claim> {
    const { business, further = [] } = guards
    const { claimKey } = this.around.journal
    return [
      ...keyOf(guards),
      ...(business === undefined ? [] : [business]),
      ...further,
      ...cards.flatMap((card) => Rows.cardClaims(claimKey, this.programId, card))
    ]
  }

  private outcome(entry: OnItsWay, outcome: AppendOutcome): void {
    if (this.onItsWay.shift() !== entry) throw new Error("the journal reports the records of an account in their order")
    for (const { key } of entry.record.claims) this.claimed.delete(key)
    if (outcome._tag === "committed") this.committed(entry)
    else this.leftOut(entry.item, outcome)
    if (this.onItsWay.length === 0) this.land()
  }

  private committed(entry: OnItsWay): void {
    const { record } = entry
    const { account, seq } = record
    const { due, recent } = this.around
    if (this.resident !== undefined) this.resident = { ...this.resident, state: entry.state }
    this.hash = record.hash
    for (const { fingerprint, key } of record.claims) recent.holds({ key, fingerprint, account, seq })
    recent.keep(record)
    due(this.number, record.totals.nextDue)
    if (entry.repeats === undefined)
      entry.item.done({ _tag: "Answered", record: entry.recorded, resident: this.resident })
    else this.around.fork(this.answerFrom(entry.item, account, entry.repeats))
    if (this.isSnapshotDue) this.around.fork(this.snapshot())
  }

  private leftOut(item: CommandItem, outcome: Exclude<AppendOutcome, { readonly _tag: "committed" }>): void {
    this.broken = true
    switch (outcome._tag) {
      case "taken":
        this.around.recent.holds(outcome.holder)
        if (isGuard(item.command, outcome.holder.key)) this.again.push(item)
        else if (item.command.action.type === "enroll") item.done({ _tag: "Held", holder: outcome.holder })
        else item.done(refusal("conflict", "Something that must be unique is taken."))
        return
      case "stale":
        this.mustReload = true
        this.again.push(item)
        return
      case "superseded":
        // It was never judged itself: behind a busy rival that would use up its tries.
        item.tries--
        this.again.push(item)
        return
      case "frozen":
        return item.done({ _tag: "Frozen" })
      case "overloaded":
        return item.done({ _tag: "Overloaded" })
      case "in_doubt":
        this.mustReload = true
        // Whether something falls due by it, only the journal knows now: the scheduler looks again.
        this.around.due(this.number, this.around.now())
        return item.done(unavailable)
      case "unavailable":
        return item.done(unavailable)
    }
  }

  /** Nothing is on its way any more: what was left out is decided again, on what is committed. */
  private land(): void {
    if (this.broken) {
      this.broken = false
      this.tip = this.resident?.state ?? initialState
      this.tipHash = this.hash
      this.mailbox.unshift(...this.again.splice(0))
    }
    const resume = this.whenLanded
    this.whenLanded = undefined
    if (resume !== undefined) resume()
    else this.wake()
  }

  /** Reads the account from its newest readable snapshot and the journal's tail. */
  private load(): Effect.Effect<void, JournalUnavailable> {
    const { journal } = this.around
    const account = this
    return Effect.gen(function* () {
      const stored = yield* journal.loadAccount(account.number)
      if (stored === undefined) {
        if (account.opens === undefined) throw new Error(`account ${account.number} is not in the journal`)
        account.mustReload = false
        return
      }
      const kept = stored.snapshot
      const snapshot = kept === undefined ? undefined : decodeSnapshot(journal.claimKey, kept.version, kept.state)
      // One ahead of the journal belongs to another history: the journal is the truth.
      const counts = snapshot !== undefined && snapshot.state.seq <= stored.seq
      let state = counts ? snapshot.state : initialState
      let hash = counts ? snapshot.hash : ""
      account.snapshotSeq = state.seq
      for (;;) {
        const page = yield* journal.records(account.number, state.seq + 1, Bounds.readPage)
        for (const record of page) {
          if (record.seq !== state.seq + 1) throw new Error(`account ${account.number} misses record ${state.seq + 1}`)
          state = replay(state, decodeRecord(record))
          hash = record.hash
        }
        if (page.length < Bounds.readPage) break
      }
      account.resident = { _tag: "Resident", account: account.number, state, member: stored.member }
      account.opens = undefined
      account.tip = state
      account.hash = hash
      account.tipHash = hash
      account.mustReload = false
      if ((kept !== undefined && !counts) || account.isSnapshotDue) account.around.fork(account.snapshot())
    })
  }

  /** Folds a thing again, from the record that claimed it or that its id names: from memory what is recent. */
  private recall(want: Want): Effect.Effect<Recalled, JournalUnavailable> {
    const { journal, recent } = this.around
    const account = this
    return Effect.gen(function* () {
      const from = want.type === "reservation" ? Rows.reservationSeq(want.id) : yield* account.claimedBy(want)
      if (from === undefined) return recall(want, [])
      const found: Array<Recorded> = []
      for (let seq = from; seq <= account.seq; ) {
        const kept = recent.record(account.number, seq)
        const page = kept === undefined ? yield* journal.records(account.number, seq, Bounds.readPage) : [kept]
        for (const record of page) found.push(decodeRecord(record))
        if (page.length === 0) break
        seq += page.length
      }
      return recall(want, found)
    })
  }

  /** The record of this account that claimed a thing. */
  private claimedBy(want: Want): Effect.Effect<number | undefined, JournalUnavailable> {
    const { journal, recent } = this.around
    const claim = Rows.wantedClaim(journal.claimKey, this.programId, want)
    const seqOf = (holder: ClaimHolder | undefined) => (holder?.account === this.number ? holder.seq : undefined)
    const kept = recent.holder(claim)
    return kept === undefined
      ? Effect.map(journal.holders([claim]), ([holder]) => seqOf(holder))
      : Effect.succeed(seqOf(kept))
  }

  /** Writes a snapshot of the committed state, for a quick return. */
  snapshot(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const state = this.resident?.state
      if (state === undefined || this.mustReload || state.seq === this.snapshotSeq || !this.around.mayWrite())
        return Effect.void
      this.snapshotSeq = state.seq
      const { journal } = this.around
      const text = encodeSnapshot(journal.claimKey, state, this.hash)
      const snapshot = { seq: state.seq, version: SNAPSHOT_VERSION, state: text }
      return Effect.catch(journal.saveSnapshot(this.number, snapshot), (error) =>
        Effect.logDebug("A snapshot was not kept; the journal has everything", error)
      )
    })
  }

  /** A record with a reply of its own: one that repeats another is followed to it. */
  static readRecord(
    around: Pick<Surroundings, "journal" | "recent">,
    account: number,
    seq: number
  ): Effect.Effect<Recorded, JournalUnavailable> {
    return readRecord(around, account, seq)
  }
}

const isGuard = (command: Command, key: string): boolean =>
  command.guards.key?.key === key || command.guards.business?.key === key

const keyOf = ({ key }: Guards): ReadonlyArray<Claim> => (key === undefined ? [] : [key])

const recordOf = (account: number, seq: number, decision: Decided): Recorded => ({
  account,
  seq,
  at: decision.at,
  events: decision.events,
  reply: decision.reply
})

const conflictDetail = (action: Command["action"]["type"]): string =>
  action === "accrue"
    ? "The order has accrued before, with other facts or for another member."
    : "The identifier was used before with other facts."

/** The state after a record: its events, and its own number and time. */
export const replay = (state: State, record: Pick<Recorded, "at" | "events" | "seq">): State => {
  let next = state
  for (const event of record.events) next = evolve(next, event, record.seq)
  return { ...next, seq: record.seq, at: record.at }
}

/** A record with a reply of its own: one that repeats another is followed to it. */
const readRecord = (
  around: Pick<Surroundings, "journal" | "recent">,
  account: number,
  seq: number
): Effect.Effect<Recorded, JournalUnavailable> =>
  Effect.gen(function* () {
    for (let wanted = seq; ; ) {
      const kept = around.recent.record(account, wanted)
      const text = kept ?? (yield* around.journal.records(account, wanted, 1))[0]
      if (text?.seq !== wanted) throw new Error(`record ${account}/${wanted} is claimed but not in the journal`)
      if (kept === undefined) around.recent.keep(text)
      const record = decodeRecord(text)
      if (record.reply.type !== "same") return record
      wanted = record.reply.seq
    }
  })
