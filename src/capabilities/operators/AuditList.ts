/** The operators' reads of the audit: pages, newest first, and one CSV file. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool } from "../../base/database/Pools.ts"
import { int8, optional, rowsOf, texts } from "../../base/database/Values.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import { AuditActor, AuditEntry } from "../../contract/admin/Audit.ts"
import type { Refused } from "../../contract/Refused.ts"
import { roles } from "../../contract/Roles.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { fromMillis, toMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import * as Bounds from "../../desk/surface/Bounds.ts"
import * as Csv from "../../desk/surface/Csv.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as LimitedAudit from "./LimitedAudit.ts"

const mayReadAll = ({ scopes }: { readonly scopes: ReadonlySet<Scope> }): boolean =>
  scopes.has("audit:read") || scopes.has("admin:read")

interface Filters {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  readonly subject?: string | undefined
  readonly from?: string | undefined
  readonly until?: string | undefined
}

type Entry = typeof AuditEntry.Type

const columns = `audit_id, at, actor_kind, actor_name, token_id, user_id, role, action, subject_type, subject_id, program_id,
  changes::json AS changes, reason, source_ip, request_id`

const Row = Schema.Struct({
  audit_id: Schema.Number,
  at: Schema.Number,
  actor_kind: AuditActor.fields.kind,
  actor_name: Schema.String,
  token_id: optional(Schema.String),
  user_id: optional(Schema.String),
  role: optional(Schema.Literals(roles)),
  action: Schema.String,
  subject_type: Schema.String,
  subject_id: Schema.String,
  program_id: optional(Schema.String),
  changes: optional(AuditEntry.fields.changes.schema),
  reason: optional(Schema.String),
  source_ip: optional(Schema.String),
  request_id: optional(Schema.String)
})
type Row = typeof Row.Type

const rowsRead = rowsOf(Row)

/** The names of actors that contain a text, in any case. They are few: each takes one look into the index of actors. */
const actorsWith = `WITH RECURSIVE actors AS (
    (SELECT actor_name FROM audit ORDER BY actor_name LIMIT 1)
    UNION ALL SELECT (SELECT a.actor_name FROM audit a WHERE a.actor_name > before.actor_name ORDER BY a.actor_name LIMIT 1)
      FROM actors before WHERE before.actor_name IS NOT NULL
  ) SELECT actor_name FROM actors WHERE strpos(lower(actor_name), lower(?)) > 0`

/** Reads entries before one, newest first. Unused filters add no condition, so that each list can use its index. */
const read = (
  programs: Programs["Service"],
  filters: Filters,
  before: string | undefined,
  limit: number
): Effect.Effect<ReadonlyArray<Row>, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const caller = yield* CurrentCaller
    const { keyId, restaurants } = caller
    const { action, actor, from, subject, until } = filters
    const parameters: Array<unknown> = []
    const place = (parameter: unknown): string => `$${parameters.push(parameter)}`
    const conditions: Array<string> = []
    const where = (condition: string, parameter: unknown) => {
      conditions.push(condition.replace("?", place(parameter)))
    }
    if (before !== undefined) where("audit_id < ?", int8(Number(before)))
    if (actor !== undefined) where(`actor_name = ANY (ARRAY(${actorsWith}))`, actor)
    if (action !== undefined) where("action = ?", action)
    if (subject !== undefined) where("subject_id = ?", subject)
    if (from !== undefined) where("at >= ?", int8(toMillis(from)))
    if (until !== undefined) where("at < ?", int8(toMillis(until)))
    // A caller with `audit:own` alone.
    const isOfAll = mayReadAll(caller)
    if (!isOfAll && restaurants === undefined) where("coalesce(user_id, token_id) = ?", keyId)
    // Own acts of a caller that is limited to restaurants have no programme.
    if (caller.programs !== undefined && restaurants === undefined)
      where("program_id = ANY (?)", texts([...caller.programs]))
    const all = conditions.length === 0 ? "true" : conditions.join(" AND ")
    const most = place(int8(limit))
    const shown =
      restaurants === undefined
        ? all
        : LimitedAudit.condition(
            {
              caller,
              restaurants,
              programs: Visible.programsOf(programs, caller),
              isOfAll,
              filters: all,
              limit: most
            },
            place
          )
    const rows = yield* rowsRead(
      query(`SELECT ${columns} FROM audit WHERE ${shown} ORDER BY audit.audit_id DESC LIMIT ${most}`, parameters)
    )
    return restaurants === undefined ? rows : rows.map((row) => (LimitedAudit.isOwn(caller, row) ? row : ofOther(row)))
  })

/** Where others work from is none of a restaurant's business. */
const ofOther = (row: Row): Row => ({ ...row, request_id: undefined, source_ip: undefined })

/** $4: true if the caller may see guests' names. */
const namesStatement = `SELECT s.type, s.id, s.program, coalesce(t.name, c.name, g.name, n.name, l.name, p.display_name) AS name
  FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[])) AS s(type, id, program)
    LEFT JOIN tokens t ON s.type = 'token' AND t.token_id = s.id
    LEFT JOIN campaigns c ON s.type = 'campaign' AND c.campaign_id = s.id
    LEFT JOIN segments g ON s.type = 'segment' AND g.segment_id = s.id
    LEFT JOIN connectors n ON s.type = 'connector' AND n.connector_id = s.id
    LEFT JOIN locations l ON s.type = 'location' AND l.location_id = s.id
    LEFT JOIN accounts a ON $4 AND s.type = 'member' AND a.program_id = s.program AND a.member_id = s.id
    LEFT JOIN profiles p ON p.account = a.number`

