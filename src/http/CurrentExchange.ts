/** The exchange of a surface's handler, and problem documents as its answers. */
import { Context } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Exchange } from "./Exchange.ts"
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import * as Reply from "./Reply.ts"

/** With what the gate has found out: the caller, the request's id, its path. */
export class CurrentExchange extends Context.Service<CurrentExchange, Exchange>()("lotbook/http/CurrentExchange") {}

/** A problem document as a handler's answer. */
export const problem = (code: ProblemCode, facts: ProblemFacts): HttpServerResponse.HttpServerResponse => {
  const { body, contentType, headers, status } = Reply.problem(code, facts)
  return HttpServerResponse.text(body, { status, contentType: contentType ?? Reply.json, headers: { ...headers } })
}
