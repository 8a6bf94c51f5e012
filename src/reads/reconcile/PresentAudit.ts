/** Compares an account, folded from its records, with the tables that hold its present state. */
import { Schema } from "effect"
import * as ClaimKeys from "../../core/account/ClaimKeys.ts"
import { nextDueAt } from "../../core/account/domain/Due.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import type { IssuedReward, State } from "../../core/account/domain/State.ts"
import { unitOf } from "../../core/account/domain/State.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import type { MemberRow } from "../../core/journal/Records.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Bounds from "./Bounds.ts"
import type { Table } from "./Difference.ts"
import type { RollupRow } from "./ExpectedRows.ts"
import { balancesText, lotColumns, rewardColumns, rollupColumns, writeReward } from "./ExpectedRows.ts"
import { orderColumns } from "./OrderAudit.ts"
import type { RollupAudit } from "./RollupAudit.ts"
import type { EnumTypes, RowImages } from "./RowImage.ts"
import { differing } from "./RowImage.ts"

/** The row of `accounts` as stored. */
export const AccountRow = Schema.Struct({
  seq: Schema.Number,
  nextDue: Schema.NullOr(Schema.Number),
  /** The version of the programme by which `nextDue` was computed. */
  dueVersion: Schema.Number,
  balance: Schema.Number,
  status: Schema.String,
  programId: Schema.String,
  memberId: Schema.String,
  /** In seconds, as PostgreSQL gives it: converted to ms, times of some years would be rounded. */
  joinedAtSeconds: Schema.Number
})
type AccountRow = typeof AccountRow.Type

/** Rows of the tables that hold an account's present state. */
export interface PresentRows {
  readonly row: AccountRow | undefined
  /** Archived spans whose row of `account_spans` is not what their file says. */
  readonly misplaced: ReadonlyArray<number>
  /** Identities in the member's personal data; undefined if there is no row. */
  readonly member: MemberRow["identities"] | undefined
  /** Key and seq of its identities, by key. */
  readonly identities: string
  /** Images of its rows (`RowImage`), ordered by id. */
  readonly rewards: Uint8Array
  readonly rollup: RollupRow | undefined
  /** Images of its lots by expiry. */
  readonly lots: Uint8Array
  /** Images of its orders in the order of time. */
  readonly orders: Uint8Array
  /**
   * The sums of these orders and of deleted ones, and the account's row of `rollup_buyers`. Undefined where none counts, or
   * without the row.
   */
  readonly orderSums: string | undefined
  readonly buyer: string | undefined
  /** The account's row of `rollup_older`, as `OrderAudit` writes it. */
  readonly older: string | undefined
}

/** An account as its records tell it. */
export interface Folded {
  readonly account: number
  readonly state: State
  /** The state after the last record that the rollups count. */
  readonly counted: State
  readonly rewards: ReadonlyMap<string, IssuedReward>
  /** Keys of the member's identities, each with the record that added it. */
  readonly identities: ReadonlyMap<string, number>
}

export interface PresentDeps {
  readonly claimKey: ClaimKey
  readonly programs: Programs["Service"]
  /** All versions of each programme, from 1; undefined: it cannot be read. */
  readonly versions: ReadonlyMap<string, ReadonlyArray<Program | undefined>>
  readonly types: EnumTypes
  /** Buffer for the images of one account at a time. */
  readonly images: RowImages
  readonly rollups: RollupAudit
}

/** Reports a difference of the account. */
export type Differ = (table: Table, row: string | undefined, message: string) => void

interface Comparison {
  readonly folded: Folded
  readonly deps: PresentDeps
  readonly differ: Differ
}

/** Compares an account without records: no other table may have rows of it. */
export const compareAbsent = (rows: PresentRows, differ: Differ): void => {
  const { identities, lots, member, older, orders, rewards, rollup, row } = rows
  const orphan = "exists; the journal has no record of the account"
  if (row !== undefined) differ("accounts", undefined, orphan)
  if (member !== undefined) differ("members", undefined, orphan)
  if (identities !== "") differ("identities", undefined, orphan)
  if (rewards.length > 0) differ("issued_rewards", undefined, orphan)
  if (rollup !== undefined) differ("member_rollups", undefined, orphan)
  if (lots.length > 0) differ("rollup_member_lots", undefined, orphan)
  if (orders.length > 0) differ("rollup_orders", undefined, orphan)
  if (older !== undefined) differ("rollup_older", undefined, orphan)
}

/** Compares every table that holds the present state, except the presence of the rows of `accounts` and `members`. */
export const compare = (folded: Folded, rows: PresentRows, deps: PresentDeps, differ: Differ): void => {
  const comparison = { folded, deps, differ }
  if (rows.row !== undefined) compareRow(folded.state, rows.row, deps, differ)
  compareRollup(comparison, rows.rollup)
  compareLots(comparison, rows.lots)
  compareOrders(comparison, rows)
  compareRewards(comparison, rows.rewards)
  compareIdentities(comparison, rows.identities, rows.member)
}

