/** The newest requests of a service, for developers (contract/operators.md *Request log*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import { Refusals } from "../Refused.ts"
import { bounded, field, Identifier, Integer, optional, Text, Timestamp, Value } from "../Values.ts"
import { AuditActor } from "./Audit.ts"
import { adminPath, annotated, listProblems, nextCursor, page } from "./Endpoint.ts"

const RequestCaller = Schema.Struct({
  kind: AuditActor.fields.kind,
  name: field(Text, "The name of the key or of the person.")
}).annotate({ identifier: "RequestCaller" })

export const LoggedRequest = Schema.Struct({
  at: field(Timestamp, "When it was answered, by the machine's clock, also in a sandbox."),
  request_id: field(Schema.String, "Its `X-Request-Id`."),
  method: field(Schema.String, "The method."),
  route: optional(Schema.String, "The route's pattern; absent: no route has this path, or the request was not HTTP."),
  operation: field(Text, "The route's name, as in metrics and log; `none`: no route."),
  status: field(Integer, "The status of the answer."),
  code: optional(Text, "The code of the problem; absent: it was done."),
  pointer: optional(
    Schema.String,
    "JSON Pointer of the first fault in its body, or `/NAME` of the query; absent: none. A name that is no plain word is `*`."
  ),
  scope: optional(
    Text,
    "The scopes that would have allowed the request, joined by ` or `. Absent: it was not refused for a scope."
  ),
  ms: field(Schema.Finite, "Time from its headers to the writing of the answer, ms."),
  caller: optional(RequestCaller, "Who asked; absent: nobody known."),
  program_id: optional(
    Identifier,
    "The programme in its body or path; absent: none, or it was refused before that was read."
  ),
  trace_id: optional(Schema.String, "The trace; absent: none."),
  context_request_id: optional(Schema.String, "`context.request_id` of its body; absent: none."),
  entries: optional(Schema.Array(Schema.String), "The ledger entries that it posted; absent: none."),
  reservation_id: optional(Schema.String, "The reservation that it opened, captured or reversed; absent: none.")
}).annotate({ identifier: "LoggedRequest" })
export type LoggedRequest = typeof LoggedRequest.Type

export const RequestList = Schema.Struct({
  kept_from: field(Timestamp, "Every request that was answered since then is in the list."),
  requests: field(Schema.Array(LoggedRequest), "Newest first."),
  next_cursor: nextCursor
}).annotate({ identifier: "RequestList" })

const statusPattern = /^[1-5](?:\d\d|xx)$/

const filters = {
  status: optional(
    Schema.String.check(
      Schema.makeFilter(
        (text) => statusPattern.test(text) || 'must be a status such as "422", or a class such as "4xx"',
        {
          toJsonSchema: () => ({ pattern: statusPattern.source })
        }
      )
    ),
    "Only this status, such as `422`, or this class, such as `4xx`."
  ),
  code: optional(bounded(1, 64), "Only this problem code."),
  operation: optional(bounded(1, 128), "Only this operation, such as `accrual.post`."),
  caller: optional(Value, "Only requests of keys and persons whose name has this in it, in any case."),
  console: optional(
    Schema.Literals(["true", "false"]),
    "`true`: only requests that came with a session's cookie, as those of the console do, also refused ones. `false`: only the others."
  ),
  request_id: optional(Value, "Only requests with this `X-Request-Id`, or this `context.request_id`.")
}

export class Requests extends HttpApiGroup.make("requests")
  .add(
    HttpApiEndpoint.get("requests", `${adminPath}/requests`, {
      query: { ...filters, ...page },
      success: RequestList,
      error: problems(listProblems)
    }).annotateMerge(
      annotated(
        "request.list",
        "List the newest requests",
        "The newest 10,000 requests that the answering service has answered since its start. It keeps them in memory: " +
          "no bodies, no values of queries or paths, no addresses. Polls of health and metrics, the console's files " +
          "and reads of this list are left out. A caller that is limited to programmes only sees requests for them.",
        listProblems,
        {
          query: { request_id: "till-7-0042", limit: "1" },
          response: {
            kept_from: "2026-07-14T10:05:00.000Z",
            requests: [
              {
                at: "2026-07-14T10:05:00.000Z",
                request_id: "till-7-0042",
                method: "POST",
                route: "/proto/v1/accruals",
                operation: "accrual.post",
                status: 409,
                code: "idempotency_conflict",
                ms: 1.4,
                caller: { kind: "token", name: "Till at West" },
                program_id: "demo-foodservice",
                context_request_id: "till-7-0042"
              }
            ]
          }
        },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Request log", description: "The newest requests, for developers." })) {}
