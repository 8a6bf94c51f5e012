/**
 * The metadata of a route. The gate serves, scopes, freezes, limits, counts and logs requests from these facts alone.
 */
import type { Result } from "effect"
import type { BodyFault } from "../contract/Decode.ts"
import type { Scope } from "../contract/protocol/Operations.ts"

/** Requests of one token are counted against one of these (decisions.md §6 `RATE_LIMIT`). */
export type Budget = "read" | "write" | "platform"

/** The body that a route takes. */
export interface BodyRule {
  readonly mediaTypes: ReadonlyArray<string>
  /** More bytes are 413. */
  readonly maxBytes: number
  /** Check 10; absent, the body is no JSON and `run` reads its bytes. */
  readonly decode?: (json: object) => Result.Result<unknown, ReadonlyArray<BodyFault>>
}

export interface RouteFacts {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Matches exactly; `:name` stands for one segment. */
  readonly path: string
  /** Its name in the log and in metrics. */
  readonly operation: string
  /** Whose key it takes: nobody's, a token, or the admin key or a token. */
  readonly auth: "none" | "bearer" | "admin"
  readonly scope?: Scope
  /** Refuses tokens that are limited to programmes. */
  readonly isForUnlimited?: boolean
  /** Refused while writes are frozen. */
  readonly isWrite?: boolean
  /** Answered by a service that is not the active one, too. */
  readonly isForStandby?: boolean
  readonly budget?: Budget
  /** Counts among the operations carried out at once, and is refused past their bound. */
  readonly isBounded?: boolean
  readonly body?: BodyRule
  /** What is wrong with the query; absent, a query is ignored. */
  readonly query?: (query: string) => ReadonlyArray<BodyFault>
  /** The programme that the request names, for check 11. */
  readonly programOf?: (body: unknown, params: Readonly<Record<string, string>>) => string | undefined
}
