/**
 * Point lots, oldest first, as a persistent sequence.
 *
 * A lot is what is left of one positive ledger entry and is named by that
 * entry's number `n`. Entries of an account never run backwards in time, so the
 * order of `n` is the order of earned dates that first-in-first-out needs
 * (decisions.md §4 Lots). Lots sit in chunks, so that adding one to an account
 * with many thousands copies a chunk and a short spine, not everything.
 */

export interface Lot {
  /** Number of the ledger entry that made the lot. */
  readonly n: number
  /** Points left, at least 1. */
  readonly left: number
  /** Instant in ms at which the rest expires; absent: never. */
  readonly expires?: number | undefined
}

/** Points moved out of or back into a lot: `[n, points, expires or null]`. */
export type LotShare = readonly [n: number, points: number, expires: number | null]

/** Lots in one chunk before the next one is begun: copying 64 small slots costs less than a microsecond. */
const CHUNK_LOTS = 64

interface Chunk {
  readonly lots: ReadonlyArray<Lot>
  /** Earliest instant in the chunk, Infinity when nothing in it expires. */
  readonly earliest: number
}

export interface Lots {
  readonly chunks: ReadonlyArray<Chunk>
  /** Earliest instant of all, Infinity when nothing expires. */
  readonly earliest: number
}

export const empty: Lots = { chunks: [], earliest: Infinity }

const chunkOf = (lots: ReadonlyArray<Lot>): Chunk => {
  let earliest = Infinity
  for (const lot of lots) {
    if (lot.expires !== undefined && lot.expires < earliest) earliest = lot.expires
  }
  return { lots, earliest }
}

const fromChunks = (chunks: ReadonlyArray<Chunk>): Lots => {
  let earliest = Infinity
  for (const chunk of chunks) if (chunk.earliest < earliest) earliest = chunk.earliest
  return { chunks, earliest }
}

const makeLot = (n: number, left: number, expires: number | null | undefined): Lot =>
  expires === undefined || expires === null ? { n, left } : { n, left, expires }

export const toArray = (lots: Lots): ReadonlyArray<Lot> => {
  const first = lots.chunks[0]
  return lots.chunks.length === 1 && first !== undefined ? first.lots : lots.chunks.flatMap((chunk) => chunk.lots)
}

export const fromArray = (all: ReadonlyArray<Lot>): Lots => {
  const chunks: Array<Chunk> = []
  for (let from = 0; from < all.length; from += CHUNK_LOTS) chunks.push(chunkOf(all.slice(from, from + CHUNK_LOTS)))
  return fromChunks(chunks)
}

/** How many lots there are, to within a chunk. */
export const roughCount = (lots: Lots): number => lots.chunks.length * CHUNK_LOTS

export const total = (lots: Lots): number => {
  let sum = 0
  for (const chunk of lots.chunks) for (const lot of chunk.lots) sum += lot.left
  return sum
}

/** Index of the chunk in which `n` is, or would be. */
const chunkIndex = (lots: Lots, n: number): number => {
  let low = 0
  let high = lots.chunks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lots.chunks[middle]?.lots[0]?.n ?? Infinity) <= n) low = middle
    else high = middle - 1
  }
  return low
}

/** Adds points to lot `n`, making the lot where it is not there (any more). */
export const add = (lots: Lots, n: number, points: number, expires?: number | null): Lots => {
  const last = lots.chunks.at(-1)
  const newest = last?.lots.at(-1)
  if (last === undefined || newest === undefined || newest.n < n) {
    const lot = makeLot(n, points, expires)
    const earliest = Math.min(lots.earliest, lot.expires ?? Infinity)
    // concat makes an array as long as its items; a spread with one more leaves room for many that never come.
    if (last === undefined || last.lots.length >= CHUNK_LOTS) {
      return { chunks: lots.chunks.concat(chunkOf([lot])), earliest }
    }
    const grown = { lots: last.lots.concat(lot), earliest: Math.min(last.earliest, lot.expires ?? Infinity) }
    return { chunks: lots.chunks.with(-1, grown), earliest }
  }
  const index = chunkIndex(lots, n)
  const chunk = lots.chunks[index]
  if (chunk === undefined) throw new Error("unreachable: a non-empty sequence has a chunk for every n")
  const at = chunk.lots.findIndex((lot) => lot.n >= n)
  const there = at < 0 ? undefined : chunk.lots[at]
  const changed =
    there?.n === n
      ? chunk.lots.with(at, makeLot(n, there.left + points, there.expires))
      : chunk.lots.toSpliced(at < 0 ? chunk.lots.length : at, 0, makeLot(n, points, expires))
  const parts =
    changed.length > 2 * CHUNK_LOTS
      ? [chunkOf(changed.slice(0, CHUNK_LOTS)), chunkOf(changed.slice(CHUNK_LOTS))]
      : [chunkOf(changed)]
  return fromChunks(lots.chunks.toSpliced(index, 1, ...parts))
}

/** Removes points from lot `n`, which must hold them. */
export const remove = (lots: Lots, n: number, points: number): Lots => {
  const index = chunkIndex(lots, n)
  const chunk = lots.chunks[index]
  const at = chunk?.lots.findIndex((lot) => lot.n === n) ?? -1
  const lot = chunk?.lots[at]
  if (chunk === undefined || lot === undefined || lot.left < points) {
    throw new Error(`lot ${n} does not hold ${points} points`)
  }
  const changed =
    lot.left === points ? chunk.lots.toSpliced(at, 1) : chunk.lots.with(at, makeLot(n, lot.left - points, lot.expires))
  if (changed.length === 0) return fromChunks(lots.chunks.toSpliced(index, 1))
  const keepsEarliest = lot.left !== points || (lot.expires ?? Infinity) > chunk.earliest
  const next = keepsEarliest ? { lots: changed, earliest: chunk.earliest } : chunkOf(changed)
  const chunks = lots.chunks.with(index, next)
  return next.earliest === chunk.earliest ? { chunks, earliest: lots.earliest } : fromChunks(chunks)
}

/** What consuming up to `points` would take, first in, first out; at most what there is. */
export const oldest = (lots: Lots, points: number): ReadonlyArray<LotShare> => {
  const shares: Array<LotShare> = []
  let rest = points
  for (const chunk of lots.chunks) {
    for (const lot of chunk.lots) {
      if (rest <= 0) return shares
      const share = Math.min(rest, lot.left)
      shares.push([lot.n, share, lot.expires ?? null])
      rest -= share
    }
  }
  return shares
}

/**
 * The earliest expiring lot of which open holds do not need everything, and
 * how much they do not need. Holds need the oldest `held` points: that is what
 * capturing them would consume.
 */
export const nextExpiring = (lots: Lots, held: number): { readonly lot: Lot; readonly free: number } | undefined => {
  if (lots.earliest === Infinity) return undefined
  let before = 0
  let found: { readonly lot: Lot; readonly free: number } | undefined
  for (const chunk of lots.chunks) {
    if (before >= held && chunk.earliest >= (found?.lot.expires ?? Infinity)) continue
    for (const lot of chunk.lots) {
      const needed = Math.min(lot.left, Math.max(0, held - before))
      before += lot.left
      if (lot.expires === undefined || needed === lot.left) continue
      if (found === undefined || lot.expires < (found.lot.expires ?? Infinity)) found = { lot, free: lot.left - needed }
    }
    if (before >= held && found?.lot.expires === lots.earliest) break
  }
  return found
}
