/**
 * Computes the rollups again and compares them. The feed adds the change of each
 * record; this sums the states of all accounts at the rollups' position.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { oneOf, rowsOf } from "../../base/database/Values.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import * as Lots from "../../core/account/domain/Lots.ts"
import type { State } from "../../core/account/domain/State.ts"
import type * as Position from "../feed/Position.ts"
import type { SortedLadder } from "../rollups/Change.ts"
import * as Ladder from "../rollups/Ladder.ts"
import type { MemberRollup } from "../rollups/Member.ts"
import * as Member from "../rollups/Member.ts"
import { ProgressColumns, progressColumns, progressOf } from "../rollups/RollupStore.ts"
import type { PlainSums, SumTable } from "../rollups/Sums.ts"
import { keyOf, Sums, sumTables, tables } from "../rollups/Sums.ts"
import { countedTo } from "./CountedTo.ts"
import * as FinanceAudit from "./FinanceAudit.ts"
import type { MergedAccount } from "./OrderAudit.ts"
import { isMerged, isMove, OrderAudit, olderText } from "./OrderAudit.ts"
import type { RowImages } from "./RowImage.ts"
import * as RowImage from "./RowImage.ts"

/** Position and ladders of the rollups. */
export interface Counted {
  /** After the last record that they count. */
  readonly position: Position.Position
  readonly ladders: ReadonlyMap<string, SortedLadder>
}

/** The sums as they are in the tables. */
export interface FoundSums {
  readonly finance: FinanceAudit.FoundBalances
  readonly counted: Counted
  readonly sums: PlainSums
  /** The account that each merged account belongs to now. */
  readonly merges: ReadonlyMap<number, number>
}

/** The rows of an account's orders, and its row of `rollup_older`. */
interface FoundOrders {
  readonly rows: Uint8Array
  readonly older: string | undefined
}

interface SumDifference {
  readonly table: SumTable
  readonly row: string
  readonly message: string
}

const progressRow = oneOf(ProgressColumns)
const sumRows = rowsOf(Schema.Record(Schema.String, Schema.String))
const mergeRows = rowsOf(Schema.Struct({ account: Schema.Number, into_account: Schema.Number }))

/** Reads the sums of the rollups, without the members. */
export const read = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection
): Effect.fn.Return<FoundSums, SqlError.SqlError> {
  const progress = yield* progressRow(connection.query(`SELECT ${progressColumns} FROM rollup_progress`))
  const sums = new Sums()
  for (const table of sumTables) {
    const { columns, key } = tables[table]
    const wanted = [...key, ...columns].map((column) => `${column}::text AS ${column}`).join(", ")
    for (const row of yield* sumRows(connection.query(`SELECT ${wanted} FROM ${table}`))) {
      sums.add(
        table,
        key.map((column) => row[column]!),
        columns.map((column) => BigInt(row[column]!))
      )
    }
  }
  const merges = yield* mergeRows(connection.query("SELECT account, into_account FROM rollup_merges"))
  return {
    finance: yield* FinanceAudit.read(connection),
    counted: progressOf(progress),
    sums,
    merges: new Map(merges.map(({ account, into_account }) => [account, into_account]))
  }
})

/** Sums up accounts. */
export class RollupAudit {
  readonly sums = new Sums()
  /** An account could not be counted, for its journal is damaged. */
  isUncertain = false
  /** Accounts that took part in merges or moves. */
  readonly merged: Array<MergedAccount> = []
  /** True if an order was moved to the account at hand, or from it. */
  private hasMoves = false
  /** Orders and holds of the account at hand. */
  private orders = new OrderAudit()
  private readonly counted: Counted
  /** True for a record that the rollups count. */
  readonly counts: ReturnType<typeof countedTo>

  constructor(counted: Counted) {
    this.counted = counted
    this.counts = countedTo(counted.position)
  }

  /** Begins an account; one after the other. */
  begin(): void {
    this.orders = new OrderAudit()
    this.hasMoves = false
  }

  /** Looks for moves in a record, also in one that the rollups do not count yet: its other half may be counted. */
  notice(events: ReadonlyArray<AccountEvent>): void {
    if (isMove(events)) this.hasMoves = true
  }

  /** Adds the entries of a record. */
  record(account: number, program: string, events: ReadonlyArray<AccountEvent>): void {
    this.sums.activity(program, events)
    this.sums.beginnings(program, events)
    this.orders.record(account, program, events, this.sums)
  }

  /**
   * Writes the rows of the account's orders, and returns what the deleted ones come to; undefined if it took part in a merge or a
   * move, so that they are compared at the end.
   * `counted` is its state after the last record that counts, `newest` that of now: a merge is two records, and the
   * position may lie between them.
   */
  writeOrders(
    account: number,
    counted: State,
    newest: State,
    found: FoundOrders,
    to: RowImages
  ): Pick<FoundOrders, "older"> | undefined {
    const { changed, ended, holds, moved, orders } = this.orders
    const { older, rows } = found
    if (isMerged(newest) || this.hasMoves) {
      const taken = counted.merged.map((one) => one.account)
      this.merged.push({ account, taken, orders, changed, moved, holds, ended, found: RowImage.read(rows), older })
      return undefined
    }
    const kept = older === undefined ? undefined : new Set(RowImage.read(rows).map(([order]) => order))
    const deleted = this.orders.write(to, kept)
    this.orders.addChanges(this.sums)
    return { older: olderText(deleted) }
  }

  /** Adds an account as it was after the last record that counts; its row as it should be. */
  account(account: number, state: State, found: MemberRollup | undefined): MemberRollup {
    const figures = Member.figuresOf(state)
    const { program } = figures
    for (const unit of figures.units) this.sums.points(program, unit, 1)
    for (const { lots, unit } of state.units)
      Lots.each(lots, (_, left, expires) => this.sums.lot(program, unit, expires, left), state.idle)
    const member = { ...figures, account, tier: this.tierOf(account, figures, found) }
    this.sums.member(member, 1)
    return member
  }

  /** By the ladder that the rollups sort by; a member that is not sorted by it yet may have another tier. */
  private tierOf(account: number, figures: Member.Figures, found: MemberRollup | undefined): Ladder.TierKey {
    const sorted = this.counted.ladders.get(figures.program)
    const isWaiting = sorted === undefined || (sorted.sortedTo !== null && account > sorted.sortedTo)
    if (isWaiting && found !== undefined) return found.tier
    return Ladder.keyOf(sorted?.ladder ?? Ladder.none, figures)
  }
}

/** The differences between expected and stored sums; with `program` only those of one programme. */
export const compareSums = (expected: PlainSums, found: PlainSums, program?: string): ReadonlyArray<SumDifference> =>
  sumTables.flatMap((table) => {
    const names = new Set([...expected[table].keys(), ...found[table].keys()])
    return [...names].flatMap((name) => {
      const key = keyOf(table, name)
      if (program !== undefined && key["program_id"] !== program) return []
      const wrong = tables[table].columns.flatMap((column, place) => {
        const [is = 0n, said = 0n] = [found[table].get(name)?.[place], expected[table].get(name)?.[place]]
        return is === said ? [] : [`${column} is ${is}; the journal says ${said}`]
      })
      return wrong.length === 0 ? [] : [{ table, row: Object.values(key).join(" "), message: wrong.join(", ") }]
    })
  })
