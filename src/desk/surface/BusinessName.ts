/** The name of the business (contract/operators.md *The business's look*). */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { optional, rowsOf } from "../../base/database/Values.ts"

const rowsRead = rowsOf(Schema.Struct({ name: optional(Schema.String) }))

/** Undefined: it has no name of its own. */
export const businessName = (query: Query) =>
  Effect.map(rowsRead(query("SELECT name FROM business_look")), ([row]) => row?.name)
