/** Points that came from elsewhere, with imports and moves, by day (contract/engagement.md *Analytics*). */
import { PgTypes } from "@effect/sql-pg"
import { Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, int8s, rowsOf } from "../../base/database/Values.ts"

const { text } = PgTypes

const rows = rowsOf(Schema.Struct({ unit: Schema.String, part: Schema.Number, points: Schema.Number }))

// The index finance_days_imported has these rows alone.
const statement = `SELECT unit, width_bucket(start, $4) - 1 AS part, sum(points)::float8 AS points FROM finance_days
  WHERE program_id = $1 AND span = 1 AND line IN ('migration_credits', 'migration_debits') AND start >= $2 AND start < $3
    AND ($5::text IS NULL OR location_id = $5)
  GROUP BY 1, 2 HAVING sum(points) <> 0`

/** Days of a programme's zone, as UTC midnights, ms; `end` is excluded. */
export interface Days {
  readonly program: string
  readonly first: number
  readonly end: number
  /** Undefined: all. */
  readonly location: string | undefined
}

/** Net points by unit and part; `starts`: the first days of the parts. As far as the sums of finance have come. */
export const imported = (query: Query, { end, first, location, program }: Days, starts: ReadonlyArray<number>) =>
  rows(query(statement, [text(program), int8(first), int8(end), int8s(starts), text(location ?? null)]))
