/** Splits the rows of a file into parts that the service takes. Their rows keep their numbers. */
import { maxRows } from "../../contract/platform/Imports.ts"
import type { Cells } from "./mapping.ts"
import { isBlank } from "./mapping.ts"

/** Most rows and bytes of a file: it is read in the browser, and its parts are sent one after the other. */
export const maxFileRows = 50_000
export const maxFileBytes = 25_000_000

/** The columns that a member is named by. An identity is its three columns together. */
const naming = [["member_id"], ["external_id"], ["identity_type", "identity_value", "identity_issuer"]] as const

/** The names of the members of rows. */
const namesOf = (header: Cells): ((cells: Cells) => Cells) => {
  const places = naming.map((columns) => columns.map((column) => header.indexOf(column)))
  return (cells) =>
    places.flatMap((columns, kind) => {
      const name = columns.map((place) => cells[place] ?? "")
      return name.every((part) => part === "") ? [] : [JSON.stringify([kind, ...name])]
    })
}

/** The places of rows with text, with those of the same member together, in the order of their first rows. */
const membersOf = (all: ReadonlyArray<Cells>, head: number): ReadonlyArray<ReadonlyArray<number>> => {
  const names = namesOf(all[head] ?? [])
  const before = all.map((_, place) => place)
  const firstOf = (place: number): number => {
    const earlier = before[place] ?? place
    return earlier === place ? place : firstOf(earlier)
  }
  const named = new Map<string, number>()
  const rows = all.flatMap((cells, place) => (place === head || isBlank(cells) ? [] : [place]))
  for (const place of rows) {
    for (const name of names(all[place] ?? [])) {
      const known = named.get(name)
      if (known === undefined) named.set(name, place)
      else {
        const [one, other] = [firstOf(known), firstOf(place)]
        before[Math.max(one, other)] = Math.min(one, other)
      }
    }
  }
  return [...Map.groupBy(rows, firstOf).values()]
}

/**
 * The lines of each part. All of them have the header, and blank lines instead of the rows of other parts, so that the
 * service counts their rows as the file does. The rows of one member are in one part, so that it is told of them.
 */
export const split = (
  all: ReadonlyArray<Cells>,
  lines: ReadonlyArray<string>,
  maxBytes: number
): ReadonlyArray<{ readonly text: string; readonly rows: number }> => {
  const head = all.findIndex((cells) => !isBlank(cells))
  const sizes = lines.map((line) => new TextEncoder().encode(line).length)
  const sizeOf = (places: ReadonlyArray<number>): number => places.reduce((sum, place) => sum + (sizes[place] ?? 0), 0)
  const blank = "\r\n"
  const most = maxBytes - (sizes[head] ?? 0) - all.length * blank.length
  const parts: Array<Array<number>> = []
  let bytes = 0
  const add = (places: ReadonlyArray<number>): void => {
    const last = parts.at(-1)
    const size = sizeOf(places)
    if (last === undefined || last.length + places.length > maxRows || bytes + size > most) {
      parts.push([...places])
      bytes = size
    } else {
      last.push(...places)
      bytes += size
    }
  }
  for (const places of membersOf(all, head)) {
    if (places.length <= maxRows && sizeOf(places) <= most) add(places)
    else for (const place of places) add([place])
  }
  return parts.map((places) => {
    const own = new Set([head, ...places])
    const end = Math.max(...own) + 1
    const text = lines.slice(0, end).map((line, place) => (own.has(place) ? line : blank))
    return { text: text.join(""), rows: places.length }
  })
}
