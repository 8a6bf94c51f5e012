/** Problem documents as answers of the surfaces' handlers. */
import { HttpServerResponse } from "effect/http"
import type { ProblemCode, ProblemFacts } from "./Problems.ts"
import * as Reply from "./Reply.ts"

/** A problem document as a handler's answer. */
export const problem = (code: ProblemCode, facts: ProblemFacts): HttpServerResponse.HttpServerResponse => {
  const { body, contentType, headers, status } = Reply.problem(code, facts)
  return HttpServerResponse.text(body, { status, contentType: contentType ?? Reply.json, headers: { ...headers } })
}
