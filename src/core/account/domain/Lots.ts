/**
 * Point lots, oldest first, as an immutable sequence.
 *
 * A lot has the remaining points of one positive ledger entry. Its number `n` is
 * the entry's number, and it was earned when the entry was posted. Lots that a
 * merge brought keep their dates and have numbers below 0 (`Merged.shift`). Lots
 * are sorted by earned date, then by `n`: first in, first out (contract/points.md *Lots*).
 *
 * Lots are stored in chunks. So a change of one lot among thousands copies one
 * chunk and the list of chunks only. The newest chunk is the sequence itself,
 * because most accounts have one chunk; then adding a lot allocates one object.
 *
 * A chunk is a flat array of numbers, which is cheap for the garbage collector.
 * That matters, because lots are most of an account's memory.
 *
 * A lot may have no date of its own (`withAccount`): it expires at its account's date, `State.idle`. Functions that ask
 * when lots expire are given that date.
 */
import { withAccount } from "../../rules/Expiration.ts"

export interface Lot {
  /** Number of the ledger entry that made the lot; below 0 if a merge brought it. */
  readonly n: number
  /** Instant in ms at which the points were earned. */
  readonly earned: number
  /** Points left, at least 1. */
  readonly left: number
  /** Instant in ms at which the points left expire, or `withAccount`; absent: never. */
  readonly expires?: number | undefined
}

/**
 * Points taken from a lot or put back into it: `[n, points, expires or null, earned]`. A used-up lot is removed from
 * the state, so the share carries both dates for when the points return.
 */
export type LotShare = readonly [n: number, points: number, expires: number | null, earned: number]

/** The account's date; undefined: nothing has given it one. */
type Idle = number | undefined

/** The instant at which a lot with this stored instant expires. */
const resolved = (expires: number, idle: Idle): number => (expires === withAccount ? (idle ?? Infinity) : expires)

/** True if the lot of a share has expired by `at`. */
export const isOver = ([, , expires]: LotShare, at: number, idle: Idle): boolean =>
  expires !== null && resolved(expires, idle) <= at

/** True if the lot of a share ends at its account's date. */
export const endsWithAccount = ([, , expires]: LotShare): boolean => expires === withAccount

/** The points of shares. */
export const sum = (shares: ReadonlyArray<LotShare>): number => shares.reduce((all, [, points]) => all + points, 0)

/** The rest of shares after the first of them fill a hole. */
export const beyond = (shares: ReadonlyArray<LotShare>, hole: number): ReadonlyArray<LotShare> => {
  let rest = hole
  return shares.flatMap(([n, points, expires, earned]): ReadonlyArray<LotShare> => {
    const fills = Math.min(rest, points)
    rest -= fills
    return points > fills ? [[n, points - fills, expires, earned]] : []
  })
}

/** A share of a lot that ends at its account's date, with a date of its own; and the inverse. */
export const withDate = ([n, points, , earned]: LotShare, date: number): LotShare => [n, points, date, earned]
export const withoutDate = (share: LotShare): LotShare => withDate(share, withAccount)

/** Number of lots in a chunk before the next chunk begins. Copying 64 lots takes less than a microsecond. */
const chunkLots = 64

/** Each lot has 4 numbers: n, points left, the instant at which it expires (Infinity: never; or `withAccount`), the instant when it was earned. */
const width = 4

interface Chunk {
  /**
   * The numbers of its lots, up to `end`. Numbers before `end` never change. Numbers after `end` belong to a newer
   * version of the chunk, which shares the array.
   */
  readonly numbers: Array<number>
  /** The index after its own last number. */
  readonly end: number
  /** No lot with a date of its own in the chunk expires before this instant. Infinity: there is none. */
  readonly earliest: number
  /** True if a lot in the chunk ends at its account's date. */
  readonly isUndated: boolean
}

/** The newest chunk, with the older ones. `earliest` and `isUndated` cover all of them. */
export interface Lots extends Chunk {
  readonly older: ReadonlyArray<Chunk>
}

