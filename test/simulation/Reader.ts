/**
 * A reader of events in a simulated life: it reads what was committed in pieces, now and then forgets what it has not
 * stored, and reads that again. What it has heard must be the ledger (contract/events.md *Events*, *Order*).
 *
 * Tables in memory have no open transactions. That nothing appears behind a position is for PostgreSQL to hold: the fault
 * kit has a reader, too.
 */

import type { FeedEvent } from "../../src/contract/platform/FeedEvents.ts"
import { decodeEvents } from "../../src/core/account/Codec.ts"
import type { Reserved } from "../../src/core/account/domain/AccountEvent.ts"
import type { MemoryTables } from "../../src/core/journal/MemoryJournal.ts"
import type { StoredRecord } from "../../src/core/journal/Records.ts"
import { entryId } from "../../src/core/journal/Records.ts"
import type { Facts, OwnedRecord } from "../../src/reads/feed/Event.ts"
import { eventsOf } from "../../src/reads/feed/Event.ts"
import type { Random } from "../model/Random.ts"
import type { Spans } from "./Spans.ts"

export class Reader {
  readonly faults: Array<string> = []
  /** Events by id, as they were first read. */
  private readonly known = new Map<string, string>()
  private readonly byMember = new Map<string, Array<FeedEvent>>()
  private readonly holds = new Map<string, Reserved>()
  private at = 0
  private stored = 0
  /** How often it has begun again. */
  restarts = 0

  private readonly tables: MemoryTables
  private readonly spans: Spans
  private readonly currency: string
  /** True: it reads archived records out of their files. */
  private hasFiles = false

  constructor(tables: MemoryTables, spans: Spans, currency: string) {
    this.tables = tables
    this.spans = spans
    this.currency = currency
  }

  /** Reads some records, stores its position or not, or forgets. */
  step(random: Random): void {
    const chance = random.next()
    if (chance < 0.15) {
      if (this.at > this.stored) this.restarts++
      this.at = this.stored
    } else this.read(random.whole(1, 5))
    if (chance > 0.7) this.stored = this.at
  }

  private read(records: number): void {
    const next = this.tables.log.slice(this.at, this.at + records)
    const refused = this.hasFiles ? -1 : next.findIndex((record) => this.spans.isArchived(record))
    const page = refused < 0 ? next : next.slice(0, refused)
    this.at += page.length
    for (const record of page) for (const event of this.eventsIn(record)) this.take(event)
  }

  private eventsIn(record: StoredRecord): ReadonlyArray<FeedEvent> {
    const account = this.tables.accounts.get(record.account)
    if (account === undefined) throw new Error(`account ${record.account} is in the tables`)
    const events = decodeEvents(record)
    for (const event of events) if (event.type === "reserved") this.holds.set(event.reservation, event)
    const owned: OwnedRecord = { ...record, events, program: account.programId, member: account.memberId }
    return eventsOf(owned, this.factsOf(account))
  }

  private factsOf({ entries, rewards }: { readonly entries: Entries; readonly rewards: Rewards }): Facts {
    const first = entries.find(({ operation }) => operation === "accrual")?.n
    return {
      holds: this.holds,
      rewards: new Map(
        [...rewards.values()].map((row) => [
          row.issuedRewardId,
          {
            reward: row.rewardId,
            at: row.issuedAt,
            expires: row.expiresAt,
            artifact: { type: row.artifactType, value: row.artifactValue }
          }
        ])
      ),
      firstAccruals: { get: () => first } as Pick<Facts["firstAccruals"], "get"> as Facts["firstAccruals"],
      currencyOf: () => this.currency,
      withArtifacts: false
    }
  }

  private take(event: FeedEvent): void {
    const { id, sequence, subject } = event
    const said = JSON.stringify(event)
    const before = this.known.get(id)
    if (before !== undefined) {
      if (before !== said) this.faults.push(`${subject}: event ${id} was ${before}, and is ${said}`)
      return
    }
    this.known.set(id, said)
    const all = this.byMember.get(subject) ?? []
    all.push(event)
    this.byMember.set(subject, all)
    if (Number(sequence) !== all.length) this.faults.push(`${subject}: event ${all.length} has sequence ${sequence}`)
  }

  /** Reads to the end, archived records too, and holds what was heard against the tables. */
  finish(): void {
    this.hasFiles = true
    this.read(Infinity)
    for (const [account, { entries, memberId }] of this.tables.accounts) {
      const heard = this.byMember.get(memberId) ?? []
      const told = heard.flatMap(({ data }) => ("entries" in data ? (data.entries ?? []) : []))
      const ids = told.map(({ amount, entry_id }) => `${entry_id} ${amount}`)
      const there = entries.map(({ amount, n }) => `${entryId(account, n)} ${amount}`)
      // One commit's events are put together by what they are about, not in the order of its entries.
      if (ids.toSorted().join() !== there.toSorted().join())
        this.faults.push(`${memberId}: events tell ${ids.join(", ")}; the ledger has ${there.join(", ")}`)
      const sum = entries.reduce((all, { amount }) => all + amount, 0)
      const last = heard.at(-1)?.data.balances.reduce((all, { amount }) => all + amount, 0) ?? 0
      if (sum !== last) this.faults.push(`${memberId}: its last event tells ${last}, the ledger ${sum}`)
    }
  }
}

type Account = NonNullable<ReturnType<MemoryTables["accounts"]["get"]>>
type Entries = Account["entries"]
type Rewards = Account["rewards"]
