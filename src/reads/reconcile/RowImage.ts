/**
 * Builds rows in PostgreSQL's binary format (`record_send`) from the journal.
 * Two rows are equal if and only if their images are, NULLs included. Neither side
 * has to convert numbers and times to text for the comparison.
 */
import { Schema } from "effect"

/** OIDs of PostgreSQL's own types. */
const type = { bool: 16, int8: 20, text: 25, timestamptz: 1184 } as const

/** OIDs of this database's enums; they differ between databases. */
export const EnumTypes = Schema.Struct({
  ledger_operation: Schema.Number,
  unit: Schema.Number,
  classification: Schema.Number,
  issued_reward_status: Schema.Number
})
export type EnumTypes = typeof EnumTypes.Type

/** PostgreSQL's epoch, 2000-01-01T00:00:00Z, ms. */
const epochMs = 946_684_800_000
const twoTo32 = 2 ** 32
/** Bytes before a column's value: OID and length. A null column has no more. */
const headBytes = 8

/** The concatenated images of some rows; cleared for each account. */
export class RowImages {
  private bytes = Buffer.alloc(1 << 16)
  private view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
  private length = 0
  rows = 0

  clear(): void {
    this.length = 0
    this.rows = 0
  }

  /** Begins a row; write its columns in order afterwards. */
  row(columns: number): void {
    this.ensure(4)
    this.view.setInt32(this.length, columns)
    this.length += 4
    this.rows++
  }

  int8(value: number | undefined): void {
    this.writeInt64(type.int8, value)
  }

  timestamp(ms: number | undefined): void {
    this.writeInt64(type.timestamptz, ms === undefined ? undefined : (ms - epochMs) * 1000)
  }

  text(value: string | undefined): void {
    this.label(type.text, value)
  }

  bool(value: boolean | undefined): void {
    this.writeHead(type.bool, value === undefined ? -1 : 1, 1)
    if (value !== undefined) this.bytes[this.length++] = value ? 1 : 0
  }

  /** Text with the OID of its type, for enums. */
  label(oid: number, value: string | undefined): void {
    if (value === undefined) return this.writeHead(oid, -1, 0)
    const chars = value.length
    this.writeHead(oid, chars, chars * 3)
    const { bytes, length } = this
    for (let at = 0; at < chars; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return this.writeUtf8(value)
      bytes[length + at] = code
    }
    this.length = length + chars
  }

  matches(found: Uint8Array): boolean {
    return found.length === this.length && this.bytes.compare(found, 0, found.length, 0, this.length) === 0
  }

  /** The images so far; valid until the next `clear`. */
  get image(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  /** Writes text with characters above ASCII, and corrects the length before it. */
  private writeUtf8(value: string): void {
    const written = this.bytes.write(value, this.length, "utf8")
    this.view.setInt32(this.length - 4, written)
    this.length += written
  }

  private writeInt64(oid: number, value: number | undefined): void {
    if (value === undefined) return this.writeHead(oid, -1, 0)
    this.writeHead(oid, 8, 8)
    this.view.setInt32(this.length, Math.floor(value / twoTo32))
    // setUint32 takes any integer modulo 2^32, also a negative one.
    this.view.setUint32(this.length + 4, value)
    this.length += 8
  }

  private writeHead(oid: number, size: number, room: number): void {
    this.ensure(headBytes + room)
    this.view.setInt32(this.length, oid)
    this.view.setInt32(this.length + 4, size)
    this.length += headBytes
  }

  private ensure(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const grown = Buffer.alloc(2 * (this.bytes.length + more))
    this.bytes.copy(grown, 0, 0, this.length)
    this.bytes = grown
    this.view = new DataView(grown.buffer, grown.byteOffset, grown.length)
  }
}

const valueOf = (oid: number, bytes: Buffer): string => {
  switch (oid) {
    case type.int8:
      return bytes.readBigInt64BE().toString()
    case type.bool:
      return String(bytes[0] === 1)
    case type.timestamptz: {
      const at = new Date(epochMs + Number(bytes.readBigInt64BE()) / 1000)
      return Number.isNaN(at.getTime()) ? "a time out of range" : at.toISOString()
    }
    default:
      return bytes.toString("utf8")
  }
}

/** The rows of images, each column as text, null as undefined: for messages. */
export const read = (images: Uint8Array): ReadonlyArray<ReadonlyArray<string | undefined>> => {
  const bytes = Buffer.from(images.buffer, images.byteOffset, images.length)
  const rows: Array<ReadonlyArray<string | undefined>> = []
  for (let at = 0; at < bytes.length; ) {
    const columns = bytes.readInt32BE(at)
    at += 4
    const row: Array<string | undefined> = []
    for (let column = 0; column < columns; column++) {
      const oid = bytes.readInt32BE(at)
      const size = bytes.readInt32BE(at + 4)
      at += headBytes
      row.push(size < 0 ? undefined : valueOf(oid, bytes.subarray(at, at + size)))
      at += Math.max(0, size)
    }
    rows.push(row)
  }
  return rows
}

/** The columns of a row that differ, with both values. */
const differingColumns = (
  columns: ReadonlyArray<string>,
  found: ReadonlyArray<string | undefined>,
  wanted: ReadonlyArray<string | undefined>
): string =>
  columns
    .flatMap((column, index) =>
      found[index] === wanted[index]
        ? []
        : [`${column} is ${found[index] ?? "null"}; the journal says ${wanted[index] ?? "null"}`]
    )
    .join(", ")

/** Rows that differ between two images, by their first column; at most `limit`. */
export const differing = (
  columns: ReadonlyArray<string>,
  expected: Uint8Array,
  found: Uint8Array,
  limit: number
): ReadonlyArray<readonly [key: string, message: string]> => {
  const byKey = new Map(read(expected).map((row) => [row[0] ?? "", row]))
  const all: Array<readonly [string, string]> = []
  for (const row of read(found)) {
    const key = row[0] ?? ""
    const wanted = byKey.get(key)
    byKey.delete(key)
    const differs = wanted === undefined ? "" : differingColumns(columns, row, wanted)
    if (wanted === undefined) all.push([key, "exists; the journal has no event for it"])
    else if (differs !== "") all.push([key, differs])
  }
  for (const key of byKey.keys()) all.push([key, "is missing"])
  return all.slice(0, limit)
}
