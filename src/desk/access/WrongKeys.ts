/**
 * Slows down guessing of keys: blocks an address for a while after ten wrong keys in a minute, and looks at no more than
 * ten at the same instant (contract/operators.md *Wrong keys*). The nodes of a database tell each other every wrong key (`SharedCounts`), and
 * each counts them all.
 */
import { randomUUID } from "node:crypto"
import { isIPv6 } from "node:net"
import type { MachineTime } from "../../base/time/Times.ts"
import * as Bounds from "./Bounds.ts"

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
  /** Start of the minute that `keys` belongs to, s. */
  since: number
  /** The wrong keys in this minute, at most `Bounds.maxWrongKeys`: digests of bearer tokens, and random names of others. */
  keys: Set<string>
  /** s */
  blockedUntil: number
  /** Length of the last block, s; 0: none yet. */
  block: number
}

/** A wrong key of a network. */
export interface Guess {
  readonly network: string
  /** The digest of a bearer token, or a random name. */
  readonly key: string
}

export class WrongKeys {
  private readonly clock: MachineTime
  /** Sorted by the last wrong key, oldest first. */
  private readonly guessers = new Map<string, Guesser>()
  /** When a refusal of each network was told to the audit, ms, oldest first. */
  private readonly toldAt = new Map<string, number>()
  /** Keys of each network that are being looked at: each takes the place of a wrong key until it is known to be none. */
  private readonly places = new Map<string, number>()
  /** When a right key was used from a network, s, the last one last: the network and the key's digest. */
  private readonly rightAt = new Map<string, number>()
  /** Wrong keys that the other nodes do not know. */
  private unshared: Array<Guess> = []

  constructor(clock: MachineTime) {
    this.clock = clock
  }

  /** Monotonic time, s: changes of the wall clock do not matter. */
  private now(): number {
    return Number(this.clock.nanos()) / 1_000_000_000
  }

  /** Seconds for which the address is still blocked; 0: it is not blocked. */
  blockedFor(address: string): number {
    return this.blockedNetworkFor(networkOf(address))
  }

  private blockedNetworkFor(network: string): number {
    const guesser = this.guessers.get(network)
    return guesser === undefined ? 0 : Math.max(0, Math.ceil(guesser.blockedUntil - this.now()))
  }

  /** The wrong keys of a network in this minute. */
  private counted(network: string): ReadonlySet<string> | undefined {
    const guesser = this.guessers.get(network)
    return guesser !== undefined && this.now() < guesser.since + Bounds.wrongKeysWindowSeconds
      ? guesser.keys
      : undefined
  }

  /** Seconds until a key of the address may be looked at: it is blocked, or all places are taken. 0: at once. */
  waitFor(address: string): number {
    const network = networkOf(address)
    const blocked = this.blockedNetworkFor(network)
    if (blocked > 0) return blocked
    const taken = (this.counted(network)?.size ?? 0) + (this.places.get(network) ?? 0)
    return taken < Bounds.maxWrongKeys ? 0 : Bounds.placeSeconds
  }

  /** Takes a place for a key that is looked at later; `leave` gives it back. Seconds to wait if there is none; else 0. */
  enter(address: string): number {
    const wait = this.waitFor(address)
    const network = networkOf(address)
    if (wait === 0) this.places.set(network, (this.places.get(network) ?? 0) + 1)
    return wait
  }

  leave(address: string): void {
    const network = networkOf(address)
    const taken = this.places.get(network) ?? 0
    if (taken <= 1) this.places.delete(network)
    else this.places.set(network, taken - 1)
  }

  /** True if the bearer token has counted in this minute: it need not be looked for. */
  hasCounted(address: string, bearer: string): boolean {
    return this.counted(networkOf(address))?.has(bearer) === true
  }

  /** Notes that a key that people chose was right from an address. `key`: its digest. */
  wasRight(address: string, key: string): void {
    const name = `${networkOf(address)} ${key}`
    this.rightAt.delete(name)
    this.rightAt.set(name, this.now())
    const [oldest] = this.rightAt.keys()
    if (this.rightAt.size > Bounds.maxRightKeys && oldest !== undefined) this.rightAt.delete(oldest)
  }

  /** True if a key was right from the address within a day. */
  isKnownFrom(address: string, key: string): boolean {
    const at = this.rightAt.get(`${networkOf(address)} ${key}`)
    return at !== undefined && this.now() < at + Bounds.rightKeySeconds
  }

  /**
   * Counts a wrong key. The same bearer token counts once a minute: a till that keeps sending a revoked token guesses
   * nothing, and must not block other callers behind its address.
   */
  count(address: string, bearer?: string): void {
    const guess = { network: networkOf(address), key: bearer ?? randomUUID() }
    if (this.add(guess) && this.unshared.length < Bounds.maxSharedGuesses) this.unshared.push(guess)
  }

  /** True once a minute for each network: a refused sign-in of it is told to the audit. `now`: ms. */
  isToTell(address: string, now: number): boolean {
    const network = networkOf(address)
    for (const [known, at] of this.toldAt) {
      if (now < at + Bounds.wrongKeysWindowSeconds * 1_000) break
      this.toldAt.delete(known)
    }
    if (this.toldAt.has(network) || this.toldAt.size >= Bounds.maxGuessers) return false
    this.toldAt.set(network, now)
    return true
  }

  /** Counts wrong keys that other nodes were sent, also those that it has heard before. */
  learn(guesses: ReadonlyArray<Guess>): void {
    for (const guess of guesses) this.add(guess)
  }

  /** Takes the wrong keys that the other nodes do not know. */
  takeNews(): ReadonlyArray<Guess> {
    const taken = this.unshared
    this.unshared = []
    return taken
  }

  /** Puts back wrong keys that could not be shared. */
  keepNews(guesses: ReadonlyArray<Guess>): void {
    this.unshared = [...guesses, ...this.unshared].slice(0, Bounds.maxSharedGuesses)
  }

  /** False if the key has counted before, or the network is blocked: what was on its way then makes no block longer. */
  private add({ key, network }: Guess): boolean {
    if (this.blockedNetworkFor(network) > 0) return false
    const now = this.now()
    const known = this.guessers.get(network)
    const isForgotten =
      known === undefined || now >= Math.max(known.since, known.blockedUntil) + Bounds.forgetGuesserSeconds
    const guesser = isForgotten ? { since: now, keys: new Set<string>(), blockedUntil: 0, block: 0 } : known
    if (now >= guesser.since + Bounds.wrongKeysWindowSeconds) {
      guesser.since = now
      guesser.keys = new Set()
    }
    if (guesser.keys.has(key)) return false
    guesser.keys.add(key)
    if (guesser.keys.size >= Bounds.maxWrongKeys) {
      guesser.block = Math.min(
        Bounds.maxBlockSeconds,
        guesser.block === 0 ? Bounds.firstBlockSeconds : guesser.block * 2
      )
      guesser.blockedUntil = now + guesser.block
      guesser.keys = new Set()
    }
    this.guessers.delete(network)
    this.guessers.set(network, guesser)
    const [oldest] = this.guessers.keys()
    if (this.guessers.size > Bounds.maxGuessers && oldest !== undefined) this.guessers.delete(oldest)
    return true
  }
}
