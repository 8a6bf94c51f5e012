/**
 * Point lots, oldest first, as a persistent sequence.
 *
 * A lot is what is left of a positive ledger entry, whose number `n` it bears,
 * earned when that is posted. Lots that a merge brings keep their dates and have
 * numbers below 0 (`Merged.shift`). The
 * order is that of earned dates, then of `n`: first in, first out (decisions.md §4
 * Lots). Lots sit in chunks, so that changing one of an account
 * with many thousands copies a chunk and a short spine, not everything. The newest
 * chunk is the sequence itself: most accounts have no other, and a lot more makes
 * one object then.
 *
 * Within a chunk they are numbers side by side, which a garbage collector
 * neither follows nor copies one by one: most of what an account holds is lots.
 */

export interface Lot {
  /** Number of the ledger entry that made the lot; below 0 where a merge brought it. */
  readonly n: number
  /** Instant in ms at which the points were earned. */
  readonly earned: number
  /** Points left, at least 1. */
  readonly left: number
  /** Instant in ms at which the rest expires; absent: never. */
  readonly expires?: number | undefined
}

/**
 * Points moved out of or back into a lot: `[n, points, expires or null, earned]`. A used-up lot has left the state, so
 * only its share still has both dates when the points come back.
 */
export type LotShare = readonly [n: number, points: number, expires: number | null, earned: number]

/** Whether the lot that points belong to has ended by `at`. */
export const isOver = ([, , expires]: LotShare, at: number): boolean => expires !== null && expires <= at

/** Lots in one chunk before the next one is begun: copying so many takes less than a microsecond. */
const chunkLots = 64

/** Numbers of a lot: n, points left, the instant at which it expires, Infinity for never, and when it was earned. */
const width = 4

interface Chunk {
  /**
   * The numbers of its lots. A newer version of the chunk may have put lots of its own behind them: what lies past
   * `end` is not this one's. Nothing before `end` ever changes.
   */
  readonly numbers: Array<number>
  /** Where its own numbers end. */
  readonly end: number
  /** Nothing in the chunk expires before this instant; Infinity when nothing in it expires at all. */
  readonly earliest: number
}

/** The newest chunk, with those before it. `earliest` is of all of them: the earliest instant at which something expires. */
export interface Lots extends Chunk {
  readonly older: ReadonlyArray<Chunk>
}

export const empty: Lots = { older: [], numbers: [], end: 0, earliest: Infinity }

export const isEmpty = (lots: Lots): boolean => lots.end === 0 && lots.older.length === 0

const chunksOf = (lots: Lots): ReadonlyArray<Chunk> => (lots.older.length === 0 ? [lots] : [...lots.older, lots])

const instantOf = (expires: number | null | undefined): number => expires ?? Infinity

const nAt = ({ numbers }: Chunk, at: number): number => numbers[at]!
const leftAt = ({ numbers }: Chunk, at: number): number => numbers[at + 1]!
const expiresAt = ({ numbers }: Chunk, at: number): number => numbers[at + 2]!

const earnedAt = ({ numbers }: Chunk, at: number): number => numbers[at + 3]!

const lotAt = (chunk: Chunk, at: number): Lot => {
  const lot = { n: nAt(chunk, at), earned: earnedAt(chunk, at), left: leftAt(chunk, at) }
  const expires = expiresAt(chunk, at)
  return expires === Infinity ? lot : { ...lot, expires }
}

/** `points` of a lot as a share. */
export const shareOf = ({ earned, expires, n }: Lot, points: number): LotShare => [n, points, expires ?? null, earned]

/** Order of two lots: by earned date, then by number, then by what expires first. */
export const compare = ([n, , expires, earned]: LotShare, [m, , end, date]: LotShare): number =>
  earned - date || n - m || (expires === end ? 0 : instantOf(expires) - instantOf(end))

/** The same of the lot at a place and a share's. */
const compareAt = (chunk: Chunk, at: number, [n, , expires, earned]: LotShare): number => {
  const before = earnedAt(chunk, at) - earned || nAt(chunk, at) - n
  if (before !== 0) return before
  const instant = instantOf(expires)
  return expiresAt(chunk, at) === instant ? 0 : expiresAt(chunk, at) - instant
}

