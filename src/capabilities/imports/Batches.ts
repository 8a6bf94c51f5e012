/** Batches of an import's rows. Pure. */
import type { ImportRow } from "../../contract/platform/Imports.ts"
import * as Bounds from "./Bounds.ts"
import { namesOf } from "./ImportRows.ts"

/** Divides rows into batches that run one after the other. Rows that name the same member are in different batches. */
export const batchesOf = <Row extends { readonly value: ImportRow }>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<ReadonlyArray<Row>> => {
  const batches: Array<Array<Row>> = []
  let named = new Set<string>()
  for (const one of rows) {
    const names = namesOf(one.value)
    const last = batches.at(-1)
    if (last === undefined || last.length === Bounds.importBatch || names.some((name) => named.has(name))) {
      batches.push([one])
      named = new Set(names)
    } else {
      last.push(one)
      for (const name of names) named.add(name)
    }
  }
  return batches
}
