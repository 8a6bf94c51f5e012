/**
 * Lets what PostgreSQL's tables grow by reach the disk steadily.
 *
 * PostgreSQL adds pages to a table as zeros and leaves it to the system to write
 * them. Linux does so half a minute later, with all that has come since, and
 * commits wait meanwhile: measured at half of the saturation load, 70 MB were
 * written every 30.7 s, and the groups of that moment took 40 to 72 ms instead of
 * three. Files that are synced with each megabyte have little to write at a time.
 *
 * Hazard: whoever syncs a file first is told that a write has failed, and nobody
 * after it. PostgreSQL's checkpoint would take for written what is not. So a
 * failed sync means that the server must go through recovery, as after its own,
 * also where the service is being stopped just then.
 */
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"

/** Between two looks at the files' sizes, ms: the journal grows by one or two megabytes meanwhile. */
const paceMs = 1_000
/** Between two looks for files that have become large, in paces. */
const lookEvery = 10
/** What a file has grown by when it is synced, bytes: it is written in no time, and a sync costs commits some of theirs. */
const leastBytes = 1024 * 1024

/** Writes to a file have failed; its log has what is missing. */
export class SyncFailed extends Schema.TaggedError<SyncFailed>()("SyncFailed", {
  file: Schema.String,
  cause: Schema.Defect()
}) {}

export interface WriteBackOptions {
  /** What to do where a file could not be synced. */
  readonly onFailed: (error: SyncFailed) => Effect.Effect<void>
  readonly sync?: (file: string) => Effect.Effect<void, SyncFailed>
}

/** Syncs a file; one that is gone has nothing to sync. */
export const syncFile = (file: string): Effect.Effect<void, SyncFailed> =>
  Effect.callback((resume) => {
    fs.open(file, "r", (unopened, descriptor) => {
      if (unopened?.code === "ENOENT") return resume(Effect.void)
      // Nothing was told of its writes.
      if (unopened !== null) return resume(Effect.die(unopened))
      fs.fdatasync(descriptor, (unsynced) => {
        fs.close(descriptor, (unclosed) => {
          const cause = unsynced ?? unclosed
          resume(cause === null ? Effect.void : Effect.fail(new SyncFailed({ file, cause })))
        })
      })
    })
  })

/** Bytes of a file; 0 where it is gone. */
const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** The large files of a server's tables, and the size that each was last synced with, or found with. */
class Growth {
  private readonly base: string
  private readonly sizes = new Map<string, number>()

  constructor(dataFolder: string) {
    this.base = path.join(dataFolder, "base")
  }

  look(): void {
    for (const database of fs.readdirSync(this.base)) {
      const folder = path.join(this.base, database)
      for (const name of fs.readdirSync(folder)) {
        const file = path.join(folder, name)
        const size = sizeOf(file)
        if (size >= leastBytes && !this.sizes.has(file)) this.sizes.set(file, size)
      }
    }
  }

  /** Those that have grown by enough to be synced now. */
  grown(): ReadonlyArray<string> {
    const grown: Array<string> = []
    for (const [file, before] of this.sizes) {
      const size = sizeOf(file)
      if (size < leastBytes) this.sizes.delete(file)
      else if (size < before) this.sizes.set(file, size)
      else if (size >= before + leastBytes) {
        this.sizes.set(file, size)
        grown.push(file)
      }
    }
    return grown
  }
}

/** Syncs the files of a server's tables as they grow; does not end by itself. */
export const steadily = Effect.fnUntraced(function* (
  dataFolder: string,
  { onFailed, sync = syncFile }: WriteBackOptions
): Effect.fn.Return<never> {
  const growth = new Growth(dataFolder)
  for (let pace = 0; ; pace++) {
    if (pace % lookEvery === 0) growth.look()
    for (const file of growth.grown()) yield* Effect.uninterruptible(Effect.catch(sync(file), onFailed))
    yield* Effect.sleep(paceMs)
  }
})
