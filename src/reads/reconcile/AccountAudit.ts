/**
 * Checks one account: folds its records and compares the result with every other
 * table. Does no input or output: `Material` reads, `Verify` walks over all accounts.
 *
 * Rows are compared as binary images (`RowImage`): the database builds one image,
 * this module the other. An account without faults costs one comparison of bytes.
 */
import { isDeepStrictEqual } from "node:util"
import { fromMillis } from "../../contract/Values.ts"
import { isChained } from "../../core/account/Chain.ts"
import { decodeEvents, decodeSnapshot, encodeSnapshot, SNAPSHOT_VERSION } from "../../core/account/Codec.ts"
import { replay } from "../../core/account/Committed.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import { evolveReward } from "../../core/account/domain/Evolve.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import type { IssuedReward, State } from "../../core/account/domain/State.ts"
import { initialState, plain } from "../../core/account/domain/State.ts"
import * as Rows from "../../core/account/Rows.ts"
import * as SealedState from "../../core/account/SealedState.ts"
import type { SealedAccount, Snapshot, StoredRecord } from "../../core/journal/Records.ts"
import * as Bounds from "./Bounds.ts"
import { type Claims, withKey } from "./Claims.ts"
import type { Difference } from "./Difference.ts"
import { ledgerColumns, writeLedger } from "./ExpectedRows.ts"
import type { FinanceAudit } from "./FinanceAudit.ts"
import type { MergeHalf } from "./Merges.ts"
import * as Merges from "./Merges.ts"
import * as PresentAudit from "./PresentAudit.ts"
import { differing } from "./RowImage.ts"

/** A record and its place in the order of all records. */
export interface PlacedRecord extends StoredRecord {
  readonly epoch: number
  readonly transaction: number
  /** PostgreSQL's time when it was written, ms. */
  readonly writtenAt: number
  /** Its key with an end, as key and fingerprint. `isHere`: `keys` has its span. */
  readonly key: { readonly text: string; readonly isHere: boolean } | undefined
}

/** An account folded from its journal. */
export interface Rebuilt {
  readonly state: State
  /** Hash of the last record. */
  readonly hash: string
  /** Every reward ever issued. */
  readonly rewards: ReadonlyArray<IssuedReward>
  /** Keys of the member's identities, each with the record that added it. */
  readonly identities: ReadonlyMap<string, number>
}

export interface AuditDeps extends PresentAudit.PresentDeps {
  readonly claims: Claims
  readonly finance: FinanceAudit
  /** True for a sandbox, whose clock moves on request. */
  readonly hasOwnTime: boolean
  /** PostgreSQL's time of the verification, ms. */
  readonly now: number
}

/** A state as JSON, without undefined properties. */
const asJson = (state: State): unknown => JSON.parse(JSON.stringify(plain(state)))

/** Tables that hold rows of an account. */
const tables = 11

export class AccountAudit {
  readonly account: number
  readonly differences: Array<Difference> = []
  /** Differences past that bound are only counted: one damaged account must not fill memory. */
  unreported = 0
  private readonly deps: AuditDeps
  private readonly snapshot: Snapshot | undefined
  private readonly rewards = new Map<string, IssuedReward>()
  private readonly identities = new Map<string, number>()
  private readonly sums = new Map<string, number>()
  /** Records that are dated after they were written, with such entries. */
  private readonly datedAhead: Array<{
    readonly seq: number
    readonly at: number
    readonly writtenAt: number
    readonly entries: Array<number>
  }> = []
  /** Number of claims without a record, by seq. */
  private readonly strayClaims = new Map<number, number>()
  /** Seals that no record has confirmed yet, by seq. */
  private readonly sealed = new Map<number, SealedAccount>()
  private previous = ""
  private place: Pick<PlacedRecord, "epoch" | "transaction"> = { epoch: 0, transaction: 0 }
  private state: State = initialState
  /** The state after the last record that the rollups count. */
  private counted: State = initialState
  private broken = false
  private snapshotSeen = false
  records = 0
  /** Ledger entries created by the records. */
  entries = 0

  constructor(account: number, snapshot: Snapshot | undefined, deps: AuditDeps) {
    this.account = account
    this.snapshot = snapshot
    this.deps = deps
    deps.images.clear()
    deps.rollups.begin()
  }

