/** The logo of who writes, for mails (contract/operators.md *The business's look*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { rowsOf } from "../../base/database/Values.ts"
import type { Look } from "./Letter.ts"

const rowsRead = rowsOf(Schema.Struct({ png: Schema.Uint8Array }))

/** The business's, where the programme has none of its own. */
const statement = `SELECT png, 1 AS rank FROM program_logos WHERE program_id = $1
  UNION ALL SELECT png, 2 FROM business_look WHERE png IS NOT NULL ORDER BY rank LIMIT 1`

/** The picture as PNG; undefined: there is none. */
export const logoOf = (query: Query, { program_id = "" }: Look) =>
  Effect.map(rowsRead(query(statement, [PgTypes.text(program_id)])), ([row]) => row?.png)
