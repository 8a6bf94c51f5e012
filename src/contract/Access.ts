/**
 * Annotations of the contract's APIs and endpoints: for the gate, who may call and what differs from the defaults of the
 * surface; and how strictly requests are decoded.
 */
import { Context } from "effect"
import { HttpApi } from "effect/http-api"

/** The cookie of a session; on a loopback address `lotbook_session`. */
export const sessionCookie = "__Host-lotbook_session"

/** The cookie of a guest's session; on a loopback address `lotbook_guest`. Its path is that of one programme's routes. */
export const guestCookie = "__Secure-lotbook_guest"

/**
 * Required authentication: none; a token; the admin key, a token or a session's cookie; a token or that cookie; that
 * cookie alone; the cookie of a guest. Scopes are checked of keys, so with none of `none`, `session` and `guest`.
 */
export type Auth = "none" | "bearer" | "admin" | "platform" | "session" | "guest"

/** The authentication of an API, or of an endpoint. The gate makes the check, and the description tells it. No default. */
export class AuthOf extends Context.Service<AuthOf, Auth>()("lotbook/contract/Auth") {}

export interface Access {
  /** Refuses tokens that are limited to programmes. */
  readonly isForUnlimited?: boolean
  /** Served while writes are frozen, although it is not a GET. */
  readonly isServedFrozen?: boolean
  /** The body has its own idempotency keys; the header is ignored. */
  readonly hasOwnKeys?: boolean
  /**
   * The request only reads, or the journal or the handler itself commits: the result of the header's key is stored
   * afterwards, in a transaction of its own. A handler whose repetition has a second effect stores it itself.
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
