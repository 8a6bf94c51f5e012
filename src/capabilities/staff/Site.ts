/** Where people reach the console: what passkeys are bound to. Never taken from a request (contract/people.md *Passkeys*). */

import { Context } from "effect"
import { isIP } from "node:net"

export interface Site {
  /** The relying party of passkeys: a host without port. */
  readonly host: string
  /** The origin of the console; undefined: any port of `localhost`. */
  readonly origin: string | undefined
  /** The address of the service for browsers, without a slash at its end. */
  readonly url: string
  /** The address of the console's pages, without a slash at its end. */
  readonly consoleUrl: string
  /** False: the admin key cannot sign in to the console (`PROTO_ADMIN_KEY_CONSOLE`). */
  readonly isRootWelcome: boolean
  /** True if it is a sandbox's: nothing that people do there is real. */
  readonly isSandbox: boolean
}

/** The site of a service at `publicUrl` (undefined: on this machine), which listens on `port`. */
export const siteOf = (
  publicUrl: string | undefined,
  port: number,
  isRootWelcome: boolean,
  isSandbox = false
): Site => {
  const url = new URL(publicUrl ?? `http://localhost:${port}`)
  return {
    host: url.hostname,
    origin: publicUrl === undefined ? undefined : url.origin,
    url: url.origin,
    consoleUrl: `${url.origin}/console`,
    isRootWelcome,
    isSandbox
  }
}

/** True if a page of this origin may use the site's passkeys. */
export const isOfSite = ({ origin }: Site, of: string): boolean =>
  origin === undefined ? URL.canParse(of) && new URL(of).hostname === "localhost" : of === origin

export const CurrentSite = Context.Reference<Site>("lotbook/capabilities/staff/Site", {
  defaultValue: () => siteOf(undefined, 3210, true)
})

/** Browsers make passkeys for names alone, over TLS, or on this machine. */
export const isForPasskeys = ({ hostname, protocol }: URL): boolean =>
  protocol === "https:"
    ? isIP(hostname.replace(/^\[|\]$/g, "")) === 0
    : protocol === "http:" && hostname === "localhost"
