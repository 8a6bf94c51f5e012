/** Lists of the contract. */

import { Schema } from "effect"
import { told } from "./Said.ts"

/** A list with at most so many items. */
export const atMost = <S extends Schema.Constraint>(item: S, maximum: number) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: told`must have at most ${maximum} items` }))
