/**
 * What was used or committed lately, so that the common questions and retries
 * are answered from memory. The tables are the authority; nothing here ever
 * changes once it is committed, so nothing has to be invalidated, and whatever
 * is forgotten is read again.
 */
import { hashWords, readHash } from "../journal/Hashing.ts"
import type { ClaimHolder, Hash128 } from "../journal/Journal.ts"
import * as Bounds from "./Bounds.ts"
import type { RecordText } from "./Codec.ts"

/**
 * A map that forgets what was not used lately: at least the last `limit` / 2
 * keys stay, at most `limit`. Two generations, so that forgetting costs nothing.
 */
export class Recent<K, V> {
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  private readonly generation: number

  constructor(limit: number) {
    this.generation = Math.ceil(limit / 2)
  }

  get(key: K): V | undefined {
    const value = this.young.get(key)
    if (value !== undefined) return value
    const older = this.old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: K, value: V): void {
    if (this.young.size >= this.generation) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(key, value)
  }
}

/** Places side by side that a key may stand in: few are pushed out long before their time. */
const ways = 4

/**
 * Where things stand that are looked for with every request and seldom found: in
 * sets of four places, the oldest of a set giving way. One look touches one or
 * two lines of memory, where a large Map takes a dozen, and leaves nothing to
 * collect.
 */
class Places {
  private readonly sets: number
  private readonly turns: Uint8Array

  constructor(limit: number) {
    this.sets = Math.ceil(limit / ways)
    this.turns = new Uint8Array(this.sets)
  }

  get size(): number {
    return this.sets * ways
  }

  /** The first of the places for a number of 32 bits. */
  first(spread: number): number {
    return ((spread >>> 0) % this.sets) * ways
  }

  /** The place among those from `first` that is to be used next. */
  next(first: number): number {
    const set = first / ways
    const turn = this.turns[set]!
    this.turns[set] = (turn + 1) % ways
    return first + turn
  }
}

