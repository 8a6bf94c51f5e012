/**
 * The typed client of the operators' surface, from the contract itself, and how
 * the page calls it: a promise that fails with a `Failure`.
 */
import { Cause, Effect, Exit } from "effect"
import type { HttpClientRequest } from "effect/http"
import { FetchHttpClient, HttpClient, HttpClientRequest as Request } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Problem } from "../../contract/protocol/Resources.ts"

export type ProblemDocument = typeof Problem.Type

/** Why a call failed: the service's problem document, or nothing where no sound answer came. */
export class Failure extends Error {
  readonly problem: ProblemDocument | undefined

  constructor(problem: ProblemDocument | undefined, message: string) {
    super(message)
    this.name = "Failure"
    this.problem = problem
  }

  get code(): string | undefined {
    return this.problem?.code
  }
}

const isProblem = (value: unknown): value is ProblemDocument =>
  typeof value === "object" && value !== null && "code" in value && "detail" in value && "status" in value

const failureOf = (cause: Cause.Cause<unknown>): Failure => {
  const error = Cause.squash(cause)
  if (isProblem(error)) return new Failure(error, error.detail)
  return new Failure(undefined, error instanceof Error ? error.message : String(error))
}

let csrfToken: string | undefined

/** Keeps what every write of the session bears. It is kept in memory alone; a reloaded page asks for it. */
export const keepCsrfToken = (token: string | undefined): void => {
  csrfToken = token
}

const isWrite = ({ method }: HttpClientRequest.HttpClientRequest): boolean => method !== "GET" && method !== "HEAD"

/** What every request of the page bears, on both surfaces. */
export const transformClient = HttpClient.mapRequest((request) =>
  isWrite(request) && csrfToken !== undefined ? Request.setHeader(request, "X-CSRF-Token", csrfToken) : request
)

/** Asks the service and gives its answer; fails with a `Failure`. */
export const call = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw failureOf(exit.cause)
}

/** The operators' surface. */
export const admin = Effect.runSync(
  HttpApiClient.make(AdminApi, { baseUrl: location.origin, transformClient }).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
)
