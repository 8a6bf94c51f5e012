/**
 * Submitted records that are not answered yet, by account: waiting, in flight or settled.
 *
 * Invariants: an account is in one group at a time, its records in the order of submission. A rejected record takes
 * its successors with it. Two records that claim the same key are never in flight together: the second waits for
 * the first one's outcome. Two linked records make a group of their own. All records of a group were decided under
 * the same revision of the programmes.
 */
import * as Bounds from "./Bounds.ts"
import type { AccountNumber, AppendOutcome, ClaimHolder, Hash128, JournalRecord } from "./Records.ts"

export type Done = (outcome: AppendOutcome) => void

interface PendingBounds {
  readonly maxPendingRecords: number
  readonly maxPendingChars: number
  readonly maxGroupRecords: number
  readonly maxGroupChars: number
}

/** A submitted record with its callback. */
export interface Entry {
  readonly record: JournalRecord
  readonly done: Done
  readonly queue: AccountQueue
  readonly chars: number
  outcome: AppendOutcome | undefined
  /** Commits with this one or not at all. */
  linked: Entry | undefined
  /** Entries that claim a key of this one; they wait while it is in flight. */
  waiters: Array<Waiter> | undefined
}

interface Waiter {
  readonly entry: Entry
  readonly key: Hash128
}

/** An account's entries that are not answered yet, oldest first. */
interface AccountQueue {
  readonly account: AccountNumber
  readonly entries: Array<Entry>
  /** The number of entries in flight; they are the first ones. */
  inFlight: number
}

/** Records in flight together. */
export interface Group {
  readonly entries: Array<Entry>
  /**
   * The entries by the keys that they claim. A map for each group: one for all groups would lose and gain keys all the
   * time, and a table that V8 grew out of keeps the next one alive, with its records, until a full collection.
   */
  readonly claimed: Map<Hash128, Entry>
}

/** The outcome of a group: one for each record, or the same for all of them. */
export type GroupOutcome = ReadonlyArray<AppendOutcome> | AppendOutcome

const superseded: AppendOutcome = { _tag: "superseded" }
const overloaded: AppendOutcome = { _tag: "overloaded" }
const unavailable: AppendOutcome = { _tag: "unavailable" }

export class PendingRecords {
  private readonly queues = new Map<AccountNumber, AccountQueue>()
  /** Queues with records to send and none in flight, in the order they became so. */
  private readonly ready = new Set<AccountQueue>()
  /** Accounts with rejected records whose callbacks have not run. */
  private readonly rejecting = new Set<AccountNumber>()
  private groups: ReadonlyArray<Group> = []
  private readonly bounds: PendingBounds
  private readonly onDefect: (defect: unknown) => void
  private records = 0
  private chars = 0

  /** `onDefect` gets what a callback throws. */
  constructor(bounds: PendingBounds, onDefect: (defect: unknown) => void) {
    this.bounds = bounds
    this.onDefect = onDefect
  }

  /** Records submitted and not answered yet. */
  get count(): number {
    return this.records
  }

  /** True if an account has records to send and none in flight. */
  get hasReady(): boolean {
    return this.ready.size > 0
  }

  /** Adds a record. One that is rejected at once has its outcome already; `answerRejected` reports it. */
  add(record: JournalRecord, done: Done, isAvailable: boolean): Entry {
    const chars = record.events.length + record.reply.length + Bounds.recordOverheadChars
    let queue = this.queues.get(record.account)
    if (queue === undefined) {
      queue = { account: record.account, entries: [], inFlight: 0 }
      this.queues.set(record.account, queue)
    }
    const isOnRejected = queue.entries.at(-1)?.outcome !== undefined || this.rejecting.has(record.account)
    const outcome = isOnRejected
      ? superseded
      : !isAvailable
        ? unavailable
        : this.isFullFor(chars)
          ? overloaded
          : undefined
    const entry: Entry = { record, done, queue, chars, outcome, linked: undefined, waiters: undefined }
    queue.entries.push(entry)
    this.records++
    this.chars += chars
    return entry
  }

  private isFullFor(chars: number): boolean {
    const { maxPendingChars, maxPendingRecords } = this.bounds
    return this.records >= maxPendingRecords || (this.records > 0 && this.chars + chars > maxPendingChars)
  }

