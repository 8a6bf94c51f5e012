/**
 * Checks one account: folds its records and compares the result with every other
 * table. Does no input or output: `Material` reads, `Verify` walks over all accounts.
 *
 * Rows are compared as binary images (`RowImage`): the database builds one image,
 * this module the other. An account without faults costs one comparison of bytes.
 */
import { isDeepStrictEqual } from "node:util"
import { replay } from "../account/Committed.ts"
import { isChained } from "../account/Chain.ts"
import { decodeEvents, decodeSnapshot, encodeSnapshot, SNAPSHOT_VERSION } from "../account/Codec.ts"
import { nextDueAt } from "../account/domain/Due.ts"
import { evolveReward } from "../account/domain/Evolve.ts"
import * as Lots from "../account/domain/Lots.ts"
import * as Rows from "../account/Rows.ts"
import type { IssuedReward, State } from "../account/domain/State.ts"
import { initialState, plain, unitOf } from "../account/domain/State.ts"
import { fromMillis, Unit } from "../contract/Values.ts"
import type { ClaimKey } from "../journal/Hashing.ts"
import type { LedgerRow, MemberRow, Snapshot, StoredRecord } from "../journal/Records.ts"
import type { Programs } from "../program/Programs.ts"
import type { MemberRollup } from "../rollups/Member.ts"
import * as Member from "../rollups/Member.ts"
import type { SumTable } from "../rollups/Sums.ts"
import * as Bounds from "./Bounds.ts"
import type { Claims } from "./Claims.ts"
import type { MergeHalf } from "./Merges.ts"
import * as Merges from "./Merges.ts"
import { orderColumns } from "./OrderAudit.ts"
import type { RollupAudit } from "./RollupAudit.ts"
import type { EnumTypes, RowImages } from "./RowImage.ts"
import * as RowImage from "./RowImage.ts"

export type Table =
  | "journal"
  | "claims"
  | "ledger_entries"
  | "accounts"
  | "members"
  | "identities"
  | "issued_rewards"
  | "snapshots"
  | "audit"
  | "programs"
  | "tokens"
  | "member_rollups"
  | "rollup_member_lots"
  | "rollup_orders"
  | "rollup_buyers"
  | "rollup_merges"
  | SumTable

/** One difference between the journal and another table. */
export interface Difference {
  readonly table: Table
  /** Absent if the difference concerns no account. */
  readonly account?: number | undefined
  /** The row: `seq 7`, `n 12`, an id; absent if the difference concerns the whole account. */
  readonly row?: string | undefined
  readonly message: string
}

/** The row of `accounts` as stored. */
export interface AccountRow {
  readonly seq: number
  readonly nextDue: number | null
  readonly balance: number
  readonly status: string
  readonly programId: string
  readonly memberId: string
  /** In seconds, as PostgreSQL gives it: converted to ms, times of some years would be rounded. */
  readonly joinedAtSeconds: number
}

