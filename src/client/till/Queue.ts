/**
 * Entries that are accepted and not yet done: sent in the order of each guest, several guests at once, and one alone after a pause.
 * Nothing is sent before it is kept, and nothing is forgotten before the service has answered.
 */
import type { Calls, PauseReason, TillAnswer } from "./Calls.ts"
import { isRefusal, pauseReasonOf, Refused } from "./Calls.ts"
import type { AdjustmentJob, Entry, HoldJob, SaleJob } from "./Entries.ts"
import { encode, isUrgent, tagsOf } from "./Entries.ts"
import type { Attempt, Outcome, RefusedEntry, TillEvent } from "./Events.ts"
import { SendOrder } from "./SendOrder.ts"
import type { StoreError, TillStore } from "./Store.ts"

/** The first pause, and the longest one without `Retry-After`, ms. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000

export interface QueueOptions {
  readonly store: TillStore
  readonly calls: Calls
  readonly emit: (event: TillEvent) => void
  /** Requests at once. */
  readonly parallel: number
  readonly now: () => number
  readonly random: () => number
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface Pause {
  readonly reason: PauseReason
  readonly until: number
  readonly controller: AbortController
  /** One entry may be tried. */
  isOver: boolean
}

export class Queue {
  /** All that is kept, by id. */
  readonly entries = new Map<string, Entry>()
  private readonly options: QueueOptions
  private readonly order = new SendOrder()
  private readonly sending = new Map<string, Promise<Attempt>>()
  private readonly outcomes = new Map<string, (outcome: Outcome) => void>()
  /** The last write of each id that is being written: the store gets one at a time. */
  private readonly writes = new Map<string, Promise<void>>()
  private readonly drains: Array<() => void> = []
  private pause: Pause | undefined
  /** Pauses since the last answer. */
  private failures = 0
  private isStopped = false

  constructor(options: QueueOptions) {
    this.options = options
  }

  get paused(): Pause | undefined {
    return this.pause
  }

  get sendingCount(): number {
    return this.sending.size
  }

  /** Waiting or being sent. */
  get openCount(): number {
    return this.order.size
  }

  private async write(id: string, work: () => Promise<void>): Promise<void> {
    const before = this.writes.get(id) ?? Promise.resolve()
    const write = before.then(work, work)
    this.writes.set(id, write)
    try {
      await write
    } finally {
      if (this.writes.get(id) === write) this.writes.delete(id)
    }
  }

  /** Waits until the store has it. */
  put(entry: Entry): Promise<void> {
    return this.write(entry.id, () => this.options.store.put(entry.id, encode(entry)))
  }

  remove(id: string): Promise<void> {
    return this.write(id, () => this.options.store.remove(id))
  }

  /** Waits until the store has what is kept under an id; rejects if it could not be kept. */
  kept(id: string): Promise<void> {
    return this.writes.get(id) ?? Promise.resolve()
  }

  /** Takes up what an earlier till has left. */
  restore(entries: ReadonlyArray<Entry>): void {
    for (const entry of entries) {
      this.entries.set(entry.id, entry)
      if (entry.refusal !== undefined && !this.reopen(entry)) continue
      this.enter(entry)
      this.order.stored(entry.id)
    }
    this.pump()
  }

  /** Takes the refusal off an entry whose member a restore of the service may have lost, and may be back. True if it did. */
  private reopen({ refusal, ...entry }: Entry): boolean {
    if (refusal?.memberUnknownSince === undefined) return false
    this.entries.set(entry.id, entry)
    return true
  }

  private enter({ id, job }: Entry): void {
    this.order.enter(id, tagsOf(job), isUrgent(job))
  }

  /**
   * Keeps an entry and queues it; its place is that of the call. Rejects with the store's error, and then has the entry as
   * it was before.
   */
  async accept(entry: Entry): Promise<void> {
    const before = this.entries.get(entry.id)
    this.entries.set(entry.id, entry)
    this.enter(entry)
    try {
      await this.put(entry)
    } catch (error) {
      this.order.leave(entry.id)
      this.outcomes.delete(entry.id)
      if (before === undefined) this.entries.delete(entry.id)
      else this.entries.set(entry.id, before)
      this.settle()
      // The store may have it in spite of its error, and the caller was told that it has not.
      if (before === undefined) await this.remove(entry.id).catch(() => undefined)
      throw error
    }
    this.options.emit({ type: "accepted", entry })
    this.order.stored(entry.id)
    this.pump()
  }

  /** Result of an entry while this till runs. */
  outcomeOf<Answer>(id: string): Promise<Outcome<Answer>> {
    return new Promise((resolve) => {
      const before = this.outcomes.get(id)
      this.outcomes.set(id, (outcome) => {
        before?.(outcome)
        resolve(outcome as Outcome<Answer>)
      })
    })
  }

  /** Queues what is kept already. */
  enqueue(entry: Entry): void {
    this.enter(entry)
    this.order.stored(entry.id)
    this.pump()
  }

  /** Sends what is kept already at once, whether there is a pause or not; queues it where the answer is open. */
  async sendNow(entry: Entry): Promise<Attempt> {
    this.entries.set(entry.id, entry)
    this.enter(entry)
    return this.send(entry)
  }

  /** The attempt that runs, or how things stand. */
  async attemptOf(entry: Entry): Promise<Attempt> {
    const { refusal } = entry
    if (refusal !== undefined) return { outcome: "refused", entry: { ...entry, refusal } }
    return this.sending.get(entry.id) ?? { outcome: "later", error: undefined }
  }

  /** Sends as much as may be sent. */
  pump(): void {
    if (this.isStopped) return
    const most = this.pause === undefined ? this.options.parallel : this.pause.isOver ? 1 : 0
    while (this.sending.size < most) {
      const id = this.order.take()
      if (id === undefined) return
      const entry = this.entries.get(id)
      if (entry !== undefined) void this.send(entry)
    }
  }