const nameRows = rowsOf(
  Schema.Struct({
    type: Schema.String,
    id: Schema.String,
    program: optional(Schema.String),
    name: optional(Schema.String)
  })
)

const keyOf = (type: string, id: string, program = ""): string => `${type} ${program} ${id}`

/** The present names of what entries are about. */
const namesOf = (rows: ReadonlyArray<Row>): Effect.Effect<Names, Refused, PeoplePool | CurrentCaller> =>
  Effect.gen(function* () {
    const { query } = yield* PeoplePool
    const { restaurants, scopes } = yield* CurrentCaller
    const subjects = [
      rows.map(({ subject_type }) => subject_type),
      rows.map(({ subject_id }) => subject_id),
      rows.map(({ program_id = null }) => program_id)
    ].map(texts)
    // Restaurants know guests by their ids.
    const seesGuests = PgTypes.bool(
      restaurants === undefined && (scopes.has("members:read") || scopes.has("admin:read"))
    )
    const found = yield* nameRows(query(namesStatement, [...subjects, seesGuests]))
    return new Map(found.map(({ id, name, program, type }) => [keyOf(type, id, program), name]))
  })

type Names = ReadonlyMap<string, string | undefined>

/** An entry in the contract's form, without undefined properties. */
const entryOf = (row: Row, names?: Names): Entry => {
  const name = names?.get(keyOf(row.subject_type, row.subject_id, row.program_id))
  const { action, actor_kind, actor_name, at, audit_id, role, subject_id, subject_type, token_id, user_id, ...others } =
    row
  return {
    audit_id: `aud_${audit_id}`,
    at: fromMillis(at),
    actor: {
      kind: actor_kind,
      name: actor_name,
      ...(token_id === undefined ? undefined : { token_id }),
      ...(user_id === undefined ? undefined : { user_id }),
      ...(role === undefined ? undefined : { role })
    },
    action,
    subject: { type: subject_type, id: subject_id, ...(name === undefined ? undefined : { name }) },
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined))
  }
}

const header = ["audit_id", "at", "actor_kind", "actor_name", "token_id", "action", "subject_type", "subject_id"]
const moreHeader = ["program_id", "before", "after", "reason", "source_ip", "request_id", "user_id", "role"]

const jsonOf = (value: unknown): string | undefined => (value === undefined ? undefined : JSON.stringify(value))

const cellsOf = (row: Row): ReadonlyArray<Csv.Cell> => {
  const { action, actor, at, audit_id, changes, program_id, reason, request_id, source_ip, subject } = entryOf(row)
  const first = [audit_id, at, actor.kind, actor.name, actor.token_id, action, subject.type, subject.id]
  const { user_id, role } = actor
  return [
    ...first,
    program_id,
    jsonOf(changes?.before),
    jsonOf(changes?.after),
    reason,
    source_ip,
    request_id,
    user_id,
    role
  ]
}

const placeOf = ({ audit_id }: Row): string => String(audit_id)

export const layer = HttpApiBuilder.group(AdminApi, "audit", (handlers) =>
  Effect.gen(function* () {
    const { claimKey } = yield* Journal
    const programs = yield* Programs
    const database = yield* PeoplePool
    const list = Effect.fnUntraced(function* (
      filters: Filters,
      page: { readonly cursor?: string; readonly limit?: string }
    ) {
      const caller = yield* CurrentCaller
      const named = ["audit", filters, [...(caller.programs ?? [])], caller.restaurants?.limits]
      const asked = yield* pageOf(claimKey, named, page)
      const found = paged(claimKey, named, asked, yield* read(programs, filters, asked.after, asked.limit + 1), placeOf)
      const names = yield* namesOf(found.rows)
      return { ...found, entries: found.rows.map((row) => entryOf(row, names)) }
    })
    const csvPage = (filters: Filters) => (before: string | undefined) =>
      Effect.map(read(programs, filters, before, Bounds.csvPage), (rows) => ({
        rows: rows.map(cellsOf),
        next: rows.length < Bounds.csvPage ? undefined : placeOf(rows[rows.length - 1]!)
      }))
    return handlers
      .handle("audit", ({ query: { cursor, limit, ...filters } }) =>
        Effect.map(
          list(filters, { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) }),
          ({ entries, next_cursor }) => (next_cursor === undefined ? { entries } : { entries, next_cursor })
        ).pipe(Effect.provideService(PeoplePool, database))
      )
      .handle("auditCsv", ({ query }) =>
        Csv.response("audit", [...header, ...moreHeader], csvPage(query)).pipe(
          // After the first page: an export does not show its own entry.
          Effect.tap(() =>
            Audit.tell(database.query, { action: "audit.export", subject: { type: "installation", id: "audit" } })
          ),
          Effect.provideService(PeoplePool, database)
        )
      )
  })
)
