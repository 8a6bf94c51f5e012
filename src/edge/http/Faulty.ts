/** Lets requests of `/proto/v1` meet the faults of a sandbox (contract/operators.md *Faults*). */
import { Effect } from "effect"
import type { FaultRule, FaultRules } from "../../capabilities/operators/FaultRules.ts"
import { defaultRetryAfterSeconds } from "../../capabilities/operators/FaultRules.ts"
import { basePath } from "../../contract/protocol/Protocol.ts"
import { type Exchange, leaveUnanswered } from "./Exchange.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"

const below = `${basePath}/`

const refusal = ({ retry_after_seconds = defaultRetryAfterSeconds }: FaultRule, path: string): Reply =>
  problem(
    "overloaded",
    { detail: "A fault of the sandbox's rules; nothing was done.", instance: path },
    { "Retry-After": String(retry_after_seconds) }
  )

/** Notes the fault that a request meets. True: it ends here, before any check. */
export const ends = (rules: FaultRules, exchange: Exchange, answer: (reply: Reply) => void): boolean => {
  const { incoming, path } = exchange
  const rule = path.startsWith(below) ? rules.of(incoming.method ?? "", path) : undefined
  exchange.fault = rule
  if (rule?.fault === "answer_503") answer(refusal(rule, path))
  else if (rule?.fault === "drop_request") incoming.socket.destroy()
  else return false
  return true
}

/** Carries a request out as its fault says: late, twice or as it is. */
export const carriedOut = (
  { delay_ms = 0, fault }: FaultRule,
  run: () => Reply | Effect.Effect<Reply>
): Reply | Effect.Effect<Reply> => {
  const once = Effect.suspend(() => {
    const running = run()
    return Effect.isEffect(running) ? running : Effect.succeed(running)
  })
  if (fault === "delay") return Effect.delay(once, delay_ms)
  return fault === "duplicate" ? Effect.andThen(once, once) : run()
}

/** Closes the connection of a request whose answer is to be lost. */
export const loseAnswer = (exchange: Exchange): void => {
  if (exchange.fault?.fault === "drop_answer") leaveUnanswered(exchange)
}
