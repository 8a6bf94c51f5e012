/**
 * Adds up all entries at the position of the sums of finance, by programme and unit, and compares them with the lines of a
 * balance: those of all days, and those of all months (contract/finance.md *Lines*).
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { oneOf, rowsOf } from "../../base/database/Values.ts"
import type { AccountEvent } from "../../core/account/domain/AccountEvent.ts"
import type * as Position from "../feed/Position.ts"
import { belowZero, hereLines, spans } from "../finance/Sums.ts"
import { PositionColumns } from "../rollups/RollupStore.ts"
import { countedTo } from "./CountedTo.ts"
import type { Difference } from "./Difference.ts"

/** Points by programme and unit. */
type Balances = ReadonlyMap<string, bigint>

/** The sums of finance as they are in the tables. */
export interface FoundBalances {
  /** After the last record that they count. */
  readonly position: Position.Position
  readonly days: Balances
  readonly months: Balances
}

const positionRow = oneOf(PositionColumns)
const balanceRows = rowsOf(
  Schema.Struct({ program: Schema.String, unit: Schema.String, span: Schema.Number, points: Schema.String })
)
const balancesStatement = `SELECT program_id AS program, unit::text AS unit, span, sum(points)::text AS points FROM finance_days
  WHERE line NOT IN (${[belowZero, ...Object.values(hereLines)].map((line) => `'${line}'`).join(", ")}) GROUP BY 1, 2, 3`

const keyOf = (program: string, unit: string): string => `${program} ${unit}`
const programIn = (key: string): string => key.slice(0, key.indexOf(" "))

/** Reads the balances that the sums of finance come to. */
export const read = Effect.fnUntraced(function* (
  connection: PgConnection.PgConnection
): Effect.fn.Return<FoundBalances, SqlError.SqlError> {
  const position = yield* positionRow(connection.query("SELECT epoch, transaction, account, seq FROM finance_progress"))
  const rows = yield* balanceRows(connection.query(balancesStatement))
  const of = (wanted: number): Balances =>
    new Map(
      rows.flatMap(({ points, program, span, unit }) =>
        span === wanted ? [[keyOf(program, unit), BigInt(points)] as const] : []
      )
    )
  return { position, days: of(spans.day), months: of(spans.month) }
})

/** Adds up the entries of all accounts. */
export class FinanceAudit {
  private readonly balances = new Map<string, bigint>()
  private readonly counts: ReturnType<typeof countedTo>

  constructor(position: Position.Position) {
    this.counts = countedTo(position)
  }

  record(record: Parameters<FinanceAudit["counts"]>[0], program: string, events: ReadonlyArray<AccountEvent>): void {
    if (!this.counts(record)) return
    for (const event of events) {
      if (event.type !== "posted") continue
      const key = keyOf(program, event.unit)
      this.balances.set(key, (this.balances.get(key) ?? 0n) + BigInt(event.amount))
    }
  }

  /** The differences from the stored sums; with `program` only those of one programme. */
  differences(found: FoundBalances, program: string | undefined): ReadonlyArray<Difference> {
    const kinds = [
      ["days", found.days],
      ["months", found.months]
    ] as const
    return kinds.flatMap(([name, sums]) =>
      [...new Set([...this.balances.keys(), ...sums.keys()])].flatMap((key) => {
        const [is, said] = [sums.get(key) ?? 0n, this.balances.get(key) ?? 0n]
        if (is === said || (program !== undefined && programIn(key) !== program)) return []
        return [
          { table: "finance_days" as const, row: key, message: `its ${name} come to ${is}; the journal says ${said}` }
        ]
      })
    )
  }
}
