/**
 * Checks one account: folds its records and compares everything that the other
 * tables say of it. Pure; `Material` reads, `Verify` walks over all accounts.
 *
 * Rows are compared as lines of text that the database and this module put
 * together alike, so that a sound account costs one comparison of strings.
 */
import { isDeepStrictEqual } from "node:util"
import { replay } from "../account/Account.ts"
import { isChained } from "../account/Chain.ts"
import { decodeEvents, decodeSnapshot, SNAPSHOT_VERSION } from "../account/Codec.ts"
import { nextDueAt } from "../account/Due.ts"
import type { Posted } from "../account/Event.ts"
import { evolveReward } from "../account/Evolve.ts"
import * as Lots from "../account/Lots.ts"
import * as Rows from "../account/Rows.ts"
import type { IssuedReward, State } from "../account/State.ts"
import { initialState, unitOf } from "../account/State.ts"
import type { Journal, Snapshot, StoredRecord } from "../journal/Journal.ts"
import type { Programs } from "../program/Programs.ts"

/** Parts a column of a line from the next; no JSON text holds it. */
export const columnEnd = "\u001f"
/** Parts a row of a text from the next. */
export const rowEnd = "\u001e"
/** Stands for NULL. */
export const nothing = "\u0002"

type Table = "journal" | "claims" | "ledger_entries" | "accounts" | "members" | "issued_rewards" | "snapshots"

/** What differs, and where. */
export interface Difference {
  readonly table: Table
  readonly account: number
  /** The row: `seq 7`, `n 12`, an id; absent where the account itself is meant. */
  readonly row?: string | undefined
  readonly message: string
}

/** The row of `accounts`, as it is there. */
export interface AccountRow {
  readonly seq: number
  readonly nextDue: number | null
  readonly balance: number
  readonly status: string
  readonly programId: string
  readonly memberId: string
  /** ms */
  readonly joinedAt: number
}

/** An account folded from its journal. */
export interface Rebuilt {
  readonly state: State
  /** Hash of the last record. */
  readonly hash: string
  /** Every reward ever issued. */
  readonly rewards: ReadonlyArray<IssuedReward>
}

export interface Surroundings {
  readonly claimKey: Journal["Service"]["claimKey"]
  readonly programs: Programs["Service"]
}

const line = (parts: ReadonlyArray<string | number | boolean | null | undefined>): string =>
  parts.map((part) => part ?? nothing).join(columnEnd)

const or = (value: string | number | boolean | undefined): string | number | boolean => value ?? nothing

/** The line of `ledger_entries` that an event makes; `Material.ledgerLine` is the same in SQL. Written out: it is made for every entry. */
const ledgerLine = (event: Posted, seq: number): string => {
  const row = Rows.entry(event)
  const expires = row.expiresAt === undefined ? nothing : row.expiresAt / 1000
  return (
    `${row.n}${columnEnd}${seq}${columnEnd}${row.amount}${columnEnd}${row.occurredAt / 1000}${columnEnd}${expires}` +
    `${columnEnd}${or(row.relatedN)}${columnEnd}${row.operation}${columnEnd}${row.unit}${columnEnd}` +
    `${or(row.classification)}${columnEnd}${or(row.qualifiesForTier)}${columnEnd}${or(row.orderId)}${columnEnd}` +
    `${or(row.locationId)}${columnEnd}${or(row.adjustmentId)}${columnEnd}${or(row.reservationId)}${columnEnd}` +
    `${or(row.reason)}`
  )
}

/** The line of `issued_rewards`; `Material.rewardLine` is the same in SQL. */
const rewardLine = (reward: IssuedReward): string =>
  line([
    reward.issued,
    reward.reward,
    reward.status,
    reward.at,
    reward.expires,
    reward.redeemed,
    reward.cancelled,
    reward.reason,
    reward.artifact.type,
    reward.artifact.value
  ])

const plain = (state: State): unknown =>
  JSON.parse(
    JSON.stringify({ ...state, units: state.units.map((unit) => ({ ...unit, lots: Lots.toArray(unit.lots) })) })
  )

