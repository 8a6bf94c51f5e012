/**
 * Spans of simulated tables: they begin, are sealed, go into files and come back, while services run. A service with the folder of
 * files reads archived records; any other is refused what needs one, and opens accounts from their sealed states.
 */
import { Effect } from "effect"
import { isDeepStrictEqual } from "node:util"
import { decodeRecord } from "../../src/core/account/Codec.ts"
import { replay } from "../../src/core/account/Committed.ts"
import { initialState, plain, type State } from "../../src/core/account/domain/State.ts"
import * as SealedState from "../../src/core/account/SealedState.ts"
import type { Journal } from "../../src/core/journal/Journal.ts"
import type { MemoryTables } from "../../src/core/journal/MemoryJournal.ts"
import type { ClaimHolder, SealedAccount } from "../../src/core/journal/Records.ts"
import { JournalUnavailable } from "../../src/core/journal/Records.ts"
import type { Random } from "../model/Random.ts"
import type { Tell } from "./Trace.ts"

/** Where an account's records and entries end in a span. */
interface End {
  readonly seq: number
  readonly n: number
}

/** The month of every archived span; no life lasts longer. */
const month = "2026-07"

export class Spans {
  readonly faults: Array<string> = []
  private readonly tables: MemoryTables
  private readonly claimKey: Journal["Service"]["claimKey"]
  private readonly tell: Tell
  /** The spans that are over, by account. */
  private readonly ends: Array<ReadonlyMap<number, End>> = []
  /** When each of them was over, ms. */
  private readonly overAt: Array<number> = []
  /** Spans whose keys have ended, from the first on. */
  private ended = 0
  /** Keys that have ended, of records. */
  readonly endedKeys: Array<ClaimHolder> = []
  /** Those that nobody has sent since. */
  readonly forgotten = new Set<string>()
  private readonly seals: Array<ReadonlyMap<number, SealedAccount>> = []
  private readonly archived = new Set<number>()

  private readonly now: () => number

  constructor(tables: MemoryTables, claimKey: Journal["Service"]["claimKey"], tell: Tell, now: () => number) {
    this.now = now
    this.tables = tables
    this.claimKey = claimKey
    this.tell = tell
  }

  /** Begins a span, seals one, archives one or restores one, if there is one to. */
  step(random: Random): void {
    const chance = random.next()
    if (chance < 0.3) this.begin()
    else if (chance < 0.6) this.seal()
    else if (chance < 0.8) this.archive()
    else this.restore(random)
  }

  /** Ends the keys of the next sealed span, if every command in flight was sent first since it was over (`openSince`, ms). */
  endKeys(openSince: number): void {
    const span = this.ended
    if (span >= this.seals.length || (this.overAt[span] ?? Infinity) > openSince) return
    this.ended++
    for (const holder of [...this.tables.keys.values()]) {
      const { first, last } = this.reach(holder.account, span)
      if (holder.seq < first || holder.seq > last) continue
      this.tables.keys.delete(holder.key)
      this.endedKeys.push(holder)
      this.forgotten.add(holder.key)
    }
    this.tell({ _tag: "KeysEnded", span })
  }

  private begin(): void {
    const { accounts } = this.tables
    this.overAt.push(this.now())
    this.ends.push(
      new Map(
        [...accounts].map(([account, { entries, records }]) => [account, { seq: records.length, n: entries.length }])
      )
    )
    this.tell({ _tag: "SpanBegan", span: this.ends.length })
  }

  /** Each account's state comes from its state in the seal before and its records since then, and is that of all its records. */
  private seal(): void {
    const span = this.seals.length
    const ends = this.ends[span]
    if (ends === undefined) return
    const sealed = new Map<number, SealedAccount>()
    for (const [account, { seq }] of ends) {
      const { first } = this.reach(account, span)
      if (seq < first) continue
      const before = this.sealedBefore(account, span)
      const state = this.replayed(account, before?.state, seq)
      if (!isSame(state, this.replayed(account, undefined, seq)))
        this.faults.push(`account ${account}: its state in the seal of span ${span} is not that of its records`)
      const chain = this.tables.accounts.get(account)?.records[seq - 1]?.hash ?? ""
      const row = { span, account, seq, chain, version: SealedState.version, state: SealedState.encode(state) }
      sealed.set(account, { ...row, hash: SealedState.hashOf(this.claimKey, row) })
    }
    this.seals.push(sealed)
    this.tell({ _tag: "SpanSealed", span })
  }

