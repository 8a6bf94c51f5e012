/**
 * Filters over the keys with an end of spans that are over, one a span. A key that no filter has is in none of these spans, so an
 * append looks it up in the others alone: those without a filter, and from the first span on that is not known.
 *
 * Valid only for a database whose span `before` has `stamp` (migration 0160).
 */
import * as Bounds from "../Bounds.ts"
import { hashWords, readHash } from "../Hashing.ts"
import type { Hash128 } from "../Records.ts"
import { Filter, noStamp } from "./EndedClaims.ts"

/** A span that is over and has its keys still; `keys`: at most so many. */
export interface KeptSpan {
  readonly span: number
  readonly keys: number
}

/** The first span whose keys are not known. */
interface Known {
  readonly span: number
  readonly stamp: Hash128
}

const nothing: Known = { span: 0, stamp: noStamp }

export class KeyFilters {
  /** Every span before the first unknown one that has keys, newest first; undefined: there is no filter. */
  private filters: Map<number, Filter | undefined> = new Map()
  private readonly wanted = new Uint32Array(hashWords)
  private readonly bytes: number
  private known = nothing

  /** `bytes`: memory of all filters. */
  constructor(bytes = Bounds.keyFilterBytes) {
    this.bytes = bytes
  }

  /** The first span whose keys are not known. */
  get before(): number {
    return this.known.span
  }

  /** The stamp of that span; zeros for the first one. */
  get stamp(): Hash128 {
    return this.known.stamp
  }

  /** Forgets all keys: the database is not the one that was learnt. */
  forget(): void {
    this.filters = new Map()
    this.known = nothing
  }

  /** The spans before that one where the key may be. */
  placesOf(key: Hash128): ReadonlyArray<number> {
    if (this.filters.size === 0) return none
    readHash(key, this.wanted, 0)
    const places: Array<number> = []
    for (const [span, filter] of this.filters) if (filter?.has(this.wanted) ?? true) places.push(span)
    return places
  }

  /**
   * From now on these spans are looked up, newest first: filters of others go, and of the oldest ones where memory is short.
   * Returns the spans to be learnt, and those for which there is no memory.
   */
  keep<Span extends KeptSpan>(known: Known, spans: ReadonlyArray<Span>) {
    let room = this.bytes
    const fitting: Array<Span> = []
    for (const one of spans) {
      room -= bytesOf(one)
      if (room < 0) break
      fitting.push(one)
    }
    const fits = new Set(fitting.map(({ span }) => span))
    const filters = new Map(spans.map(({ span }) => [span, fits.has(span) ? this.filters.get(span) : undefined]))
    this.filters = filters
    this.known = known
    return {
      wanted: fitting.filter(({ span }) => filters.get(span) === undefined),
      without: spans.slice(fitting.length).map(({ span }) => span),
      begin: (one: Span) => this.begin(filters, one)
    }
  }

  /** A filter for the keys of a span. It counts once all were added, unless the database is another one by then. */
  private begin(filters: Map<number, Filter | undefined>, one: KeptSpan) {
    const filter = new Filter(bytesOf(one))
    let count = 0
    return {
      bytes: filter.bytes,
      keys: () => count,
      add: (keys: Uint8Array) => {
        count += filter.addAll(keys)
      },
      done: () => {
        if (this.filters === filters) filters.set(one.span, filter)
      }
    }
  }
}

const none: ReadonlyArray<number> = []

const bytesOf = ({ keys }: KeptSpan): number => Math.ceil(keys * Bounds.filterBytesPerClaim)