const chunkOf = (numbers: Array<number>, end = numbers.length): Chunk => {
  let earliest = Infinity
  for (let at = 0; at < end; at += width) earliest = Math.min(earliest, numbers[at + 2]!)
  return { numbers, end, earliest }
}

/** The chunks as a sequence, the last of them looked through for its earliest instant. */
const fromChunks = (chunks: ReadonlyArray<Chunk>): Lots => {
  const last = chunks.at(-1)
  if (last === undefined) return empty
  const older = chunks.slice(0, -1)
  const { numbers, end, ...own } = chunkOf(last.numbers, last.end)
  return {
    older,
    numbers,
    end,
    earliest: older.reduce((least, { earliest }) => Math.min(least, earliest), own.earliest)
  }
}

/** A copy of the chunk's own numbers, to be changed. */
const copyOf = ({ end, numbers }: Chunk): Array<number> => numbers.slice(0, end)

/** Calls `visit` with every lot, oldest first; `expires` is Infinity for never. */
export const each = (lots: Lots, visit: (n: number, left: number, expires: number) => void): void => {
  for (const chunk of chunksOf(lots)) {
    for (let at = 0; at < chunk.end; at += width) visit(nAt(chunk, at), leftAt(chunk, at), expiresAt(chunk, at))
  }
}

/** All that is left of every lot, oldest first. */
export const toArray = (lots: Lots): ReadonlyArray<LotShare> => {
  const all: Array<LotShare> = []
  for (const chunk of chunksOf(lots)) {
    for (let at = 0; at < chunk.end; at += width) all.push(shareOf(lotAt(chunk, at), leftAt(chunk, at)))
  }
  return all
}

/** Lots made from such a list. */
export const fromArray = (all: ReadonlyArray<LotShare>): Lots => {
  const chunks: Array<Chunk> = []
  for (let from = 0; from < all.length; from += chunkLots) {
    const numbers: Array<number> = []
    for (const [n, left, expires, earned] of all.slice(from, from + chunkLots))
      numbers.push(n, left, instantOf(expires), earned)
    // Cut to its length: what was pushed to has room for more.
    chunks.push(chunkOf(numbers.slice()))
  }
  return fromChunks(chunks)
}

/** How many lots there are, to within a chunk. */
export const roughCount = (lots: Lots): number => (lots.older.length + Math.sign(lots.end)) * chunkLots

export const total = (lots: Lots): number => {
  let sum = 0
  each(lots, (_, left) => {
    sum += left
  })
  return sum
}

/** Index of the chunk in which a share's lot is, or would be. */
const chunkIndex = (chunks: ReadonlyArray<Chunk>, share: LotShare): number => {
  let low = 0
  let high = chunks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const chunk = chunks[middle]
    if (chunk !== undefined && chunk.end > 0 && compareAt(chunk, 0, share) <= 0) low = middle
    else high = middle - 1
  }
  return low
}

/** Where a share's lot begins, or the first lot behind it; the chunk's end where there is none. */
const placeOf = (chunk: Chunk, share: LotShare): number => {
  let at = 0
  while (at < chunk.end && compareAt(chunk, at, share) < 0) at += width
  return at
}

/** One lot more behind all others. */
const grown = (lots: Lots, [n, points, expires, earned]: LotShare): Lots => {
  const instant = instantOf(expires)
  const earliest = Math.min(lots.earliest, instant)
  if (lots.end === 0 || lots.end >= chunkLots * width) {
    const older = lots.end === 0 ? lots.older : lots.older.concat(chunkOf(lots.numbers, lots.end))
    return { older, numbers: [n, points, instant, earned], end: width, earliest }
  }
  // In place as long as no other version of the chunk has put something there.
  const numbers = lots.numbers.length === lots.end ? lots.numbers : copyOf(lots)
  numbers.push(n, points, instant, earned)
  return { older: lots.older, numbers, end: lots.end + width, earliest }
}

