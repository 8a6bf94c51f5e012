/**
 * The load process: carries out one job after another that its parent sends.
 *
 * Closed pace: each connection sends its next request when the last is answered.
 * Open pace: requests come due at random moments at a given rate; one that finds
 * no free connection waits, and its latency counts from when it was due.
 */
import { performance } from "node:perf_hooks"
import type { Kind } from "./Bodies.ts"
import type { Answer } from "./Connection.ts"
import { Connection } from "./Connection.ts"
import { Histogram } from "./Histogram.ts"
import type { FromLoad, Job, JobResult, KindResult, ToLoad } from "./Job.ts"
import type { Outgoing, Till } from "./Workloads.ts"
import { randomFrom, tillsOf } from "./Workloads.ts"

/** Longest wait for answers after the last request, ms: as long as the service's longest statement. */
const drainMs = 5_000
/** Requests that may wait for a free connection: some seconds' worth; past it, they count as dropped. */
const maxWaiting = 50_000
/** Between two looks at what has come due, ms; the finest that timers give. */
const tickMs = 1
const maxSamples = 5

const count = () => ({ good: 0, busy: 0, bad: 0 })

/** Everything that is counted in one job. */
class Tally {
  readonly window = count()
  readonly total = count()
  readonly latency = new Histogram()
  readonly kinds = new Map<Kind, Histogram>()
  readonly samples: Array<string> = []
  entries = 0
  offered = 0
  dropped = 0
  closed = 0

  add({ entries, kind }: Outgoing, answer: Answer, isWithin: boolean): boolean {
    const what = answer.status < 300 ? "good" : answer.hasRetryAfter ? "busy" : "bad"
    this.total[what]++
    if (what === "good") this.entries += entries
    if (what === "bad" && this.samples.length < maxSamples)
      this.samples.push(`${kind}: ${answer.status} ${answer.body().slice(0, 300)}`)
    if (isWithin) this.window[what]++
    return what === "good"
  }

  record(kind: Kind, latencyMs: number): void {
    this.latency.record(latencyMs)
    const histogram = this.kinds.get(kind) ?? new Histogram()
    if (histogram.count === 0) this.kinds.set(kind, histogram)
    histogram.record(latencyMs)
  }

  ofKinds(): Record<string, KindResult> {
    return Object.fromEntries(
      [...this.kinds].map(([kind, all]) => [kind, { count: all.count, p50: all.at(0.5), p99: all.at(0.99) }])
    )
  }
}

interface UnderWay {
  readonly outgoing: Outgoing
  /** When it was sent, or was due. */
  readonly from: number
}

class Run {
  private readonly job: Job
  private readonly tills: ReadonlyArray<Till>
  private readonly lines: Array<Connection> = []
  private readonly free: Array<Connection> = []
  private readonly underWay = new Map<Connection, UnderWay>()
  private readonly tally = new Tally()
  /** Moments of requests that wait for a connection; a ring would be faster, and slower to read. */
  private waiting: Array<number> = []
  private waitingFrom = 0
  private countFrom = Infinity
  private countUntil = Infinity
  private left: number
  private stopped = false
  private finish: () => void = () => undefined

  constructor(job: Job) {
    this.job = job
    this.tills = tillsOf(job)
    this.left = job.requests ?? Infinity
  }

  async run(): Promise<JobResult> {
    const cpuBefore = process.cpuUsage()
    await this.connect()
    const started = performance.now()
    this.countFrom = started + this.job.warmupMs
    this.countUntil = this.countFrom + this.job.measureMs
    const ended = this.job.pace.type === "closed" ? this.runClosed() : this.runOpen(this.job.pace.rate)
    await ended
    const windowMs = Math.min(performance.now(), this.countUntil) - this.countFrom
    if (!(windowMs > 0)) throw new Error("the workload ended before anything was counted")
    await this.drain()
    const cpu = process.cpuUsage(cpuBefore)
    for (const line of this.lines) line.end()
    const { closed, dropped, entries, latency, offered, samples, total, window } = this.tally
    const unanswered = this.underWay.size + this.waiting.length - this.waitingFrom
    const cpuSeconds = (cpu.user + cpu.system) / 1_000_000
    return {
      windowMs,
      window,
      total,
      entries,
      latency: latency.percentiles(),
      kinds: this.tally.ofKinds(),
      offered,
      dropped,
      unanswered,
      closed,
      cpuSeconds,
      samples
    }
  }

