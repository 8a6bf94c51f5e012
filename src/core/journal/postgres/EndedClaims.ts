/**
 * Filters over the claims of ended eras. A key that no filter has was never claimed in them, so an append need not
 * read their indexes, which would be random reads in a table of any size. For other keys it reads them.
 *
 * Valid only for a database whose era `before` has `stamp` (migration 0002).
 *
 * Blocked Bloom filters (Putze, Sanders and Singler 2007): all bits of a key are in one cache line. Keys are hashes
 * already, so they are not hashed again.
 */
import * as Bounds from "../Bounds.ts"
import { hashWords, readHash } from "../Hashing.ts"
import type { Hash128 } from "../Records.ts"

/** Bits in a block: a cache line. */
const blockBits = 512
const blockWords = blockBits / 32
/** Bits of a position within a block. */
const placeBits = 9
/** The word of the key that gives each position, and its shift. */
const placeWords = Uint8Array.of(1, 1, 1, 2, 2, 2, 3, 3)
const placeShifts = Uint8Array.of(0, 1, 2, 0, 1, 2, 0, 1).map((count) => count * placeBits)

const placeOf = (key: Uint32Array, index: number): number =>
  (key[placeWords[index]!]! >>> placeShifts[index]!) & (blockBits - 1)

/** Bytes of a key, the most significant first. */
const keyBytes = 16

export class Filter {
  private readonly words: Uint32Array
  private readonly blocks: number

  constructor(bytes: number) {
    this.blocks = Math.max(1, Math.ceil((bytes * 8) / blockBits))
    this.words = new Uint32Array(this.blocks * blockWords)
  }

  get bytes(): number {
    return this.words.byteLength
  }

  private add(key: Uint32Array): void {
    const first = (key[0]! % this.blocks) * blockWords
    for (let index = 0; index < placeWords.length; index++) {
      const place = placeOf(key, index)
      this.words[first + (place >>> 5)]! |= 1 << (place & 31)
    }
  }

  /** Adds concatenated keys, 16 bytes each, and returns their number. */
  addAll(keys: Uint8Array): number {
    const view = new DataView(keys.buffer, keys.byteOffset, keys.byteLength)
    const key = new Uint32Array(hashWords)
    for (let at = 0; at < keys.byteLength; at += keyBytes) {
      for (let word = 0; word < hashWords; word++) key[word] = view.getUint32(at + 4 * word)
      this.add(key)
    }
    return keys.byteLength / keyBytes
  }

  has(key: Uint32Array): boolean {
    const first = (key[0]! % this.blocks) * blockWords
    for (let index = 0; index < placeWords.length; index++) {
      const place = placeOf(key, index)
      if ((this.words[first + (place >>> 5)]! & (1 << (place & 31))) === 0) return false
    }
    return true
  }
}

/** An era of claims; `began`: the size of their table in bytes when it began. */
interface Era {
  readonly era: number
  readonly stamp: Hash128
  readonly began: number
}

export const noStamp: Hash128 = "00000000-0000-0000-0000-000000000000"
const nothing: Era = { era: 0, stamp: noStamp, began: 0 }

/** A filter that is being filled with all claims of the eras after the known ones. */
export interface Learning {
  /** Concatenated keys, 16 bytes each. */
  readonly add: (keys: Uint8Array) => void
  /** All keys were added: the claims of all eras before `era` are known now. */
  readonly done: (era: Era) => void
  /** Keys added so far. */
  readonly keys: () => number
  /** Memory of the filter. */
  readonly bytes: number
}

export class EndedClaims {
  private filters: Array<Filter> = []
  private readonly wanted = new Uint32Array(hashWords)
  private readonly bytes: number
  private known = nothing

  /** `bytes`: memory of all filters. */
  constructor(bytes = Bounds.filterBytes) {
    this.bytes = bytes
  }

  /** The first era whose claims are not known. */
  get before(): number {
    return this.known.era
  }

  /** The stamp of that era; zeros for the first era. */
  get stamp(): Hash128 {
    return this.known.stamp
  }

  /** The table's size in bytes when that era began. */
  get until(): number {
    return this.known.began
  }

  /** Forgets all claims: the database is not the one that was learnt. */
  forget(): void {
    this.filters = []
    this.known = nothing
  }

  /** True if the key may have been claimed before that era. */
  mayHold(key: Hash128): boolean {
    if (this.filters.length === 0) return false
    readHash(key, this.wanted, 0)
    for (const filter of this.filters) if (filter.has(this.wanted)) return true
    return false
  }

  /** Allocates a filter for this number of keys; undefined if there is no memory for it. */
  learn(keys: number): Learning | undefined {
    const bytes = Math.ceil(keys * Bounds.filterBytesPerClaim)
    const used = this.filters.reduce((sum, filter) => sum + filter.bytes, 0)
    if (used + bytes > this.bytes) return undefined
    const filter = new Filter(bytes)
    let count = 0
    const { filters, known } = this
    return {
      bytes: filter.bytes,
      keys: () => count,
      add: (keys) => {
        count += filter.addAll(keys)
      },
      done: (era) => {
        // Forgotten while this filter was filled: it is of no use without the earlier ones.
        if (this.filters !== filters || this.known !== known) return
        filters.push(filter)
        this.known = era
      }
    }
  }
}
