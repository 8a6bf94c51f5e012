/** Lists of the contract. */
import { Schema } from "effect"

/** A list with at most so many items. */
export const atMost = <S extends Schema.Constraint>(item: S, maximum: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: `must have at most ${maximum} items` }))
