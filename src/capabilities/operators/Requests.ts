/** The request log, as developers read it (contract/operators.md *Request log*). */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { LoggedRequest } from "../../contract/admin/Requests.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { CurrentCaller, mayUseAll } from "../../desk/access/CurrentCaller.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import type { RecentRequest } from "./RecentRequests.ts"
import { RecentRequests } from "./RecentRequests.ts"

interface Filters {
  readonly status?: string | undefined
  readonly code?: string | undefined
  readonly operation?: string | undefined
  readonly caller?: string | undefined
  readonly request_id?: string | undefined
  readonly console?: "true" | "false" | undefined
}

export const isChosen =
  ({ caller, code, console, operation, request_id, status }: Filters) =>
  (one: RecentRequest): boolean =>
    (console === undefined || (console === "true") === one.isOfConsole) &&
    (status === undefined || (status.endsWith("xx") ? `${one.status}`[0] === status[0] : `${one.status}` === status)) &&
    (code === undefined || one.code === code) &&
    (operation === undefined || one.operation === operation) &&
    (caller === undefined || one.caller?.name.toLowerCase().includes(caller.toLowerCase()) === true) &&
    (request_id === undefined || one.requestId === request_id || one.contextId === request_id)

/** The programmes that a request concerns, by itself or by its caller; undefined: all. */
const programsOf = ({ caller, program }: RecentRequest): ReadonlyArray<string> | undefined =>
  program === undefined ? caller?.programs && [...caller.programs] : [program]

const shown = (one: RecentRequest): LoggedRequest => {
  const { at, caller, code, contextId, entries, method, ms, operation, program, requestId, reservation, route } = one
  return {
    at: fromMillis(at),
    request_id: requestId,
    method,
    ...(route === undefined ? undefined : { route }),
    operation,
    status: one.status,
    ...(code === undefined ? undefined : { code }),
    ...(one.pointer === undefined ? undefined : { pointer: one.pointer }),
    ...(one.scope === undefined ? undefined : { scope: one.scope }),
    ms: Math.round(ms * 10) / 10,
    ...(caller === undefined ? undefined : { caller: { kind: caller.kind, name: caller.name } }),
    ...(program === undefined ? undefined : { program_id: program }),
    ...(one.traceId === undefined ? undefined : { trace_id: one.traceId }),
    ...(contextId === undefined ? undefined : { context_request_id: contextId }),
    ...(entries === undefined ? undefined : { entries }),
    ...(reservation === undefined ? undefined : { reservation_id: reservation })
  }
}

export const layer = HttpApiBuilder.group(AdminApi, "requests", (handlers) =>
  Effect.gen(function* () {
    const ring = yield* RecentRequests
    const { claimKey } = yield* Journal
    return handlers.handle("requests", ({ query }) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        const { cursor, limit, ...filters } = query
        // Numbers of another process would name other requests here.
        const place = { list: "requests", of: ring.id, ...filters }
        const page = yield* pageOf(claimKey, place, { cursor, limit })
        const isFound = isChosen(filters)
        const isWanted = (one: RecentRequest) => isFound(one) && mayUseAll(caller, programsOf(one))
        const found = ring.newest(isWanted, page.limit + 1, page.after === undefined ? undefined : Number(page.after))
        const { next_cursor, rows } = paged(claimKey, place, page, found, ({ number }) => String(number))
        return {
          kept_from: fromMillis(ring.keptFrom),
          requests: rows.map(({ request }) => shown(request)),
          ...(next_cursor === undefined ? undefined : { next_cursor })
        }
      })
    )
  })
)
