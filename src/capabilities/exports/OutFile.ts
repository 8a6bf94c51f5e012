/**
 * Writes a file that is either whole or not there: 0600, under another name until it is on disk. Text is compressed (zstd)
 * and encrypted (age) on its way, in bounded memory. Processes that write to the same name leave each other's file alone: each
 * writes one of its own, which has its process id and its host in its name, and touches it now and then. What a killed one left
 * is removed by the next; on another host, where nobody sees the process, once it was not touched for a while.
 */
import { Encrypter } from "age-encryption"
import { Effect } from "effect"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { PassThrough } from "node:stream"
import { pipeline } from "node:stream/promises"
import { constants, createZstdCompress } from "node:zlib"
import { isAlive } from "../../base/database/embedded/Processes.ts"
import { machineNow } from "../../base/time/Times.ts"
import * as Bounds from "./Bounds.ts"
import { Unusable } from "./Faults.ts"

/** The readers of a file: recipients (`age1…`), those who have the passphrase, or everybody. */
export type Readers =
  | { readonly recipients: ReadonlyArray<string> }
  | { readonly passphrase: string }
  | { readonly isPlain: true }

interface Options {
  readonly readers: Readers
  readonly isCompressed: boolean
}

const causeOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const isCode = (cause: unknown, code: string): boolean =>
  cause instanceof Error && "code" in cause && cause.code === code

const encrypterOf = (readers: Readers): Encrypter | undefined => {
  if ("isPlain" in readers) return undefined
  const encrypter = new Encrypter()
  if ("passphrase" in readers) encrypter.setPassphrase(readers.passphrase)
  else for (const recipient of readers.recipients) encrypter.addRecipient(recipient)
  return encrypter
}

const encrypted = (encrypter: Encrypter) =>
  async function* (source: AsyncIterable<Uint8Array>) {
    yield* await encrypter.encrypt(ReadableStream.from(source) as ReadableStream<Uint8Array>)
  }

/** A checksum in the frame: a byte that changed is found without the manifest. */
const compressor = () => createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })

const pass = () => new PassThrough()

