/**
 * Gathers records into groups and writes each group in one go, several groups
 * on their way at once, the next one gathering meanwhile.
 *
 * Holds the order: one account is in one group at a time, its records in the
 * order of their submission, and one that is left out takes its successors with
 * it. Two records that claim the same key never travel together: the second
 * waits for the first one's outcome. Two that are linked make a group of their own.
 *
 * Knows nothing of PostgreSQL: a lane is opened, and writes groups until it fails.
 */
import { Cause, Effect, Exit, Fiber, Schema, type Scope } from "effect"
import * as Bounds from "./Bounds.ts"
import type { AccountNumber, AppendOutcome, ClaimHolder, Hash128, JournalRecord } from "./Journal.ts"

/** A group could not be written. */
export class WriteFailed extends Schema.TaggedError<WriteFailed>()("WriteFailed", {
  /** Whether it may have reached the disk all the same. */
  sent: Schema.Boolean,
  cause: Schema.Defect()
}) {}

/** What a writer says of one record. */
export type Verdict = Extract<
  AppendOutcome,
  { readonly _tag: "committed" | "taken" | "stale" | "superseded" | "frozen" }
>

/** Writes a group, all or nothing of it where it `isLinked`; answers one verdict for each record. After a failure the lane is opened anew. */
export type Write = (
  group: ReadonlyArray<JournalRecord>,
  isLinked?: boolean
) => Effect.Effect<ReadonlyArray<Verdict>, WriteFailed>

export interface GroupCommitOptions {
  /** Opens a lane; its scope closes when a write fails. */
  readonly open: Effect.Effect<Write, WriteFailed, Scope.Scope>
  readonly lanes?: number | undefined
  readonly maxPendingRecords?: number | undefined
  readonly maxPendingChars?: number | undefined
  readonly maxGroupRecords?: number | undefined
  readonly maxGroupChars?: number | undefined
  readonly smallGroupAccounts?: number | undefined
}

export interface GroupCommit {
  readonly submit: (record: JournalRecord, done: (outcome: AppendOutcome) => void) => void
  readonly submitLinked: (
    records: readonly [JournalRecord, JournalRecord],
    done: (outcomes: readonly [AppendOutcome, AppendOutcome]) => void
  ) => void
  /** Records submitted and not yet answered. */
  readonly pending: () => number
}

interface Entry {
  readonly record: JournalRecord
  readonly done: (outcome: AppendOutcome) => void
  readonly slot: Slot
  readonly chars: number
  outcome: AppendOutcome | undefined
  /** Commits with this one or not at all. */
  linked: Entry | undefined
  /** Entries that claim what this one claims; they wait while it is on its way. */
  waiters: Array<Waiter> | undefined
}

interface Waiter {
  readonly entry: Entry
  readonly key: Hash128
}

/** An account with records that are not answered yet, oldest first. */
interface Slot {
  readonly account: AccountNumber
  readonly entries: Array<Entry>
  /** How many of them, from the first on, are on their way. */
  inFlight: number
}

const committed: AppendOutcome = { _tag: "committed" }
const superseded: AppendOutcome = { _tag: "superseded" }
const overloaded: AppendOutcome = { _tag: "overloaded" }
const unavailable: AppendOutcome = { _tag: "unavailable" }
const inDoubt: AppendOutcome = { _tag: "in_doubt" }