  private send(entry: Entry): Promise<Attempt> {
    const sent = this.attempt(entry, this.pause)
    this.sending.set(entry.id, sent)
    const ended = () => {
      this.sending.delete(entry.id)
      this.settle()
      this.pump()
    }
    sent.then(ended, ended)
    return sent
  }

  private async attempt(entry: Entry, before: Pause | undefined): Promise<Attempt> {
    try {
      const answer = await this.perform(entry)
      this.answered(before)
      await this.forget(entry)
      const outcome = this.finish(entry.id, { outcome: "posted", answer })
      this.options.emit({ type: "posted", entry, answer })
      return outcome
    } catch (error) {
      if (!(error instanceof Refused)) return this.later(entry, error)
      this.answered(before)
      const refused: RefusedEntry = { ...(this.entries.get(entry.id) ?? entry), refusal: error.refusal }
      await this.put(refused).catch((fault: StoreError) => this.storeFailed(entry, fault))
      this.entries.set(entry.id, refused)
      const outcome = this.finish(entry.id, { outcome: "refused", entry: refused })
      this.options.emit({ type: "refused", entry: refused })
      return outcome
    }
  }

  private async perform(entry: Entry): Promise<TillAnswer | undefined> {
    const { calls } = this.options
    const { job } = entry
    if (job.kind === "sale") return this.sale(entry as Entry<SaleJob>)
    if (job.kind === "hold") return calls.hold(entry as Entry<HoldJob>)
    const known = job.memberId ?? entry.memberId
    if (known !== undefined) return calls.adjust(entry as Entry<AdjustmentJob>, known)
    const memberId = await calls.memberOf(entry, job.card!)
    // Kept before it is sent: the card may go to another member before the repetition, which must say the same.
    const found = { ...entry, memberId } as Entry<AdjustmentJob>
    await this.put(found).catch((error: StoreError) => this.storeFailed(entry, error))
    this.entries.set(entry.id, found)
    return calls.adjust(found, memberId)
  }

  /** Posts a sale. One that a wrong clock has dated is mended at once, and kept so before it is sent. */
  private async sale(entry: Entry<SaleJob>): Promise<TillAnswer> {
    const { calls } = this.options
    try {
      return await calls.sale(entry)
    } catch (error) {
      const order = error instanceof Refused ? await calls.datedBack(entry, entry.job.order, error.refusal) : undefined
      if (order === undefined) throw error
      const dated = { ...entry, revision: entry.revision + 1, job: { ...entry.job, order } }
      await this.put(dated).catch((fault: StoreError) => this.storeFailed(entry, fault))
      this.entries.set(entry.id, dated)
      return calls.sale(dated)
    }
  }

  private storeFailed(entry: Entry, error: StoreError): void {
    this.options.emit({ type: "store_failed", entry, error })
  }

  /** Removes what is done. Until the store has, the same facts are a repeat of it. */
  async forget(entry: Entry): Promise<void> {
    await this.remove(entry.id).catch((error: StoreError) => this.storeFailed(entry, error))
    this.entries.delete(entry.id)
  }

  finish<A extends Outcome>(id: string, outcome: A): A {
    this.order.leave(id)
    this.outcomes.get(id)?.(outcome)
    this.outcomes.delete(id)
    return outcome
  }

  /** The next pause is a short one. */
  progressed(): void {
    this.failures = 0
  }

  /** The service answers: a pause that there was before the request is over. */
  answered(before: Pause | undefined): void {
    if (this.pause === undefined || this.pause !== before) return
    this.pause.controller.abort()
    this.pause = undefined
    this.options.emit({ type: "resumed" })
  }

  private later(entry: Entry, error: unknown): Attempt {
    this.order.requeue(entry.id, pauseReasonOf(error).kind === "network")
    if (!this.isStopped) this.failed(entry, error)
    return { outcome: "later", error }
  }

  /** Begins a pause, or the next one. Failures of requests that were sent before it change nothing. */
  failed(entry: Entry, error: unknown): void {
    if (isRefusal(error) || (this.pause !== undefined && !this.pause.isOver)) return
    const { emit, now, random, wait } = this.options
    const reason = pauseReasonOf(error)
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** this.failures)
    const waitMs = Math.max(reason.retryAfterMs ?? 0, Math.round(longest * (0.5 + random() / 2)))
    this.failures++
    const pause: Pause = { reason, until: now() + waitMs, controller: new AbortController(), isOver: false }
    this.pause = pause
    emit({ type: "paused", entry, reason, waitMs })
    const over = () => {
      pause.isOver = true
      this.pump()
    }
    wait(waitMs, pause.controller.signal).then(over, over)
  }

  /** Ends the wait of a pause: one entry is tried at once. Entries whose members a restore may have lost are tried again. */
  wake(): void {
    for (const entry of [...this.entries.values()]) if (this.reopen(entry)) this.enqueue(entry)
    this.pause?.controller.abort()
  }

  /** Resolves once nothing waits and nothing is being sent. */
  drained(): Promise<void> {
    return this.order.size === 0 ? Promise.resolve() : new Promise((resolve) => this.drains.push(resolve))
  }

  private settle(): void {
    if (this.order.size === 0) for (const drain of this.drains.splice(0)) drain()
  }

  /** Sends nothing more; resolves once nothing is being sent or written. */
  async stop(): Promise<void> {
    this.isStopped = true
    this.pause?.controller.abort()
    while (this.sending.size + this.writes.size > 0)
      await Promise.allSettled([...this.sending.values(), ...this.writes.values()])
  }
}
