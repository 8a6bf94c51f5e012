/** Mappings of files by their first rows: suggested ones, and those of files whose columns have the names of fields. */
import { Effect, Stream } from "effect"
import * as path from "node:path"
import * as Bounds from "./Bounds.ts"
import type { Row } from "./FileRows.ts"
import * as FileRows from "./FileRows.ts"
import type { Mapping, SaidMapping } from "./Mapping.ts"
import { targetOf } from "./Mapping.ts"
import { suggest } from "./Suggestion.ts"

const sampled = Effect.fnUntraced(function* (file: string) {
  const { format, rows, separator } = yield* FileRows.open(file, {})
  const taken: Array<Row> = []
  yield* Stream.runForEach(
    Stream.takeUntil(rows, (more) => {
      taken.push(...more)
      return taken.length >= Bounds.sampledRows
    }),
    () => Effect.void
  )
  return { format, separator, rows: taken.slice(0, Bounds.sampledRows) }
})

const suggestedOf = (file: string) =>
  Effect.map(sampled(file), (sample) => suggest(path.basename(file), sample.rows, sample))

/** A mapping of files for a person to correct. */
export const suggested = (files: ReadonlyArray<string>) =>
  Effect.map(Effect.forEach(files, suggestedOf), (all): Mapping => ({ version: 1, files: all }))

/** The mapping of a file whose columns have the names of fields. Other columns are missing in it. */
export const named = (file: string) =>
  Effect.map(suggestedOf(file), (found): SaidMapping => {
    const { dates: _dates, thousands: _thousands, ...mapping } = found
    // Columns of guests alone may tell nothing of guests; others are faults.
    const holds = found.holds ?? "guests"
    const isField = (name: string): boolean => targetOf(holds, name) !== undefined
    return {
      ...{ ...mapping, holds },
      columns: Object.fromEntries(
        Object.keys(found.columns)
          .filter(isField)
          .map((name) => [name, name])
      )
    }
  })