  /** Begins after the records that a seal covers. */
  resume(state: State, chain: string): void {
    this.state = state
    this.previous = chain
    for (const { posted, unit } of state.units) this.sums.set(unit, posted)
  }

  /** Seals of the account are compared with its records as they come. */
  expect(sealed: ReadonlyArray<SealedAccount>): void {
    for (const one of sealed) this.sealed.set(one.seq, one)
  }

  /** The merges that its records tell of. */
  readonly merges: Array<MergeHalf> = []

  /** The account's programme, "" before its first record. */
  get program(): string {
    return this.state.program
  }

  private readonly differ: PresentAudit.Differ = (table, row, message) => {
    if (this.differences.length < Bounds.maxReported * tables)
      this.differences.push({ table, account: this.account, row, message })
    else this.unreported++
  }

  private readonly stray = (seq: number): void => {
    if (this.strayClaims.size < Bounds.maxReported || this.strayClaims.has(seq)) {
      this.strayClaims.set(seq, (this.strayClaims.get(seq) ?? 0) + 1)
    } else this.unreported++
  }

  /** Folds the next records, oldest first. Undefined: the rows hold the separator and could not be split. */
  read(records: ReadonlyArray<PlacedRecord> | undefined): void {
    if (records === undefined) {
      this.differ("journal", undefined, "events or replies contain control characters, which JSON text cannot")
      this.broken = true
      this.records++
      return
    }
    for (const record of records) {
      this.records++
      const claims = this.withKey(record, this.deps.claims.take(this.account, record.seq, this.stray))
      if (record.seq !== this.state.seq + 1) {
        const missing = record.seq > this.state.seq ? ": the records between are missing" : ", but numbers must rise"
        this.differ("journal", `seq ${record.seq}`, `follows ${this.state.seq}${missing}`)
        this.broken = true
      }
      this.checkPlace(record)
      this.checkDate(record)
      this.fold(record, claims)
      this.previous = record.hash
    }
  }

  /** A record's claims, and its own key where that was dropped: the record's hash covers both. */
  private withKey({ key, seq }: PlacedRecord, claims: string): string {
    const { takenKey } = this.deps.claims
    if (takenKey !== undefined && takenKey !== key?.text)
      this.differ("keys", `seq ${seq}`, "the record has another key, or none")
    if (key === undefined || claims.includes(key.text)) return claims
    if (key.isHere) this.differ("keys", `seq ${seq}`, "the record's key is missing")
    return withKey(claims, key.text)
  }

  /** Invariant: records of an account are committed in the order of `seq`. */
  private checkPlace({ epoch, seq, transaction }: PlacedRecord): void {
    const { place } = this
    if (epoch < place.epoch || (epoch === place.epoch && transaction < place.transaction))
      this.differ("journal", `seq ${seq}`, "its epoch and transaction are lower than those of the previous record")
    this.place = { epoch, transaction }
  }

  /** Keeps records that are dated after they were written, until a restoration explains them. A sandbox has its own time. */
  private checkDate({ at, seq, writtenAt }: PlacedRecord): void {
    if (this.deps.hasOwnTime || at - Math.min(writtenAt, this.deps.now) <= Bounds.datedAheadMs) return
    this.datedAhead.push({ seq, at, writtenAt, entries: [] })
  }

  private fold(record: PlacedRecord, claims: string): void {
    try {
      const events = decodeEvents(record)
      // After a gap the state is meaningless; each record's hash can still be checked.
      const next = this.broken
        ? { ...this.state, seq: record.seq }
        : replay(this.state, { at: record.at, events, seq: record.seq })
      if (!isChained(this.deps.claimKey, this.previous, record, claims)) {
        this.differ(
          "journal",
          `seq ${record.seq}`,
          "its hash does not match: the record, the previous one or one of its claims was changed"
        )
      }
      this.state = next
      this.merges.push(...Merges.halvesOf(this.account, record.seq, events))
      this.deps.rollups.notice(events)
      if (this.broken) return
      this.deps.finance.record(record, next.program, events)
      if (this.deps.rollups.counts(record)) {
        this.counted = next
        this.deps.rollups.record(this.account, next.program, events)
      }
      if (record.balances !== Rows.balances(next))
        this.differ(
          "journal",
          `seq ${record.seq}`,
          `balances are ${record.balances}; its events give ${Rows.balances(next)}`
        )
      if (record.announced !== next.announced)
        this.differ(
          "journal",
          `seq ${record.seq}`,
          `its events are numbered up to ${record.announced}; they are ${next.announced}`
        )
      for (const { added, key } of Rows.identities(events) ?? []) {
        if (added) this.identities.set(key, record.seq)
        else this.identities.delete(key)
      }
      this.foldEvents(record.seq, events)
    } catch (error) {
      // Reports a record that cannot be folded; the rest of the account is checked by its hashes only.
      this.differ(
        "journal",
        `seq ${record.seq}`,
        `cannot be read: ${error instanceof Error ? error.message : String(error)}`
      )
      this.broken = true
      this.state = { ...this.state, seq: record.seq }
    }
    if (this.snapshot?.seq === record.seq && !this.broken) this.compareSnapshot(this.snapshot, record.hash)
    this.compareSealed(record)
  }