export const empty: Lots = { older: [], numbers: [], end: 0, earliest: Infinity, isUndated: false }

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

/** Compares the lot at an index with a share, in the same order. */
const compareAt = (chunk: Chunk, at: number, [n, , expires, earned]: LotShare): number => {
  const before = earnedAt(chunk, at) - earned || nAt(chunk, at) - n
  if (before !== 0) return before
  const instant = instantOf(expires)
  return expiresAt(chunk, at) === instant ? 0 : expiresAt(chunk, at) - instant
}

const chunkOf = (numbers: Array<number>, end = numbers.length): Chunk => {
  let earliest = Infinity
  let isUndated = false
  for (let at = 0; at < end; at += width) {
    const expires = numbers[at + 2]!
    if (expires === withAccount) isUndated = true
    else earliest = Math.min(earliest, expires)
  }
  return { numbers, end, earliest, isUndated }
}

/** Nothing in these lots expires before this instant. Infinity: nothing ever expires. */
export const earliestOf = ({ earliest, isUndated }: Pick<Chunk, "earliest" | "isUndated">, idle: Idle): number =>
  isUndated && idle !== undefined && idle < earliest ? idle : earliest

/** Makes a sequence of chunks. Computes the `earliest` of the last chunk again. */
const fromChunks = (chunks: ReadonlyArray<Chunk>): Lots => {
  const last = chunks.at(-1)
  if (last === undefined) return empty
  const older = chunks.slice(0, -1)
  const { numbers, end, ...own } = chunkOf(last.numbers, last.end)
  return {
    older,
    numbers,
    end,
    earliest: older.reduce((least, { earliest }) => Math.min(least, earliest), own.earliest),
    isUndated: own.isUndated || older.some((chunk) => chunk.isUndated)
  }
}

/** A copy of the chunk's own numbers, to be changed. */
const copyOf = ({ end, numbers }: Chunk): Array<number> => numbers.slice(0, end)

/** Calls `visit` with every lot, oldest first; `expires` is Infinity for never. */
export const each = (
  lots: Lots,
  visit: (n: number, left: number, expires: number) => void,
  idle: Idle = undefined
): void => {
  for (const chunk of chunksOf(lots)) {
    for (let at = 0; at < chunk.end; at += width)
      visit(nAt(chunk, at), leftAt(chunk, at), resolved(expiresAt(chunk, at), idle))
  }
}

/** The lots that end at their account's date. */
export const undated = (lots: Lots): ReadonlyArray<LotShare> =>
  lots.isUndated ? toArray(lots).filter(endsWithAccount) : []

/** The remaining points of every lot, oldest first. */
export const toArray = (lots: Lots): ReadonlyArray<LotShare> => {
  const all: Array<LotShare> = []
  for (const chunk of chunksOf(lots)) {
    for (let at = 0; at < chunk.end; at += width) all.push(shareOf(lotAt(chunk, at), leftAt(chunk, at)))
  }
  return all
}

/** The inverse of `toArray`. */
export const fromArray = (all: ReadonlyArray<LotShare>): Lots => {
  const chunks: Array<Chunk> = []
  for (let from = 0; from < all.length; from += chunkLots) {
    const numbers: Array<number> = []
    for (const [n, left, expires, earned] of all.slice(from, from + chunkLots))
      numbers.push(n, left, instantOf(expires), earned)
    // A copy without spare capacity.
    chunks.push(chunkOf(numbers.slice()))
  }
  return fromChunks(chunks)
}

/** The number of lots, rounded up to whole chunks. */
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

/** The index of a share's lot, or of the first lot after it; the chunk's end if there is none. */
const placeOf = (chunk: Chunk, share: LotShare): number => {
  let at = 0
  while (at < chunk.end && compareAt(chunk, at, share) < 0) at += width
  return at
}