const hashText = (words: Uint32Array, at: number): Hash128 => {
  let hex = ""
  for (let word = 0; word < hashWords; word++) hex += words[at + word]!.toString(16).padStart(8, "0")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Claims with their holders, as numbers in flat arrays. */
class RecentClaims {
  private readonly places: Places
  /** Key and fingerprint of each. */
  private readonly hashes: Uint32Array
  /** Account and seq of each; seq 0: nothing stands there. */
  private readonly holders: Float64Array
  /** The key that is looked for. */
  private readonly wanted = new Uint32Array(hashWords)

  constructor(limit: number) {
    this.places = new Places(limit)
    this.hashes = new Uint32Array(this.places.size * 2 * hashWords)
    this.holders = new Float64Array(this.places.size * 2)
  }

  get(key: Hash128): ClaimHolder | undefined {
    const place = this.find(key)
    if (place < 0) return undefined
    return {
      key,
      fingerprint: hashText(this.hashes, (2 * place + 1) * hashWords),
      account: this.holders[2 * place]!,
      seq: this.holders[2 * place + 1]!
    }
  }

  set({ account, fingerprint, key, seq }: ClaimHolder): void {
    const found = this.find(key)
    const place = found < 0 ? this.places.next(this.places.first(this.wanted[0]!)) : found
    for (let word = 0; word < hashWords; word++) this.hashes[2 * place * hashWords + word] = this.wanted[word]!
    readHash(fingerprint, this.hashes, (2 * place + 1) * hashWords)
    this.holders[2 * place] = account
    this.holders[2 * place + 1] = seq
  }

  /** The key's place, or −1; leaves the key in `wanted`. */
  private find(key: Hash128): number {
    const { hashes, holders, wanted } = this
    readHash(key, wanted, 0)
    const first = this.places.first(wanted[0]!)
    for (let place = first; place < first + ways; place++) {
      const at = 2 * place * hashWords
      if (hashes[at] !== wanted[0] || hashes[at + 1] !== wanted[1]) continue
      if (hashes[at + 2] === wanted[2] && hashes[at + 3] === wanted[3] && holders[2 * place + 1] !== 0) return place
    }
    return -1
  }
}

/** Spreads consecutive numbers over 32 bits (2^32 divided by the golden ratio). */
const golden = 0x9e3779b1

/** Numbers that belong to a record: account, seq, at, version, where its text begins, bytes of its events and of its reply. */
const recordNumbers = 7

/** A character of a string takes three bytes at the most. */
const maxCharacterBytes = 3

/**
 * Records with their replies, as the text that was written, in a ring of bytes: the newest overwrites the oldest. As
 * objects, or as strings, every collection would follow and copy them for a retry that hardly ever comes.
 */
class RecentRecords {
  private readonly places: Places
  /** Seq 0: nothing stands there. */
  private readonly numbers: Float64Array
  private readonly ring: Buffer
  /** Bytes written so far, what was passed over at the ring's end among them. */
  private written = 0

  constructor(limit: number, bytes: number) {
    this.places = new Places(limit)
    this.numbers = new Float64Array(this.places.size * recordNumbers)
    this.ring = Buffer.allocUnsafeSlow(bytes)
  }

  get(account: number, seq: number): RecordText | undefined {
    const place = this.find(account, seq)
    if (place < 0) return undefined
    const { numbers, ring } = this
    const first = place * recordNumbers
    const begin = numbers[first + 4]! % ring.length
    const middle = begin + numbers[first + 5]!
    return {
      account,
      seq,
      at: numbers[first + 2]!,
      version: numbers[first + 3]!,
      events: ring.toString("utf8", begin, middle),
      reply: ring.toString("utf8", middle, middle + numbers[first + 6]!)
    }
  }

  set({ account, at, events, reply, seq, version }: RecordText): void {
    const { numbers, ring } = this
    const mostBytes = (events.length + reply.length) * maxCharacterBytes
    // One that would push out a good part of the others is read again from the journal.
    if (mostBytes > ring.length / 8 || this.find(account, seq) >= 0) return
    const room = ring.length - (this.written % ring.length)
    if (room < mostBytes) this.written += room
    const begin = this.written % ring.length
    const eventsBytes = ring.write(events, begin, "utf8")
    const replyBytes = ring.write(reply, begin + eventsBytes, "utf8")
    const place = this.places.next(this.first(account, seq))
    const first = place * recordNumbers
    numbers[first] = account
    numbers[first + 1] = seq
    numbers[first + 2] = at
    numbers[first + 3] = version
    numbers[first + 4] = this.written
    numbers[first + 5] = eventsBytes
    numbers[first + 6] = replyBytes
    this.written += eventsBytes + replyBytes
  }

  /** The place of the record, or −1 where it is not there or its text has been overwritten. */
  private find(account: number, seq: number): number {
    if (seq === 0) return -1
    const { numbers, ring, written } = this
    const place = this.first(account, seq)
    for (let first = place * recordNumbers; first < (place + ways) * recordNumbers; first += recordNumbers) {
      if (numbers[first] !== account || numbers[first + 1] !== seq) continue
      if (written - numbers[first + 4]! <= ring.length) return first / recordNumbers
    }
    return -1
  }

  private first(account: number, seq: number): number {
    const spread = Math.imul(Math.imul(account, golden) + seq, golden)
    // A product's low bits know only the low bits of its factors.
    return this.places.first(spread ^ (spread >>> 16))
  }
}

export class RecentWork {
  private readonly claims = new RecentClaims(Bounds.keptClaims)
  private readonly records = new RecentRecords(Bounds.keptReplies, Bounds.keptReplyBytes)

  holder(key: Hash128): ClaimHolder | undefined {
    return this.claims.get(key)
  }

  holds(holder: ClaimHolder): void {
    this.claims.set(holder)
  }

  record(account: number, seq: number): RecordText | undefined {
    return this.records.get(account, seq)
  }

  keep(record: RecordText): void {
    this.records.set(record)
  }
}
