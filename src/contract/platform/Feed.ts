/** The feed: the service's own events, for other systems (contract/events.md *Feed*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { annotated, readProblems } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { ForeignId, field, Identifier, optional } from "../Values.ts"
import { eventTypes } from "./EventTypes.ts"
import { FeedEvent } from "./FeedEvents.ts"
import examples from "./feedExamples.json" with { type: "json" }
import { platformPath } from "./Platform.ts"

const feedPath = `${platformPath}/feed` as const

export const defaultEvents = 100
const maxEvents = 1_000
const maxWaitSeconds = 25

/** A number of a query. It stays text, because decoding never transforms. */
const number = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) =>
        (/^(?:0|[1-9]\d{0,3})$/.test(text) && Number(text) >= minimum && Number(text) <= maximum) ||
        told`must be a whole number from ${minimum} to ${maximum}`,
      { toJsonSchema: () => ({ type: "integer", minimum, maximum }) }
    )
  )

const known: ReadonlySet<string> = new Set(eventTypes)

const Types = Schema.String.check(
  Schema.makeFilter(
    (text) => text.split(",").every((type) => known.has(type)) || "must be types of capabilities, separated by commas"
  )
)

/** `after` is checked by the service. */
const wanted = {
  after: optional(
    Schema.String,
    "`next` of the previous answer, `0` for the beginning, or `time:` and an instant, as in `time:2026-07-14T10:00:00Z`, for the first commit at or after it. Absent: from now."
  ),
  types: optional(Types, "Only events of these types, separated by commas."),
  program_id: optional(Identifier, "Only events of this programme. Absent: of all that the caller may see."),
  member_id: optional(Identifier, "Only events of this member."),
  location_id: optional(
    ForeignId,
    "Only events at this restaurant. A caller that is limited to restaurants gets events at these alone."
  )
}

export const StreamQuery = Schema.Struct(wanted)
export const FeedQuery = Schema.Struct({
  ...wanted,
  limit: optional(number(1, maxEvents), `Most events, 1 to ${maxEvents}. Absent: ${defaultEvents}.`),
  wait_seconds: optional(
    number(0, maxWaitSeconds),
    `How long to wait for an event if there is none, 0 to ${maxWaitSeconds}. Absent: 0.`
  )
})
export type FeedQuery = typeof FeedQuery.Type

const FeedPage = Schema.Struct({
  events: field(Schema.Array(FeedEvent), "The events, in order."),
  next: field(Schema.String, "The position after them, for `after` of the next request. It is always there."),
  lag_seconds: optional(
    Schema.Finite,
    "Age of the oldest change after `next`, seconds; 0 if there is none. Absent for a caller that is limited to restaurants."
  )
})

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]

export class Feed extends HttpApiGroup.make("platform_feed")
  .add(
    HttpApiEndpoint.get("readFeed", feedPath, {
      query: FeedQuery,
      success: FeedPage,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "feed.read",
        "Read events",
        "The changes of all members, in one order that never changes. The answer can be empty although there is more: go on with `next`.",
        codes,
        examples.readFeed,
        true
      )
    ),
    HttpApiEndpoint.get("streamFeed", `${feedPath}/stream`, {
      query: StreamQuery,
      success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "feed.stream",
        "Stream events",
        "Server-sent events: `data` is the event, `id` its position. A comment comes every 15 seconds. The stream ends when the service stops, and when its reader does not read: connect again with the header `Last-Event-ID`, which counts more than `after`.",
        codes,
        examples.streamFeed,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Feed", description: "The service's own events, for other systems." })) {}
