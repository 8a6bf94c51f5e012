/** Pages of lists. Cursors are opaque and sealed, so that a changed cursor, or one of other filters, is refused. */
import { Effect } from "effect"
import { defaultLimit } from "../../contract/admin/Endpoint.ts"
import type { Refused } from "../../contract/Refused.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { refuse } from "./Refusal.ts"

/** The query parameters that every list has (`page` of the contract). */
export interface PageQuery {
  readonly cursor?: string | undefined
  readonly limit?: string | undefined
}

export interface Page {
  /** Number of rows to show. Read one more row to know whether there is a next page. */
  readonly limit: number
  /** The place of the previous page's last row (`placeOf`); undefined on the first page. */
  readonly after: string | undefined
}

const seal = (claimKey: ClaimKey, filters: unknown, place: string): string =>
  claimKey("page", JSON.stringify(filters), place).replaceAll("-", "")

/** The cursor for the page that begins after the row at `place`. */
const cursorAt = (claimKey: ClaimKey, filters: unknown, place: string): string =>
  `${Buffer.from(place).toString("base64url")}.${seal(claimKey, filters, place)}`

/** The page that a query asks for; `filters`: the list's name and its filters as received, without cursor and limit. */
export const pageOf = (
  claimKey: ClaimKey,
  filters: unknown,
  { cursor, limit }: PageQuery
): Effect.Effect<Page, Refused> => {
  const page = { limit: limit === undefined ? defaultLimit : Number(limit), after: undefined }
  if (cursor === undefined) return Effect.succeed(page)
  const [, text = "", sealed] = /^([\w-]+)\.([0-9a-f]{32})$/.exec(cursor) ?? []
  const after = Buffer.from(text, "base64url").toString()
  return sealed === seal(claimKey, filters, after)
    ? Effect.succeed({ ...page, after })
    : refuse(
        "invalid_cursor",
        "The cursor does not belong to this list. Use next_cursor of the previous page, with the same filters."
      )
}

/**
 * The rows of a page, and the cursor for the next page if there are more rows. `placeOf` returns a row's place. `reached`: the
 * place where the search for rows ended before there were enough.
 */
export const paged = <Row>(
  claimKey: ClaimKey,
  filters: unknown,
  { limit }: Page,
  rows: ReadonlyArray<Row>,
  placeOf: (row: Row) => string,
  reached?: string
): { readonly rows: ReadonlyArray<Row>; readonly next_cursor?: string } => {
  const last = rows[limit - 1]
  const place = rows.length <= limit || last === undefined ? reached : placeOf(last)
  if (place === undefined) return { rows }
  return { rows: rows.slice(0, limit), next_cursor: cursorAt(claimKey, filters, place) }
}