  /** Writes the ledger's rows, and keeps everything that the account's state does not hold. */
  private foldEvents(seq: number, events: ReadonlyArray<AccountEvent>): void {
    const ahead = this.datedAhead.at(-1)
    for (const event of events) {
      if (event.type === "clock_corrected") this.datedAhead.length = 0
      if (event.type === "posted") {
        if (ahead?.seq === seq && event.at > ahead.writtenAt) ahead.entries.push(event.n)
        writeLedger(this.deps.images, this.deps.types, Rows.entry(event), seq)
        this.sums.set(event.unit, (this.sums.get(event.unit) ?? 0) + event.amount)
      } else if ("issued" in event && event.issued !== undefined) {
        const reward = evolveReward(this.rewards.get(event.issued), event, seq)
        if (reward !== undefined) this.rewards.set(event.issued, reward)
      }
    }
  }

  private compareSnapshot(snapshot: Snapshot, hash: string): void {
    this.snapshotSeen = true
    if (snapshot.version !== SNAPSHOT_VERSION) return
    const { claimKey } = this.deps
    if (snapshot.state === encodeSnapshot(claimKey, this.state, hash)) return
    // A service that folded in other steps wrote it: the same state may have its properties in another order.
    const read = decodeSnapshot(claimKey, snapshot.version, snapshot.state)
    if (read === undefined) this.differ("snapshots", undefined, "is damaged; the service ignores it")
    else if (read.hash !== hash || !isDeepStrictEqual(asJson(read.state), asJson(this.state))) {
      this.differ("snapshots", undefined, `is not the state of record ${snapshot.seq}`)
    }
  }

  private compareSealed({ hash, seq }: PlacedRecord): void {
    const sealed = this.sealed.get(seq)
    if (sealed === undefined || this.broken) return
    const { chain, span, state, version } = sealed
    this.sealed.delete(seq)
    if (chain !== hash || !this.isState(state, version))
      this.differ("sealed_accounts", `span ${span}`, `is not the state of record ${seq}`)
  }

  /** True if a sealed text is the state of now; undefined: a later seal has one. */
  private isState(text: string | undefined, version: number): boolean {
    if (text === undefined) return true
    try {
      return isDeepStrictEqual(asJson(SealedState.decode(text, version)), asJson(this.state))
    } catch {
      return false
    }
  }

  /** True if the snapshot has another format: the service ignores it and writes a new one. */
  get hasForeignSnapshot(): boolean {
    return this.snapshot !== undefined && this.snapshot.version !== SNAPSHOT_VERSION
  }

  /** Ledger entries created by the records so far and not yet compared. */
  get pendingEntries(): number {
    return this.deps.images.rows
  }

  /** Compares the pending entries with images of the ledger's rows, ordered by `n`. */
  compareLedger(found: Uint8Array): void {
    const { images } = this.deps
    this.entries += images.rows
    if (!this.broken && !images.matches(found)) {
      for (const [n, message] of differing(ledgerColumns, images.image, found, Bounds.maxReported)) {
        this.differ("ledger_entries", `n ${n}`, message)
      }
    }
    images.clear()
  }