  /** Links two new entries: a rejection of one rejects the other. */
  link(one: Entry, other: Entry): void {
    one.linked = other
    other.linked = one
    if (one.outcome !== undefined) other.outcome ??= superseded
    else if (other.outcome !== undefined) one.outcome = superseded
  }

  /** Makes the queue of a new entry ready, unless the entry has to wait for others of its account. */
  makeReady({ queue }: Entry): void {
    if (queue.inFlight === 0 && queue.entries.length === 1) this.ready.add(queue)
  }

  /** Answers an entry that was rejected when it was added, as far as none before it waits. */
  answerRejected({ queue }: Entry): void {
    const answered: Array<Entry> = []
    this.removeSettled(queue, answered)
    this.answer(answered)
  }

  /** The next group, now in flight; undefined if none can be sent. */
  nextGroup(): Group | undefined {
    const group: Group = { entries: [], claimed: new Map() }
    this.groups = [...this.groups, group]
    this.fill(group)
    if (group.entries.length > 0) return group
    this.groups = this.groups.filter((other) => other !== group)
    return undefined
  }

  private fill(group: Group): void {
    const { entries } = group
    let chars = 0
    for (const queue of this.ready) {
      if (entries.length >= this.bounds.maxGroupRecords) return
      const [head] = queue.entries
      if (head?.linked !== undefined) {
        // A linked pair is a group of its own: send the group so far first.
        if (entries.length > 0) return
        this.fillLinked(head, head.linked, group)
        if (entries.length > 0) return
        continue
      }
      chars = this.fillFrom(queue, group, chars)
      if (queue.inFlight > 0) this.ready.delete(queue)
      else if (this.ready.has(queue)) return
    }
  }

  /** Puts a queue's first entries in flight, as far as they fit. Returns the group's characters. */
  private fillFrom({ entries }: AccountQueue, group: Group, before: number): number {
    let chars = before
    for (const entry of entries) {
      if (!this.fits(entry, group, chars) || this.waits(entry)) break
      this.putInFlight(entry, group)
      chars += entry.chars
    }
    return chars
  }

  /** True if an entry may be the next one of a group of so many characters. */
  private fits(entry: Entry, { entries }: Group, chars: number): boolean {
    const { maxGroupChars, maxGroupRecords } = this.bounds
    if (entry.outcome !== undefined || entries.length >= maxGroupRecords || entry.linked !== undefined) return false
    const first = entries[0]
    if (first === undefined) return true
    return chars + entry.chars <= maxGroupChars && entry.record.revision === first.record.revision
  }

  /** Puts two linked entries in flight, if both are the first of their accounts. */
  private fillLinked(entry: Entry, linked: Entry, group: Group): void {
    // Each queue becomes ready again when the records before it, or the key that it waits for, are settled.
    this.ready.delete(entry.queue)
    if (linked.queue.inFlight > 0 || linked.queue.entries[0] !== linked) return
    this.ready.delete(linked.queue)
    if (this.waits(entry) || this.waits(linked)) return
    this.putInFlight(entry, group)
    this.putInFlight(linked, group)
  }

  /** True if an entry in flight claims a key of this one; its queue is then not ready until that entry is settled. */
  private waits(entry: Entry): boolean {
    const found = this.holderOf(entry.record)
    if (found === undefined) return false
    found.holder.waiters ??= []
    found.holder.waiters.push({ entry, key: found.key })
    this.ready.delete(entry.queue)
    return true
  }

  private holderOf({
    claims,
    identities = []
  }: JournalRecord): { readonly holder: Entry; readonly key: Hash128 } | undefined {
    for (const keyed of [claims, identities]) {
      for (const { key } of keyed) {
        for (const { claimed } of this.groups) {
          const holder = claimed.get(key)
          if (holder !== undefined) return { holder, key }
        }
      }
    }
    return undefined
  }

  private putInFlight(entry: Entry, { claimed, entries }: Group): void {
    for (const { key } of entry.record.claims) claimed.set(key, entry)
    for (const { key } of entry.record.identities ?? []) claimed.set(key, entry)
    entries.push(entry)
    entry.queue.inFlight++
  }

