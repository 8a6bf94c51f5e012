/** The name and the colour of the business (contract/operators.md *The business's look*). */
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { optional, rowsOf } from "../../base/database/Values.ts"

const Row = Schema.Struct({ name: optional(Schema.String), colour: optional(Schema.String) })
const rowsRead = rowsOf(Row)

/** The look, without what the business has not chosen. */
export const businessLook = (query: Query) =>
  Effect.map(rowsRead(query("SELECT name, colour FROM business_look")), ([row]): Partial<typeof Row.Type> => row ?? {})