  private connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      let pending = this.job.connections
      const onOpen = () => {
        if (--pending > 0) return
        this.free.push(...this.lines.filter((line) => line.isOpen))
        if (this.free.length === 0) reject(new Error(`nobody listens on port ${this.job.port}`))
        else resolve()
      }
      for (let index = 0; index < this.job.connections; index++) {
        this.lines.push(new Connection(index, this.job.port, onOpen, this.onAnswer, this.onClose))
      }
    })
  }

  /** Next step of a connection once its request is answered. */
  private proceed: (line: Connection) => void = () => undefined

  private runClosed(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.job.warmupMs + this.job.measureMs)
      this.finish = () => {
        clearTimeout(timer)
        resolve()
      }
      this.proceed = (line) => {
        const now = performance.now()
        const outgoing = now < this.countUntil ? this.next(line, now) : undefined
        if (outgoing !== undefined) return this.send(line, outgoing, now)
        this.free.push(line)
        if (this.underWay.size === 0) this.finish()
      }
      for (const line of this.free.splice(0)) this.proceed(line)
    })
  }

  private runOpen(rate: number): Promise<void> {
    const random = randomFrom(this.job.seed + 1)
    // Gaps of a Poisson process: independent clients, with the bunches that they make.
    const gap = () => (-Math.log(1 - random()) * 1000) / rate
    let due = performance.now() + gap()
    return new Promise((resolve) => {
      this.finish = resolve
      const look = () => {
        const now = performance.now()
        for (; due <= now && due < this.countUntil; due += gap()) this.comeDue(due)
        this.serveWaiting()
        if (now < this.countUntil) return
        clearInterval(timer)
        this.stopped = true
        resolve()
      }
      this.proceed = (line) => {
        this.free.push(line)
        // Looked at again with every answer, so that under load nothing waits for a tick.
        if (!this.stopped) look()
        else this.serveWaiting()
      }
      const timer = setInterval(look, tickMs)
    })
  }

  private comeDue(at: number): void {
    if (at >= this.countFrom) this.tally.offered++
    if (this.waiting.length - this.waitingFrom < maxWaiting) this.waiting.push(at)
    else if (at >= this.countFrom) this.tally.dropped++
  }

  private serveWaiting(): void {
    while (this.waitingFrom < this.waiting.length) {
      const line = this.free.pop()
      if (line === undefined) break
      if (!line.isOpen) continue
      const at = this.waiting[this.waitingFrom++]!
      const outgoing = this.next(line, performance.now())
      if (outgoing !== undefined) this.send(line, outgoing, at)
      else this.free.push(line)
    }
    if (this.waitingFrom > 1_000 && this.waitingFrom * 2 > this.waiting.length) {
      this.waiting = this.waiting.slice(this.waitingFrom)
      this.waitingFrom = 0
    }
  }

  /** The next request; none ends what is counted. */
  private next(line: Connection, now: number): Outgoing | undefined {
    const outgoing = this.left-- > 0 ? this.tills[line.index]!() : undefined
    if (outgoing === undefined) this.countUntil = Math.min(this.countUntil, now)
    return outgoing
  }

  private send(line: Connection, outgoing: Outgoing, from: number): void {
    this.underWay.set(line, { outgoing, from })
    line.send(outgoing.text)
  }

  private readonly onAnswer = (line: Connection, answer: Answer): void => {
    const sent = this.underWay.get(line)
    if (sent === undefined) throw new Error("an answer without a request")
    this.underWay.delete(line)
    const now = performance.now()
    const { kind, learn } = sent.outgoing
    const isGood = this.tally.add(sent.outgoing, answer, this.isWithin(now))
    if (isGood) learn?.(answer.body())
    // In the closed pace what is answered within the window counts; in the open one, what came due within it.
    const at = this.job.pace.type === "closed" ? now : sent.from
    if (isGood && this.isWithin(at)) this.tally.record(kind, now - sent.from)
    this.proceed(line)
  }

  private isWithin(at: number): boolean {
    return at >= this.countFrom && at < this.countUntil
  }

  private readonly onClose = (line: Connection): void => {
    if (this.stopped && !this.underWay.has(line)) return
    this.tally.closed++
    if (this.underWay.delete(line)) this.tally.total.bad++
    if (this.underWay.size === 0 && this.job.pace.type === "closed") this.finish()
  }

  /** Waits for what is under way. */
  private async drain(): Promise<void> {
    const until = performance.now() + drainMs
    while ((this.underWay.size > 0 || this.waitingFrom < this.waiting.length) && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    this.stopped = true
  }
}

const tell = (message: FromLoad) => process.send?.(message)

process.on("message", ({ id, job }: ToLoad) => {
  new Run(job).run().then(
    (result) => tell({ id, result }),
    (error) => tell({ id, error: String(error instanceof Error ? error.stack : error) })
  )
})
process.on("disconnect", () => process.exit())
