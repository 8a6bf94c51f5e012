/** The audit log (contract/operators.md *Audit*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import { Refusals } from "../Refused.ts"
import { roles } from "../Roles.ts"
import { bounded, FreeJson, field, Identifier, optional, Text, Timestamp, Value } from "../Values.ts"
import { adminPath, annotated, listProblems, nextCursor, page } from "./Endpoint.ts"

export const auditPath = `${adminPath}/audit` as const

export const AuditActor = Schema.Struct({
  kind: field(
    Schema.Literals(["root", "token", "session", "user", "guest", "system"]),
    "`root`: the admin key. `session`: a page that somebody signed in to with a key. `user`: a person. `guest`: a guest, on the programme's page. `system`: a command on the database, or the service itself."
  ),
  name: field(Text, "The name of the key, of the person, or of the command's user."),
  token_id: optional(Identifier, "The token's id; present if the operators' API issued it."),
  user_id: optional(Identifier, "The person's id; absent: no person."),
  role: optional(Schema.Literals(roles), "The person's role at that time; absent: no person.")
}).annotate({ identifier: "AuditActor" })

const AuditChanges = Schema.Struct({
  before: optional(FreeJson, "The values before the change; absent if the thing was created."),
  after: optional(FreeJson, "The values after the change; absent if the thing was deleted.")
}).annotate({ identifier: "AuditChanges" })

export const AuditEntry = Schema.Struct({
  audit_id: field(Identifier, "Names the entry."),
  at: field(Timestamp, "The time of the action by the machine's clock, also in a sandbox."),
  actor: field(AuditActor, "Who did it."),
  action: field(Text, "The kind of action, such as `token.create`."),
  subject: field(
    Schema.Struct({
      type: field(Text, "The kind of thing, such as `token` or `member`."),
      id: field(Text, "The id of the thing."),
      name: optional(
        Text,
        "The present name of a token, campaign, segment, connector or location, and of a guest for callers who may see guests; absent: it has none, or is gone."
      )
    }).annotate({ identifier: "AuditSubject" }),
    "The thing that the action changed."
  ),
  program_id: optional(Identifier, "The programme that it belongs to; absent: the whole service."),
  changes: optional(AuditChanges, "The values before and after."),
  reason: optional(Text, "The reason that was given."),
  source_ip: optional(Schema.String, "The address that the request came from; absent for a command on the database."),
  request_id: optional(Schema.String, "The request's `X-Request-Id`.")
}).annotate({ identifier: "AuditEntry" })

export const AuditList = Schema.Struct({
  entries: field(Schema.Array(AuditEntry), "Newest first."),
  next_cursor: nextCursor
}).annotate({ identifier: "AuditList" })

const auditFilters = {
  actor: optional(Value, "Only actions of keys and persons whose name has this in it, in any case."),
  action: optional(bounded(1, 128), "Only this action, such as `token.revoke`."),
  subject: optional(Value, "Only actions on the thing with this id."),
  from: optional(Timestamp, "Only entries from this instant on."),
  until: optional(Timestamp, "Only entries before this instant.")
}

const entry = {
  audit_id: "aud_1",
  at: "2026-07-14T10:05:00.000Z",
  actor: { kind: "root", name: "root" },
  action: "token.create",
  subject: { type: "token", id: "tok_7Q2MXK4T0ZB9HD3W", name: "Till at West" },
  changes: {
    after: { name: "Till at West", programs: ["demo-foodservice"], scopes: ["protocol:read", "protocol:write"] }
  },
  source_ip: "127.0.0.1",
  request_id: "example"
}

export class Audits extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("audit", auditPath, {
      query: { ...auditFilters, ...page },
      success: AuditList,
      error: problems(listProblems)
    }).annotateMerge(
      annotated(
        "audit.list",
        "List the audit log",
        "A caller that is limited to programmes only sees their entries; with `audit:own` alone, its own. A caller that is limited to restaurants sees its own acts and adjustments there.",
        listProblems,
        { query: { action: "token.create", actor: "root", limit: "1" }, response: { entries: [entry] } },
        true
      )
    ),
    HttpApiEndpoint.get("auditCsv", `${auditPath}.csv`, {
      query: auditFilters,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" })),
      error: problems(listProblems)
    }).annotateMerge(
      annotated(
        "audit.export",
        "Export the audit log as CSV",
        "All pages in one file, newest first. Cells that a spreadsheet would treat as formulas begin with an " +
          "apostrophe.",
        listProblems,
        {
          query: { action: "token.create", actor: "root" },
          response:
            "audit_id,at,actor_kind,actor_name,token_id,action,subject_type,subject_id,program_id,before,after,reason," +
            "source_ip,request_id,user_id,role\r\n" +
            "aud_1,2026-07-14T10:05:00.000Z,root,root,,token.create,token,tok_7Q2MXK4T0ZB9HD3W,,," +
            '"{""name"":""Till at West"",""scopes"":[""protocol:read"",""protocol:write""],""programs"":[""demo-foodservice""]}"' +
            ",,127.0.0.1,example,,\r\n"
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Audit", description: "An append-only record of every change." })) {}