/** A record and its place in the order of all records. */
export interface PlacedRecord extends StoredRecord {
  readonly epoch: number
  readonly transaction: number
  /** PostgreSQL's time when it was written, ms. */
  readonly writtenAt: number
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

/** Rows of the tables that hold an account's present state. */
interface PresentRows {
  readonly row: AccountRow | undefined
  readonly member: MemberRow["identities"] | undefined
  readonly identities: string
  readonly rewards: Uint8Array
  readonly rollup: RollupRow | undefined
  /** Images of its lots by expiry. */
  readonly lots: Uint8Array
  /** Images of its orders. */
  readonly orders: Uint8Array
  /**
   * The sums of these orders, and the account's row of `rollup_buyers`. Undefined without orders, or without the row.
   */
  readonly orderSums: string | undefined
  readonly buyer: string | undefined
}

/** A row of `member_rollups`. */
export interface RollupRow {
  readonly member: MemberRollup
  /** Posted and reserved of every unit, as PostgreSQL writes an array. */
  readonly balances: string
}

export interface AuditDeps {
  readonly claimKey: ClaimKey
  readonly programs: Programs["Service"]
  readonly types: EnumTypes
  readonly claims: Claims
  /** Buffer for the images of one account at a time. */
  readonly images: RowImages
  readonly rollups: RollupAudit
  /** True for a sandbox, whose clock moves on request. */
  readonly hasOwnTime: boolean
  /** PostgreSQL's time of the verification, ms. */
  readonly now: number
}

/** Writes the row of `ledger_entries` that an entry makes; `Material.ledgerImage` is the same in SQL. */
const writeLedger = (to: RowImages, types: EnumTypes, row: LedgerRow, seq: number): void => {
  to.row(ledgerColumns.length)
  to.int8(row.n)
  to.int8(seq)
  to.int8(row.amount)
  to.timestamp(row.occurredAt)
  to.timestamp(row.expiresAt)
  to.int8(row.relatedN)
  to.label(types.ledger_operation, row.operation)
  to.label(types.unit, row.unit)
  to.label(types.classification, row.classification)
  to.bool(row.qualifiesForTier)
  to.text(row.orderId)
  to.text(row.locationId)
  to.text(row.adjustmentId)
  to.text(row.reservationId)
  to.text(row.reason)
  to.timestamp(row.placedAt)
  to.text(row.businessDate)
}

const ledgerColumns = [
  ...["n", "seq", "amount", "occurred_at", "expires_at", "related_n", "operation", "unit", "classification"],
  ...["qualifies_for_tier", "order_id", "location_id", "adjustment_id", "reservation_id", "reason"],
  ...["placed_at", "business_date"]
]

/** Writes the row of `issued_rewards`; `Material.rewardImage` is the same in SQL. */
const writeReward = (to: RowImages, types: EnumTypes, reward: IssuedReward): void => {
  to.row(rewardColumns.length)
  to.text(reward.issued)
  to.int8(reward.n)
  to.text(reward.reward)
  to.label(types.issued_reward_status, reward.status)
  to.int8(reward.at)
  to.int8(reward.expires)
  to.int8(reward.redeemed)
  to.int8(reward.cancelled)
  to.text(reward.reason)
  to.text(reward.artifact.type)
  to.text(reward.artifact.value)
}

const rewardColumns = [
  ...["issued_reward_id", "n", "reward_id", "status", "issued_at", "expires_at", "redeemed_at", "cancelled_at"],
  ...["cancellation_reason", "artifact_type", "artifact_value"]
]

/** What `Material` reads of a row: both numbers of every unit, in the order of the type. */
const balancesText = ({ units }: MemberRollup): string => {
  const numbers = Unit.literals.flatMap((unit) => {
    const found = units.find((one) => one.unit === unit)
    return [found?.posted ?? "NULL", found?.reserved ?? "NULL"]
  })
  return `{${numbers.join(",")}}`
}

const rollupColumns = ({
  balances,
  member: one
}: RollupRow): ReadonlyArray<readonly [column: string, value: unknown]> => [
  ["seq", one.seq],
  ["program_id", one.program],
  ["member_id", one.member],
  ["status", one.status],
  ["joined", one.joined],
  ["tier_id", one.tier.tier],
  ["tier_period", one.tier.period],
  ["period", one.period],
  ["units", Member.unitsText(one.units)],
  ["balances", balances]
]

const lotColumns = ["unit and expiry", "amount"]

/** A state as JSON, without undefined properties. */
const asJson = (state: State): unknown => JSON.parse(JSON.stringify(plain(state)))

/** The columns of a row that differ, with both values. */
const differingColumns = (
  columns: ReadonlyArray<string>,
  found: ReadonlyArray<string | undefined>,
  wanted: ReadonlyArray<string | undefined>
): string =>
  columns
    .flatMap((column, index) =>
      found[index] === wanted[index]
        ? []
        : [`${column} is ${found[index] ?? "null"}; the journal says ${wanted[index] ?? "null"}`]
    )
    .join(", ")

/** Rows that differ between two images, by their first column; at most `limit`. */
const differing = (
  columns: ReadonlyArray<string>,
  expected: Uint8Array,
  found: Uint8Array,
  limit: number
): ReadonlyArray<readonly [key: string, message: string]> => {
  const byKey = new Map(RowImage.read(expected).map((row) => [row[0] ?? "", row]))
  const all: Array<readonly [string, string]> = []
  for (const row of RowImage.read(found)) {
    const key = row[0] ?? ""
    const wanted = byKey.get(key)
    byKey.delete(key)
    const differs = wanted === undefined ? "" : differingColumns(columns, row, wanted)
    if (wanted === undefined) all.push([key, "exists; the journal has no event for it"])
    else if (differs !== "") all.push([key, differs])
  }
  for (const key of byKey.keys()) all.push([key, "is missing"])
  return all.slice(0, limit)
}

/** Most differences reported for one table of one account: enough to see the pattern. */
const maxReported = 20
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
  /** Number of claims without a record, by seq. */
  private readonly datedAhead: Array<{
    readonly seq: number
    readonly at: number
    readonly writtenAt: number
    readonly entries: Array<number>
  }> = []
  private readonly strayClaims = new Map<number, number>()
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

