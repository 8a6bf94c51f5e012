/** Checks the URLs and addresses of webhooks, without DNS (contract/events.md *Webhook addresses*). */
import { Context } from "effect"
import { BlockList, isIP } from "node:net"

/** True if webhooks may use addresses that are not public (`PROTO_WEBHOOK_PRIVATE`). */
export const PrivateWebhooks = Context.Reference<boolean>("lotbook/capabilities/webhooks/PrivateWebhooks", {
  defaultValue: () => false
})

const listOf = (family: "ipv4" | "ipv6", ranges: ReadonlyArray<readonly [string, number]>): BlockList => {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}

/**
 * This network, private, shared, loopback, link-local, IETF, documentation, 6to4 relays, benchmarks, multicast,
 * reserved.
 */
const notPublic4 = listOf("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4]
])

/** Global unicast. Loopback, mapped IPv4, NAT64, ULA and link-local are outside it. */
const global6 = listOf("ipv6", [["2000::", 3]])
/** Teredo and other protocols, documentation, 6to4: tunnels to other addresses, or unused. */
const notPublic6 = listOf("ipv6", [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20]
])

/** True if an IP address is public. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !notPublic4.check(address, "ipv4")
    case 6:
      return global6.check(address, "ipv6") && !notPublic6.check(address, "ipv6")
    default:
      return false
  }
}

const loopback = listOf("ipv4", [["127.0.0.0", 8]])

/** The host of a URL, without brackets and without the final dot. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || (isIP(host) === 4 && loopback.check(host))

/** True for names that are never in the public DNS. Other names may still resolve to private addresses. */
const isPrivateName = (host: string): boolean =>
  !host.includes(".") || /\.(?:localhost|local|internal|localdomain|home\.arpa)$/.test(host)

const isPublicHost = (host: string): boolean => (isIP(host) === 0 ? !isPrivateName(host) : isPublicAddress(host))

/** The fault of a webhook's URL; undefined if it has none. The text never contains the URL. */
export const faultOf = (text: string, mayBePrivate: boolean): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) return "must be an https URL"
  if (url.username !== "" || url.password !== "") return "must have no user name and no password"
  if (url.hash !== "") return "must have no fragment"
  const host = hostOf(url)
  if (!mayBePrivate && !isPublicHost(host)) return "must be a public address, not a private or local one"
  if (url.protocol === "http:" && !isLoopback(host)) return "must be https; http is for loopback alone"
  return undefined
}
