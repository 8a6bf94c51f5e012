/** Lists as CSV (RFC 4180), streamed; safe to open in a spreadsheet. */
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { csvLine, isFormula } from "../../contract/Csv.ts"

export type Cell = string | number | undefined

/** Numbers and telephone numbers (E.164), which a formula may be. */
const harmless = /^(?:-?\d+(?:\.\d+)?|\+[1-9]\d{1,14})$/

/** The text of a cell. Numbers are never formulas. */
const textOf = (cell: Cell = ""): string =>
  typeof cell === "string" && isFormula(cell) && !harmless.test(cell) ? `'${cell}` : String(cell)

/** A line of a file, with its end. */
export const line = (cells: ReadonlyArray<Cell>): string => csvLine(cells.map(textOf))

/** The rows of a page, and the place of the next page (undefined: the last page). */
export interface CsvPage<Place> {
  readonly rows: ReadonlyArray<ReadonlyArray<Cell>>
  readonly next: Place | undefined
}

/** Streams all pages as one answer. Reads a page when the caller has received the previous one; reads the first page at once. */
export const response = <Place, E, R>(
  name: string,
  header: ReadonlyArray<string>,
  read: (place: Place | undefined) => Effect.Effect<CsvPage<Place>, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const first = yield* read(undefined)
    const linesOf = ({ rows }: CsvPage<Place>): string => rows.map(line).join("")
    const rest =
      first.next === undefined
        ? Stream.empty
        : Stream.paginate<Place, string, E, R>(first.next, (place) =>
            Effect.map(read(place), (page) => [
              [linesOf(page)],
              page.next === undefined ? Option.none() : Option.some(page.next)
            ])
          )
    const text = Stream.concat(Stream.make(line(header) + linesOf(first)), rest)
    return HttpServerResponse.stream(Stream.provideContext(Stream.encodeText(text), context), {
      contentType: "text/csv; charset=utf-8",
      headers: { "content-disposition": `attachment; filename="${name}.csv"` }
    })
  })
