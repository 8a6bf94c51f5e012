/**
 * Slows down guessing of keys: blocks an address for a while after ten wrong keys in a minute
 * (contract/operators.md *Wrong keys*).
 */
import { isIPv6 } from "node:net"
import * as Bounds from "./Bounds.ts"
import type { MachineTime } from "../time/Times.ts"

/** The network that counts as one address. For IPv6 it is the /64 prefix, because a customer gets a whole /64. */
export const networkOf = (address: string): string => {
  if (!isIPv6(address)) return address
  const [head = "", tail] = address.replace(/%.*$/, "").toLowerCase().split("::")
  const first = head === "" ? [] : head.split(":")
  const last = tail === undefined || tail === "" ? [] : tail.split(":")
  // An IPv4 address at the end counts as two groups.
  const groups = [...first, ...last].reduce((sum, group) => sum + (group.includes(".") ? 2 : 1), 0)
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - groups }, () => "0")
  const all = [...first, ...zeros, ...last].slice(0, 4)
  return `${all.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}

interface Guesser {
  /** Start of the minute that `count` belongs to, s. */
  since: number
  count: number
  /** Digests of the wrong bearer tokens in this minute, at most `Bounds.maxWrongKeys`. */
  bearers: Set<string>
  /** s */
  blockedUntil: number
  /** Length of the last block, s; 0: none yet. */
  block: number
}

export class WrongKeys {
  private readonly clock: MachineTime
  /** Sorted by the last wrong key, oldest first. */
  private readonly guessers = new Map<string, Guesser>()

  constructor(clock: MachineTime) {
    this.clock = clock
  }

  /** Monotonic time, s: changes of the wall clock do not matter. */
  private now(): number {
    return Number(this.clock.nanos()) / 1_000_000_000
  }

  /** Seconds for which the address is still blocked; 0: it is not blocked. */
  blockedFor(address: string): number {
    const guesser = this.guessers.get(networkOf(address))
    return guesser === undefined ? 0 : Math.max(0, Math.ceil(guesser.blockedUntil - this.now()))
  }

  /**
   * Counts a wrong key. The same bearer token counts once a minute: a till that keeps sending a revoked token guesses
   * nothing, and must not block other callers behind its address.
   */
  count(address: string, bearer?: string): void {
    const network = networkOf(address)
    const now = this.now()
    const known = this.guessers.get(network)
    const isForgotten =
      known === undefined || now >= Math.max(known.since, known.blockedUntil) + Bounds.forgetGuesserSeconds
    const guesser = isForgotten
      ? { since: now, count: 0, bearers: new Set<string>(), blockedUntil: 0, block: 0 }
      : known
    if (now >= guesser.since + Bounds.wrongKeysWindowSeconds) {
      guesser.since = now
      guesser.count = 0
      guesser.bearers = new Set()
    }
    if (bearer !== undefined) {
      if (guesser.bearers.has(bearer)) return
      guesser.bearers.add(bearer)
    }
    guesser.count++
    if (guesser.count >= Bounds.maxWrongKeys) {
      guesser.block = Math.min(
        Bounds.maxBlockSeconds,
        guesser.block === 0 ? Bounds.firstBlockSeconds : guesser.block * 2
      )
      guesser.blockedUntil = now + guesser.block
      guesser.count = 0
      guesser.bearers = new Set()
    }
    this.guessers.delete(network)
    this.guessers.set(network, guesser)
    const [oldest] = this.guessers.keys()
    if (this.guessers.size > Bounds.maxGuessers && oldest !== undefined) this.guessers.delete(oldest)
  }
}
