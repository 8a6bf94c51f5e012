/** Annotations of endpoints: for the gate, where they differ from the defaults of their surface; and how strictly they decode. */
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import type { Scope } from "./protocol/Scopes.ts"

export interface Access {
  /** The required scope, if it is not the surface's scope for reads (GET) or writes. */
  readonly scope?: Scope
  /** Refuses tokens that are limited to programmes. */
  readonly isForUnlimited?: boolean
  /** Served while writes are frozen, although it is not a GET. */
  readonly isServedFrozen?: boolean
  /** Requires no key, or only a session's cookie. Scopes are not checked then. */
  readonly auth?: "none" | "session"
  /** The body has its own idempotency keys; the header is ignored. */
  readonly hasOwnKeys?: boolean
  /**
   * A repeated request has no second effect, and the handler commits itself: the result of the header's key is stored
   * afterwards.
   */
  readonly isRepeatable?: boolean
  /** The path may also end with a slash. */
  readonly alsoWithSlash?: boolean
}

export const AccessOf = Context.Reference<Access>("lotbook/contract/Access", { defaultValue: () => ({}) })

/**
 * Unknown properties of a body and unknown parameters of a query are refused
 * (contract/transport.md *Paths and methods*, *Bodies*).
 */
export const strict = Context.make(HttpApi.PayloadParseOptions, { onExcessProperty: "error" as const }).pipe(
  Context.add(HttpApi.QueryParseOptions, { onExcessProperty: "error" as const })
)