/** Rows that two texts do not share, at most `limit`. */
const differing = (
  expected: ReadonlyArray<string>,
  found: ReadonlyArray<string>,
  limit: number
): ReadonlyArray<readonly [key: string, message: string]> => {
  const byKey = new Map(expected.map((row) => [row.slice(0, row.indexOf(columnEnd)), row]))
  const all: Array<readonly [string, string]> = []
  for (const row of found) {
    const key = row.slice(0, row.indexOf(columnEnd))
    const wanted = byKey.get(key)
    byKey.delete(key)
    if (wanted === undefined) all.push([key, "is there; the journal knows nothing of it"])
    else if (wanted !== row) all.push([key, `says ${readable(row)}; the journal says ${readable(wanted)}`])
  }
  for (const key of byKey.keys()) all.push([key, "is missing"])
  return all.slice(0, limit)
}

const readable = (row: string): string => row.split(columnEnd).join(" | ").replaceAll(nothing, "–")

/** Differences told of one table of one account; more say nothing more. */
const maxTold = 20

export class AccountAudit {
  readonly account: number
  readonly differences: Array<Difference> = []
  private readonly around: Surroundings
  private readonly snapshot: Snapshot | undefined
  private readonly rewards = new Map<string, IssuedReward>()
  private readonly sums = new Map<string, number>()
  private previous = ""
  private state: State = initialState
  private lines: Array<string> = []
  private broken = false
  records = 0
  /** Ledger entries that the records made. */
  entries = 0

  constructor(account: number, snapshot: Snapshot | undefined, around: Surroundings) {
    this.account = account
    this.snapshot = snapshot
    this.around = around
  }

  private differ(table: Table, row: string | undefined, message: string): void {
    this.differences.push({ table, account: this.account, row, message })
  }

  /** The next records, oldest first, with the claims of each seq (`Chain.claimsText`). What is taken out of `claims` has its record. */
  read(records: ReadonlyArray<StoredRecord>, claims: Map<number, string>): void {
    for (const record of records) {
      this.records++
      const own = claims.get(record.seq) ?? ""
      claims.delete(record.seq)
      if (record.seq !== this.state.seq + 1) {
        this.differ("journal", `seq ${record.seq}`, `follows ${this.state.seq}: the records between are missing`)
        this.broken = true
      }
      this.fold(record, own)
      this.previous = record.hash
    }
  }

