/**
 * The use cases of the transaction contract, by operation.
 */
import { Effect, Layer } from "effect"
import type { Accounts } from "../account/Accounts.ts"
import type { Journal } from "../journal/Journal.ts"
import type { Programs } from "../programs/Programs.ts"
import { Handlers } from "./Handler.ts"
import * as IssuedRewards from "./IssuedRewards.ts"
import * as Ledger from "./Ledger.ts"
import * as Members from "./Members.ts"
import * as Orders from "./Orders.ts"
import * as ProgramReads from "./ProgramReads.ts"
import * as Redemptions from "./Redemptions.ts"

export const layer: Layer.Layer<Handlers, never, Accounts | Journal | Programs> = Layer.effect(
  Handlers,
  Effect.gen(function* () {
    return Handlers.of({
      ...(yield* Members.make),
      ...(yield* ProgramReads.make),
      ...(yield* Ledger.make),
      ...(yield* Orders.make),
      ...(yield* Redemptions.make),
      ...(yield* IssuedRewards.make)
    })
  })
)
