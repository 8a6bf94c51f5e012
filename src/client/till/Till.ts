/**
 * A till that sells while the network is away (docs/integrating-a-till.md *While the network is away*). What it accepts is kept
 * first and sent until the service has answered, once, however often network, service and till end.
 */
import type {
  AccrualPostOutput,
  OrderAdjustOutput,
  RedemptionCaptureOutput,
  RedemptionReserveOutput,
  RedemptionReverseOutput
} from "../generated/Wire.ts"
import type { TillAnswer, TillClient } from "./Calls.ts"
import { Calls, Refused, voidOf } from "./Calls.ts"
import type {
  AdjustmentInput,
  Card,
  Change,
  Entry,
  Guest,
  HoldJob,
  Job,
  Order,
  Reserved,
  ReserveInput,
  SaleInput
} from "./Entries.ts"
import { copyOf, decode, idOf, isSame, mended } from "./Entries.ts"
import type { Attempt, RefusedEntry, TillEvent } from "./Events.ts"
import { Queue } from "./Queue.ts"
import type { Accepted, CaptureResult, Hold, ReverseResult, TillState } from "./Results.ts"
import type { TillStore } from "./Store.ts"
import { QueueFull, TillError } from "./TillErrors.ts"

export interface TillOptions {
  readonly client: TillClient
  readonly store: TillStore
  readonly programId: string
  /** The sender, in `source` of requests; by default the client's `source`, else `till`. Keys belong to it: keep it. */
  readonly system?: string
  /** Which till it is, such as `till-7`; that of the client's `source` by default. */
  readonly instance?: string
  readonly onEvent?: (event: TillEvent) => void
  /** Most entries that are kept at once, refused ones and holds included; 10,000 by default. */
  readonly maxEntries?: number
  /** Most requests at once; 4 by default. */
  readonly parallel?: number
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number
  /** `Math.random` by default. */
  readonly random?: () => number
  /** Waits for so long; rejects as soon as the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

const defaultMaxEntries = 10_000
const defaultParallel = 4
/** Decision of each step. A hold that nobody decided before the till ended is reversed. */
const decisions = { reserve: "reverse", reverse: "reverse", capture: "capture", again: "capture" } as const
/** Time that requests have to end when the till stops, ms. */
const defaultGraceMs = 5_000

const waited = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })

/** Tills in plain JavaScript have no types to tell them. */
const checkOrder = (input: { readonly order: Order } | null | undefined): void => {
  const order = input?.order as Partial<Order> | undefined
  if (order?.order_id === undefined || order.scope === undefined || order.totals === undefined)
    throw new TillError("invalid", "give the whole `order`, as `buildOrder` makes it")
}

export class Till {
  private readonly options: TillOptions
  private readonly maxEntries: number
  private readonly queue: Queue
  private readonly calls: Calls
  private readonly controller = new AbortController()
  /** Holds of this run that nobody has decided, by the ids of their entries. */
  private readonly held = new Map<string, { readonly asked: Reserved; readonly hold: Promise<Hold> }>()
  private seq = 0
  private started: Promise<void> | undefined
  private isStopped = false

  constructor(options: TillOptions) {
    const { client, now = Date.now, programId, store } = options
    const { instance = client.source?.instance, system = client.source?.system ?? "till" } = options
    this.options = options
    this.maxEntries = options.maxEntries ?? defaultMaxEntries
    this.calls = new Calls({
      client,
      programId,
      system,
      instance,
      now,
      signal: this.controller.signal,
      onAnswer: () => this.queue.progressed(),
      onClock: (aheadMs) => this.emit({ type: "clock", aheadMs })
    })
    this.queue = new Queue({
      store,
      calls: this.calls,
      emit: (event) => this.emit(event),
      parallel: options.parallel ?? defaultParallel,
      now,
      random: options.random ?? Math.random,
      wait: options.wait ?? waited
    })
  }

  private emit(event: TillEvent): void {
    try {
      this.options.onEvent?.(event)
    } catch {
      // A display that fails keeps no sale from being sent.
    }
  }

  /**
   * Opens the store and goes on with what an earlier till left: sends what it accepted, and reverses the holds that nobody
   * decided. Every other call does it first. Rejects with a `StoreError`, and can be tried again.
   */
  start(): Promise<void> {
    if (this.isStopped) return Promise.reject(new TillError("stopped", "the till was told to stop"))
    this.started ??= this.open().catch((error: unknown) => {
      this.started = undefined
      throw error
    })
    return this.started
  }

