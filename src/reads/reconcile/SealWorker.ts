/**
 * Seals spans that are over, on one node at a time, at a tenth of a processor's time (contract/databases.md *Seals*).
 */
import { Cause, Effect, Layer } from "effect"
import { machineTime } from "../../base/time/Times.ts"
import { Partitions } from "../../core/cluster/Partitions.ts"
import { singletons } from "../../core/cluster/Placement.ts"
import { WriteFreeze } from "../../core/journal/WriteFreeze.ts"
import * as Bounds from "./Bounds.ts"
import type { Difference } from "./Difference.ts"
import * as Seals from "./Seals.ts"

const logged = ({ account, message, row, table }: Difference) =>
  Effect.logError(`${table}: ${account === undefined ? "" : `account ${account} `}${row ?? ""} ${message}`)

/** The pause before the next look, ms, after what came of this one. */
const pauseAfter = (outcome: Seals.Outcome): number => {
  if (outcome._tag === "Sealed") return 0
  return outcome._tag === "Differs" ? Bounds.differingMs : Bounds.sealLookMs
}

const work = Effect.gen(function* () {
  const clock = yield* machineTime
  const { mayWrite } = yield* WriteFreeze
  let resumedAt = clock.now()
  const rest = Effect.suspend(() => Effect.sleep(Bounds.sealRest * Math.max(1, clock.now() - resumedAt))).pipe(
    Effect.andThen(
      Effect.sync(() => {
        resumedAt = clock.now()
      })
    )
  )
  const look = Effect.gen(function* () {
    if (!mayWrite()) return Bounds.sealLookMs
    resumedAt = clock.now()
    const outcome = yield* Seals.sealNext({ pageRows: Bounds.servedPageRows, onDifference: logged, onPage: rest })
    if (outcome._tag === "Sealed")
      yield* Effect.logInfo(`Span ${outcome.span} is sealed: ${outcome.accounts} accounts, ${outcome.records} records`)
    if (outcome._tag === "Differs")
      yield* Effect.logError(`Span ${outcome.span} is not sealed: it has ${outcome.differences} differences`)
    return pauseAfter(outcome)
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(
            Effect.logWarning("A span could not be sealed; the next look tries again", cause),
            Bounds.sealLookMs
          )
    )
  )
  yield* Effect.sleep(Bounds.firstSealMs)
  for (;;) yield* Effect.sleep(yield* look)
})

/** Seals until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(Partitions, ({ whileMine }) => Effect.forkScoped(whileMine(singletons.seals, work)))
)
