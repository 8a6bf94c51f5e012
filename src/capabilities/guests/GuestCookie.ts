/** The cookie of a guest's session, which browsers send to the routes of its programme alone. */
import { guestCookie } from "../../contract/Access.ts"
import { guestsPath } from "../../contract/guest/Endpoint.ts"
import { idIn, isLoopbackHost } from "../../desk/access/Sessions.ts"
import * as Bounds from "./Bounds.ts"

/** With the prefix `__Secure-`, browsers accept the cookie only over TLS. */
const nameFor = (host: string | undefined): string => (isLoopbackHost(host) ? "lotbook_guest" : guestCookie)

const attributesOf = (host: string | undefined, program: string): string =>
  `Path=${guestsPath}/${program}; HttpOnly; SameSite=Strict${isLoopbackHost(host) ? "" : "; Secure"}`

export const cookieOf = (host: string | undefined, program: string, id: string): string =>
  `${nameFor(host)}=${id}; Max-Age=${Bounds.sessionMs / 1_000}; ${attributesOf(host, program)}`

export const endedCookie = (host: string | undefined, program: string): string =>
  `${nameFor(host)}=; Max-Age=0; ${attributesOf(host, program)}`

/** The id of a guest's session in a `Cookie` header; undefined if there is none. */
export const guestIdIn = (host: string | undefined, header: string | undefined): string | undefined =>
  idIn(nameFor(host), header)
