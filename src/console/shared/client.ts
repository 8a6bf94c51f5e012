/**
 * Typed clients of the operators' and the platform's surface, derived from the contract. The page calls them as
 * promises that fail with a `Failure`.
 */
import { Cause, Context, Effect, Exit } from "effect"
import type { HttpClientRequest } from "effect/http"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest as Request } from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import { HttpApi, HttpApiClient } from "effect/http-api"
import type { Problem } from "../../contract/protocol/Problem.ts"
import { loadProblemTexts } from "./words/problems.ts"
import { faultInWords } from "./words/words.ts"

type ProblemDocument = typeof Problem.Type

/** Why there is no problem document: no answer, a status of 500 or above, or an answer that the page cannot read. */
export type Unanswered = "unreachable" | "unavailable" | "unreadable"

/** A failed call: the service's problem document, or the reason why there is none. */
export class Failure extends Error {
  readonly problem: ProblemDocument | undefined
  readonly unanswered: Unanswered | undefined
  /** True if a session has been opened or read since the call began: a refusal says nothing about that session. */
  isOutdated = false

  constructor(cause: ProblemDocument | Unanswered, message: string) {
    super(message)
    this.name = "Failure"
    this.problem = typeof cause === "string" ? undefined : cause
    this.unanswered = typeof cause === "string" ? cause : undefined
  }

  get code(): string | undefined {
    return this.problem?.code
  }
}

/** True if a retry may succeed. A definite refusal would be repeated. */
export const mayPass = (error: unknown): boolean => {
  const { status = 500 } = error instanceof Failure ? (error.problem ?? {}) : {}
  return status >= 500 || status === 429
}

/** A failure outside the service, with a message for people. */
export class Worded extends Error {
  override readonly name = "Worded"
}

/** The faults that a refusal names. */
export const faultsOf = (error: unknown): ReadonlyArray<{ readonly path: string; readonly message: string }> =>
  (error instanceof Failure ? (error.problem?.errors ?? []) : []).map((fault) => ({
    path: fault.path,
    message: faultInWords(fault)
  }))

const isProblem = (value: unknown): value is ProblemDocument =>
  typeof value === "object" && value !== null && "code" in value && "detail" in value && "status" in value

const unansweredOf = (error: unknown): Unanswered => {
  if (!HttpClientError.isHttpClientError(error)) return "unreadable"
  if (error.reason._tag === "TransportError") return "unreachable"
  return (error.response?.status ?? 0) >= 500 ? "unavailable" : "unreadable"
}

const failureOf = (cause: Cause.Cause<unknown>): Failure => {
  const error = Cause.squash(cause)
  if (isProblem(error)) return new Failure(error, error.detail)
  return new Failure(unansweredOf(error), error instanceof Error ? error.message : String(error))
}

let csrfToken: string | undefined
/** How often a session has been opened or read. */
let sessions = 0

/** Stores the CSRF token that every write sends. Only in memory: a reloaded page fetches it again. */
export const keepCsrfToken = (token: string | undefined): void => {
  csrfToken = token
  sessions += 1
}

/** Reads the session again, whose CSRF token may have changed in another tab. */
let renew: () => Promise<void> = async () => undefined

export const renewBy = (next: () => Promise<void>): void => {
  renew = next
}

const isWrite = ({ method }: HttpClientRequest.HttpClientRequest): boolean => method !== "GET" && method !== "HEAD"

/** Headers of a single call. */
const OwnHeaders = Context.Reference<Readonly<Record<string, string>>>("lotbook/console/OwnHeaders", {
  defaultValue: () => ({})
})

/** A call with an idempotency key: repeated with the same key, it has no second effect. */
export const keyed = <A, E>(key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.provideService(effect, OwnHeaders, { "Idempotency-Key": key })

/** A call that prefers an answer in CSV. */
export const asCsv = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.provideService(effect, OwnHeaders, { Accept: "text/csv" })

/** Adds the headers that every request of the page has. */
const transformClient = HttpClient.mapRequestEffect((request) =>
  Effect.gen(function* () {
    const csrf = isWrite(request) && csrfToken !== undefined ? { "X-CSRF-Token": csrfToken } : {}
    return Request.setHeaders(request, { ...csrf, ...(yield* OwnHeaders) })
  })
)

/** Runs a call. The promise fails with a `Failure`, once there are texts to tell a refusal with. */
export const call = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const begunIn = sessions
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const failure = failureOf(exit.cause)
  failure.isOutdated = begunIn !== sessions
  // The new token is there before the refusal is shown: trying again works at once. If it cannot be read, the next call fails
  // and says why.
  if (failure.code === "csrf_failed") await renew().catch(() => undefined)
  // The first page asks for its session, and mostly has none.
  if (failure.problem !== undefined && failure.code !== "unauthorized") await loadProblemTexts()
  throw failure
}

/** A file of the service, with the name that it gives. Fails as `call` does. */
export const fetchFile = async (
  path: string
): Promise<{ readonly content: Blob; readonly name: string | undefined }> => {
  const begunIn = sessions
  const answer = await fetch(path)
  const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1]
  if (answer.ok) return { content: await answer.blob(), name }
  const problem: unknown = await answer.json().catch(() => undefined)
  const failure = isProblem(problem)
    ? new Failure(problem, problem.detail)
    : new Failure(answer.status >= 500 ? "unavailable" : "unreadable", `status ${answer.status}`)
  failure.isOutdated = begunIn !== sessions
  if (failure.problem !== undefined && failure.code !== "unauthorized") await loadProblemTexts()
  throw failure
}

/**
 * Switches off the client's own checks of a payload. The service's check returns faults
 * with paths, which forms show at their fields; the client's check has none.
 */
const unchecked = Context.make(HttpApi.PayloadParseOptions, { disableChecks: true }).pipe(
  Context.add(HttpApi.QueryParseOptions, { disableChecks: true }),
  Context.add(HttpApi.ParamsParseOptions, { disableChecks: true })
)

/**
 * A client of some groups of a surface: `client(SessionGroup).session.signOut()`. Each file makes a client of only the
 * groups that it calls, so that a page does not load the schemas of others.
 */
export const client = <Groups extends readonly [HttpApiGroup.Constraint, ...Array<HttpApiGroup.Constraint>]>(
  ...groups: Groups
): HttpApiClient.Client<Groups[number]> => {
  const made = HttpApiClient.make(
    HttpApi.make("lotbook-console")
      .add(...groups)
      .annotateMerge(unchecked),
    {
      baseUrl: location.origin,
      transformClient
    }
  )
  // The contract's middlewares have no client part, which the type does not show.
  return Effect.runSync(Effect.provide(made, FetchHttpClient.layer) as Effect.Effect<Effect.Success<typeof made>>)
}
