/**
 * The files of archived spans in a folder (`PROTO_ARCHIVE`), for reads that need their records. Files stay open and blocks stay
 * decompressed for later reads, both up to a bound, and few reads run at once.
 */
import { Context, Effect, Exit, Fiber, Layer, Schema, Scope, Semaphore } from "effect"
import * as Bounds from "../Bounds.ts"
import type { Places, Row } from "./Scan.ts"
import * as Scan from "./Scan.ts"
import { isBefore, type Key, keyOf, type Section } from "./Sections.ts"
import * as SpanFile from "./SpanFile.ts"

/** A file as `archived_spans` has it. */
export interface Known {
  readonly file: string
  readonly checksum: Uint8Array
}

/** The rows of an account from one place to another, both included: records by seq, entries by n. */
export interface Range {
  readonly account: number
  readonly first: number
  readonly last: number
}

/** A folder that did not answer in time: a later read may find it. */
export class SilentFolder extends Schema.TaggedError<SilentFolder>()("SilentFolder", { message: Schema.String }) {}

/** Why a read of files has no answer. */
export type ReadFault = SpanFile.ArchiveFault | SilentFolder

export interface FileReads {
  /** The folder of the files. */
  readonly folder: string
  readonly rows: (known: Known, section: Places, range: Range) => Effect.Effect<ReadonlyArray<Row>, ReadFault>
  /** The keys (epoch, transaction, account, seq) of at most `limit` records after one, in the feed's order. */
  readonly keysAfter: (known: Known, after: Key, limit: number) => Effect.Effect<ReadonlyArray<Key>, ReadFault>
  /** The key of a record by its number in the feed's order, from 0; undefined: there are fewer. */
  readonly keyAt: (known: Known, index: number) => Effect.Effect<Key | undefined, ReadFault>
}

/** Undefined: there is no folder, and the answer is `archived`. */
export const ArchiveFiles = Context.Reference<FileReads | undefined>("lotbook/core/journal/archive/ArchiveFiles", {
  defaultValue: () => undefined
})

/** Values by key, those used last: a value beyond `most` is given to `dropped`. */
class Recent<A> {
  private readonly values = new Map<string, A>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  get(key: string): A | undefined {
    const value = this.values.get(key)
    if (value === undefined) return undefined
    this.values.delete(key)
    this.values.set(key, value)
    return value
  }

  /** Keeps a value; returns the one that has to go for it. */
  keep(key: string, value: A): A | undefined {
    this.values.set(key, value)
    if (this.values.size <= this.most) return undefined
    const [[oldest, dropped] = []] = this.values
    if (oldest !== undefined) this.values.delete(oldest)
    return dropped
  }

  /** Takes a value away; false: it is not there any more. */
  drop(value: A): boolean {
    for (const [key, one] of this.values) if (one === value) return this.values.delete(key)
    return false
  }

  all(): ReadonlyArray<A> {
    return [...this.values.values()]
  }
}

interface Opened {
  readonly file: SpanFile.SpanFile
  readonly scope: Scope.Closeable
}

const orderKey = (row: string): Key => {
  const [a = 0n, b, c, d] = (JSON.parse(row) as ReadonlyArray<string>).map(BigInt)
  return keyOf(a, b, c, d)
}

class Files implements FileReads {
  readonly folder: string
  private readonly opened = new Recent<Opened>(Bounds.openArchiveFiles)
  private readonly blocks = new Recent<ReadonlyArray<string>>(Bounds.archiveBlocks)
  private readonly turn = Semaphore.makeUnsafe(Bounds.archiveReads)
  /** Longest wait for a read, ms; undefined: as long as it takes. */
  private readonly waitMs: number | undefined

  constructor(folder: string, waitMs: number | undefined) {
    this.folder = folder
    this.waitMs = waitMs
  }

  readonly rows = (known: Known, section: Places, { account, first, last }: Range) =>
    this.bounded(this.between(known, section, account, first, last))

  readonly keysAfter = (known: Known, after: Key, limit: number) => this.bounded(this.ordered(known, after, limit))

  readonly keyAt = (known: Known, index: number) => this.bounded(this.ofOrder(known, index))

  readonly close = Effect.suspend(() =>
    Effect.forEach(this.opened.all(), ({ scope }) => Scope.close(scope, Exit.void), { discard: true })
  )

