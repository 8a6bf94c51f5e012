/** Requests of the page. Its cookie names the guest, and changes have the session's token. */
import type { Session } from "./wire.ts"

/** The service refused. `code`: of the problem; `fields`: of the body, that have a fault. */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly fields: ReadonlyArray<string>

  constructor(status: number, code: string, fields: ReadonlyArray<string> = []) {
    super(code)
    this.status = status
    this.code = code
    this.fields = fields
  }
}

/** The service did not answer. */
export class NoNetwork extends Error {}

/** A key for one change, which is done once however often it is sent. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

export interface Api {
  readonly get: <A>(path: string) => Promise<A>
  /** Sends a change. */
  readonly send: <A>(method: "POST" | "PATCH" | "DELETE", path: string, body?: object, key?: string) => Promise<A>
  /** Ends the mails of campaigns, by the token of one. */
  readonly unsubscribe: (token: string) => Promise<void>
  /** Sends changes of this session from now on. */
  readonly as: (session: Session | undefined) => void
}

const codeOf = (problem: unknown): string =>
  typeof problem === "object" && problem !== null && "code" in problem && typeof problem.code === "string"
    ? problem.code
    : "unknown"

/** The last part of each fault's path. */
const fieldsOf = (problem: unknown): ReadonlyArray<string> =>
  typeof problem === "object" && problem !== null && "errors" in problem && Array.isArray(problem.errors)
    ? problem.errors.map((fault: { readonly path?: unknown }) => String(fault.path).replace(/^.*\//, ""))
    : []

const ask = async <A>(url: string, init: RequestInit): Promise<A> => {
  let answer: Response
  try {
    answer = await fetch(url, { ...init, credentials: "same-origin", cache: "no-store" })
  } catch (cause) {
    throw new NoNetwork("no answer", { cause })
  }
  const text = await answer.text()
  let json: unknown
  try {
    json = text === "" ? undefined : JSON.parse(text)
  } catch {
    json = undefined
  }
  if (!answer.ok) throw new Refusal(answer.status, codeOf(json), fieldsOf(json))
  // The contract says what the service answers; the page only shows it.
  return json as A
}

/** Requires: the id is not encoded, since browsers send the session's cookie to paths that begin with its own, as text. */
export const apiOf = (programId: string): Api => {
  const base = `/my/api/v1/${programId}`
  let token: string | undefined
  return {
    get: (path) => ask(base + path, {}),
    send: (method, path, body, key = newKey()) =>
      ask(base + path, {
        method,
        headers: {
          "Idempotency-Key": key,
          ...(body === undefined ? undefined : { "Content-Type": "application/json" }),
          ...(token === undefined ? undefined : { "X-CSRF-Token": token })
        },
        ...(body === undefined ? undefined : { body: JSON.stringify(body) })
      }),
    // As mail programs do it (RFC 8058).
    unsubscribe: (token) =>
      ask(`/my/${programId}/unsubscribe/${encodeURIComponent(token)}`, {
        method: "POST",
        headers: { "Content-Type": "application/x-www-form-urlencoded" },
        body: "List-Unsubscribe=One-Click"
      }),
    as: (session) => {
      token = session?.csrf_token
    }
  }
}
