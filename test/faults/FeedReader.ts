/**
 * A reader of the feed beside the callers: it asks any of the nodes, over every fault, and goes on where it was. What it has
 * got is held against the ledger (contract/events.md *Order*).
 */
import type { FeedEvent } from "../../src/contract/platform/FeedEvents.ts"
import type { Fault } from "../model/History.ts"
import type { Random } from "../model/Random.ts"

/** Longest wait for an answer, ms. */
const answerMs = 10_000
const pauseMs = 100
/** Longest time until a reader has everything after the last change, ms: a node may still be starting. */
const caughtUpMs = 60_000

interface Page {
  readonly events: ReadonlyArray<FeedEvent>
  readonly next: string
  readonly lag_seconds: number
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export class FeedReader {
  private readonly ports: ReadonlyArray<number>
  private readonly random: Random
  private readonly report: (fault: Fault) => void
  private after: string | undefined
  private readonly ids = new Set<string>()
  private readonly byMember = new Map<string, Array<FeedEvent>>()
  private goesOn = false
  private running: Promise<unknown> | undefined

  constructor(ports: ReadonlyArray<number>, random: Random, report: (fault: Fault) => void) {
    this.ports = ports
    this.random = random
    this.report = report
  }

  /** Reads until `stop`. Returns once it has a place: what happens later is not missed. */
  async start(): Promise<void> {
    while (this.after === undefined) if ((await this.poll(0)) === undefined) await sleep(pauseMs)
    this.goesOn = true
    this.running = this.run()
  }

  /** Stops, once everything is read. Nothing may be under way. */
  async stop(): Promise<void> {
    this.goesOn = false
    await this.running
    const deadline = Date.now() + caughtUpMs
    for (;;) {
      const page = await this.poll(0)
      if (page !== undefined && page.events.length === 0 && page.lag_seconds === 0) return
      if (Date.now() > deadline)
        return this.report({ kind: "unanswered", member: "", detail: `the feed is not read within ${caughtUpMs} ms` })
      if (page === undefined || page.events.length === 0) await sleep(pauseMs)
    }
  }

  /** The entries that the feed told of a member. */
  entriesOf(member: string): ReadonlyArray<string> {
    return (this.byMember.get(member) ?? []).flatMap(({ data }) =>
      "entries" in data ? (data.entries ?? []).map(({ entry_id }) => entry_id) : []
    )
  }

  private async run(): Promise<void> {
    while (this.goesOn) if ((await this.poll(1)) === undefined) await sleep(pauseMs)
  }

  /** The next page; undefined if there was no answer, or 503. */
  private async poll(seconds: number): Promise<Page | undefined> {
    const query = new URLSearchParams({ limit: "1000", wait_seconds: String(seconds) })
    if (this.after !== undefined) query.set("after", this.after)
    const url = `http://127.0.0.1:${this.random.pick(this.ports)}/platform/v1/feed?${query}`
    try {
      const answer = await fetch(url, {
        headers: { authorization: "Bearer proto-dev-token" },
        signal: AbortSignal.timeout(answerMs)
      })
      const text = await answer.text()
      if (answer.status === 503) return undefined
      if (answer.status !== 200) {
        const kind = answer.status === 500 ? "internal_error" : "unknown_answer"
        this.report({
          kind,
          member: "",
          detail: `the feed after ${this.after}: ${answer.status} ${text.slice(0, 500)}`
        })
        return undefined
      }
      const page = JSON.parse(text) as Page
      this.after = page.next
      for (const event of page.events) this.take(event)
      return page
    } catch {
      // Every way in which a connection ends is the same to a reader: it asks again.
      return undefined
    }
  }

  private take(event: FeedEvent): void {
    const { id, sequence, subject: member } = event
    if (this.ids.has(id)) this.report({ kind: "doubled", member, detail: `event ${id} came twice` })
    this.ids.add(id)
    const all = this.byMember.get(member) ?? []
    const before = all.at(-1)
    if (before === undefined) this.byMember.set(member, all)
    const expected = before === undefined ? undefined : Number(before.sequence) + 1
    if (expected !== undefined && Number(sequence) !== expected)
      this.report({ kind: "lost", member, detail: `event ${id} has sequence ${sequence}, not ${expected}` })
    all.push(event)
  }
}
