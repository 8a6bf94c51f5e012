/** The address of a node's link, as host and port, and as text. */
import * as net from "node:net"
import type { Address } from "../../core/cluster/Link.ts"

export const addressText = ({ host, port }: Address): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`

/** The host and port of a text: `10.0.0.5:3211`, `[fd00::5]:3211`. */
export const addressOf = (text: string): Address => {
  const end = text.lastIndexOf(":")
  return { host: text.slice(0, end).replace(/^\[|\]$/g, ""), port: Number(text.slice(end + 1)) }
}

const privateRanges = new net.BlockList()
for (const [network, prefix] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16]
] as const)
  privateRanges.addSubnet(network, prefix, "ipv4")
for (const [network, prefix] of [
  ["::1", 128],
  ["fc00::", 7],
  ["fe80::", 10]
] as const)
  privateRanges.addSubnet(network, prefix, "ipv6")

/** True for an address that the Internet does not reach. */
const isPrivate = (host: string): boolean => {
  const family = net.isIP(host)
  return family !== 0 && privateRanges.check(host, family === 6 ? "ipv6" : "ipv4")
}

/** The address of a setting: with or without a port; undefined if it is not loopback or private. */
export const parse = (text: string): Address | undefined => {
  const hasPort = text.includes("]:") || (text.split(":").length === 2 && !text.startsWith("["))
  const address = addressOf(hasPort ? text : `${text}:0`)
  const isPort = Number.isInteger(address.port) && address.port >= 0 && address.port <= 65_535
  return isPort && isPrivate(address.host) ? address : undefined
}
