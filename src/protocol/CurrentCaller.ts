/** Who sent the request that a handler of a surface beside the hot path answers. */
import { Context } from "effect"
import type { Caller } from "./Handler.ts"

/** How a caller was authenticated: by the admin key, by a token, by a session's cookie. */
export type CallerKind = "root" | "token" | "session"

export interface RequestCaller extends Caller {
  readonly kind: CallerKind
  /** Of a token that was issued here; of a session, the token that it was opened with. */
  readonly tokenId?: string | undefined
  /** The address that the request comes from, behind trusted proxies. */
  readonly sourceIp: string
  readonly requestId: string
}

export class CurrentCaller extends Context.Service<CurrentCaller, RequestCaller>()("lotbook/protocol/CurrentCaller") {}
