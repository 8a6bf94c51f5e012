/**
 * Addresses of callers, and a bound on connections and requests per address.
 * `X-Forwarded-For` counts only if it comes from a trusted proxy (contract/configuration.md *Trusted proxies*).
 */
import { Result } from "effect"
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { BlockList, isIP } from "node:net"
import { networkOf } from "../../desk/access/WrongKeys.ts"
import * as Bounds from "./Bounds.ts"

/** Turns an IPv4-mapped IPv6 address into the IPv4 address. */
export const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

const isIn = (list: BlockList, address: string): boolean => {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 4 ? "ipv4" : "ipv6")
}

/** Addresses and ranges, such as `10.0.0.0/8, ::1`; fails with the part that is neither. */
export const parseProxies = (text: string): Result.Result<BlockList, string> => {
  const list = new BlockList()
  for (const part of text.split(",").map((one) => one.trim())) {
    const [address = "", prefix, ...more] = part.split("/")
    const version = isIP(address)
    const bits = version === 4 ? 32 : 128
    const isRange = prefix !== undefined
    if (version === 0 || more.length > 0 || (isRange && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))) {
      return Result.fail(part)
    }
    list.addSubnet(address, isRange ? Number(prefix) : bits, version === 4 ? "ipv4" : "ipv6")
  }
  return Result.succeed(list)
}

export class Addresses {
  private readonly proxies: BlockList | undefined
  private readonly bound: number
  private readonly held = new Map<string, number>()

  constructor(proxies: BlockList | undefined, bound: number = Bounds.held.connectionsPerAddress) {
    this.proxies = proxies
    this.bound = bound
  }

  /** True for the address of a trusted proxy. */
  isProxy(address: string | undefined): boolean {
    return this.proxies !== undefined && address !== undefined && isIn(this.proxies, plain(address))
  }

  /** The caller's address: the last one in the chain that is not a trusted proxy. */
  of({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): string {
    let address = plain(socket.remoteAddress ?? "")
    if (!this.isProxy(address)) return address
    const named = String(headers["x-forwarded-for"] ?? "")
      .split(",")
      .map((one) => plain(one.trim()))
    for (const one of named.reverse()) {
      if (isIP(one) === 0) return address
      address = one
      if (!this.isProxy(one)) return address
    }
    return address
  }

  /** Counts one more for an address, of IPv6 for its /64; false, without counting, at the bound. */
  enter(address: string): boolean {
    const network = networkOf(address)
    const count = this.held.get(network) ?? 0
    if (count >= this.bound) return false
    this.held.set(network, count + 1)
    return true
  }

  leave(address: string): void {
    const network = networkOf(address)
    const count = this.held.get(network) ?? 0
    if (count <= 1) this.held.delete(network)
    else this.held.set(network, count - 1)
  }

  /** Counts a connection until it closes. A proxy's connections are not counted; their requests are. */
  opened(socket: Socket): boolean {
    const address = plain(socket.remoteAddress ?? "")
    if (this.isProxy(address)) return true
    if (!this.enter(address)) return false
    socket.once("close", () => this.leave(address))
    return true
  }
}