  /** The merges that its records tell of. */
  readonly merges: Array<MergeHalf> = []

  /** The account's programme, "" before its first record. */
  get program(): string {
    return this.state.program
  }

  private differ(table: Table, row: string | undefined, message: string): void {
    if (this.differences.length < maxReported * tables)
      this.differences.push({ table, account: this.account, row, message })
    else this.unreported++
  }

  private readonly stray = (seq: number): void => {
    if (this.strayClaims.size < maxReported || this.strayClaims.has(seq)) {
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
      const claims = this.deps.claims.take(this.account, record.seq, this.stray)
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
      if (this.broken) return
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
      for (const { added, key } of Rows.identities(events) ?? []) {
        if (added) this.identities.set(key, record.seq)
        else this.identities.delete(key)
      }
      const ahead = this.datedAhead.at(-1)
      for (const event of events) {
        if (event.type === "clock_corrected") this.datedAhead.length = 0
        if (event.type === "posted") {
          if (ahead?.seq === record.seq && event.at > ahead.writtenAt) ahead.entries.push(event.n)
          writeLedger(this.deps.images, this.deps.types, Rows.entry(event), record.seq)
          this.sums.set(event.unit, (this.sums.get(event.unit) ?? 0) + event.amount)
        } else if ("issued" in event && event.issued !== undefined) {
          const reward = evolveReward(this.rewards.get(event.issued), event, record.seq)
          if (reward !== undefined) this.rewards.set(event.issued, reward)
        }
      }
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
      for (const [n, message] of differing(ledgerColumns, images.image, found, maxReported)) {
        this.differ("ledger_entries", `n ${n}`, message)
      }
    }
    images.clear()
  }

  /** Compares the account's present state with the other tables. Call it after the last record. */
  finish(rows: PresentRows): void {
    const { buyer, identities, lots, member, orderSums, orders, rewards, rollup, row } = rows
    this.deps.claims.take(this.account, Number.POSITIVE_INFINITY, this.stray)
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
    if (this.snapshot !== undefined && this.snapshot.seq > this.state.seq) {
      this.differ("snapshots", undefined, `is of record ${this.snapshot.seq}; the last one is ${this.state.seq}`)
    } else if (this.snapshot !== undefined && !this.snapshotSeen && !this.broken) {
      this.differ("snapshots", undefined, `is of record ${this.snapshot.seq}, which does not exist`)
    }
    // By the stored orders, which are compared with the records themselves.
    if (buyer !== orderSums) {
      const [is, says] = [buyer, orderSums].map((sums) => sums ?? "absent")
      this.differ("rollup_buyers", undefined, `is ${is}; the member's orders say ${says}`)
    }
    if (this.records === 0) {
      const orphan = "exists; the journal has no record of the account"
      if (row !== undefined) this.differ("accounts", undefined, orphan)
      if (member !== undefined) this.differ("members", undefined, orphan)
      if (identities !== "") this.differ("identities", undefined, orphan)
      if (rewards.length > 0) this.differ("issued_rewards", undefined, orphan)
      if (rollup !== undefined) this.differ("member_rollups", undefined, orphan)
      if (lots.length > 0) this.differ("rollup_member_lots", undefined, orphan)
      if (orders.length > 0) this.differ("rollup_orders", undefined, orphan)
      return
    }
    if (member === undefined) this.differ("members", undefined, "is missing")
    if (row === undefined) this.differ("accounts", undefined, "is missing")
    else if (!this.broken) this.compareRow(row)
    if (this.broken) {
      this.deps.rollups.isUncertain = true
      return
    }
    this.compareRollup(rollup)
    this.compareLots(lots)
    this.compareOrders(orders)
    this.compareRewards(rewards)
    this.compareIdentities(identities, member)
    this.checkInvariants()
  }

