/**
 * Rejects writes by a session's cookie that do not come from a page of this service (contract/operators.md *Sessions*).
 */
import type { IncomingMessage } from "node:http"
import { isSame } from "../../desk/access/Sessions.ts"

/** True if an origin is the request's own host. A scheme's default port equals no port. */
const isOwn = (origin: string, host: string | undefined): boolean => {
  if (host === undefined || !URL.canParse(origin) || !URL.canParse(`http://${host}`)) return false
  const { host: of, protocol } = new URL(origin)
  return /^https?:$/.test(protocol) && of === new URL(`${protocol}//${host}`).host
}

/** True if a request is not of a page of another origin. Other programs than browsers send no origin. */
export const isFromHere = ({ host, origin }: IncomingMessage["headers"], publicUrl?: string): boolean =>
  origin === undefined || origin === publicUrl || isOwn(origin, host)

/**
 * The fault of a write by a session's cookie; undefined if there is none. `publicUrl`: the origin of the service for people's
 * browsers; undefined: that of the request's `Host` alone.
 */
export const faultOf = (
  { headers }: Pick<IncomingMessage, "headers">,
  csrfToken: string,
  publicUrl?: string
): string | undefined => {
  const sent = headers["x-csrf-token"]
  if (typeof sent !== "string") return "The header X-CSRF-Token is missing"
  if (!isSame(sent, csrfToken)) return "The X-CSRF-Token is not the session's"
  return siteFaultOf({ headers }, publicUrl)
}

/** The fault of a request that a browser's page of another site has sent; undefined if there is none. */
export const siteFaultOf = ({ headers }: Pick<IncomingMessage, "headers">, publicUrl?: string): string | undefined => {
  // A proxy may send another Host than the browser's.
  if (!isFromHere(headers, publicUrl)) return "The request comes from a page of another origin"
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin") return "The request comes from another site"
  return undefined
}