  private archive(): void {
    const span = this.seals.findIndex((_, at) => !this.archived.has(at))
    // The present span and the one before it stay.
    if (span < 0 || span >= this.ends.length - 1) return
    this.archived.add(span)
    this.tell({ _tag: "SpanArchived", span })
  }

  private restore(random: Random): void {
    if (this.archived.size === 0) return
    const span = random.pick([...this.archived])
    this.archived.delete(span)
    this.tell({ _tag: "SpanRestored", span })
  }

  private replayed(account: number, from: State | undefined, until: number): State {
    const records = this.tables.accounts.get(account)?.records ?? []
    let state = from ?? initialState
    for (const record of records.slice(state.seq, until)) state = replay(state, decodeRecord(record))
    return state
  }

  private sealedBefore(account: number, span: number) {
    for (let at = span - 1; at >= 0; at--) {
      const row = this.seals[at]?.get(account)
      if (row === undefined) continue
      const state = SealedState.read(this.claimKey, row)
      if (state === undefined)
        this.faults.push(`account ${account}: its state in the seal of span ${at} cannot be read`)
      return { row, state }
    }
    return undefined
  }

  /** The records and entries of an account in a span that is over. */
  private reach(account: number, span: number) {
    const before = this.ends[span - 1]?.get(account) ?? { seq: 0, n: 0 }
    const { n, seq } = this.ends[span]?.get(account) ?? before
    return { first: before.seq + 1, last: seq, firstN: before.n + 1, lastN: n }
  }

  private hasArchived(account: number, isWithin: (reach: ReturnType<Spans["reach"]>) => boolean): boolean {
    return [...this.archived].some((span) => {
      const reach = this.reach(account, span)
      return reach.first <= reach.last && isWithin(reach)
    })
  }

  /** True if a record lies in a file. */
  isArchived({ account, seq }: { readonly account: number; readonly seq: number }): boolean {
    return this.hasArchived(account, ({ first, last }) => first <= seq && seq <= last)
  }

  /** The journal as a service without the folder has it, or one with it. */
  over(journal: Journal["Service"], hasFiles: boolean): Journal["Service"] {
    const refused = Effect.fail(new JournalUnavailable({ cause: "archived", archived: month }))
    const unless = <A>(isAway: () => boolean, read: Effect.Effect<A, JournalUnavailable>) =>
      Effect.suspend((): Effect.Effect<A, JournalUnavailable> => {
        if (!isAway()) return read
        this.tell({ _tag: hasFiles ? "ReadOutOfFile" : "Refused" })
        return hasFiles ? read : refused
      })
    const postedIn = (account: number, ns: ReadonlyArray<number>) => () =>
      this.hasArchived(account, ({ firstN, lastN }) => ns.some((n) => firstN <= n && n <= lastN))
    return {
      ...journal,
      sealed: (account) =>
        Effect.sync(() => {
          const found = this.sealedBefore(account, this.seals.length)
          if (found !== undefined) this.tell({ _tag: "SealRead" })
          return found?.row
        }),
      records: (account, from, limit) =>
        unless(
          () => this.hasArchived(account, ({ first, last }) => first < from + limit && last >= from),
          journal.records(account, from, limit)
        ),
      recordAt: (account, at) =>
        Effect.flatMap(journal.recordAt(account, at), (record) =>
          unless(() => record !== undefined && this.isArchived(record), Effect.succeed(record))
        ),
      recordsOf: (account, ns) => unless(postedIn(account, ns), journal.recordsOf(account, ns)),
      entriesOtherThan: (account, amounts) =>
        unless(
          postedIn(
            account,
            amounts.map(([n]) => n)
          ),
          journal.entriesOtherThan(account, amounts)
        ),
      ledger: (query) =>
        Effect.flatMap(journal.ledger(query), (page) => {
          // A page that is not full has looked at all entries of before.
          const least = page.length < query.limit ? 0 : (page.at(-1)?.n ?? 0)
          const isReached = ({ firstN, lastN }: { firstN: number; lastN: number }) =>
            lastN >= least && firstN < (query.beforeN ?? Infinity)
          return unless(() => this.hasArchived(query.account, isReached), Effect.succeed(page))
        })
    }
  }
}

const isSame = (one: State, other: State): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(plain(one))), JSON.parse(JSON.stringify(plain(other))))
