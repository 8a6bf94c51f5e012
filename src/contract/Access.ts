/** Who may call an endpoint and when, where the defaults of its surface do not say it: an annotation for the gate. */
import { Context } from "effect"
import type { Scope } from "./protocol/Scopes.ts"

export interface Access {
  /** Another scope than the surface's for reads (GET) or writes. */
  readonly scope?: Scope
  /** Refuses tokens that are limited to programmes. */
  readonly isForUnlimited?: boolean
  /** Served while writes are frozen, although it is no GET. */
  readonly isServedFrozen?: boolean
  /** Takes no key at all, or the cookie of a session alone; scopes do not count then. */
  readonly auth?: "none" | "session"
  /** What is sent has idempotency keys of its own; the header does not count. */
  readonly hasOwnKeys?: boolean
  /** Doing it twice changes nothing more, and it commits by itself: the result of the header's key is stored afterwards. */
  readonly isRepeatable?: boolean
  /** The path is served with a slash at its end as well. */
  readonly alsoWithSlash?: boolean
}

export const AccessOf = Context.Reference<Access>("lotbook/contract/Access", { defaultValue: () => ({}) })
