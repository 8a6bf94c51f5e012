/**
 * Divides rows into parts by their keys, so that all of a guest or an order is together and a part fits into memory. The temporary
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

/** The part of a key: a hash (FNV-1a) of the key. */
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

/** The form in which rows are in the files: lines. */
export interface Kept<Row> {
  readonly keyOf: (row: Row) => string
  readonly toLine: (row: Row) => string
  readonly fromLine: (line: string) => Row
}

/** Rows as JSON of their values, without names: there are millions. */
export const keptAs = <Row, Values extends ReadonlyArray<unknown>>(
  keyOf: (row: Row) => string,
  write: (row: Row) => Values,
  read: (values: Values) => Row
): Kept<Row> => ({
  keyOf,
  toLine: (row) => JSON.stringify(write(row)),
  // This process wrote it.
  fromLine: (line) => read(JSON.parse(line) as Values)
})

export class Parts<Row> {
  private readonly parts: ReadonlyArray<Part>
  private readonly kept: Kept<Row>

  constructor(folder: string, kept: Kept<Row>) {
    this.parts = Array.from({ length: Bounds.parts }, (_, n) => new Part(folder, String(n)))
    this.kept = kept
  }

  add(row: Row): void {
    this.parts[partOf(this.kept.keyOf(row))]!.add(this.kept.toLine(row))
  }

  /** The rows of a part, in the order in which they were added. */
  rows(part: number): ReadonlyArray<Row> {
    return this.parts[part]!.lines().map(this.kept.fromLine)
  }

  close(): void {
    for (const part of this.parts) part.close()
  }
}

/** Empty parts, until the scope closes. */
export const make = <Row>(kept: Kept<Row>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-move-"))
      try {
        return new Parts(folder, kept)
      } finally {
        fs.rmdirSync(folder)
      }
    }),
    (parts) => Effect.sync(() => parts.close())
  )

/** Pieces by their guests. */
export const pieces = keptAs(
  ({ key }: Piece) => key,
  ({ file, key, kind, row, value }) => [kind, file, row, key, value] as const,
  ([kind, file, row, key, value]): Piece => ({ kind, file, row, key, value })
)
