/**
 * Ends the streams and waits of callers that may read no more: a revoked token, an ended session, a person who is disabled, other
 * restaurants (contract/events.md *Feed*). One look a node for all of them.
 */
import { Deferred, Effect } from "effect"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"
import { Keys } from "../../desk/access/Keys.ts"
import { Sessions } from "../../desk/access/Sessions.ts"
import * as Bounds from "./Bounds.ts"

interface Open {
  readonly mayGoOn: () => boolean
  readonly ended: Deferred.Deferred<void>
}

export const make = Effect.gen(function* () {
  const keys = yield* Keys
  const sessions = yield* Sessions
  const open = new Set<Open>()
  const look = Effect.sync(() => {
    for (const { ended, mayGoOn } of open) if (!mayGoOn()) Deferred.doneUnsafe(ended, Effect.void)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.lookMs), look)))

  const mayGoOn = (caller: RequestCaller): boolean =>
    keys.isStill(caller) && (caller.session === undefined || sessions.isOpen(caller.session.hash))

  /** Ends once the caller may read no more. Counts the stream until the scope closes. */
  const untilEnded = (caller: RequestCaller) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => {
          const one: Open = { mayGoOn: () => mayGoOn(caller), ended: Deferred.makeUnsafe() }
          open.add(one)
          return one
        }),
        (one) => Effect.sync(() => void open.delete(one))
      ),
      ({ ended }) => Deferred.await(ended)
    )

  return { untilEnded }
})

export type OpenStreams = Effect.Success<typeof make>
