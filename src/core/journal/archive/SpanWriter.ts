/** Writes a span's file, row by row (`Sections`). It has its name once it is whole and on disk. */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { zstdCompressSync } from "node:zlib"
import type { Header, Key, Section } from "./Sections.ts"
import { blockBytes, entryBytes, format, hashBytes, keyNumbers, magic, sections, trailerBytes } from "./Sections.ts"

/** The header of the index, without the numbers of rows and blocks. */
type Facts = Omit<Header, "blocks" | "format" | "rows">

interface Open {
  readonly section: Section
  readonly key: Key
  readonly rows: Array<string>
  bytes: number
}

const none = { records: 0, entries: 0, order: 0 }

export class SpanWriter {
  private readonly file: string
  private readonly partial: string
  private readonly descriptor: number
  private at = 0
  private open: Open | undefined
  private readonly index: { readonly [Name in Section]: Array<Buffer> } = { records: [], entries: [], order: [] }
  private readonly rows = { ...none }

  /** Replaces what a killed run has left. */
  constructor(file: string) {
    this.file = file
    this.partial = `${file}.partial`
    this.descriptor = fs.openSync(this.partial, "w", 0o600)
    this.write(magic)
  }

  /** Requires: sections one after the other, each in the order of its keys. */
  add(section: Section, key: Key, row: string): void {
    const bytes = Buffer.byteLength(row) + 1
    if (this.open !== undefined && (this.open.section !== section || this.open.bytes + bytes > blockBytes)) this.flush()
    this.open ??= { section, key, rows: [], bytes: 0 }
    this.open.rows.push(row)
    this.open.bytes += bytes
    this.rows[section]++
  }

  /**
   * Ends the file and gives it its name. Returns its length and the SHA-256 of its index. A file of that name with another index
   * stays: it may be the only copy of another database, or of this one.
   */
  finish(facts: Facts): { readonly bytes: number; readonly checksum: Buffer } {
    this.flush()
    const blocks = { ...none }
    for (const section of sections) blocks[section] = this.index[section].length
    const header: Header = { format, ...facts, rows: this.rows, blocks }
    const text = Buffer.from(JSON.stringify(header))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(text.length)
    const index = Buffer.concat([length, text, ...sections.flatMap((section) => this.index[section])])
    const trailer = Buffer.alloc(trailerBytes)
    trailer.writeBigUInt64BE(BigInt(this.at))
    trailer.writeUInt32BE(index.length, 8)
    magic.copy(trailer, 12)
    this.write(index)
    this.write(trailer)
    fs.fsyncSync(this.descriptor)
    fs.closeSync(this.descriptor)
    if (fs.existsSync(this.file) && !isEndOf(this.file, Buffer.concat([index, trailer]))) {
      fs.rmSync(this.partial)
      throw new Error(`another ${path.basename(this.file)} is there. Find out whose it is, and move it away`)
    }
    fs.renameSync(this.partial, this.file)
    syncFolder(path.dirname(this.file))
    return { bytes: this.at, checksum: createHash("sha256").update(index).digest() }
  }

  private flush(): void {
    if (this.open === undefined) return
    const { key, rows, section } = this.open
    this.open = undefined
    const block = zstdCompressSync(Buffer.from(`${rows.join("\n")}\n`))
    const entry = Buffer.alloc(entryBytes)
    for (const [part, number] of key.entries()) entry.writeBigInt64BE(number, part * 8)
    const behind = keyNumbers * 8
    entry.writeBigUInt64BE(BigInt(this.at), behind)
    entry.writeUInt32BE(block.length, behind + 8)
    entry.writeUInt32BE(rows.length, behind + 12)
    createHash("sha256")
      .update(block)
      .digest()
      .copy(entry, behind + 16, 0, hashBytes)
    this.index[section].push(entry)
    this.write(block)
  }

  private write(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(this.descriptor, bytes, done)
    this.at += bytes.length
  }
}

/** True if a file ends with these bytes. */
const isEndOf = (file: string, end: Buffer): boolean => {
  const descriptor = fs.openSync(file, "r")
  try {
    const { size } = fs.fstatSync(descriptor)
    const own = Buffer.alloc(end.length)
    const read = fs.readSync(descriptor, own, 0, end.length, Math.max(0, size - end.length))
    return read === end.length && own.equals(end)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Makes a rename in a folder last. */
const syncFolder = (folder: string): void => {
  const descriptor = fs.openSync(folder, "r")
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}
