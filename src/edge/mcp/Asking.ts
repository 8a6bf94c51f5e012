/**
 * How a tool reads: it asks the service's own routes, for the caller of the request that it was called with. So scopes,
 * programmes and redaction are those of the routes.
 */

import type { Effect } from "effect"
import { Context, Schema } from "effect"

export interface Question {
  /** POST: a route that evaluates or previews. No question changes anything. */
  readonly method: "GET" | "POST"
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
}

/** A route refused the question. The message has the problem's code and detail, and with it the scope that is missing. */
export class ToolRefused extends Schema.TaggedError<ToolRefused>()("ToolRefused", {
  code: Schema.String,
  message: Schema.String
}) {}

export class Asking extends Context.Service<
  Asking,
  {
    /** The answer of a route with status 200. Its type is that of the route's contract. */
    readonly ask: <A extends object>(question: Question) => Effect.Effect<A, ToolRefused>
    /** The id of the request that the tool is called with. */
    readonly requestId: string
    /** Called with the name of each tool that is called, for the request's log line. */
    readonly called: (tool: string) => void
  }
>()("lotbook/edge/mcp/Asking") {}
