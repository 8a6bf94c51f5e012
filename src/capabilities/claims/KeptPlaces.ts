/** Finds kept orders for accruals of limited tills: a look-up in programmes that keep orders, and none in others. */
import { Effect, Layer } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { unavailable } from "../../core/account/Outcome.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { KeptPlaces } from "../../core/protocol/KeptPlaces.ts"
import * as Store from "./KeptStore.ts"

export const layer: Layer.Layer<never, never, PeoplePool | Programs> = Layer.effect(
  KeptPlaces,
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const programs = yield* Programs
    return (program: string, order: string) =>
      programs.get(program)?.claims === undefined
        ? Effect.succeed(undefined)
        : Store.find(query, program, order).pipe(
            Effect.map((row) => (row === undefined ? undefined : Store.orderOf(row))),
            Effect.catchTag("Refused", () => Effect.succeed(unavailable))
          )
  })
)
