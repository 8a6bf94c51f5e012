/** Indexes the claims of ended eras when there are many, on one node at a time (contract/databases.md *Claims*). */
import { Cause, Effect, Layer } from "effect"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import * as ClaimsIndex from "../../core/journal/postgres/ClaimsIndex.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import * as Bounds from "./Bounds.ts"

const told = (outcome: ClaimsIndex.Outcome): Effect.Effect<void> => {
  switch (outcome._tag) {
    case "Indexed":
      return Effect.logInfo(`The claims of all eras before ${outcome.before} are indexed`)
    case "NotOwner":
      return Effect.logWarning(
        `Look-ups of claims read the index of every era: run lotbook journal index with the role that owns the tables, ${outcome.owner}`
      )
    case "Elsewhere":
    case "Nothing":
      return Effect.void
  }
}

const work = (options: ClaimsIndex.IndexOptions) =>
  Effect.gen(function* () {
    const { mayWrite } = yield* WriteFreeze
    const look = Effect.suspend(() =>
      mayWrite() ? Effect.flatMap(ClaimsIndex.indexEnded(options), told) : Effect.void
    ).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.interrupt
          : Effect.logWarning("Claims could not be indexed; the next look tries again", cause)
      )
    )
    yield* Effect.sleep(Bounds.firstSealMs)
    for (;;) {
      yield* look
      yield* Effect.sleep(Bounds.indexLookMs)
    }
  })

/** Indexes until the scope closes. */
export const layerFrom = (options: ClaimsIndex.IndexOptions) =>
  Layer.effectDiscard(
    Effect.flatMap(Partitions, ({ whileMine }) => Effect.forkScoped(whileMine(singletons.claimsIndex, work(options))))
  )

export const layer = layerFrom({})
