/**
 * The other end of `/mcp` for programs that speak MCP over standard input and output: a line of JSON-RPC is posted, and
 * what comes back is a line. What fails on the way is told as a JSON-RPC error in words.
 */
import { Effect } from "effect"
import { isObject } from "../../contract/Decode.ts"
import * as Revisions from "./Revisions.ts"

/** The service's answer to a message. */
interface Received {
  readonly status: number
  readonly body: string
}

/** Posts a message to `/mcp`. Fails with a sentence if there is no answer. */
export type Post = (
  message: object,
  headers: Readonly<Record<string, string>>
) => Effect.Effect<Received, { readonly message: string }>

/** JSON-RPC's codes: not JSON; no request; and of servers for all else. */
const notJson = -32700
const noRequest = -32600
const failed = -32000

const errorLine = (id: unknown, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } })

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A refusal of the gate in words: a problem document, or what a proxy before the service says. */
const refusalOf = ({ body, status }: Received): string => {
  const problem = parsed(body)
  if (!isObject(problem) || !("code" in problem) || !("detail" in problem))
    return `The service answered HTTP ${status}.`
  return `${String(problem["code"])}: ${String(problem["detail"])}`
}

/** The line to write for a line that was read. Undefined: none. `warn` is told what no line can say. */
export const forward =
  (post: Post, warn: (message: string) => Effect.Effect<void>) =>
  (line: string): Effect.Effect<string | undefined> => {
    if (line.trim() === "") return Effect.succeed(undefined)
    const message = parsed(line)
    if (message === undefined) return Effect.succeed(errorLine(null, notJson, "The line is not JSON."))
    if (!isObject(message))
      return Effect.succeed(errorLine(null, noRequest, "A line must be one JSON-RPC message; batches are not taken."))
    const { id } = message as { readonly id?: unknown }
    const told = (text: string) =>
      id === undefined ? Effect.as(warn(text), undefined) : Effect.succeed(errorLine(id, failed, text))
    return post(message, Revisions.headersFor(message as Readonly<Record<string, unknown>>)).pipe(
      Effect.flatMap((received) => {
        const answer = parsed(received.body)
        if (isObject(answer) && "jsonrpc" in answer) return Effect.succeed(JSON.stringify(answer))
        return received.status < 300 ? Effect.succeed(undefined) : told(refusalOf(received))
      }),
      Effect.catch(({ message: text }) => told(text))
    )
  }