/** Compares the row of `accounts` with the state after the account's last record. */
export const compareRow = (state: State, row: AccountRow, deps: PresentDeps, differ: Differ): void => {
  const program = deps.programs.get(state.program)
  const balances =
    program === undefined ? state.units.map((unit) => unit.posted) : [unitOf(state, program.primaryUnit).posted]
  const wanted: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["seq", row.seq, state.seq],
    ...dueOf(row, state, deps),
    ["status", row.status, state.status],
    ["program_id", row.programId, state.program],
    ["member_id", row.memberId, state.member],
    ["joined_at (seconds)", row.joinedAtSeconds, state.joined / 1000]
  ]
  for (const [column, found, expected] of wanted) {
    if (found !== expected)
      differ("accounts", undefined, `${column} is ${String(found)}; the journal says ${String(expected)}`)
  }
  if (!balances.includes(row.balance) && !(balances.length === 0 && row.balance === 0)) {
    differ("accounts", undefined, `balance is ${row.balance}; the journal says ${balances.join(" or ")}`)
  }
}

/** A version that today's checks refuse tells nothing. */
const dueOf = ({ dueVersion, nextDue }: AccountRow, state: State, { versions }: PresentDeps) => {
  const program = dueVersion === 0 ? undefined : versions.get(state.program)?.[dueVersion - 1]
  if (dueVersion > 0 && program === undefined) return []
  return [["next_due", nextDue, nextDueAt(state, program)] as const]
}

const compareRollup = ({ deps, differ, folded }: Comparison, found: RollupRow | undefined): void => {
  if (folded.counted.seq === 0) {
    if (found !== undefined) differ("member_rollups", undefined, "exists; none of its records is counted yet")
    return
  }
  const member = deps.rollups.account(folded.account, folded.counted, found?.member)
  const expected = { member, balances: balancesText(member) }
  if (found === undefined) return differ("member_rollups", undefined, "is missing")
  const columns = rollupColumns(found)
  for (const [place, [column, value]] of rollupColumns(expected).entries()) {
    const actual = columns[place]?.[1]
    if (actual !== value)
      differ("member_rollups", undefined, `${column} is ${String(actual)}; the journal says ${String(value)}`)
  }
}

/** Lots of the state by what `rollup_member_lots` keeps them by. */
const compareLots = ({ deps, differ, folded }: Comparison, found: Uint8Array): void => {
  const { images } = deps
  images.clear()
  for (const { lots, unit } of folded.counted.units.toSorted((a, b) => (a.unit < b.unit ? -1 : 1))) {
    const amounts = new Map<number, number>()
    const add = (_: number, left: number, expires: number) => {
      if (expires !== Infinity) amounts.set(expires, (amounts.get(expires) ?? 0) + left)
    }
    Lots.each(lots, add, folded.counted.idle)
    for (const [expires, amount] of [...amounts].sort(([a], [b]) => a - b)) {
      images.row(lotColumns.length)
      images.text(`${unit} ${expires}`)
      images.int8(amount)
    }
  }
  compareImages({ deps, differ }, "rollup_member_lots", lotColumns, found)
}

const compareOrders = ({ deps, differ, folded }: Comparison, { older, orders }: PresentRows): void => {
  const { images, rollups } = deps
  images.clear()
  const written = rollups.writeOrders(folded.account, folded.counted, folded.state, { older, rows: orders }, images)
  if (written === undefined) return
  compareImages({ deps, differ }, "rollup_orders", orderColumns, orders)
  if (written.older !== older)
    differ("rollup_older", undefined, `is ${older ?? "absent"}; the journal says ${written.older ?? "absent"}`)
}

const compareImages = (
  { deps, differ }: Pick<Comparison, "deps" | "differ">,
  table: Table,
  columns: ReadonlyArray<string>,
  found: Uint8Array
): void => {
  const { images } = deps
  if (images.matches(found)) return
  for (const [row, message] of differing(columns, images.image, found, Bounds.maxReported)) differ(table, row, message)
}

const compareIdentities = (
  { deps, differ, folded }: Comparison,
  found: string,
  member: MemberRow["identities"] | undefined
): void => {
  const keys = [...folded.identities.keys()].sort()
  const wanted = keys.map((key) => `${key} ${folded.identities.get(key)}`).join(", ")
  if (found !== wanted) differ("identities", undefined, `are ${found}; the journal says ${wanted}`)
  if (member === undefined) return
  const { claimKey } = deps
  const personal = member.map((identity) => ClaimKeys.identity(claimKey, folded.state.program, identity)).sort()
  if (personal.join() !== keys.filter((key) => key !== folded.state.external).join())
    differ("members", undefined, "its identities do not match the hashes in the journal")
}

const compareRewards = ({ deps, differ, folded }: Comparison, found: Uint8Array): void => {
  const { images, types } = deps
  images.clear()
  const rewards = [...folded.rewards.values()].sort((a, b) => (a.issued < b.issued ? -1 : 1))
  for (const reward of rewards) writeReward(images, types, reward)
  compareImages({ deps, differ }, "issued_rewards", rewardColumns, found)
}
