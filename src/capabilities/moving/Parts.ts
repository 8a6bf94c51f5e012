/**
 * Divides what files say into parts by guest, so that all of a guest is together and a part fits into memory. The temporary
 * files have no name once they are open, so that they are gone whenever the process ends.
 */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Bounds from "./Bounds.ts"
import type { FileKind } from "./Mapping.ts"

/** A row of a file, as what it says about a guest. */
export interface Piece {
  readonly kind: FileKind
  /** The place of the file among those of the move. */
  readonly file: number
  readonly row: number
  /** The guest's id in the files. */
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** The part of a guest: a hash (FNV-1a) of the key. */
const partOf = (key: string): number => {
  let hash = 0x81_1c_9d_c5
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01_00_01_93)
  return (hash >>> 0) % Bounds.parts
}

class Part {
  private readonly fd: number
  private waiting: Array<string> = []
  private size = 0

  constructor(folder: string, name: string) {
    const file = path.join(folder, name)
    this.fd = fs.openSync(file, "wx+", 0o600)
    fs.unlinkSync(file)
  }

  add(line: string): void {
    this.waiting.push(line)
    this.size += line.length
    if (this.size >= Bounds.partBytes) this.flush()
  }

  private flush(): void {
    if (this.waiting.length > 0) fs.writeSync(this.fd, `${this.waiting.join("\n")}\n`)
    this.waiting = []
    this.size = 0
  }

  lines(): ReadonlyArray<string> {
    this.flush()
    const bytes = Buffer.alloc(fs.fstatSync(this.fd).size)
    for (let at = 0; at < bytes.length; ) at += fs.readSync(this.fd, bytes, at, bytes.length - at, at)
    return bytes.toString("utf8").split("\n").slice(0, -1)
  }

  close(): void {
    fs.closeSync(this.fd)
  }
}

export class Parts {
  private readonly parts: ReadonlyArray<Part>

  constructor(folder: string) {
    this.parts = Array.from({ length: Bounds.parts }, (_, n) => new Part(folder, String(n)))
  }

  add({ file, key, kind, row, value }: Piece): void {
    this.parts[partOf(key)]!.add(JSON.stringify([kind, file, row, key, value]))
  }

  /** The pieces of a part, in the order in which they were added. */
  pieces(part: number): ReadonlyArray<Piece> {
    return this.parts[part]!.lines().map((line): Piece => {
      const [kind, file, row, key, value] = JSON.parse(line)
      return { kind, file, row, key, value }
    })
  }

  close(): void {
    for (const part of this.parts) part.close()
  }
}

/** Empty parts, until the scope closes. */
export const make = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-move-"))
    try {
      return new Parts(folder)
    } finally {
      fs.rmdirSync(folder)
    }
  }),
  (parts) => Effect.sync(() => parts.close())
)