  /** Takes a group out of flight with its outcome. Returns the entries to `answer`, in the order of their accounts. */
  settle(group: Group, outcome: GroupOutcome): Array<Entry> {
    this.groups = this.groups.filter((other) => other !== group)
    const { entries } = group
    const touched = new Set<AccountQueue>()
    for (const entry of entries) {
      touched.add(entry.queue)
      entry.queue.inFlight = 0
    }
    for (let i = 0; i < entries.length; i++) entries[i]!.outcome = isEach(outcome) ? outcome[i]! : outcome
    for (const queue of [...touched]) {
      const index = queue.entries.findIndex(({ outcome }) => outcome !== undefined && outcome._tag !== "committed")
      if (index >= 0) this.reject(queue, index, superseded, touched)
    }
    for (const entry of entries) this.settleWaiters(entry, touched)
    const settled: Array<Entry> = []
    for (const queue of touched) this.removeSettled(queue, settled)
    return settled
  }

  private settleWaiters(entry: Entry, touched: Set<AccountQueue>): void {
    for (const waiter of entry.waiters ?? []) {
      // Already rejected because of a predecessor: its account may have another queue now.
      if (waiter.entry.outcome !== undefined) continue
      const queue = waiter.entry.queue
      touched.add(queue)
      if (entry.outcome?._tag !== "committed") continue
      const taken = takenBy(entry, waiter)
      if (taken !== undefined) this.reject(queue, queue.entries.indexOf(waiter.entry), taken, touched)
    }
    entry.waiters = undefined
  }

  /**
   * Rejects the entry at `index` with the outcome, its successors with `superseded`, and so every entry linked to
   * one of them with its successors. Adds the queues to `touched`.
   */
  private reject(queue: AccountQueue, index: number, outcome: AppendOutcome, touched: Set<AccountQueue>): void {
    touched.add(queue)
    for (let i = index; i < queue.entries.length; i++) {
      const entry = queue.entries[i]!
      if (entry.outcome !== undefined) continue
      entry.outcome = i === index ? outcome : superseded
      const { linked } = entry
      if (linked !== undefined && linked.outcome === undefined)
        this.reject(linked.queue, linked.queue.entries.indexOf(linked), superseded, touched)
    }
  }

  /** Rejects every entry that is not in flight: the first of each account as `unavailable`. */
  rejectWaiting(): void {
    const settled: Array<Entry> = []
    for (const queue of this.queues.values())
      for (let i = queue.inFlight; i < queue.entries.length; i++)
        queue.entries[i]!.outcome ??= i === queue.inFlight ? unavailable : superseded
    for (const queue of this.queues.values()) this.removeSettled(queue, settled)
    this.answer(settled)
  }

  /** Moves the settled entries from the head of the queue to `into`. Callbacks may submit, so this comes before them. */
  private removeSettled(queue: AccountQueue, into: Array<Entry>): void {
    let count = 0
    for (const entry of queue.entries) {
      if (entry.outcome === undefined) break
      into.push(entry)
      this.records--
      this.chars -= entry.chars
      count++
    }
    queue.entries.splice(0, count)
    if (queue.entries.length === 0 && this.queues.get(queue.account) === queue) this.queues.delete(queue.account)
    const head = queue.entries[0]
    if (head !== undefined && queue.inFlight === 0 && head.outcome === undefined) this.ready.add(queue)
    else this.ready.delete(queue)
  }

  /** Runs the callbacks. An account's submissions before its first rejection is reported build on the rejected record. */
  answer(entries: ReadonlyArray<Entry>): void {
    for (const { outcome, record } of entries) if (outcome?._tag !== "committed") this.rejecting.add(record.account)
    for (const entry of entries) {
      if (entry.outcome === undefined) throw new Error("answered without an outcome")
      if (entry.outcome._tag !== "committed") this.rejecting.delete(entry.record.account)
      try {
        entry.done(entry.outcome)
      } catch (defect) {
        this.onDefect(defect)
      }
    }
  }
}

const isEach = (outcome: GroupOutcome): outcome is ReadonlyArray<AppendOutcome> => Array.isArray(outcome)

/** The outcome of a waiter whose key a committed entry holds; undefined if an identity is free now, or is to be removed. */
const takenBy = ({ record }: Entry, { entry, key }: Waiter): AppendOutcome | undefined => {
  const { account, seq } = record
  const claim = record.claims.find((one) => one.key === key)
  if (claim !== undefined)
    return { _tag: "taken", holder: { key, account, seq, fingerprint: claim.fingerprint } satisfies ClaimHolder }
  const adds = ({ identities = [] }: JournalRecord) => identities.some((one) => one.key === key && one.added)
  return adds(record) && adds(entry.record)
    ? { _tag: "taken", holder: { key, account, seq, fingerprint: key } }
    : undefined
}
