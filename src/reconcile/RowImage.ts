/**
 * Rows as PostgreSQL's own binary image of them (`record_send`), put together
 * here from what the journal says. Two rows are alike exactly when their images
 * are, NULL and all, whatever text is in them; and neither side has to turn
 * numbers and times into text to find out.
 */

/** Type numbers of PostgreSQL's own types. */
const type = { bool: 16, int8: 20, text: 25, timestamptz: 1184 } as const

/** Type numbers of this database's enums, which each database gives its own. */
export interface EnumTypes {
  readonly ledger_operation: number
  readonly unit: number
  readonly classification: number
  readonly issued_reward_status: number
}

/** 2000-01-01T00:00:00Z, from which PostgreSQL counts, ms. */
const epochMs = 946_684_800_000
const twoTo32 = 2 ** 32
/** Bytes of a null column, and of any other before its value. */
const headBytes = 8

/** The images of some rows, one behind the other; made anew for each account. */
export class RowImages {
  private bytes = Buffer.alloc(1 << 16)
  private view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length)
  private length = 0
  rows = 0

  clear(): void {
    this.length = 0
    this.rows = 0
  }

  /** Begins a row of so many columns, which follow in their order. */
  row(columns: number): void {
    this.ensure(4)
    this.view.setInt32(this.length, columns)
    this.length += 4
    this.rows++
  }

  int8(value: number | undefined): void {
    this.long(type.int8, value)
  }

  timestamp(ms: number | undefined): void {
    this.long(type.timestamptz, ms === undefined ? undefined : (ms - epochMs) * 1000)
  }

  text(value: string | undefined): void {
    this.label(type.text, value)
  }

  bool(value: boolean | undefined): void {
    this.head(type.bool, value === undefined ? -1 : 1, 1)
    if (value !== undefined) this.bytes[this.length++] = value ? 1 : 0
  }

  /** Text under a type of its own, as enums are. */
  label(oid: number, value: string | undefined): void {
    if (value === undefined) return this.head(oid, -1, 0)
    const chars = value.length
    this.head(oid, chars, chars * 3)
    const { bytes, length } = this
    for (let at = 0; at < chars; at++) {
      const code = value.charCodeAt(at)
      if (code > 127) return this.wide(value)
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

  /** Writes text that is not plain ASCII, the length before it. */
  private wide(value: string): void {
    const written = this.bytes.write(value, this.length, "utf8")
    this.view.setInt32(this.length - 4, written)
    this.length += written
  }

  private long(oid: number, value: number | undefined): void {
    if (value === undefined) return this.head(oid, -1, 0)
    this.head(oid, 8, 8)
    this.view.setInt32(this.length, Math.floor(value / twoTo32))
    // Takes a whole number modulo 2^32, a negative one too.
    this.view.setUint32(this.length + 4, value)
    this.length += 8
  }

  private head(oid: number, size: number, room: number): void {
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
      return Number.isNaN(at.getTime()) ? "a time beyond all calendars" : at.toISOString()
    }
    default:
      return bytes.toString("utf8")
  }
}

/** The rows of images, each column as text, null as undefined: for telling people what differs. */
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