  private async open(): Promise<void> {
    const { store } = this.options
    const { damaged, entries } = await store.open()
    try {
      const decoded = entries.map(({ id, text }) => ({ id, entry: decode(text) }))
      for (const where of damaged) this.emit({ type: "damaged", where })
      for (const { entry, id } of decoded) if (entry === undefined) this.emit({ type: "damaged", where: id })
      const found = decoded.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))
      this.seq = Math.max(-1, ...found.map(({ seq }) => seq)) + 1
      this.queue.restore(found.sort((a, b) => a.seq - b.seq))
    } catch (error) {
      await store.close()
      throw error
    }
  }

  /** Accepts a paid order of a guest. Resolves once it is kept. An unknown card is enrolled. */
  async sale(input: SaleInput): Promise<Accepted<AccrualPostOutput>> {
    checkOrder(input)
    if (input.order.status !== "paid")
      throw new TillError("invalid", `the order is ${input.order.status}, and only a paid one is a sale`)
    return this.accept<AccrualPostOutput>({ kind: "sale", ...input }, input.order.scope.program_id)
  }

  /** Accepts a refund, a void or a correction of an order. It is sent after the order. */
  async adjust(input: AdjustmentInput): Promise<Accepted<OrderAdjustOutput>> {
    if (typeof (input as Partial<AdjustmentInput> | null)?.adjustment?.adjustment_id !== "string")
      throw new TillError("invalid", "give the whole `adjustment`, as `buildRefund` makes it")
    return this.accept<OrderAdjustOutput>({ kind: "adjustment", ...input })
  }

  /** Accepts that an order is void: the guest keeps nothing of it. */
  async cancel(input: Guest & { readonly order: Order; readonly reason: string; readonly adjustmentId?: string }) {
    checkOrder(input)
    const { adjustmentId, order, reason, ...guest } = input
    await this.start()
    const adjustment = voidOf(order, reason, adjustmentId ?? `void-${order.order_id}`)
    // Of an earlier version, which dated voids by their first call.
    const known = this.queue.entries.get(idOf({ kind: "adjustment", ...guest, adjustment }))
    const { occurred_at } = known?.job.kind === "adjustment" ? known.job.adjustment : adjustment
    return this.adjust({ ...guest, adjustment: { ...adjustment, occurred_at } })
  }

  private async accept<Answer>(given: Job, programId = this.options.programId): Promise<Accepted<Answer>> {
    const job = copyOf(given)
    if (job.kind !== "hold" && (job.card === undefined) === (job.memberId === undefined))
      throw new TillError("invalid", "give either `card` or `memberId`")
    if (programId !== this.options.programId)
      throw new TillError(
        "invalid",
        `the order is of programme ${programId}, and the till of ${this.options.programId}`
      )
    await this.start()
    const id = idOf(job)
    const known = this.queue.entries.get(id)
    if (known === undefined) {
      const entry = this.entryOf(id, job)
      const outcome = this.queue.outcomeOf<Answer>(id)
      await this.queue.accept(entry)
      return { id, isRepeat: false, outcome }
    }
    if (!isSame(known.job, job)) throw new TillError("conflict", `the till keeps other facts under ${id}`)
    await this.queue.kept(id)
    const { refusal } = known
    const outcome =
      refusal === undefined
        ? this.queue.outcomeOf<Answer>(id)
        : Promise.resolve({ outcome: "refused", entry: { ...known, refusal } } as const)
    return { id, isRepeat: true, outcome }
  }

  /** A new entry; throws where as many are kept as may be. */
  private entryOf<J extends Job>(id: string, job: J): Entry<J> {
    const { maxEntries } = this
    if (this.queue.entries.size >= maxEntries) {
      this.emit({ type: "full", maxEntries })
      throw new QueueFull(maxEntries)
    }
    return { id, seq: this.seq++, acceptedAt: this.time(), revision: 0, job }
  }

  private time(): string {
    return new Date((this.options.now ?? Date.now)()).toISOString()
  }

  /** Entries that the service refused, the oldest first; those of an earlier till too. */
  async refused(): Promise<ReadonlyArray<RefusedEntry>> {
    await this.start()
    return [...this.queue.entries.values()]
      .flatMap((entry) => (entry.refusal === undefined ? [] : [{ ...entry, refusal: entry.refusal }]))
      .sort((a, b) => a.seq - b.seq)
  }

  private refusedOf(id: string): RefusedEntry {
    const entry = this.queue.entries.get(id)
    if (entry?.refusal === undefined) throw new TillError("not_found", `nothing refused is kept under ${id}`)
    return { ...entry, refusal: entry.refusal }
  }

  /**
   * Sends a refused entry again, with what was changed, after what the guest's queue has by now. A refused capture is held
   * anew and captured at once. Resolves once it is kept.
   */
  async mend(id: string, change: Change = {}): Promise<Accepted> {
    await this.start()
    const { memberId: _, refusal, ...entry } = this.refusedOf(id)
    const job = mended(entry.job, copyOf(change))
    const outcome = this.queue.outcomeOf<TillAnswer | undefined>(id)
    await this.queue.accept({ ...entry, seq: this.seq++, revision: entry.revision + 1, job })
    return { id, isRepeat: false, outcome }
  }

  /** Gives a refused entry up. `why` goes to the event, for the till's own log. */
  async drop(id: string, why: string): Promise<void> {
    await this.start()
    const entry = this.refusedOf(id)
    this.queue.entries.delete(id)
    try {
      await this.queue.remove(id)
    } catch (error) {
      this.queue.entries.set(id, entry)
      throw error
    }
    this.emit({ type: "dropped", entry, why })
  }

  /**
   * Holds a reward, online alone; asked again, it is the same hold. Rejects with the client's error; where the answer is open,
   * the till reverses what may be held. Decide it with `capture` or `reverse`: a till that starts again reverses what nobody
   * decided. A hold that is over needs another `redemptionId`.
   */
  async reserve(input: ReserveInput): Promise<Hold> {
    checkOrder(input)
    await this.start()
    const { card, order, redemptionId, ...rest } = input
    const bare = { kind: "hold", step: "reserve", redemptionId, orderId: order.order_id } as const
    const id = idOf(bare)
    const memberId = card === undefined ? input.memberId : await this.memberOf(id, bare, card)
    const asked = copyOf({ ...rest, order, redemptionId, memberId })
    const known = this.held.get(id)
    if (known !== undefined && isSame(known.asked, asked)) return known.hold
    if (this.queue.entries.has(id)) throw new TillError("conflict", `${redemptionId} is kept already; give another one`)
    const entry = this.entryOf<HoldJob>(id, { ...bare, input: asked })
    this.queue.entries.set(id, entry)
    const hold = this.opened(entry, asked)
    this.held.set(id, { asked, hold })
    return hold
  }

  private async opened(entry: Entry<HoldJob>, asked: Reserved): Promise<Hold> {
    const { id, job } = entry
    const { orderId, redemptionId } = job
    try {
      await this.queue.put(entry)
    } catch (error) {
      await this.ended(entry)
      throw error
    }
    const pause = this.queue.paused
    let answer: RedemptionReserveOutput
    try {
      answer = await this.hold(entry, asked)
    } catch (error) {
      if (error instanceof Refused) {
        await this.ended(entry)
        throw error.cause
      }
      this.held.delete(id)
      const kept = this.queue.entries.get(id) ?? entry
      this.queue.failed(kept, error)
      this.queue.enqueue(kept)
      throw error
    }
    this.queue.answered(pause)
    const { effect, expires_at: expiresAt, reservation_id: reservationId, status } = answer.reservation
    if (status === "reserved") return { redemptionId, reservationId, orderId, effect, expiresAt, answer }
    await this.ended(entry)
    throw new TillError("conflict", `${redemptionId} is ${status} already; give another one`)
  }

  /** Opens a hold. An order that a wrong clock has dated is mended at once, and kept so before it is sent. */
  private async hold(entry: Entry<HoldJob>, input: Reserved): Promise<RedemptionReserveOutput> {
    const { redemptionId } = entry.job
    try {
      return await this.calls.reserve(entry, input, redemptionId)
    } catch (error) {
      const order = error instanceof Refused ? await this.calls.datedBack(entry, input.order, error.refusal) : undefined
      if (order === undefined) throw error
      const dated = { ...input, order }
      const kept: Entry<HoldJob> = { ...entry, job: { ...entry.job, input: dated } }
      await this.queue.put(kept)
      this.queue.entries.set(entry.id, kept)
      return this.calls.reserve(kept, dated, redemptionId)
    }
  }

  /** The member that has a card; what is held names the member, so that it is the same one at a repetition. */
  private async memberOf(id: string, job: HoldJob, card: Card): Promise<string> {
    try {
      return await this.calls.memberOf({ id, seq: this.seq, acceptedAt: this.time(), revision: 0, job }, card)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      throw error.cause ?? new TillError("not_found", error.message)
    }
  }

  private async ended(entry: Entry): Promise<void> {
    this.held.delete(entry.id)
    await this.queue.forget(entry)
  }

  /** Spends what is held. The decision is kept first: it is sent until the service has answered. */
  async capture(hold: Hold): Promise<CaptureResult> {
    const { attempt, id } = await this.decide(hold, { step: "capture" })
    if (attempt.outcome === "posted")
      return { outcome: "captured", answer: attempt.answer as unknown as RedemptionCaptureOutput }
    if (attempt.outcome === "later")
      return {
        outcome: "queued",
        id,
        remedy: "The till captures it when the service answers. Post the order as it was paid."
      }
    const { code, remedy } = attempt.entry.refusal
    return { outcome: "late", id, code, remedy }
  }

  /** Releases what is held, or gives back what was captured. The decision is kept first, like that of `capture`. */
  async reverse(hold: Hold, reason: string): Promise<ReverseResult> {
    const { attempt, id } = await this.decide(hold, { step: "reverse", reason })
    if (attempt.outcome === "posted")
      return { outcome: "reversed", answer: attempt.answer as unknown as RedemptionReverseOutput | undefined }
    if (attempt.outcome === "later") return { outcome: "queued", id }
    const { code, remedy } = attempt.entry.refusal
    return { outcome: "refused", id, code, remedy }
  }

  private async decide(
    { orderId, redemptionId, reservationId }: Hold,
    decision: Pick<HoldJob, "step" | "reason">
  ): Promise<{ readonly id: string; readonly attempt: Attempt }> {
    await this.start()
    const bare: HoldJob = { kind: "hold", redemptionId, orderId, reservationId, ...decision }
    const id = idOf(bare)
    const known = this.queue.entries.get(id)
    if (known !== undefined && !this.held.has(id)) {
      const decided = decisions[(known.job as HoldJob).step]
      if (decided !== decision.step)
        throw new TillError("conflict", `${redemptionId} has another decision, by its caller or a restart: ${decided}`)
      return { id, attempt: await this.queue.attemptOf(known) }
    }
    const input = (known?.job as HoldJob | undefined)?.input
    const job: HoldJob = { ...bare, ...(input === undefined ? undefined : { input }) }
    const entry = known === undefined ? this.entryOf(id, job) : { ...known, job }
    const undecided = this.held.get(id)
    this.held.delete(id)
    this.queue.entries.set(id, entry)
    try {
      await this.queue.put(entry)
    } catch (error) {
      this.queue.entries.delete(id)
      if (undecided !== undefined) this.held.set(id, undecided)
      if (known !== undefined) this.queue.entries.set(id, known)
      throw error
    }
    return { id, attempt: await this.queue.sendNow(entry) }
  }

  /** Entries that wait, and why; those of an earlier till too. */
  async state(): Promise<TillState> {
    await this.start()
    const { openCount, paused, sendingCount } = this.queue
    const entries = [...this.queue.entries.values()]
    const waiting = entries.filter(({ id, refusal }) => refusal === undefined && !this.held.has(id))
    const oldest = waiting.reduce<Entry | undefined>((a, b) => (a === undefined || b.seq < a.seq ? b : a), undefined)
    return {
      queued: openCount,
      sending: sendingCount,
      refused: entries.filter(({ refusal }) => refusal !== undefined).length,
      held: this.held.size,
      oldestAt: oldest?.acceptedAt,
      paused: paused === undefined ? undefined : { reason: paused.reason, until: new Date(paused.until).toISOString() }
    }
  }

  /** Tries at once, as when the network is back, the token was changed, or members are back that a restore had lost. */
  async wake(): Promise<void> {
    await this.start()
    this.queue.wake()
  }

  /** Resolves once nothing waits and nothing is being sent; refused entries and undecided holds may be left. */
  async drained(): Promise<void> {
    await this.start()
    await this.queue.drained()
  }

  /** Sends nothing more, waits for what is being sent, ends it after `graceMs`, and closes the store. What waits is kept. */
  async stop(graceMs = defaultGraceMs): Promise<void> {
    if (this.isStopped) return
    const started = this.started?.catch(() => undefined)
    this.isStopped = true
    await started
    const over = new AbortController()
    const { wait = waited } = this.options
    wait(graceMs, over.signal).then(
      () => this.controller.abort(),
      () => undefined
    )
    await this.queue.stop()
    over.abort()
    if (this.started !== undefined) await this.options.store.close()
  }
}
