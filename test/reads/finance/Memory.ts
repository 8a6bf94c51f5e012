/** Feed and store of finance in memory, for one history at a time, and the rows of its tables. */
import { Effect, Layer } from "effect"
import type { AccountEvent } from "../../../src/core/account/domain/AccountEvent.ts"
import { JournalUnavailable, type StoredRecord } from "../../../src/core/journal/Records.ts"
import { Feed, type FeedRecord } from "../../../src/reads/feed/Feed.ts"
import { beginning, compare } from "../../../src/reads/feed/Position.ts"
import { Finance } from "../../../src/reads/finance/Finance.ts"
import { FinanceStore, type Progress } from "../../../src/reads/finance/FinanceStore.ts"
import type { MergedLots, Sums } from "../../../src/reads/finance/Sums.ts"

export interface Zone {
  readonly program: string
  readonly version: number
  readonly zone: string
}

/** A record that is read. */
export interface MemoryRecord extends Pick<StoredRecord, "account" | "at" | "seq"> {
  readonly events: ReadonlyArray<AccountEvent>
  readonly program: string
  /** Place of the programme's version, from 0. */
  readonly version: number
}

type Row = Readonly<Record<string, unknown>>

/** Rows that are added up by all their columns but one. */
class Table {
  private readonly found = new Map<string, Record<string, unknown>>()
  private readonly amount: string

  constructor(amount: string) {
    this.amount = amount
  }

  add(rows: ReadonlyArray<Row>): void {
    for (const { [this.amount]: points, ...key } of rows) {
      const name = Object.values(key).join("\u0000")
      const row = this.found.get(name)
      if (row === undefined) this.found.set(name, { ...key, [this.amount]: points })
      else row[this.amount] = Number(row[this.amount]) + Number(points)
    }
  }

  get rows(): ReadonlyArray<Row> {
    return [...this.found.values()]
  }
}

const storedOf = ({ account, at, events, seq, version }: MemoryRecord, index: number): FeedRecord => {
  const record: StoredRecord = {
    ...{ account, seq, at, version: 1, events: JSON.stringify(events), reply: "", programVersion: version + 1 },
    ...{ actor: undefined, origin: undefined, balances: "", announced: 0, hash: `${account} ${seq}` }
  }
  return { ...record, position: { epoch: 1, transaction: BigInt(index + 1), account, seq } }
}

const fresh = (): Progress => ({ changes: 0, position: beginning, head: "" })

export class Memory {
  days = new Table("points")
  cohorts = new Table("points")
  rewards = new Table("rewards")
  progress = fresh()
  /** Fails the next write: before it, or after it is done. */
  fails: "before" | "after" | undefined
  private merges: Array<MergedLots> = []
  private program = ""
  private records: ReadonlyArray<FeedRecord> = []
  private readonly places = new Map<string, string | undefined>()
  private readonly issued = new Map<string, string>()
  private readonly zones: ReadonlyArray<Zone>

  constructor(zones: ReadonlyArray<Zone>) {
    this.zones = zones
  }

  /** Has records of one programme, and counts none of them. */
  open(records: ReadonlyArray<MemoryRecord>): void {
    this.records = records.map(storedOf)
    this.program = records[0]!.program
    this.places.clear()
    this.issued.clear()
    for (const record of records) this.note(record)
    this.forget()
  }

  /** Counts anew from the first record on. */
  forget(): void {
    for (const name of ["days", "cohorts"] as const) this[name] = new Table("points")
    this.rewards = new Table("rewards")
    this.progress = fresh()
    this.merges = []
  }

  /** Rows of the ledger and of issued rewards, as the tables have them. */
  private note({ account, events }: MemoryRecord): void {
    for (const event of events) {
      if (event.type === "posted") {
        const makes = event.op === "accrual" || event.op === "adjustment" || event.op === "manual"
        this.places.set(`${account} ${event.n}`, makes ? event.location : undefined)
      } else if (event.type === "reward_issued") this.issued.set(`${account} ${event.issued}`, event.reward)
      else if ((event.type === "reward_received" || event.type === "reward_restored") && event.was !== undefined)
        this.issued.set(`${account} ${event.issued}`, event.was.reward)
    }
  }

  private write({ changes }: Progress, to: Pick<Progress, "head" | "position">, sums: Sums) {
    const { fails } = this
    this.fails = undefined
    const lost = new JournalUnavailable({ cause: new Error("the connection is lost") })
    if (fails === "before") return Effect.fail(lost)
    if (changes !== this.progress.changes) return Effect.succeed("moved" as const)
    const found = sums.toJson()
    this.days.add(found.days)
    this.cohorts.add(found.cohorts)
    this.rewards.add(found.rewards)
    this.merges.push(...found.merges)
    this.progress = { ...to, changes: changes + 1 }
    return fails === "after" ? Effect.fail(lost) : Effect.succeed("changed" as const)
  }

  /** The keeper of the sums, over this memory. */
  readonly layer: Layer.Layer<Finance> = Finance.layer.pipe(
    Layer.provide(
      Layer.merge(
        Layer.succeed(Feed, {
          read: (after, limit) =>
            Effect.sync(() => this.records.filter(({ position }) => compare(position, after) > 0).slice(0, limit)),
          oldestAfter: (after) =>
            Effect.sync(() => this.records.find(({ position }) => compare(position, after) > 0)?.at)
        }),
        Layer.succeed(FinanceStore, {
          progress: Effect.sync(() => this.progress),
          programs: (accounts) => Effect.sync(() => new Map(accounts.map((account) => [account, this.program]))),
          zones: Effect.sync(() => this.zones),
          merges: () => Effect.sync(() => this.merges),
          places: (entries) =>
            Effect.sync(() =>
              entries.map(({ account, n }) => ({ account, n, place: this.places.get(`${account} ${n}`) }))
            ),
          rewards: (issued) =>
            Effect.sync(() =>
              issued.map(({ account, issued: id }) => ({
                account,
                issued: id,
                reward: this.issued.get(`${account} ${id}`)!
              }))
            ),
          write: (from, to, sums) => Effect.suspend(() => this.write(from, to, sums))
        })
      )
    )
  )
}
