/**
 * Makes every check of contract/transport.md *Order of the checks* in its order, for the routes of all
 * surfaces, by the routes' metadata. A handler runs only after all checks. All its
 * answers leave through `Answers`.
 */
import { Cause, Effect, Exit, Result } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Callers from "../../base/concurrency/Callers.ts"
import type { FaultRules } from "../../capabilities/operators/FaultRules.ts"
import { Answers } from "./Answers.ts"
import * as Body from "./Body.ts"
import { type Held, pipelined } from "./Bounds.ts"
import { ByteBudget } from "./ByteBudget.ts"
import { admit, awaitsCaller, type CheckOptions, notActive, overloaded, refuseContent } from "./Checks.ts"
import type { RequestInFlight } from "./Connections.ts"
import { answerMs, Deadlines } from "./Deadlines.ts"
import { Exchange } from "./Exchange.ts"
import * as Faulty from "./Faulty.ts"
import type { Load } from "./Load.ts"
import { problem, type Reply } from "./Reply.ts"
import type * as RequestLog from "./RequestLog.ts"
import type { Admitted, Route } from "./Route.ts"

interface GateOptions extends CheckOptions {
  /** Counts the requests that run. */
  readonly requests: Load
  readonly bounds: Held
  readonly record: RequestLog.Record
  /** The faults that requests meet; undefined: none, as always on a live database. */
  readonly faults: () => FaultRules | undefined
  /**
   * Runs an effect in its own fiber. It continues if the caller disconnects: a decision in flight is never cancelled.
   * Work that waits for another node, and has not begun there, is not begun then (`base/concurrency/Callers.ts`).
   */
  readonly fork: (effect: Effect.Effect<void>) => void
}

/** The answer to an operation that takes too long. */
const tooLate = (path: string): Reply =>
  problem("storage_unavailable", {
    detail: `The request was not finished within ${answerMs / 1000} s. Send it again with the same key, which tells whether it was done.`,
    instance: path
  })

/** The listener of all requests. */
export type Gate = (incoming: IncomingMessage, outgoing: ServerResponse) => void

export const make = (options: GateOptions): Gate => {
  const { bounds, connections, faults, fork, isReady, load, node, requests } = options
  // Separate budgets, so that unknown callers cannot use up the budget of known ones.
  const ofUnknown = new ByteBudget(bounds.bodyBytes)
  const ofKnown = new ByteBudget(bounds.bodyBytes)
  const answers = new Answers(options, bounds.largeAnswerBytes)

  const deadlines = new Deadlines(fork, (exchange) => answers.answer(exchange, tooLate(exchange.path)))

  /** Runs a request that has passed every check. */
  const carryOut = (admitted: Admitted, { hasOwnTime = false, isBounded = false, run }: Route): void => {
    const { exchange } = admitted
    const { fault } = exchange
    const running = fault === undefined ? run(admitted) : Faulty.carriedOut(fault, () => run(admitted))
    if (!Effect.isEffect(running)) return answers.answer(exchange, running)
    if (isBounded) load.begin()
    const waiting = isBounded && !hasOwnTime ? deadlines.begin(exchange) : undefined
    requests.begin()
    fork(
      Effect.map(Effect.exit(Callers.workFor(() => exchange.incoming.socket.destroyed, running)), (exit) => {
        requests.end()
        if (isBounded) load.end()
        if (waiting !== undefined && !deadlines.end(waiting)) {
          if (Exit.isFailure(exit)) answers.brokeLate(exchange, exit.cause)
          return
        }
        if (Exit.isSuccess(exit)) answers.answer(exchange, exit.value)
        else answers.broke(exchange, exit.cause)
      })
    )
  }

  const proceed = (exchange: Exchange, route: Route, body: unknown, bytes: Buffer | undefined): void => {
    // The handlers may have gone while the body came.
    if (route.isForEveryRole !== true && !isReady()) return answers.answer(exchange, notActive(node, exchange.path))
    const refused = refuseContent(exchange, route, body)
    if (refused !== undefined) return answers.answer(exchange, refused)
    if (route.isBounded === true && load.isFull(0)) return answers.answer(exchange, overloaded(exchange.path))
    carryOut({ exchange, body, bytes }, route)
  }

  const begin = (exchange: Exchange, inFlight: RequestInFlight): void => {
    try {
      const admitted = admit(options, exchange)
      if ("status" in admitted) return answers.answer(exchange, admitted)
      if (admitted.body === undefined) return proceed(exchange, admitted, undefined, undefined)
      Body.read({
        exchange,
        inFlight,
        rule: admitted.body,
        budget: exchange.caller === undefined ? ofUnknown : ofKnown,
        done: (outcome, bytes) => {
          if (Result.isFailure(outcome)) answers.answer(exchange, outcome.failure)
          else proceed(exchange, admitted, outcome.success, bytes)
        },
        broke: (defect) => answers.broke(exchange, Cause.die(defect))
      })
    } catch (defect) {
      answers.broke(exchange, Cause.die(defect))
    }
  }

  return (incoming, outgoing) => {
    const { socket } = incoming
    // Closed by the check below: the parser goes on to the end of what it has read.
    if (socket.destroyed) return
    const inFlight = connections.begun(incoming, outgoing)
    if (inFlight.unanswered.count > pipelined) return void socket.destroy()
    const exchange = new Exchange(incoming, outgoing)
    exchange.unanswered = inFlight.unanswered
    exchange.cors = options.cors.headersFor(incoming.headers)
    const rules = faults()
    if (rules !== undefined && Faulty.ends(rules, exchange, (reply) => answers.answer(exchange, reply))) return
    if (!awaitsCaller(options, exchange, () => begin(exchange, inFlight))) begin(exchange, inFlight)
  }
}
