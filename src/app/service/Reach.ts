/** Callers that reach the service, as far as its settings tell: the published secrets are for one machine alone. */
import { isLoopbackHost } from "../../desk/access/Sessions.ts"

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** Why callers reach the service from other machines, as far as its settings tell; undefined: they do not. */
export const reachOf = (host: string, publicUrl: string | undefined, hasProxies: boolean): string | undefined => {
  if (!isLoopback(host)) return "HOST is not a loopback address"
  if (publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).host))
    return "PROTO_PUBLIC_URL is not of this machine"
  return hasProxies ? "PROTO_TRUSTED_PROXIES names proxies, which pass others' requests on" : undefined
}
