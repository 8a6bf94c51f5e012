/**
 * The layout of a span's file (contract/databases.md *Archive*): three sections of compressed blocks, an index of the blocks, and
 * a trailer that says where the index is. Later versions read it.
 *
 * - `records` and `entries` have the rows of the two tables by (account, seq) and (account, n). A row is a line of JSON: an
 *   array with the text of each column.
 * - `order` has [epoch, transaction, account, seq] of each record in the feed's order.
 */
import { Schema } from "effect"

export const format = 1

export const sections = ["records", "entries", "order"] as const
export type Section = (typeof sections)[number]

/** The first and the last bytes of a file. */
export const magic = Buffer.from("LBSPAN1\n", "latin1")

/**
 * A block's rows before compression have about so many bytes: some 100 records. A read of one record decompresses one block. Smaller
 * ones make the index larger, which an open file keeps in memory.
 */
export const blockBytes = 128 * 1024

/** Offset (8 bytes) and length (4 bytes) of the index, and `magic`. */
export const trailerBytes = 8 + 4 + magic.length

/** A row of the index: four key numbers of the block's first row, offset, length, rows, and the start of its SHA-256. */
export const keyNumbers = 4
export const hashBytes = 16
export const entryBytes = keyNumbers * 8 + 8 + 4 + 4 + hashBytes

/** A row's place in its section; what a section does not need is 0. */
export type Key = readonly [bigint, bigint, bigint, bigint]

export const keyOf = (...[a, b = 0n, c = 0n, d = 0n]: readonly [bigint, bigint?, bigint?, bigint?]): Key => [a, b, c, d]

/** True if `one` comes before `other`. */
export const isBefore = (one: Key, other: Key): boolean => {
  for (let part = 0; part < keyNumbers; part++) if (one[part] !== other[part]) return one[part]! < other[part]!
  return false
}

/** The index begins with this, as JSON after its length (4 bytes). */
export const Header = Schema.Struct({
  format: Schema.Literal(format),
  span: Schema.Number,
  /** YYYY-MM in which the span began. */
  month: Schema.String,
  /** Keyed hash that is another one in every database. */
  database: Schema.String,
  /** The seal of the span. */
  seal: Schema.String,
  columns: Schema.Struct({ records: Schema.Array(Schema.String), entries: Schema.Array(Schema.String) }),
  rows: Schema.Struct({ records: Schema.Number, entries: Schema.Number, order: Schema.Number }),
  blocks: Schema.Struct({ records: Schema.Number, entries: Schema.Number, order: Schema.Number })
})
export type Header = typeof Header.Type