  /** The account according to the journal alone; undefined if the journal is damaged. */
  get rebuilt(): Rebuilt | undefined {
    const isDamaged = this.broken || this.differences.some(({ table }) => table === "journal" || table === "claims")
    if (this.records === 0 || isDamaged) return undefined
    return { state: this.state, hash: this.previous, rewards: [...this.rewards.values()], identities: this.identities }
  }

  private compareRow(row: AccountRow): void {
    const { state } = this
    const program = this.deps.programs.get(state.program)
    const balances =
      program === undefined ? state.units.map((unit) => unit.posted) : [unitOf(state, program.primaryUnit).posted]
    const wanted: ReadonlyArray<readonly [string, unknown, unknown]> = [
      ["seq", row.seq, state.seq],
      ["next_due", row.nextDue, nextDueAt(state)],
      ["status", row.status, state.status],
      ["program_id", row.programId, state.program],
      ["member_id", row.memberId, state.member],
      ["joined_at (seconds)", row.joinedAtSeconds, state.joined / 1000]
    ]
    for (const [column, found, expected] of wanted) {
      if (found !== expected)
        this.differ("accounts", undefined, `${column} is ${String(found)}; the journal says ${String(expected)}`)
    }
    if (!balances.includes(row.balance) && !(balances.length === 0 && row.balance === 0)) {
      this.differ("accounts", undefined, `balance is ${row.balance}; the journal says ${balances.join(" or ")}`)
    }
  }

  private compareRollup(found: RollupRow | undefined): void {
    if (this.counted.seq === 0) {
      if (found !== undefined) this.differ("member_rollups", undefined, "exists; none of its records is counted yet")
      return
    }
    const member = this.deps.rollups.account(this.account, this.counted, found?.member)
    const expected = { member, balances: balancesText(member) }
    if (found === undefined) return this.differ("member_rollups", undefined, "is missing")
    const columns = rollupColumns(found)
    for (const [place, [column, value]] of rollupColumns(expected).entries()) {
      const actual = columns[place]?.[1]
      if (actual !== value)
        this.differ("member_rollups", undefined, `${column} is ${String(actual)}; the journal says ${String(value)}`)
    }
  }

  /** Lots of the state by what `rollup_member_lots` keeps them by. */
  private compareLots(found: Uint8Array): void {
    const { images } = this.deps
    images.clear()
    for (const { lots, unit } of this.counted.units.toSorted((a, b) => (a.unit < b.unit ? -1 : 1))) {
      const amounts = new Map<number, number>()
      Lots.each(lots, (_, left, expires) => {
        if (expires !== Infinity) amounts.set(expires, (amounts.get(expires) ?? 0) + left)
      })
      for (const [expires, amount] of [...amounts].sort(([a], [b]) => a - b)) {
        images.row(lotColumns.length)
        images.text(`${unit} ${expires}`)
        images.int8(amount)
      }
    }
    this.compareImages("rollup_member_lots", lotColumns, found)
  }

  private compareOrders(found: Uint8Array): void {
    const { images, rollups } = this.deps
    images.clear()
    if (rollups.writeOrders(this.account, this.counted, this.state, found, images))
      this.compareImages("rollup_orders", orderColumns, found)
  }

  private compareImages(table: Table, columns: ReadonlyArray<string>, found: Uint8Array): void {
    const { images } = this.deps
    if (images.matches(found)) return
    for (const [row, message] of differing(columns, images.image, found, maxReported)) this.differ(table, row, message)
  }

  private compareIdentities(found: string, member: MemberRow["identities"] | undefined): void {
    const keys = [...this.identities.keys()].sort()
    const wanted = keys.map((key) => `${key} ${this.identities.get(key)}`).join(", ")
    if (found !== wanted) this.differ("identities", undefined, `are ${found}; the journal says ${wanted}`)
    if (member === undefined) return
    const { claimKey } = this.deps
    const personal = member.map((identity) => Rows.identityClaim(claimKey, this.state.program, identity)).sort()
    if (personal.join() !== keys.filter((key) => key !== this.state.external).join())
      this.differ("members", undefined, "its identities do not match the hashes in the journal")
  }

  private compareRewards(found: Uint8Array): void {
    const { images, types } = this.deps
    images.clear()
    const rewards = [...this.rewards.values()].sort((a, b) => (a.issued < b.issued ? -1 : 1))
    for (const reward of rewards) writeReward(images, types, reward)
    this.compareImages("issued_rewards", rewardColumns, found)
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
