/** Error of a request. No message and no property has a token, a header or a body in it. */
import type { Problem as AnyProblem, LimitReached } from "./generated/Wire.ts"

/** The stable codes of problem documents (contract/transport.md *Problem codes*). */
export type ProblemCode = AnyProblem["code"]

/** An invalid or missing property, by its JSON Pointer. */
export interface Fault {
  readonly path: string
  readonly message: string
}

type Described = Omit<AnyProblem, "code" | "errors" | "limit">
type FaultCode = "validation_failed" | "invalid_order"

/** A problem document (RFC 9457), by its code. */
export type Problem =
  | (Described & { readonly code: FaultCode; readonly errors: ReadonlyArray<Fault> })
  | (Described & { readonly code: "limit_exceeded"; readonly limit: LimitReached })
  | (Described & { readonly code: Exclude<ProblemCode, FaultCode | "limit_exceeded"> })

export type LotbookErrorKind =
  /** The service answered with a problem document: a `ProblemError`. */
  | "problem"
  /** No answer, or half of one: the request may have been carried out. */
  | "network"
  /** No answer in `timeoutMs`: the request may have been carried out. */
  | "timeout"
  /** The caller's signal ended it: the request may have been carried out. */
  | "aborted"
  /** The answer is not the service's: of a proxy, a page that asks for a sign-in, or half of a document. */
  | "unreadable"
  /** The function `token` failed: nothing was sent. */
  | "token"

export interface LotbookErrorFacts {
  readonly kind: LotbookErrorKind
  /** Method and path. */
  readonly request?: string | undefined
  readonly requestId: string
  readonly attempts: number
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Statuses after which the same request can succeed later (docs/retries.md *What to retry, and when*). */
export const temporaryStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504])

/** Every failure of a request. One with `kind: "problem"` is a `ProblemError`. */
export class LotbookError extends Error {
  override readonly name: string = "LotbookError"
  readonly kind: LotbookErrorKind
  /** Method and path of the request. */
  readonly request: string | undefined
  /** `X-Request-Id` of the request, for the operators of the service. */
  readonly requestId: string
  /** How often it was sent. */
  readonly attempts: number
  /** The status of the answer, if there was one. */
  readonly status: number | undefined
  /** The code of a problem; undefined for other kinds. */
  readonly code: ProblemCode | undefined
  /** How long the service asks to wait. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, facts: LotbookErrorFacts, code?: ProblemCode) {
    super(
      facts.request === undefined ? message : `${facts.request}: ${message}`,
      facts.cause === undefined ? undefined : { cause: facts.cause }
    )
    this.kind = facts.kind
    this.request = facts.request
    this.requestId = facts.requestId
    this.attempts = facts.attempts
    this.status = facts.status
    this.retryAfterMs = facts.retryAfterMs
    this.code = code
  }

  /** The same request, with the same key, can succeed later: the service has not refused it. */
  get isTemporary(): boolean {
    if (this.kind === "problem") return temporaryStatuses.has(this.status!) && this.code !== "archived"
    return this.kind !== "aborted"
  }
}

/** The service refused the request, or could not carry it out: `code` says why. */
export class ProblemError extends LotbookError {
  override readonly name = "ProblemError"
  declare readonly kind: "problem"
  declare readonly status: number
  declare readonly code: ProblemCode
  /** The document; `switch (error.problem.code)` tells its properties. */
  readonly problem: Problem
  /** The fault of this request, for people. */
  readonly detail: string
  /** Every invalid property; empty unless the code is `validation_failed` or `invalid_order`. */
  readonly errors: ReadonlyArray<Fault>

  constructor(problem: Problem, facts: Omit<LotbookErrorFacts, "kind">) {
    super(`${problem.code}: ${problem.detail}`, { ...facts, kind: "problem" }, problem.code)
    this.problem = problem
    this.detail = problem.detail
    this.errors = "errors" in problem ? problem.errors : []
  }
}