/** Adds a share's points to its lot, making the lot where it is not there (any more). */
export const add = (lots: Lots, share: LotShare): Lots => {
  if (lots.end === 0 || compareAt(lots, lots.end - width, share) < 0) return grown(lots, share)
  const [n, points, expires, earned] = share
  const chunks = chunksOf(lots)
  const index = chunkIndex(chunks, share)
  const chunk = chunks[index]
  if (chunk === undefined) throw new Error("unreachable: a non-empty sequence has a chunk for every lot")
  const at = placeOf(chunk, share)
  const numbers = copyOf(chunk)
  if (at < chunk.end && compareAt(chunk, at, share) === 0) numbers[at + 1]! += points
  else numbers.splice(at, 0, n, points, instantOf(expires), earned)
  const half = chunkLots * width
  const parts =
    numbers.length > 2 * half ? [chunkOf(numbers.slice(0, half)), chunkOf(numbers.slice(half))] : [chunkOf(numbers)]
  return fromChunks(chunks.toSpliced(index, 1, ...parts))
}

/** Removes a share's points from its lot, which must hold them. */
export const remove = (lots: Lots, share: LotShare): Lots => {
  const [n, points] = share
  const chunks = chunksOf(lots)
  const index = chunkIndex(chunks, share)
  const chunk = chunks[index]
  const at = chunk === undefined ? 0 : placeOf(chunk, share)
  const isHeld =
    chunk !== undefined && at < chunk.end && compareAt(chunk, at, share) === 0 && leftAt(chunk, at) >= points
  if (!isHeld) throw new Error(`lot ${n} does not hold ${points} points`)
  const numbers = copyOf(chunk)
  const isUsedUp = leftAt(chunk, at) === points
  if (isUsedUp) numbers.splice(at, width)
  else numbers[at + 1]! -= points
  if (!isUsedUp && index === lots.older.length)
    return { older: lots.older, numbers, end: lots.end, earliest: lots.earliest }
  return fromChunks(chunks.toSpliced(index, 1, ...(numbers.length === 0 ? [] : [chunkOf(numbers)])))
}

/** What is left of the lot that entry `n` made; undefined if nothing is. A scan: without dates there is no order to search by. */
export const find = (lots: Lots, n: number): Lot | undefined => {
  for (const chunk of chunksOf(lots)) {
    for (let at = 0; at < chunk.end; at += width) if (nAt(chunk, at) === n) return lotAt(chunk, at)
  }
  return undefined
}

/** Takes up to `points` from the lots that `isWanted`, oldest first, and says what was missing. */
const consume = (
  lots: Lots,
  points: number,
  isWanted: (expires: number) => boolean,
  shares: Array<LotShare>
): number => {
  let rest = points
  for (const chunk of chunksOf(lots)) {
    for (let at = 0; at < chunk.end; at += width) {
      if (rest <= 0) return 0
      if (!isWanted(expiresAt(chunk, at))) continue
      const lot = lotAt(chunk, at)
      const share = Math.min(rest, lot.left)
      shares.push(shareOf(lot, share))
      rest -= share
    }
  }
  return rest
}

/**
 * What consuming up to `points` would take, first in, first out; at most what
 * there is. Lots that ended at `since` or before are there for holds that are
 * older: they are touched last.
 */
export const oldest = (lots: Lots, points: number, since: number): ReadonlyArray<LotShare> => {
  const shares: Array<LotShare> = []
  const rest = consume(lots, points, (expires) => expires > since, shares)
  if (rest > 0 && lots.earliest <= since) consume(lots, rest, (expires) => expires <= since, shares)
  return shares
}

/**
 * The earliest expiring lot that open holds do not need whole, and how
 * much they do not need. Holds need the oldest `held` points, as capturing them
 * consumes those; but of a lot only as much as `keepers` says, the holds under
 * which it was alive.
 */
export const nextExpiring = (
  lots: Lots,
  held: number,
  keepers: (expires: number) => number
): { readonly lot: Lot; readonly free: number } | undefined => {
  if (lots.earliest === Infinity) return undefined
  let before = 0
  let found: { readonly lot: Lot; readonly free: number } | undefined
  for (const chunk of chunksOf(lots)) {
    if (before >= held && chunk.earliest >= instantOf(found?.lot.expires)) continue
    for (let at = 0; at < chunk.end; at += width) {
      const left = leftAt(chunk, at)
      const expires = expiresAt(chunk, at)
      const needed = before >= held ? 0 : Math.min(left, Math.max(0, keepers(expires) - before))
      before += left
      if (needed === left || expires >= instantOf(found?.lot.expires)) continue
      found = { lot: lotAt(chunk, at), free: left - needed }
    }
    if (before >= held && found?.lot.expires === lots.earliest) break
  }
  return found
}
