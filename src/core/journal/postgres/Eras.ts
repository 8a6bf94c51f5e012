/**
 * When eras of claims begin, and when the claims of ended ones are learnt.
 *
 * Nodes cannot disagree on where a key is. A group reads the present era under the lock that a new era takes alone, so
 * every node writes to that one, and an ended era gets no claim any more. What a node has learnt saves reads and decides
 * nothing: one that has just joined, or writes so little that it looks seldom, reads the indexes of the eras that it has
 * not learnt. No era is dropped.
 */
import { Cause, Effect, Latch } from "effect"
import { int8 } from "../../../base/database/Values.ts"
import * as Bounds from "../Bounds.ts"
import type { Write } from "../GroupCommit.ts"
import type { JournalUnavailable } from "../Records.ts"
import { EndedClaims } from "./EndedClaims.ts"
import { learnEnded, readerOfNew } from "./EraLearning.ts"
import type { Query } from "./Query.ts"

/** The claims of ended eras, as far as they were learnt. */
interface Eras {
  readonly ended: EndedClaims
  /** Learns again: the database is not the one that was learnt. */
  readonly relearn: () => void
  /** Counts the claims that `write` commits, so that a new era begins in time. */
  readonly counted: (write: Write) => Write
}

export interface EraOptions {
  /** Least size of an era of claims, in bytes. */
  readonly eraBytes?: number
  /** Claims written between two checks of its size. */
  readonly claimsPerEraLook?: number
  /** Memory for the claims of ended eras, in bytes. */
  readonly filterBytes?: number
  /** The same for the keys with an end of spans that are over. */
  readonly keyFilterBytes?: number
}

/**
 * Begins a new era of claims when the present one has grown large, and learns the claims of ended eras. Runs at the
 * start and after every `claimsPerEraLook` claims, in a fiber of its own.
 */
export const make = Effect.fnUntraced(function* (query: Query, options: EraOptions) {
  const ended = new EndedClaims(options.filterBytes)
  const { claimsPerEraLook = Bounds.claimsPerEraLook, eraBytes = Bounds.eraBytes } = options
  const grown = Latch.makeUnsafe(false)
  let written = 0
  /** A failure is logged and retried with the next check: no group depends on it. */
  const warned = <A>(what: string, effect: Effect.Effect<A, JournalUnavailable>) =>
    Effect.catchCause(effect, (cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.failCause(cause) : Effect.logWarning(what, cause)
    )
  // On a session that reads share: its lock_timeout holds them up for 250 ms at most.
  const begin = query("SELECT begin_era($1)", [int8(eraBytes)])
  const readNew = warned("New claims could not be read", readerOfNew(query))
  // Marks the end of the table: older claims are read when their era is learnt.
  yield* readNew
  let loggedBefore = 0
  const learn = Effect.flatMap(learnEnded(query, ended), (unknownBefore) => {
    // Every check finds the same; it is logged once an era.
    if (unknownBefore === undefined || unknownBefore <= loggedBefore) return Effect.void
    loggedBefore = unknownBefore
    return Effect.logWarning(
      `No memory for the claims of eras ${ended.before} to ${unknownBefore - 1}: every group looks them up in each era`
    )
  })
  yield* warned("The claims of ended eras could not be learnt", learn).pipe(
    Effect.andThen(grown.await),
    Effect.andThen(Effect.sync(() => grown.closeUnsafe())),
    Effect.andThen(readNew),
    Effect.andThen(warned("A new era of claims could not be begun", begin)),
    Effect.forever,
    Effect.forkScoped
  )
  const counted =
    (write: Write): Write =>
    (group, isLinked) =>
      Effect.tap(write(group, isLinked), () =>
        Effect.sync(() => {
          for (const { claims } of group) written += claims.length
          if (written < claimsPerEraLook) return
          written = 0
          grown.openUnsafe()
        })
      )
  return { ended, counted, relearn: () => grown.openUnsafe() } satisfies Eras
})