/** Appends a lot that is newer than all others. */
const grown = (lots: Lots, [n, points, expires, earned]: LotShare): Lots => {
  const instant = instantOf(expires)
  const isDated = instant !== withAccount
  const earliest = isDated ? Math.min(lots.earliest, instant) : lots.earliest
  const isUndated = lots.isUndated || !isDated
  if (lots.end === 0 || lots.end >= chunkLots * width) {
    const older = lots.end === 0 ? lots.older : lots.older.concat(chunkOf(lots.numbers, lots.end))
    return { older, numbers: [n, points, instant, earned], end: width, earliest, isUndated }
  }
  // Appends in place unless another version of the chunk has already appended to the shared array.
  const numbers = lots.numbers.length === lots.end ? lots.numbers : copyOf(lots)
  numbers.push(n, points, instant, earned)
  return { older: lots.older, numbers, end: lots.end + width, earliest, isUndated }
}

/** Adds a share's points to its lot. Makes the lot if it is not there. */
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
    return { older: lots.older, numbers, end: lots.end, earliest: lots.earliest, isUndated: lots.isUndated }
  return fromChunks(chunks.toSpliced(index, 1, ...(numbers.length === 0 ? [] : [chunkOf(numbers)])))
}

/** The first instant at which a lot expires, of those that expire at `from` or later; Infinity if there is none. */
export const earliestFrom = (lots: Lots, from: number, idle: Idle): number => {
  const first = earliestOf(lots, idle)
  if (first >= from) return first
  let earliest = Infinity
  for (const chunk of chunksOf(lots)) {
    if (earliestOf(chunk, idle) >= earliest) continue
    for (let at = 0; at < chunk.end; at += width) {
      const expires = resolved(expiresAt(chunk, at), idle)
      if (expires >= from && expires < earliest) earliest = expires
    }
  }
  return earliest
}

/** The lot that entry `n` made, or the last of its parts; undefined if nothing of it is left. A linear scan, because lots are not sorted by `n`. */
export const findLast = (lots: Lots, n: number): Lot | undefined => {
  for (const chunk of chunksOf(lots).toReversed()) {
    for (let at = chunk.end - width; at >= 0; at -= width) if (nAt(chunk, at) === n) return lotAt(chunk, at)
  }
  return undefined
}

/** Takes up to `points` from the lots that `isWanted` accepts, oldest first. Returns the number of missing points. */
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
 * The shares that consuming `points` takes, first in, first out; fewer points if
 * the lots have fewer. Lots that expired at `since` or before come last, because
 * they are kept for older holds.
 */
export const oldest = (lots: Lots, points: number, since: number, idle: Idle): ReadonlyArray<LotShare> => {
  const shares: Array<LotShare> = []
  const isAlive = (expires: number) => resolved(expires, idle) > since
  const rest = consume(lots, points, isAlive, shares)
  if (rest > 0 && earliestOf(lots, idle) <= since) consume(lots, rest, (expires) => !isAlive(expires), shares)
  return shares
}

/**
 * The lot that expires first among those with points that open holds do not need,
 * and the number of these points. Holds need the oldest `held` points, because a
 * capture consumes those. Of one lot they need at most `keepers(expires)`: the cost
 * of the holds that were created before the lot expired.
 */
export const nextExpiring = (
  lots: Lots,
  held: number,
  keepers: (expires: number) => number,
  idle: Idle
): { readonly lot: Lot; readonly free: number; readonly at: number } | undefined => {
  const earliest = earliestOf(lots, idle)
  if (earliest === Infinity) return undefined
  let before = 0
  let found: { readonly lot: Lot; readonly free: number; readonly at: number } | undefined
  for (const chunk of chunksOf(lots)) {
    if (before >= held && earliestOf(chunk, idle) >= (found?.at ?? Infinity)) continue
    for (let at = 0; at < chunk.end; at += width) {
      const left = leftAt(chunk, at)
      const expires = resolved(expiresAt(chunk, at), idle)
      const needed = before >= held ? 0 : Math.min(left, Math.max(0, keepers(expires) - before))
      before += left
      if (needed === left || expires >= (found?.at ?? Infinity)) continue
      found = { lot: lotAt(chunk, at), free: left - needed, at: expires }
    }
    if (before >= held && found?.at === earliest) break
  }
  return found
}
