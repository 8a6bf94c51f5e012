/**
 * The typed clients of the operators' and the platform's surface, from the contract itself, and how the page calls
 * them: a promise that fails with a `Failure`.
 */
import { Cause, Context, Effect, Exit } from "effect"
import type { HttpClientRequest } from "effect/http"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest as Request } from "effect/http"
import type { HttpApiGroup } from "effect/http-api"
import { HttpApi, HttpApiClient } from "effect/http-api"
import type { Problem } from "../../contract/protocol/Problem.ts"

export type ProblemDocument = typeof Problem.Type

/** What came in place of a problem document: no answer, one of status 500 or above, or one that the page cannot read. */
export type Unanswered = "unreachable" | "unavailable" | "unreadable"

/** Why a call failed: the service's problem document, or what came in its place. */
export class Failure extends Error {
  readonly problem: ProblemDocument | undefined
  readonly unanswered: Unanswered | undefined

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

/** Keeps what every write of the session bears. It is kept in memory alone; a reloaded page asks for it. */
export const keepCsrfToken = (token: string | undefined): void => {
  csrfToken = token
}

const isWrite = ({ method }: HttpClientRequest.HttpClientRequest): boolean => method !== "GET" && method !== "HEAD"

/** Headers of one call alone. */
const OwnHeaders = Context.Reference<Readonly<Record<string, string>>>("lotbook/console/OwnHeaders", {
  defaultValue: () => ({})
})

/** A call with the key of what it does: sent again with the same key, it is not done twice. */
export const keyed = <A, E>(key: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.provideService(effect, OwnHeaders, { "Idempotency-Key": key })

/** A call whose answer is CSV where the service can give it. */
export const asCsv = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.provideService(effect, OwnHeaders, { Accept: "text/csv" })

/** What every request of the page bears, on both surfaces. */
const transformClient = HttpClient.mapRequestEffect((request) =>
  Effect.gen(function* () {
    const csrf = isWrite(request) && csrfToken !== undefined ? { "X-CSRF-Token": csrfToken } : {}
    return Request.setHeaders(request, { ...csrf, ...(yield* OwnHeaders) })
  })
)

/** Asks the service and gives its answer; fails with a `Failure`. */
export const call = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw failureOf(exit.cause)
}

/**
 * Lets the client send what was entered as it is. The service checks it, and its
 * faults stand at their fields; a check here would fail without them.
 */
const unchecked = Context.make(HttpApi.PayloadParseOptions, { disableChecks: true }).pipe(
  Context.add(HttpApi.QueryParseOptions, { disableChecks: true }),
  Context.add(HttpApi.ParamsParseOptions, { disableChecks: true })
)

/**
 * A client of these groups of a surface: `client(SessionGroup).session.signOut()`. Each file makes one of the groups
 * that it calls, so that a page does not load the schemas of the others.
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
  // TypeScript cannot see that no middleware of the contract has a part for clients, which it would need here.
  return Effect.runSync(Effect.provide(made, FetchHttpClient.layer) as Effect.Effect<Effect.Success<typeof made>>)
}
