/** Sends the gate's answers: the replies of routes, refusals, and the answer to a request that broke. */
import { Cause, Effect } from "effect"
import * as Stage from "../../base/concurrency/Stage.ts"
import { detailOf, said } from "../../contract/Said.ts"
import type { Node } from "../../core/cluster/Node.ts"
import { unreadBytes } from "./Bounds.ts"
import { ByteBudget } from "./ByteBudget.ts"
import { isCurrent, notActive } from "./Checks.ts"
import { type Exchange, leaveUnanswered, write } from "./Exchange.ts"
import { loseAnswer } from "./Faulty.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type * as RequestLog from "./RequestLog.ts"
import { Unread } from "./Unread.ts"

interface AnswerOptions {
  readonly node: Node["Service"]
  readonly isReady: () => boolean
  readonly record: RequestLog.Record
  readonly fork: (effect: Effect.Effect<void>) => void
}

export class Answers {
  private readonly options: AnswerOptions
  // Separate budgets, so that unknown callers cannot use up the budget of known ones.
  private readonly toUnknown: ByteBudget
  private readonly toKnown: ByteBudget
  private readonly unread = new Unread(unreadBytes)

  /** `largeBytes`: the most bytes of large answers in flight. */
  constructor(options: AnswerOptions, largeBytes: number) {
    this.options = options
    this.toUnknown = new ByteBudget(largeBytes)
    this.toKnown = new ByteBudget(largeBytes)
  }

  /**
   * Sends all answers that are ready in one turn of the event loop together. Otherwise the operating system wakes the
   * caller's process for each answer, and a read costs up to a quarter more.
   */
  private readonly leaving = Stage.make<{ readonly exchange: Exchange; readonly given: Reply }>({
    phases: [
      ({ exchange, given }) => {
        this.send(exchange, given)
        end(exchange)
      }
    ],
    onDefect: ({ exchange }, defect) => this.broke(exchange, Cause.die(defect))
  })

  answer(exchange: Exchange, given: Reply): void {
    this.leaving.enter({ exchange, given })
  }

  /** Answers a request that failed by a fault of this service. */
  broke(exchange: Exchange, cause: Cause.Cause<unknown>): void {
    const { outgoing, path, requestId } = exchange
    this.log(exchange, cause)
    const detail = said`The request failed; the log has the cause, with the request id ${requestId}.`
    try {
      this.send(exchange, problem("internal_error", { ...detailOf(detail), instance: path }))
    } catch (defect) {
      this.log(exchange, Cause.die(defect))
      // No answer can be sent on this connection any more, so close it: the caller must not wait.
      if (!outgoing.writableEnded) outgoing.destroy()
    }
    end(exchange)
  }

  /** Logs that a request failed which was answered before. */
  brokeLate(exchange: Exchange, cause: Cause.Cause<unknown>): void {
    if (!Cause.hasInterruptsOnly(cause)) this.log(exchange, cause)
  }

  private send(exchange: Exchange, given: Reply): void {
    const { caller, path, route } = exchange
    // An answer from memory is only sent while this node is confirmed.
    const isStale = route !== undefined && route.isForEveryRole !== true && !isCurrent(this.options)
    const largeAnswers = caller === undefined ? this.toUnknown : this.toKnown
    if (exchange.fault !== undefined) loseAnswer(exchange)
    const current = isStale ? notActive(this.options.node, path) : given
    const formed = route?.answerAs === undefined ? current : route.answerAs(current, exchange.incoming)
    if (formed === undefined) leaveUnanswered(exchange)
    this.options.record(exchange, formed === undefined ? current : write(exchange, formed, largeAnswers, this.unread))
  }

  private log({ requestId }: Exchange, cause: Cause.Cause<unknown>): void {
    this.options.fork(Effect.annotateLogs(Effect.logError("A request failed", cause), { request_id: requestId }))
  }
}

const end = (exchange: Exchange): void => {
  const { ended, unanswered } = exchange
  exchange.ended = undefined
  exchange.unanswered = undefined
  if (unanswered !== undefined) unanswered.count--
  ended?.()
}