  /**
   * Gives up a read that takes too long. It keeps its turn until the file answers: a thread waits for it, and a read after it would
   * take another one.
   */
  private bounded<A>(read: Effect.Effect<A, SpanFile.ArchiveFault>): Effect.Effect<A, ReadFault> {
    const { folder, waitMs } = this
    const work = this.turn.withPermits(1)(read)
    if (waitMs === undefined) return work
    return Effect.flatMap(Effect.forkDetach(work), (fiber) =>
      Effect.onInterrupt(Fiber.join(fiber), () => Effect.asVoid(Effect.forkDetach(Fiber.interrupt(fiber))))
    ).pipe(
      Effect.timeoutOrElse({
        duration: waitMs,
        orElse: () =>
          Effect.fail(
            new SilentFolder({
              message: `The archive files in ${folder} did not answer within ${waitMs} ms. Look at the disk, or the mount.`
            })
          )
      })
    )
  }

  private readonly between = Effect.fnUntraced(function* (
    this: Files,
    known: Known,
    section: Places,
    account: number,
    first: number,
    last: number
  ) {
    const file = yield* this.open(known)
    const block = (index: number) => this.block(file, section, index)
    return yield* Scan.between({ file, section, block }, [account, BigInt(first)], [account, BigInt(last)])
  })

  private readonly ordered = Effect.fnUntraced(function* (this: Files, known: Known, after: Key, limit: number) {
    const file = yield* this.open(known)
    const found: Array<Key> = []
    for (let block = Math.max(0, file.blockOf("order", after)); block < file.blocks("order"); block++)
      for (const row of yield* this.block(file, "order", block)) {
        const key = orderKey(row)
        if (isBefore(after, key)) found.push(key)
        if (found.length === limit) return found
      }
    return found
  })

  private readonly ofOrder = Effect.fnUntraced(function* (this: Files, known: Known, index: number) {
    const file = yield* this.open(known)
    const place = file.placeOf("order", index)
    if (place === undefined) return undefined
    const row = (yield* this.block(file, "order", place.block))[place.row]
    return row === undefined ? undefined : orderKey(row)
  })

  private readonly open = Effect.fnUntraced(function* (this: Files, { checksum, file }: Known) {
    const key = `${file} ${Buffer.from(checksum).toString("hex")}`
    const known = this.opened.get(key)
    if (known !== undefined) return known.file
    const scope = yield* Scope.make()
    const opened = yield* Effect.onError(Scope.provide(SpanFile.open(this.folder, file, checksum), scope), () =>
      Scope.close(scope, Exit.void)
    )
    const faster = this.opened.get(key)
    if (faster !== undefined) {
      yield* Scope.close(scope, Exit.void)
      return faster.file
    }
    const dropped = this.opened.keep(key, { file: opened, scope })
    if (dropped !== undefined) yield* Scope.close(dropped.scope, Exit.void)
    return opened
  })

  /** Closes a file that cannot be used: the next read opens the one that is there then. */
  private forget(file: SpanFile.SpanFile): Effect.Effect<void> {
    const one = this.opened.all().find((opened) => opened.file === file)
    return one !== undefined && this.opened.drop(one) ? Scope.close(one.scope, Exit.void) : Effect.void
  }

  private readonly block = Effect.fnUntraced(function* (
    this: Files,
    file: SpanFile.SpanFile,
    section: Section,
    block: number
  ) {
    const key = `${file.name} ${file.header.seal} ${section} ${block}`
    const known = this.blocks.get(key)
    if (known !== undefined) return known
    const rows = yield* Effect.tapError(file.rows(section, block), () => this.forget(file))
    this.blocks.keep(key, rows)
    return rows
  })
}

const layerOf = (folder: string, waitMs: number | undefined): Layer.Layer<never> =>
  Layer.effect(
    ArchiveFiles,
    Effect.acquireRelease(
      Effect.sync(() => new Files(folder, waitMs)),
      ({ close }) => close
    )
  )

/** The files of a folder, for requests: a read that takes too long is given up. */
export const layer = (folder: string): Layer.Layer<never> => layerOf(folder, Bounds.archiveReadMs)

/** The same for commands: a slow disk makes them slow, and cuts none off in its middle. */
export const layerPatient = (folder: string): Layer.Layer<never> => layerOf(folder, undefined)
