/**
 * Point lots, oldest first, as a persistent sequence.
 *
 * A lot is what is left of one positive ledger entry and is named by that
 * entry's number `n`. Entries of an account never run backwards in time, so the
 * order of `n` is the order of earned dates that first-in-first-out needs
 * (decisions.md §4 Lots). Lots sit in chunks, so that changing one of an account
 * with many thousands copies a chunk and a short spine, not everything. The newest
 * chunk is the sequence itself: most accounts have no other, and a lot more makes
 * one object then.
 *
 * Within a chunk they are numbers side by side, which a garbage collector
 * neither follows nor copies one by one: most of what an account holds is lots.
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

/** Whether the lot that points belong to has ended by `at`. */
export const isOver = ([, , expires]: LotShare, at: number): boolean => expires !== null && expires <= at

/** Lots in one chunk before the next one is begun: copying so many takes less than a microsecond. */
const chunkLots = 64

/** Numbers of a lot: n, points left, and the instant at which it expires, Infinity for never. */
const width = 3

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

const lotAt = (chunk: Chunk, at: number): Lot => {
  const n = nAt(chunk, at)
  const left = leftAt(chunk, at)
  const expires = expiresAt(chunk, at)
  return expires === Infinity ? { n, left } : { n, left, expires }
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

export const toArray = (lots: Lots): ReadonlyArray<Lot> => {
  const all: Array<Lot> = []
  for (const chunk of chunksOf(lots)) for (let at = 0; at < chunk.end; at += width) all.push(lotAt(chunk, at))
  return all
}

export const fromArray = (all: ReadonlyArray<Lot>): Lots => {
  const chunks: Array<Chunk> = []
  for (let from = 0; from < all.length; from += chunkLots) {
    const numbers: Array<number> = []
    for (const { expires, left, n } of all.slice(from, from + chunkLots)) numbers.push(n, left, instantOf(expires))
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

/** Index of the chunk in which `n` is, or would be. */
const chunkIndex = (chunks: ReadonlyArray<Chunk>, n: number): number => {
  let low = 0
  let high = chunks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((chunks[middle]?.numbers[0] ?? Infinity) <= n) low = middle
    else high = middle - 1
  }
  return low
}

/** Where the first lot from `n` on begins; the chunk's end where there is none. */
const placeOf = (chunk: Chunk, n: number): number => {
  let at = 0
  while (at < chunk.end && nAt(chunk, at) < n) at += width
  return at
}

/** One lot more behind all others. */
const grown = (lots: Lots, n: number, points: number, expires: number): Lots => {
  const earliest = Math.min(lots.earliest, expires)
  if (lots.end === 0 || lots.end >= chunkLots * width) {
    const older = lots.end === 0 ? lots.older : lots.older.concat(chunkOf(lots.numbers, lots.end))
    return { older, numbers: [n, points, expires], end: width, earliest }
  }
  // In place as long as no other version of the chunk has put something there.
  const numbers = lots.numbers.length === lots.end ? lots.numbers : copyOf(lots)
  numbers.push(n, points, expires)
  return { older: lots.older, numbers, end: lots.end + width, earliest }
}

/** Adds points to lot `n`, making the lot where it is not there (any more). */
export const add = (lots: Lots, n: number, points: number, expires?: number | null): Lots => {
  const instant = instantOf(expires)
  if (lots.end === 0 || nAt(lots, lots.end - width) < n) return grown(lots, n, points, instant)
  const chunks = chunksOf(lots)
  const index = chunkIndex(chunks, n)
  const chunk = chunks[index]
  if (chunk === undefined) throw new Error("unreachable: a non-empty sequence has a chunk for every n")
  const at = placeOf(chunk, n)
  const numbers = copyOf(chunk)
  if (numbers[at] === n) numbers[at + 1]! += points
  else numbers.splice(at, 0, n, points, instant)
  const half = chunkLots * width
  const parts =
    numbers.length > 2 * half ? [chunkOf(numbers.slice(0, half)), chunkOf(numbers.slice(half))] : [chunkOf(numbers)]
  return fromChunks(chunks.toSpliced(index, 1, ...parts))
}

/** Removes points from lot `n`, which must hold them. */
export const remove = (lots: Lots, n: number, points: number): Lots => {
  const chunks = chunksOf(lots)
  const index = chunkIndex(chunks, n)
  const chunk = chunks[index]
  const at = chunk === undefined ? 0 : placeOf(chunk, n)
  if (chunk === undefined || at === chunk.end || nAt(chunk, at) !== n || leftAt(chunk, at) < points) {
    throw new Error(`lot ${n} does not hold ${points} points`)
  }
  const numbers = copyOf(chunk)
  const isUsedUp = leftAt(chunk, at) === points
  if (isUsedUp) numbers.splice(at, width)
  else numbers[at + 1]! -= points
  if (!isUsedUp && index === lots.older.length)
    return { older: lots.older, numbers, end: lots.end, earliest: lots.earliest }
  return fromChunks(chunks.toSpliced(index, 1, ...(numbers.length === 0 ? [] : [chunkOf(numbers)])))
}

/** What is left of lot `n`; undefined where nothing is. */
export const find = (lots: Lots, n: number): Lot | undefined => {
  const chunks = chunksOf(lots)
  const chunk = chunks[chunkIndex(chunks, n)]
  if (chunk === undefined) return undefined
  const at = placeOf(chunk, n)
  return at < chunk.end && nAt(chunk, at) === n ? lotAt(chunk, at) : undefined
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
      const { expires, left, n } = lotAt(chunk, at)
      const share = Math.min(rest, left)
      shares.push([n, share, expires ?? null])
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
 * The earliest expiring lot of which open holds do not need everything, and how
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
