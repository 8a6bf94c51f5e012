/** The audit as a caller sees it who is limited to restaurants (contract/operators.md *Audit*). */
import { PgTypes } from "@effect/sql-pg"
import { int8s, texts } from "../../base/database/Values.ts"
import type { DaySpan, Restaurants } from "../../core/protocol/Restaurants.ts"
import { dayStart } from "../../core/rules/Calendar.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { RequestCaller } from "../../desk/access/CurrentCaller.ts"

/** Acts that name no restaurant and no guest: of these a caller sees its own. */
const ownActs = [
  "session.begin",
  "session.end",
  "passkey.add",
  "passkey.rename",
  "passkey.remove",
  "staff.end_sessions",
  "token.create",
  "token.rotate",
  "token.revoke",
  "order.export",
  "redemption.export",
  "audit.export"
]

type Caller = Pick<RequestCaller, "keyId" | "kind" | "name">

/** True for an act of the caller itself. */
export const isOwn = (
  { keyId, kind }: Caller,
  row: { readonly user_id?: string | undefined; readonly token_id?: string | undefined }
): boolean => (kind === "user" ? row.user_id : row.token_id) === keyId

/** The condition of `isOwn`, by an index: of people by their id, of tokens by their name. */
const ownCondition = (caller: Caller, place: (value: PgTypes.Parameter) => string): string => {
  const id = place(PgTypes.text(caller.keyId))
  return caller.kind === "user"
    ? `user_id = ${id}`
    : `actor_name = ${place(PgTypes.text(caller.name))} AND token_id = ${id}`
}

const lowest = 0
const highest = Number.MAX_SAFE_INTEGER

/** The instants of a span's days in a programme's zone, ms. */
const instants = ({ zone }: Program, { from, until }: DaySpan) => ({
  low: from === "" ? lowest : dayStart(zone, Date.parse(from)),
  high: until === undefined ? highest : dayStart(zone, Date.parse(until))
})

interface Asked {
  readonly caller: Caller
  readonly restaurants: Restaurants
  readonly programs: ReadonlyArray<Program>
  /** True: acts of others at the restaurants, too. */
  readonly isOfAll: boolean
  /** The filters as a condition. */
  readonly filters: string
  /** The placeholder of the most entries. */
  readonly limit: string
}

/**
 * The condition of the entries to show, newest first: own acts, and adjustments at the caller's restaurants on its days. Each
 * part reads at most the page's entries of its index.
 */
export const condition = (
  { caller, filters, isOfAll, limit, programs, restaurants }: Asked,
  place: (value: PgTypes.Parameter) => string
): string => {
  const own = ownCondition(caller, place)
  const places = programs.flatMap((program) =>
    [...restaurants.spans].flatMap(([location, spans]) =>
      spans.map((span) => ({ program: program.id, location, ...instants(program, span) }))
    )
  )
  const columns = [
    texts(places.map(({ program }) => program)),
    texts(places.map(({ location }) => location)),
    int8s(places.map(({ low }) => low)),
    int8s(places.map(({ high }) => high))
  ].map(place)
  return `audit_id IN (
      (SELECT audit_id FROM audit WHERE ${own} AND action = ANY (${place(texts(ownActs))}) AND ${filters}
        ORDER BY audit_id DESC LIMIT ${limit})
      UNION ALL (SELECT audit_id FROM unnest(${columns.join(", ")}) p(program, location, low, high)
        JOIN audit ON action = 'member.adjust' AND changes::jsonb #>> '{after,location_id}' = p.location
          AND program_id = p.program AND at >= p.low AND at < p.high
        WHERE ${isOfAll ? "true" : own} AND ${filters} ORDER BY audit_id DESC LIMIT ${limit}))`
}
