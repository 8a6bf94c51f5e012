/** Reads a span's file (`Sections`). Nothing of it is used before its checksum was compared. */
import type { Scope } from "effect"
import { Effect, Schema } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { zstdDecompress } from "node:zlib"
import type { Key, Section } from "./Sections.ts"
import { entryBytes, Header, hashBytes, isBefore, keyNumbers, magic, sections, trailerBytes } from "./Sections.ts"

/** A file that is missing, damaged, or another one than the database knows. */
export class ArchiveFault extends Schema.TaggedError<ArchiveFault>()("ArchiveFault", { message: Schema.String }) {}

const decompress = promisify(zstdDecompress)

interface Block {
  readonly offset: number
  readonly length: number
  readonly rows: number
  readonly hash: Buffer
}

export class SpanFile {
  readonly header: Header
  readonly name: string
  private readonly handle: fs.FileHandle
  private readonly tables: { readonly [Name in Section]: Buffer }

  constructor(name: string, handle: fs.FileHandle, header: Header, tables: SpanFile["tables"]) {
    this.name = name
    this.handle = handle
    this.header = header
    this.tables = tables
  }

  /** Number of blocks. */
  blocks(section: Section): number {
    return this.tables[section].length / entryBytes
  }

  /** The first account of each block, and its rows. */
  *marks(section: Section): Generator<{ readonly account: number; readonly rows: number }> {
    for (let block = 0; block < this.blocks(section); block++)
      yield { account: Number(this.firstOf(section, block)[0]), rows: this.blockAt(section, block).rows }
  }

  /** The block in which a row with this key is, if there is one; -1: the first row comes after it. */
  blockOf(section: Section, key: Key): number {
    let low = -1
    let high = this.blocks(section) - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (isBefore(key, this.firstOf(section, middle))) high = middle - 1
      else low = middle
    }
    return low
  }

  /** The block that has a row by its number in the section, and its number there; undefined: there are fewer rows. */
  placeOf(section: Section, row: number): { readonly block: number; readonly row: number } | undefined {
    let left = row
    for (let block = 0; block < this.blocks(section); block++) {
      const { rows } = this.blockAt(section, block)
      if (left < rows) return { block, row: left }
      left -= rows
    }
    return undefined
  }

  /** The rows of a block, in order. */
  readonly rows = Effect.fnUntraced(function* (this: SpanFile, section: Section, block: number) {
    const { hash, length, offset, rows } = this.blockAt(section, block)
    const bytes = yield* readAt(this.handle, this.name, offset, length)
    if (!createHash("sha256").update(bytes).digest().subarray(0, hashBytes).equals(hash))
      return yield* damaged(this.name, `block ${block} of its ${section}`)
    const text = yield* Effect.mapError(
      Effect.tryPromise(() => decompress(bytes)),
      () => damaged(this.name, `block ${block} of its ${section}`)
    )
    const lines = text.toString("utf8").split("\n")
    lines.pop()
    return lines.length === rows ? lines : yield* damaged(this.name, `block ${block} of its ${section}`)
  })

  private firstOf(section: Section, block: number): Key {
    const at = block * entryBytes
    const part = (index: number) => this.tables[section].readBigInt64BE(at + index * 8)
    return [part(0), part(1), part(2), part(3)]
  }

  private blockAt(section: Section, block: number): Block {
    const table = this.tables[section]
    const behind = block * entryBytes + keyNumbers * 8
    return {
      offset: Number(table.readBigUInt64BE(behind)),
      length: table.readUInt32BE(behind + 8),
      rows: table.readUInt32BE(behind + 12),
      hash: table.subarray(behind + 16, behind + 16 + hashBytes)
    }
  }
}

/** A call of the file system. Uninterruptible: its thread waits for it, also if the reader gives up. */
const waited = <A>(call: () => Promise<A>) => Effect.uninterruptible(Effect.tryPromise(call))

const damaged = (name: string, what: string) =>
  new ArchiveFault({
    message: `The archive file ${name} is damaged: ${what} is not what was written. Take another copy.`
  })

const readAt = Effect.fnUntraced(function* (handle: fs.FileHandle, name: string, offset: number, length: number) {
  const { buffer, bytesRead } = yield* Effect.mapError(
    waited(() => handle.read(Buffer.allocUnsafe(length), 0, length, offset)),
    ({ cause }) => new ArchiveFault({ message: `The archive file ${name} cannot be read: ${String(cause)}` })
  )
  return bytesRead === length ? buffer : yield* damaged(name, "its length")
})

const none = Buffer.alloc(0)

const HeaderText = Schema.decodeUnknownSync(Schema.fromJsonString(Header))

/** Opens a file until the scope closes, if its index has this checksum. */
export const open = Effect.fnUntraced(function* (
  folder: string,
  name: string,
  checksum: Uint8Array
): Effect.fn.Return<SpanFile, ArchiveFault, Scope.Scope> {
  const handle = yield* Effect.acquireRelease(
    Effect.mapError(
      waited(() => fs.open(path.join(folder, name), "r")),
      ({ cause }) =>
        new ArchiveFault({ message: `The archive file ${path.join(folder, name)} cannot be opened: ${String(cause)}` })
    ),
    (handle) => Effect.promise(() => handle.close())
  )
  const { size } = yield* Effect.mapError(
    waited(() => handle.stat()),
    ({ cause }) => new ArchiveFault({ message: `The archive file ${name} cannot be read: ${String(cause)}` })
  )
  const trailer = yield* readAt(handle, name, Math.max(0, size - trailerBytes), trailerBytes)
  if (!trailer.subarray(12).equals(magic)) return yield* damaged(name, "its end")
  const length = trailer.readUInt32BE(8)
  const index = yield* readAt(handle, name, Number(trailer.readBigUInt64BE()), length)
  if (!createHash("sha256").update(index).digest().equals(checksum))
    return yield* new ArchiveFault({
      message: `The archive file ${name} is not the one that the database knows, or it is damaged.`
    })
  const headerEnd = 4 + index.readUInt32BE()
  const header = HeaderText(index.toString("utf8", 4, headerEnd))
  const tables = { records: none, entries: none, order: none }
  let at = headerEnd
  for (const section of sections) {
    const end = at + header.blocks[section] * entryBytes
    tables[section] = index.subarray(at, end)
    at = end
  }
  return new SpanFile(name, handle, header, tables)
})
