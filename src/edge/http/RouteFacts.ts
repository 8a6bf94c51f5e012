/**
 * The metadata of a route. The gate authenticates, limits, freezes, counts and logs requests only by these facts.
 */
import type { Result } from "effect"
import type { IncomingMessage } from "node:http"
import type { Auth } from "../../contract/Access.ts"
import type { BodyFault } from "../../contract/Decode.ts"
import type { Scope } from "../../contract/Scopes.ts"
import type { Caller } from "../../core/protocol/Handler.ts"
import type { Reply } from "./Reply.ts"

/** The rate limits of a token (contract/transport.md *Rate limits*). */
export type Budget = "read" | "write" | "platform"

/** The body that a route takes. */
export interface BodyRule {
  readonly mediaTypes: ReadonlyArray<string>
  /** A longer body gets 413. */
  readonly maxBytes: number
  /** The media types of `mediaTypes` that are text other than JSON; `decode` is for the others. */
  readonly textTypes?: ReadonlyArray<string>
  /** Check 10, or part of it. Absent: the body is not JSON, and `run` gets its bytes. `caller`: of an authenticated route. */
  readonly decode?: (
    json: object,
    caller?: Pick<Caller, "programs">
  ) => Result.Result<unknown, ReadonlyArray<BodyFault>>
}

export interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Matches exactly; `:name` stands for one segment. */
  readonly path: string
  /** Its name in the log and in metrics. */
  readonly operation: string
  readonly auth: Auth
  /** Any of these scopes lets a caller in; absent: every caller. */
  readonly scopes?: ReadonlyArray<Scope>
  /** True to refuse tokens that are limited to programmes. */
  readonly isForUnlimited?: boolean
  /** Refused while writes are frozen. */
  readonly isWrite?: boolean
  /**
   * The form of its callers for answers of the gate, such as refusals; absent: problem documents. Undefined: the connection is closed
   * instead, so that the caller asks again.
   */
  readonly answerAs?: (reply: Reply, incoming: IncomingMessage) => Reply | undefined
  /** True if a service answers it that is no node yet, or not any more. */
  readonly isForEveryRole?: boolean
  readonly budget?: Budget
  /** True if it counts as an operation in flight, and is shed past the bound. */
  readonly isBounded?: boolean
  /** True if its handler bounds the time to an answer by itself; absent: the gate does where it is bounded (`Deadlines.ts`). */
  readonly hasOwnTime?: boolean
  readonly body?: BodyRule
  /** True if the body has idempotency keys of its own, and the header `Idempotency-Key` does not count. */
  readonly hasOwnKeys?: boolean
  /** True if doing it twice changes nothing more; the result of an `Idempotency-Key` is stored after it, not with it. */
  readonly isRepeatable?: boolean
  /** Returns the faults of a query. Absent: `run` checks it, or it is ignored. */
  readonly query?: (query: string) => ReadonlyArray<BodyFault>
  /** The programme in the request, for check 11. Absent: `run` checks it. */
  readonly programOf?: (body: unknown) => string | undefined
}
