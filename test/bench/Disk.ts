/**
 * Whether a disk stands still, from what Linux counts of it: something is under way there, and for a while nothing
 * is finished. Disks that machines share do so for tenths of a second, and everybody who waits for an fsync with them.
 */
import { Effect } from "effect"
import * as fs from "node:fs"

/** Between two looks, ms. */
const lookMs = 5
/** From here on a disk that finishes nothing stands still, ms: by itself it finishes something every few. */
export const stillMs = 20

/** What a look finds. */
export interface Look {
  readonly at: number
  /** Requests that it has been given and has not finished. */
  readonly underWay: number
  /** Requests finished so far. */
  readonly finished: number
}

/** How long a disk stood still in all, ms, by looks in their order: from the first that saw the same to the last. */
export class Standstill {
  private since: Look | undefined
  private last: Look | undefined
  private sum = 0

  see(look: Look): void {
    const { last } = this
    const isSame = look.underWay > 0 && look.finished === last?.finished && last.underWay > 0
    if (isSame) this.since ??= last
    else this.end()
    this.last = look
  }

  private end(): void {
    const lasted = (this.last?.at ?? 0) - (this.since?.at ?? 0)
    if (this.since !== undefined && lasted >= stillMs) this.sum += lasted
    this.since = undefined
  }

  /** Nothing is seen after it. */
  total(): number {
    this.end()
    return this.sum
  }
}

/** Where Linux counts what a device does; its numbers are packed as `stat` packs them. */
const countsOf = (device: bigint): string => {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & ~0xfffn)
  const minor = (device & 0xffn) | ((device >> 12n) & ~0xffn)
  return `/sys/dev/block/${major}:${minor}/stat`
}

/** Longer than the counts of any device. */
const maxCountBytes = 1024

/** Opens the counts of the disk under a folder; undefined where the system tells nothing of it. */
const openCounts = (folder: string): number | undefined => {
  if (process.platform !== "linux") return undefined
  const file = countsOf(fs.statSync(folder, { bigint: true }).dev)
  return fs.existsSync(file) ? fs.openSync(file, "r") : undefined
}

/** Looks at what is counted; the file stays open, as a look must cost next to nothing beside what is measured. */
const lookerAt = (counts: number): (() => Look) => {
  const text = Buffer.alloc(maxCountBytes)
  return () => {
    const bytes = fs.readSync(counts, text, 0, maxCountBytes, 0)
    const count = text.toString("latin1", 0, bytes).trim().split(/\s+/)
    // Reads, writes, discards and flushes that were finished are the 1st, 5th, 12th and 16th; the 9th are under way.
    const nth = (place: number) => Number(count[place - 1] ?? 0)
    return { at: performance.now(), underWay: nth(9), finished: nth(1) + nth(5) + nth(12) + nth(16) }
  }
}

/** Runs something, and says for how long the disk under a folder stood still meanwhile, ms, where the system tells. */
export const watching = Effect.fnUntraced(function* <A, E, R>(folder: string | undefined, run: Effect.Effect<A, E, R>) {
  const counts = folder === undefined ? undefined : openCounts(folder)
  if (counts === undefined) return { value: yield* run, stillMs: undefined }
  const standstill = new Standstill()
  const look = lookerAt(counts)
  const value = yield* Effect.acquireUseRelease(
    Effect.sync(() => setInterval(() => standstill.see(look()), lookMs)),
    () => run,
    (timer) =>
      Effect.sync(() => {
        clearInterval(timer)
        fs.closeSync(counts)
      })
  )
  return { value, stillMs: standstill.total() }
})