  /**
   * Compares the claims, and the row of `accounts` if it is of the last record (`present`). Call it after the last record of
   * some spans. A record that is dated ahead is no difference where a record of a later span may explain it.
   */
  finishSpans(present: { readonly row: PresentAudit.PresentRows["row"] } | undefined): void {
    if (present === undefined) this.datedAhead.length = 0
    this.reportEnd()
    if (present !== undefined && present.row === undefined) this.differ("accounts", undefined, "is missing")
    if (this.broken) return
    if (present?.row !== undefined) PresentAudit.compareRow(this.state, present.row, this.deps, this.differ)
    this.checkInvariants()
  }

  private reportEnd(): void {
    this.deps.claims.take(this.account, Number.POSITIVE_INFINITY, this.stray)
    this.reportRecords()
    this.reportSnapshot()
    if (this.broken) return
    for (const { seq, span } of this.sealed.values())
      this.differ("sealed_accounts", `span ${span}`, `is of record ${seq}, which does not exist`)
  }

  /** Compares the account's present state with the other tables. Call it after the last record. */
  finish(rows: PresentAudit.PresentRows): void {
    this.reportEnd()
    const { buyer, misplaced, orderSums } = rows
    for (const span of misplaced)
      this.differ("account_spans", `span ${span}`, "says another first record or entry of the span than its file")
    // By the stored orders, which are compared with the records themselves.
    if (buyer !== orderSums) {
      const [is, says] = [buyer, orderSums].map((sums) => sums ?? "absent")
      this.differ("rollup_buyers", undefined, `is ${is}; the member's orders say ${says}`)
    }
    if (this.records === 0) return PresentAudit.compareAbsent(rows, this.differ)
    if (rows.member === undefined) this.differ("members", undefined, "is missing")
    if (rows.row === undefined) this.differ("accounts", undefined, "is missing")
    if (this.broken) {
      this.deps.rollups.isUncertain = true
      return
    }
    const { account, counted, identities, rewards, state } = this
    PresentAudit.compare({ account, counted, identities, rewards, state }, rows, this.deps, this.differ)
    this.checkInvariants()
  }

  /** The account according to the journal alone; undefined if the journal is damaged. */
  get rebuilt(): Rebuilt | undefined {
    const isDamaged =
      this.broken || this.differences.some(({ table }) => table === "journal" || table === "claims" || table === "keys")
    if (this.records === 0 || isDamaged) return undefined
    return { state: this.state, hash: this.previous, rewards: [...this.rewards.values()], identities: this.identities }
  }

  /** Records that are dated ahead, and claims without a record. */
  private reportRecords(): void {
    for (const { at, entries, seq, writtenAt } of this.datedAhead) {
      const which = entries.length === 0 ? "" : `, with entries ${entries.join(", ")}`
      this.differ(
        "journal",
        `seq ${seq}`,
        `is dated ${fromMillis(at)}${which}, but was written at ${fromMillis(writtenAt)}: see journal restore-expired`
      )
    }
    for (const [seq, count] of this.strayClaims) {
      this.differ("claims", `seq ${seq}`, `${count} claims name a record that does not exist`)
    }
  }

  private reportSnapshot(): void {
    if (this.snapshot !== undefined && this.snapshot.seq > this.state.seq) {
      this.differ("snapshots", undefined, `is of record ${this.snapshot.seq}; the last one is ${this.state.seq}`)
    } else if (this.snapshot !== undefined && !this.snapshotSeen && !this.broken) {
      this.differ("snapshots", undefined, `is of record ${this.snapshot.seq}, which does not exist`)
    }
  }

  /** Invariants of every account. */
  private checkInvariants(): void {
    for (const unit of this.state.units) {
      const sum = this.sums.get(unit.unit) ?? 0
      const lots = Lots.total(unit.lots)
      const held = this.state.reservations
        .filter((hold) => hold.status === "reserved" && hold.unit === unit.unit)
        .reduce((all, hold) => all + hold.cost, 0)
      if (sum !== unit.posted)
        this.differ("journal", undefined, `${unit.unit}: entries add up to ${sum}, not ${unit.posted}`)
      if (lots !== Math.max(0, unit.posted))
        this.differ("journal", undefined, `${unit.unit}: lots hold ${lots} of ${unit.posted}`)
      if (held !== unit.reserved)
        this.differ("journal", undefined, `${unit.unit}: reservations hold ${held}, but ${unit.reserved} are reserved`)
    }
  }
}
