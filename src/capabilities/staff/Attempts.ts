/** Rules that all ways of signing in share: wrong attempts slow their address down, and leave an entry in the audit. */
import { Effect } from "effect"
import type { Pool } from "../../base/database/Pools.ts"
import type { ProblemCode } from "../../contract/protocol/Problem.ts"
import { Refused } from "../../contract/Refused.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { KnownKeys } from "../../desk/access/Keys.ts"
import { networkOf } from "../../desk/access/WrongKeys.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refuse } from "../../desk/surface/Refusal.ts"

interface Parts {
  readonly keys: KnownKeys
  readonly people: Pool
}

const tooMany = (seconds: number) =>
  new Refused({
    code: "rate_limited",
    detail: "Too many wrong keys came from this address; wait as Retry-After says.",
    retryAfter: seconds
  })

/**
 * Looks at a key. It has a place of its address meanwhile, so that no more are looked at at the same instant than may be
 * wrong in a minute. `isSpared`: others' wrong keys do not stop it.
 */
export const attempt = <A, E, R>(
  { keys: { wrong } }: Parts,
  look: Effect.Effect<A, E, R>,
  isSpared = false
): Effect.Effect<A, E | Refused, R | CurrentCaller> =>
  Effect.flatMap(CurrentCaller, ({ sourceIp = "" }): Effect.Effect<A, E | Refused, R> => {
    if (isSpared) return look
    const wait = wrong.enter(sourceIp)
    return wait > 0
      ? Effect.fail(tooMany(wait))
      : Effect.ensuring(
          look,
          Effect.sync(() => wrong.leave(sourceIp))
        )
  })

/** Refuses an address that is blocked. */
export const mayTry = ({ keys }: Parts): Effect.Effect<void, Refused, CurrentCaller> =>
  Effect.flatMap(CurrentCaller, ({ sourceIp = "" }) => {
    const blocked = keys.wrong.blockedFor(sourceIp)
    return blocked > 0 ? Effect.fail(tooMany(blocked)) : Effect.void
  })

/** Counts a wrong attempt, and refuses it. At most one entry of the audit a minute and address. */
export const refuseWrong = (
  { keys, people }: Parts,
  code: ProblemCode,
  detail: string
): Effect.Effect<never, Refused, CurrentCaller> =>
  Effect.gen(function* () {
    const { sourceIp = "" } = yield* CurrentCaller
    const blocked = keys.wrong.blockedFor(sourceIp)
    if (blocked > 0) return yield* Effect.fail(tooMany(blocked))
    keys.wrong.count(sourceIp)
    if (keys.wrong.isToTell(sourceIp, keys.now())) {
      const subject = { type: "address", id: networkOf(sourceIp) }
      yield* Audit.tell(people.query, { action: "session.refused", subject })
    }
    return yield* refuse(code, detail)
  })
