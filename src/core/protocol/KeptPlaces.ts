/**
 * Finds the order that a programme keeps under an id without a guest, whatever became of it. By default none is kept. Only
 * accruals of limited tills ask (contract/people.md *Limited to restaurants*).
 */
import { Context, Effect } from "effect"
import type { Order } from "../../contract/protocol/Order.ts"
import type { Trouble } from "../account/Outcome.ts"

export type KeptPlace = (program: string, order: string) => Effect.Effect<Order | Trouble | undefined>

export class KeptPlaces extends Context.Reference<KeptPlace>("lotbook/core/protocol/KeptPlaces", {
  defaultValue: () => () => Effect.succeed(undefined)
}) {}