const synced = (folder: string): void => {
  const fd = fs.openSync(folder, "r")
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Unfinished files of this process: in a container, a killed one may have had the same id. */
const ours = new Set<string>()

/** This machine, or container: a process id means nothing on another one. */
const host = os.hostname().replaceAll(/[^\w.-]/g, "-")

const unfinishedOf = (file: string): string => `${path.resolve(file)}.${process.pid}@${host}.unfinished`

interface Other {
  readonly pid: number
  readonly host: string
}

/** The process that a file's name tells, of one that is unfinished. */
const writerIn = (name: string, base: string): Other | undefined => {
  const middle = name.startsWith(`${base}.`) && name.endsWith(".unfinished") ? name.slice(base.length + 1, -11) : ""
  const [, pid, on] = /^(\d+)@(.+)$/.exec(middle) ?? []
  return pid === undefined || on === undefined ? undefined : { pid: Number(pid), host: on }
}

const isWritten = (unfinished: string, other: Other, now: number): boolean => {
  if (other.host === host) return other.pid === process.pid ? ours.has(unfinished) : isAlive(other.pid)
  const touched = fs.statSync(unfinished, { throwIfNoEntry: false })?.mtimeMs
  return touched !== undefined && now - touched < Bounds.untouchedMs
}

/** Removes what killed exports to a file have left. Refuses while another one writes to it. */
const removeLeft = (file: string, now: number): void => {
  const folder = path.dirname(path.resolve(file))
  for (const name of fs.readdirSync(folder)) {
    const other = writerIn(name, path.basename(file))
    if (other === undefined) continue
    const unfinished = path.join(folder, name)
    if (isWritten(unfinished, other, now)) {
      const writer = `process ${other.pid}${other.host === host ? "" : ` on ${other.host}`}`
      throw new Error(`${writer} writes it. If that is no export, remove ${unfinished}`)
    }
    fs.rmSync(unfinished, { force: true })
  }
}

/** Gives a file a name that nothing has. */
const rename = (from: string, to: string): void => {
  try {
    fs.linkSync(from, to)
  } catch (cause) {
    // FAT, as on sticks, has no links; a rename would replace what is there.
    if (!["EPERM", "ENOTSUP", "ENOSYS"].some((code) => isCode(cause, code)) || fs.existsSync(to)) throw cause
    fs.renameSync(from, to)
    return
  }
  fs.unlinkSync(from)
}

export class OutFile {
  private readonly source = new PassThrough()
  private readonly written: Promise<void>
  private readonly unfinished: string
  private readonly file: string
  /** Stays open, so that no other file gets its inode. */
  private readonly held: number
  private failure: unknown

  constructor(file: string, { isCompressed, readers }: Options, now: number) {
    this.file = file
    this.unfinished = unfinishedOf(file)
    const encrypter = encrypterOf(readers)
    this.refuseReplacing()
    removeLeft(file, now)
    const fd = fs.openSync(this.unfinished, "wx", 0o600)
    ours.add(this.unfinished)
    this.held = fs.openSync(this.unfinished, "r")
    const sink = fs.createWriteStream(this.unfinished, { fd, flush: true })
    const packed = isCompressed ? compressor() : pass()
    this.written =
      encrypter === undefined
        ? pipeline(this.source, packed, sink)
        : pipeline(this.source, packed, encrypted(encrypter), sink)
    this.written.catch((failure: unknown) => {
      this.failure = failure
      this.source.destroy()
    })
  }

  private refuseReplacing(): void {
    if (fs.existsSync(this.file)) throw new Error("it is there already")
  }

  /** True if the unfinished file is the one that this process opened. */
  private get isMine(): boolean {
    return fs.statSync(this.unfinished, { throwIfNoEntry: false })?.ino === fs.fstatSync(this.held).ino
  }

  private readonly attempt = <A>(work: () => Promise<A>): Effect.Effect<A, Unusable> =>
    Effect.tryPromise({
      try: work,
      catch: (cause) => new Unusable({ message: `${this.file}: ${causeOf(this.failure ?? cause)}` })
    })

  /** Writes text; waits while the file is slower than its reader. */
  readonly write = (text: string): Effect.Effect<void, Unusable> =>
    this.attempt(async () => {
      if (!this.source.write(text)) await Promise.race([once(this.source, "drain"), this.written])
    })

  /** Everything is on disk, under the other name. Fails if the file cannot have its name any more. */
  readonly end: Effect.Effect<void, Unusable> = Effect.suspend(() =>
    this.attempt(async () => {
      this.source.end()
      await this.written
      this.refuseReplacing()
      if (!this.isMine) throw new Error(`${this.unfinished} was removed meanwhile`)
    })
  )

  /** Gives the file its name. Fails if something has it. Requires: `end`. */
  readonly place: Effect.Effect<void, Unusable> = Effect.suspend(() =>
    this.attempt(async () => {
      rename(this.unfinished, this.file)
      synced(path.dirname(path.resolve(this.file)))
    })
  )

  /** Shows other hosts that it is being written, however slow that is. */
  touch(now: number): void {
    fs.futimesSync(this.held, now / 1000, now / 1000)
  }

  /** Removes what this one left unfinished; a file that has its name stays. */
  async close(): Promise<void> {
    this.source.destroy()
    await this.written.catch(() => undefined)
    if (this.isMine) fs.rmSync(this.unfinished, { force: true })
    ours.delete(this.unfinished)
    fs.closeSync(this.held)
  }
}

/** An empty file, which is gone once the scope closes unless it was placed. Fails if the file is there. */
export const make = Effect.fnUntraced(function* (file: string, options: Options) {
  const began = yield* machineNow
  const out = yield* Effect.acquireRelease(
    Effect.try({
      try: () => new OutFile(file, options, began),
      catch: (cause) => new Unusable({ message: `${file}: ${causeOf(cause)}` })
    }),
    (out) => Effect.promise(() => out.close())
  )
  // Where files have no such times, writes alone show it.
  const touched = Effect.flatMap(machineNow, (now) => Effect.ignore(Effect.try(() => out.touch(now))))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Bounds.touchMs), touched)))
  return out
})