  private fold(record: StoredRecord, claims: string): void {
    try {
      const events = decodeEvents(record)
      // After a gap the state means nothing; the hashes still tell of each record.
      const next = this.broken
        ? { ...this.state, seq: record.seq }
        : replay(this.state, { at: record.at, events, seq: record.seq })
      if (!isChained(this.around.claimKey, next.program, this.previous, record, claims)) {
        this.differ(
          "journal",
          `seq ${record.seq}`,
          "its hash does not fit: it, the record before it or one of its claims was changed"
        )
      }
      this.state = next
      if (this.broken) return
      for (const event of events) {
        if (event.type === "posted") {
          this.lines.push(ledgerLine(event, record.seq))
          this.sums.set(event.unit, (this.sums.get(event.unit) ?? 0) + event.amount)
        } else if ("issued" in event && event.issued !== undefined) {
          const reward = evolveReward(this.rewards.get(event.issued), event, record.seq)
          if (reward !== undefined) this.rewards.set(event.issued, reward)
        }
      }
    } catch (error) {
      // What cannot be folded is told, and the rest of the account is judged by its hashes alone.
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
    if (snapshot.version !== SNAPSHOT_VERSION) return
    const read = decodeSnapshot(this.around.claimKey, snapshot.version, snapshot.state)
    if (read === undefined) this.differ("snapshots", undefined, "is damaged; the service passes it over")
    else if (read.hash !== hash || !isDeepStrictEqual(plain(read.state), plain(this.state))) {
      this.differ("snapshots", undefined, `is not the state of record ${snapshot.seq}`)
    }
  }

  /** Ledger entries that the records so far have made and nobody has compared. */
  get pendingEntries(): number {
    return this.lines.length
  }

  /** Compares the entries made so far with rows of the ledger in the order of `n`; gives back how many rows were right. */
  compareLedger(found: string): void {
    const expected = this.lines
    this.lines = []
    this.entries += expected.length
    if (this.broken || expected.join(rowEnd) === found) return
    const rows = found === "" ? [] : found.split(rowEnd)
    for (const [n, message] of differing(expected, rows, maxTold)) this.differ("ledger_entries", `n ${n}`, message)
  }

  /** Everything is read: what the other tables say of the account's present state. */
  finish(row: AccountRow | undefined, hasMember: boolean, rewards: string, leftClaims: Map<number, string>): void {
    for (const [seq, claims] of leftClaims) {
      this.differ("claims", `seq ${seq}`, `${claims.split(",").length} claims name a record that is not there`)
    }
    if (this.snapshot !== undefined && this.snapshot.seq > this.state.seq) {
      this.differ("snapshots", undefined, `is of record ${this.snapshot.seq}; the last one is ${this.state.seq}`)
    }
    if (this.records === 0) {
      const orphan = "is there; the journal has no record of the account"
      if (row !== undefined) this.differ("accounts", undefined, orphan)
      if (hasMember) this.differ("members", undefined, orphan)
      if (rewards !== "") this.differ("issued_rewards", undefined, orphan)
      return
    }
    if (!hasMember) this.differ("members", undefined, "is missing")
    if (row === undefined) this.differ("accounts", undefined, "is missing")
    else if (!this.broken) this.compareRow(row)
    if (this.broken) return
    this.compareRewards(rewards)
    this.checkInvariants()
  }

  /** What the journal alone says of the account; undefined where it is damaged itself. */
  get rebuilt(): Rebuilt | undefined {
    const isDamaged = this.broken || this.differences.some(({ table }) => table === "journal" || table === "claims")
    if (this.records === 0 || isDamaged) return undefined
    return { state: this.state, hash: this.previous, rewards: [...this.rewards.values()] }
  }

  private compareRow(row: AccountRow): void {
    const { state } = this
    const program = this.around.programs.get(state.program)
    const balances =
      program === undefined ? state.units.map((unit) => unit.posted) : [unitOf(state, program.primaryUnit).posted]
    const wanted: ReadonlyArray<readonly [string, unknown, unknown]> = [
      ["seq", row.seq, state.seq],
      ["next_due", row.nextDue, nextDueAt(state)],
      ["status", row.status, state.status],
      ["program_id", row.programId, state.program],
      ["member_id", row.memberId, state.member],
      ["joined_at", row.joinedAt, state.joined]
    ]
    for (const [column, found, said] of wanted) {
      if (found !== said)
        this.differ("accounts", undefined, `${column} is ${String(found)}; the journal says ${String(said)}`)
    }
    if (!balances.includes(row.balance) && !(balances.length === 0 && row.balance === 0)) {
      this.differ("accounts", undefined, `balance is ${row.balance}; the journal says ${balances.join(" or ")}`)
    }
  }

  private compareRewards(found: string): void {
    if (this.rewards.size === 0 && found === "") return
    const expected = [...this.rewards.values()].map(rewardLine).sort()
    const rows = found === "" ? [] : found.split(rowEnd).sort()
    for (const [id, message] of differing(expected, rows, maxTold)) this.differ("issued_rewards", id, message)
  }

  /** What must hold of any account, whatever wrote it. */
  private checkInvariants(): void {
    for (const unit of this.state.units) {
      const sum = this.sums.get(unit.unit) ?? 0
      const lots = Lots.total(unit.lots)
      const held = this.state.reservations
        .filter((hold) => hold.status === "reserved" && hold.unit === unit.unit)
        .reduce((all, hold) => all + hold.cost, 0)
      if (sum !== unit.posted)
        this.differ("journal", undefined, `${unit.unit}: entries sum up to ${sum}, not ${unit.posted}`)
      if (lots !== Math.max(0, unit.posted))
        this.differ("journal", undefined, `${unit.unit}: lots hold ${lots} of ${unit.posted}`)
      if (held !== unit.reserved)
        this.differ("journal", undefined, `${unit.unit}: holds need ${held}, ${unit.reserved} are reserved`)
    }
  }
}
