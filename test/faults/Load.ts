/** Many callers at once, and what they meet together. */
import type { CallerOptions } from "../model/Caller.ts"
import { Caller } from "../model/Caller.ts"
import type { Fault, History } from "../model/History.ts"
import * as Random from "../model/Random.ts"
import { check } from "./Check.ts"
import type { Counters } from "./Client.ts"
import { Client } from "./Client.ts"
import { FeedReader } from "./FeedReader.ts"
import { until } from "./Processes.ts"

/** Guests checked at the same time. */
const concurrentChecks = 16

interface Connection {
  readonly client: Client
  readonly caller: Caller
}

export class Load {
  readonly counters: Counters = { acknowledged: 0, refused: 0, unavailable: 0, broken: 0 }
  readonly faults: Array<Fault> = []
  private readonly connections: ReadonlyArray<Connection>
  private readonly feed: FeedReader
  private running: Promise<unknown> | undefined
  private goesOn = false
  /** Exchanges of each guest at its last check. */
  private readonly checked = new Map<History, number>()
  /** The writes of this round that were done at their first attempt. */
  private writes: Array<{ readonly sentAt: number; readonly answeredAt: number }> = []

  private readonly endsKeys: boolean

  /** `endsKeys`: keys beside a business id may end meanwhile. */
  constructor(
    ports: ReadonlyArray<number>,
    seed: number,
    connections: number,
    name: string,
    caller?: CallerOptions,
    endsKeys = false
  ) {
    this.endsKeys = endsKeys
    const watcher = {
      counters: this.counters,
      written: (sentAt: number, answeredAt: number) => {
        this.writes.push({ sentAt, answeredAt })
      },
      fault: (fault: Fault) => {
        this.faults.push(fault)
      }
    }
    this.feed = new FeedReader(ports, Random.make(seed, `${name} feed`), watcher.fault)
    this.connections = Array.from({ length: connections }, (_, index) => {
      const id = `${name}-${index + 1}`
      const client = new Client(ports, Random.make(seed, `${id} pauses`), watcher)
      return { client, caller: new Caller(id, Random.make(seed, id), caller) }
    })
  }

  async start(): Promise<void> {
    await this.feed.start()
    this.goesOn = true
    this.writes = []
    this.running = Promise.all(this.connections.map(({ caller, client }) => caller.run(client, () => this.goesOn)))
  }

  /** Ends with a definite answer for every caller. */
  async pause(): Promise<void> {
    this.goesOn = false
    await this.running
    await this.feed.stop()
  }

  /** Waits for so many more acknowledged commands. */
  async acknowledged(more: number): Promise<void> {
    const wanted = this.counters.acknowledged + more
    await until(
      `${more} more commands acknowledged`,
      () => this.counters.acknowledged >= wanted || this.faults.length > 0
    )
  }

  /** Waits for a write that was sent after this moment and done at once; the time from then to its answer, ms. */
  async writtenAfter(at: number): Promise<number> {
    const first = () => this.writes.find(({ sentAt }) => sentAt >= at)
    await until("a write after the fault", () => first() !== undefined || this.faults.length > 0)
    return (first()?.answeredAt ?? at) - at
  }

  /** Checks every guest that has changed since its last check, or all of them. Nothing may be under way. */
  async check(all: boolean): Promise<void> {
    const due = this.connections.flatMap(({ caller, client }) =>
      caller.histories
        .filter((history) => all || this.checked.get(history) !== history.exchanges.length)
        .map((history) => ({ client, history }))
    )
    const workers = Array.from({ length: concurrentChecks }, async () => {
      for (let next = due.pop(); next !== undefined; next = due.pop()) {
        this.checked.set(next.history, next.history.exchanges.length)
        const announced = this.feed.entriesOf(next.history.member)
        this.faults.push(...(await check(next.client, next.history, announced, this.endsKeys)))
      }
    })
    await Promise.all(workers)
  }

  get guests(): number {
    return this.connections.reduce((count, { caller }) => count + caller.histories.length, 0)
  }

  close(): void {
    for (const { client } of this.connections) client.close()
  }
}