/** Closing the scope writes what is queued, then closes the lanes. */
export const make = Effect.fnUntraced(function* (
  options: GroupCommitOptions
): Effect.fn.Return<GroupCommit, never, Scope.Scope> {
  const lanes = options.lanes ?? Bounds.writerConnections
  const maxPendingRecords = options.maxPendingRecords ?? Bounds.maxPendingRecords
  const maxPendingChars = options.maxPendingChars ?? Bounds.maxPendingChars
  const maxGroupRecords = options.maxGroupRecords ?? Bounds.maxGroupRecords
  const maxGroupChars = options.maxGroupChars ?? Bounds.maxGroupChars
  const smallGroupAccounts = options.smallGroupAccounts ?? Bounds.smallGroupAccounts
  const runFork = Effect.runForkWith(yield* Effect.context())

  const slots = new Map<AccountNumber, Slot>()
  /** Slots with records to send and none on their way, in the order they became so. */
  const ready = new Set<Slot>()
  /** Accounts with records left out of which they have yet to hear. */
  const leavingOut = new Set<AccountNumber>()
  /** Who of those on their way claims a key. */
  const claimed = new Map<Hash128, Entry>()
  const idle: Array<() => void> = []
  let onDrained: (() => void) | undefined
  let waking = false
  let pendingRecords = 0
  let pendingChars = 0
  let openLanes = 0
  /** Groups on their way. */
  let writing = 0
  /** Whether a small group has been held back for as long as it may be. */
  let isOverdue = false
  let isTimed = false
  /** Groups sent so far. */
  let sent = 0
  /** The last attempt to open failed and no lane is open: what comes is answered at once. */
  let down = false
  let closing = false

  /**
   * Whether there is a group to send. A small one waits while another is on its way:
   * a server needs twice as much for a record in groups of six as in groups of fifty.
   */
  const isWorth = (): boolean => ready.size > 0 && (writing === 0 || isOverdue || ready.size >= smallGroupAccounts)

  const wake = (): void => {
    if (waking || ready.size === 0) return
    if (!isWorth()) return limitWait()
    const resume = idle.pop()
    if (resume === undefined) return
    waking = true
    resume()
  }

  /** What is on its way may never arrive: a small group does not wait for it for ever. */
  const limitWait = (): void => {
    if (isTimed || idle.length === 0) return
    isTimed = true
    const before = sent
    runFork(
      Effect.andThen(
        Effect.sleep(Bounds.maxHoldMs),
        Effect.sync(() => {
          isTimed = false
          isOverdue = sent === before
          wake()
        })
      )
    )
  }

  const refresh = (slot: Slot): void => {
    const head = slot.entries[0]
    if (head !== undefined && slot.inFlight === 0 && head.outcome === undefined) ready.add(slot)
    else ready.delete(slot)
  }

  /** Takes the answered entries off the slot's head, so that whoever is called back finds it tidy. */
  const takeAnswered = (slot: Slot, into: Array<Entry>): void => {
    let count = 0
    for (const entry of slot.entries) {
      if (entry.outcome === undefined) break
      into.push(entry)
      pendingRecords--
      pendingChars -= entry.chars
      count++
    }
    slot.entries.splice(0, count)
    if (slot.entries.length === 0) slots.delete(slot.account)
    refresh(slot)
  }

  /** Until an account hears of its first record that was left out, whatever it submits is on top of that one. */
  const answer = (entries: ReadonlyArray<Entry>): void => {
    for (const { outcome, record } of entries) if (outcome?._tag !== "committed") leavingOut.add(record.account)
    for (const entry of entries) {
      if (entry.outcome === undefined) throw new Error("answered without an outcome")
      if (entry.outcome._tag !== "committed") leavingOut.delete(entry.record.account)
      try {
        entry.done(entry.outcome)
      } catch (defect) {
        runFork(Effect.logError("A journal callback failed", Cause.die(defect)))
      }
    }
    if (pendingRecords === 0) onDrained?.()
  }

  /**
   * Gives the outcome to the entry, and `superseded` to those behind it that are not on their way, and to what is linked
   * to one of them with all behind that. Tells the slots that it touched.
   */
  const leaveOut = (slot: Slot, index: number, outcome: AppendOutcome, touched: Set<Slot>): void => {
    touched.add(slot)
    for (let i = index; i < slot.entries.length; i++) {
      const entry = slot.entries[i]!
      if (entry.outcome !== undefined) continue
      entry.outcome = i === index ? outcome : superseded
      const { linked } = entry
      if (linked !== undefined && linked.outcome === undefined)
        leaveOut(linked.slot, linked.slot.entries.indexOf(linked), superseded, touched)
    }
  }

  const holderAmong = (record: JournalRecord): { readonly holder: Entry; readonly key: Hash128 } | undefined => {
    for (const { key } of record.claims) {
      const holder = claimed.get(key)
      if (holder !== undefined) return { holder, key }
    }
    for (const { key } of record.identities ?? []) {
      const holder = claimed.get(key)
      if (holder !== undefined) return { holder, key }
    }
    return undefined
  }

  /** Whether the entry must wait for one in flight with the same key; then the slot is not ready until that one is settled. */
  const waits = (entry: Entry): boolean => {
    const held = holderAmong(entry.record)
    if (held === undefined) return false
    held.holder.waiters ??= []
    held.holder.waiters.push({ entry, key: held.key })
    ready.delete(entry.slot)
    return true
  }

  const putInFlight = (entry: Entry, group: Array<Entry>): void => {
    for (const { key } of entry.record.claims) claimed.set(key, entry)
    for (const { key } of entry.record.identities ?? []) claimed.set(key, entry)
    group.push(entry)
    entry.slot.inFlight++
  }

  /** Two linked entries as a group, where nothing of their accounts is before them. */
  const gatherLinked = (entry: Entry, linked: Entry): Array<Entry> => {
    const group: Array<Entry> = []
    // Either's slot becomes ready again when what is before it, or what it waits for, is settled.
    ready.delete(entry.slot)
    if (linked.slot.inFlight > 0 || linked.slot.entries[0] !== linked) return group
    ready.delete(linked.slot)
    if (waits(entry) || waits(linked)) return group
    putInFlight(entry, group)
    putInFlight(linked, group)
    return group
  }

  /** The next group, its slots and claims marked as on their way. */
  const gather = (): Array<Entry> => {
    const group: Array<Entry> = []
    let chars = 0
    for (const slot of ready) {
      if (group.length >= maxGroupRecords) break
      const [head] = slot.entries
      if (head?.linked !== undefined) {
        // Sent next: the group so far goes first.
        if (group.length > 0) break
        const both = gatherLinked(head, head.linked)
        if (both.length > 0) return both
        continue
      }
      for (const entry of slot.entries) {
        if (entry.outcome !== undefined || group.length >= maxGroupRecords || entry.linked !== undefined) break
        if (group.length > 0 && chars + entry.chars > maxGroupChars) break
        if (waits(entry)) break
        putInFlight(entry, group)
        chars += entry.chars
      }
      if (slot.inFlight > 0) ready.delete(slot)
      else if (ready.has(slot)) break
    }
    return group
  }

  /** That the committed holder has taken what the waiter wants; undefined where an identity is free now, or is to be freed. */
  const takenBy = ({ entry, key }: Waiter, { record }: Entry): AppendOutcome | undefined => {
    const { account, seq } = record
    const claim = record.claims.find((one) => one.key === key)
    if (claim !== undefined)
      return { _tag: "taken", holder: { key, account, seq, fingerprint: claim.fingerprint } satisfies ClaimHolder }
    const adds = ({ identities = [] }: JournalRecord) => identities.some((one) => one.key === key && one.added)
    return adds(record) && adds(entry.record)
      ? { _tag: "taken", holder: { key, account, seq, fingerprint: key } }
      : undefined
  }

  /** Notes what became of a group, and lets go of what it held; whoever submitted it is still to be answered. */
  const settle = (group: ReadonlyArray<Entry>, exit: Exit.Exit<ReadonlyArray<Verdict>, WriteFailed>): Array<Entry> => {
    const touched = new Set<Slot>()
    for (const entry of group) {
      touched.add(entry.slot)
      entry.slot.inFlight = 0
      for (const { key } of entry.record.claims) {
        if (claimed.get(key) === entry) claimed.delete(key)
      }
      for (const { key } of entry.record.identities ?? []) {
        if (claimed.get(key) === entry) claimed.delete(key)
      }
    }
    const verdicts = Exit.isSuccess(exit) && exit.value.length === group.length ? exit.value : undefined
    const failure = verdicts === undefined && !neverSent(exit) ? inDoubt : unavailable
    for (let i = 0; i < group.length; i++) group[i]!.outcome = verdicts === undefined ? failure : verdicts[i]!
    for (const slot of [...touched]) {
      const index = slot.entries.findIndex((entry) => entry.outcome !== undefined && entry.outcome._tag !== "committed")
      if (index >= 0) leaveOut(slot, index, superseded, touched)
    }
    for (const entry of group) {
      for (const waiter of entry.waiters ?? []) {
        const slot = waiter.entry.slot
        touched.add(slot)
        if (waiter.entry.outcome !== undefined || entry.outcome?._tag !== "committed") continue
        const taken = takenBy(waiter, entry)
        if (taken !== undefined) leaveOut(slot, slot.entries.indexOf(waiter.entry), taken, touched)
      }
      entry.waiters = undefined
    }
    const answered: Array<Entry> = []
    for (const slot of touched) takeAnswered(slot, answered)
    return answered
  }

  /** Answers everything that is not on its way. */
  const failWaiting = (): void => {
    const answered: Array<Entry> = []
    for (const slot of slots.values())
      for (let i = slot.inFlight; i < slot.entries.length; i++)
        slot.entries[i]!.outcome ??= i === slot.inFlight ? unavailable : superseded
    for (const slot of slots.values()) takeAnswered(slot, answered)
    answer(answered)
  }

  const waitForWork = Effect.callback<void>((resume) => {
    if (isWorth()) return resume(Effect.void)
    const resumeIdle = () => resume(Effect.void)
    idle.push(resumeIdle)
    if (ready.size > 0) limitWait()
    return Effect.sync(() => {
      const index = idle.indexOf(resumeIdle)
      if (index >= 0) idle.splice(index, 1)
    })
  })

  /** Begins to write what has gathered, if anything; gives the rest of the ready to another lane. */
  const sendNext = (write: Write) => {
    const group = isWorth() ? gather() : []
    if (group.length === 0) return undefined
    isOverdue = false
    sent++
    writing++
    wake()
    return {
      group,
      writing: runFork(
        Effect.uninterruptible(
          write(
            group.map((entry) => entry.record),
            group[0]?.linked !== undefined
          )
        )
      )
    }
  }

  const serve = Effect.fnUntraced(function* (write: Write) {
    while (true) {
      yield* waitForWork
      // What else is submitted by whoever is submitting now joins the group.
      yield* Effect.yieldNow
      waking = false
      let underWay = sendNext(write)
      while (underWay !== undefined) {
        const exit = yield* Effect.uninterruptible(Fiber.await(underWay.writing))
        writing--
        // From here to the answers nothing yields: nobody submits on top of a record that was left out and not yet told.
        const answered = settle(underWay.group, exit)
        // What has gathered meanwhile is sent before the callers hear of this group: the disk need not wait for them.
        underWay = Exit.isSuccess(exit) ? sendNext(write) : undefined
        answer(answered)
        if (Exit.isFailure(exit)) return yield* exit
      }
    }
  })

  /** Opens, serves until a write fails, opens again; pauses only where opening itself fails. */
  const lane = Effect.gen(function* () {
    let pauseMs = Bounds.reconnectMinMs
    while (true) {
      let opened = false
      const exit = yield* Effect.exit(
        Effect.scoped(
          Effect.gen(function* () {
            const write = yield* options.open
            opened = true
            openLanes++
            down = false
            yield* Effect.ensuring(
              serve(write),
              Effect.sync(() => {
                openLanes--
              })
            )
          })
        )
      )
      waking = false
      wake()
      if (Exit.isFailure(exit))
        yield* Effect.logWarning(`A journal connection is down: ${innermost(Cause.squash(exit.cause))}`)
      if (opened) {
        pauseMs = Bounds.reconnectMinMs
        continue
      }
      if (openLanes === 0) {
        down = true
        failWaiting()
      }
      yield* Effect.sleep(pauseMs)
      pauseMs = Math.min(pauseMs * 2, Bounds.reconnectMaxMs)
    }
  })
  for (let i = 0; i < lanes; i++) yield* Effect.forkScoped(lane)

  yield* Effect.addFinalizer(() => {
    closing = true
    return Effect.callback<void>((resume) => {
      if (pendingRecords === 0) return resume(Effect.void)
      onDrained = () => resume(Effect.void)
    }).pipe(Effect.timeoutOption(Bounds.flushTimeoutMs), Effect.andThen(Effect.sync(failWaiting)))
  })

  const enqueue = (record: JournalRecord, done: (outcome: AppendOutcome) => void): Entry => {
    const chars = record.events.length + record.reply.length + Bounds.recordOverheadChars
    let slot = slots.get(record.account)
    if (slot === undefined) {
      slot = { account: record.account, entries: [], inFlight: 0 }
      slots.set(record.account, slot)
    }
    const last = slot.entries.at(-1)
    const outcome =
      last?.outcome !== undefined || leavingOut.has(record.account)
        ? superseded
        : closing || down
          ? unavailable
          : pendingRecords >= maxPendingRecords || (pendingRecords > 0 && pendingChars + chars > maxPendingChars)
            ? overloaded
            : undefined
    const entry: Entry = { record, done, slot, chars, outcome, linked: undefined, waiters: undefined }
    slot.entries.push(entry)
    pendingRecords++
    pendingChars += chars
    return entry
  }

  /** Makes a queued entry's account ready, or answers what was refused: later, as `submit` calls nobody back. */
  const proceed = ({ outcome, slot }: Entry): void => {
    if (outcome === undefined) {
      if (slot.inFlight === 0 && slot.entries.length === 1) ready.add(slot)
      return wake()
    }
    queueMicrotask(() => {
      const answered: Array<Entry> = []
      takeAnswered(slot, answered)
      answer(answered)
    })
  }

  const submit: GroupCommit["submit"] = (record, done) => proceed(enqueue(record, done))

  const submitLinked: GroupCommit["submitLinked"] = ([first, second], done) => {
    if (first.account === second.account) throw new Error("linked records are of two accounts")
    let one: AppendOutcome | undefined
    let other: AppendOutcome | undefined
    const tell = () => {
      if (one !== undefined && other !== undefined) done([one, other])
    }
    const a = enqueue(first, (outcome) => {
      one = outcome
      tell()
    })
    const b = enqueue(second, (outcome) => {
      other = outcome
      tell()
    })
    a.linked = b
    b.linked = a
    if (a.outcome !== undefined) b.outcome ??= superseded
    else if (b.outcome !== undefined) a.outcome = superseded
    proceed(a)
    proceed(b)
  }

  return { submit, submitLinked, pending: () => pendingRecords }
})

/** What the innermost cause of a failure says: the rest is the way it came. */
const innermost = (error: unknown): string => {
  let inner = error
  while (inner instanceof Error && inner.cause !== undefined) inner = inner.cause
  return inner instanceof Error ? inner.message : String(inner)
}

const neverSent = (exit: Exit.Exit<unknown, WriteFailed>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.length > 0 &&
  exit.cause.reasons.every((reason) => Cause.isFailReason(reason) && !reason.error.sent)

export { committed as committedOutcome }
