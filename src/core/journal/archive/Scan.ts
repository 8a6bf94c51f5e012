/** Rows of a span's file between two places of their key. */
import { Effect } from "effect"
import type { Section } from "./Sections.ts"
import { keyOf } from "./Sections.ts"
import type { ArchiveFault, SpanFile } from "./SpanFile.ts"

/** A row's columns by name, as text; null is SQL's null. */
export type Row = Readonly<Record<string, string | null>>

export type Places = Exclude<Section, "order">

/** A row's place, with the names of its key. */
const placeNames = { records: "seq", entries: "n" } as const

/** An account, and the seq of a record or the n of an entry. */
export type Place = readonly [account: number, place: bigint]

const isAfter = ([account, place]: Place, other: Place): boolean =>
  account > other[0] || (account === other[0] && place > other[1])

/** A section that is read block by block. `block` gives a block's rows. */
export interface Blocks {
  readonly file: SpanFile
  readonly section: Places
  readonly block: (index: number) => Effect.Effect<ReadonlyArray<string>, ArchiveFault>
}

/** The rows from one place to another, both included; at most `limit`. */
export const between = Effect.fnUntraced(function* (
  { block, file, section }: Blocks,
  first: Place,
  last: Place,
  limit = Infinity
) {
  const columns = file.header.columns[section]
  const [ofAccount, ofPlace] = [columns.indexOf("account"), columns.indexOf(placeNames[section])]
  const found: Array<Row> = []
  const begin = Math.max(0, file.blockOf(section, keyOf(BigInt(first[0]), first[1])))
  for (let index = begin; index < file.blocks(section); index++) {
    const rows = yield* block(index)
    const rowAt = (row: number) => {
      const values = JSON.parse(rows[row]!) as ReadonlyArray<string | null>
      return { values, place: [Number(values[ofAccount]), BigInt(values[ofPlace] ?? 0)] as Place }
    }
    let low = 0
    for (let high = rows.length; low < high; ) {
      const middle = Math.floor((low + high) / 2)
      if (isAfter(first, rowAt(middle).place)) low = middle + 1
      else high = middle
    }
    for (let row = low; row < rows.length; row++) {
      const { place, values } = rowAt(row)
      if (isAfter(place, last) || found.length >= limit) return found
      found.push(Object.fromEntries(columns.map((name, column) => [name, values[column] ?? null])))
    }
  }
  return found
})
