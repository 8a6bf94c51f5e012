/** Timeouts of statements. */
import { type Cause, Effect, Fiber, Scope } from "effect"

/**
 * Limits a statement to `ms`. It runs detached: interrupting it would send a cancel request and wait up to 5 s for a
 * server that hangs. The caller closes the session, which ends the statement.
 */
export const answerWithin = <A, E>(
  statement: Effect.Effect<A, E>,
  ms: number
): Effect.Effect<A, E | Cause.TimeoutError> =>
  Effect.flatMap(Effect.forkDetach(statement, { startImmediately: true }), (fiber) =>
    Effect.timeout(Fiber.join(fiber), ms)
  )

/** Limits the use of sessions to `ms`, from their opening on: a server that accepts may not answer. Then closes them. */
export const closedWithin = <A, E>(
  use: Effect.Effect<A, E, Scope.Scope>,
  ms: number
): Effect.Effect<A, E | Cause.TimeoutError> =>
  Effect.scoped(Effect.flatMap(Effect.scope, (scope) => answerWithin(Scope.provide(use, scope), ms)))
