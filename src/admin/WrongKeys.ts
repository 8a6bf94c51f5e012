/** Slows down guessing: an address with ten wrong keys in a minute is refused for a while (admin.md *Sessions*). */
import type { Clock } from "effect"
import { isIPv6 } from "node:net"
import * as Bounds from "./Bounds.ts"

/** What counts as one address: of IPv6 the first 64 bits, which is what a customer is given. */
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
  /** s; when the minute began in which `count` wrong keys came. */
  since: number
  count: number
  /** Digests of the bearers among them, at most `Bounds.maxWrongKeys`. */
  bearers: Set<string>
  /** s */
  blockedUntil: number
  /** Length of the last block, s; 0: none yet. */
  block: number
}

export class WrongKeys {
  private readonly clock: Clock.Clock
  /** In the order in which they were last wrong. */
  private readonly guessers = new Map<string, Guesser>()

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Time that passes, whatever the clock on the wall is set to, s. */
  private now(): number {
    return Number(this.clock.monotonicTimeNanosUnsafe()) / 1_000_000_000
  }

  /** For how many seconds the address is still refused; 0: it is not. */
  blockedFor(address: string): number {
    const guesser = this.guessers.get(networkOf(address))
    return guesser === undefined ? 0 : Math.max(0, Math.ceil(guesser.blockedUntil - this.now()))
  }

  /**
   * Counts a wrong key. The same bearer counts once a minute: a till that goes on sending a revoked token guesses
   * nothing, and must not shut out the others behind its address.
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
