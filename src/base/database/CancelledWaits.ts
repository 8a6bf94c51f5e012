/**
 * Tells whether PostgreSQL cancelled the wait of a commit for the synchronous standby.
 *
 * After such a cancellation the commit is reported as a success, with a warning. The client drops warnings, so this
 * reads the connection's messages before the client does.
 */
import type { PgConnection, PgProtocol } from "@effect/sql-pg"

type Each = (message: PgProtocol.BackendMessage<unknown>) => void

/** The part of the client's connection that parses messages. Private there: a changed client fails the first connection. */
interface Parsing {
  readonly session: { readonly parser: { pushEach: (chunk: Uint8Array, each: Each) => void } }
}

/** The function of PostgreSQL that waits, as its warnings name it in every language. */
const routine = "SyncRepWaitForLSN"

/** Watches a connection from now on; the result is true once a wait was cancelled. */
export const watchCancelled = (connection: PgConnection.PgConnection): (() => boolean) => {
  const { parser } = (connection as unknown as Parsing).session
  if (typeof parser.pushEach !== "function") throw new Error("the client's connections are parsed in another way")
  const push = parser.pushEach.bind(parser)
  let isCancelled = false
  let given: Each | undefined
  let watching: Each = () => undefined
  parser.pushEach = (chunk, each) => {
    if (each !== given) {
      given = each
      watching = (message) => {
        if (message._tag === "NoticeResponse" && message.fields.routine === routine) isCancelled = true
        each(message)
      }
    }
    push(chunk, watching)
  }
  return () => isCancelled
}
