/** Events: what guests did, as other systems tell it (platform.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Problem } from "../protocol/Problem.ts"
import {
  AnyValue,
  bounded,
  Currency,
  field,
  FreeForm,
  Identifier,
  IdempotencyKey,
  Integer,
  Money,
  optional,
  Timestamp,
  whole
} from "../Values.ts"
import { PlatformKey, platformPath } from "./Common.ts"
import examples from "./eventExamples.json" with { type: "json" }

export const eventsPath = `${platformPath}/events` as const
export const eventsBatchPath = `${eventsPath}/batch` as const

/** Most properties of an event, and their longest JSON, bytes. */
export const maxProperties = 100
export const maxPropertiesBytes = 65_536
/** Most events of a batch. */
export const maxBatch = 500

const EventType = bounded(1, 128)

export const Event = Schema.Struct({
  event_id: field(Identifier, "The event's id, unique in the service."),
  program_id: field(Identifier, "The programme that the member belongs to."),
  member_id: field(Identifier, "The member who did it."),
  type: field(EventType, "What was done, in the words of the system that tells it."),
  occurred_at: field(Timestamp, "When it was done."),
  recorded_at: field(Timestamp, "When the service recorded it."),
  source: optional(Schema.String, "The system that tells it."),
  value: optional(Money, "What it was worth."),
  campaign_id: optional(Identifier, "The campaign that it belongs to."),
  location_id: optional(Identifier, "Where it was done."),
  properties: optional(FreeForm, "The caller's own data about it, as it was sent.")
}).annotate({ identifier: "Event", description: "Something that a guest did." })
export type Event = typeof Event.Type

export const EventFacts = Schema.Struct({
  idempotency_key: field(
    IdempotencyKey,
    "One key an event, in the programme; the header `Idempotency-Key` does not count here. The same key with other facts is refused."
  ),
  type: field(EventType, "What was done, in the caller's words."),
  member_id: field(Identifier, "The member who did it."),
  program_id: optional(Identifier, "The member's programme; may be left out where the token reaches only one."),
  event_id: optional(Identifier, "The event's id, unique in the service; absent: the service makes one."),
  occurred_at: optional(Timestamp, "When it was done; absent: now."),
  source: optional(bounded(1, 128), "The system that tells it."),
  value: optional(Money, "What it was worth."),
  value_minor_units: optional(Integer, "The same in minor units, of `currency`."),
  currency: optional(Currency, "Of `value_minor_units`; absent: the programme's."),
  campaign_id: optional(Identifier, "The campaign that it belongs to; not checked."),
  location_id: optional(Identifier, "Where it was done."),
  properties: optional(FreeForm, `The caller's own data about it: at most ${maxProperties} keys and 64 KiB of JSON.`)
}).annotate({ identifier: "EventFacts", description: "An event as it is sent." })
export type EventFacts = typeof EventFacts.Type

export const Recorded = Schema.Struct({ event: field(Event, "The event as it was recorded first.") })

export const EventQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  member_id: optional(Identifier, "Only events of this member, and of those merged into it."),
  type: optional(EventType, "Only events of this type."),
  campaign_id: optional(Identifier, "Only events of this campaign."),
  from: optional(Timestamp, "Only what was done at this instant or later."),
  until: optional(Timestamp, "Only what was done at this instant or earlier."),
  ...page
})
export type EventQuery = typeof EventQuery.Type

export const EventList = Schema.Struct({
  events: field(Schema.Array(Event), "The page, what was done last first."),
  next_cursor: nextCursor
})

export const Batch = Schema.Struct({
  // Each is checked on its own, so that a fault of one does not refuse the others.
  events: field(
    Schema.Array(AnyValue).check(
      Schema.isMinLength(1, { message: "must have at least 1 item" }),
      Schema.isMaxLength(maxBatch, { message: `must have at most ${maxBatch} items` })
    ),
    `The events, at most ${maxBatch}, each as recording one event takes it.`
  )
})

export const BatchResult = Schema.Struct({
  status: field(whole(200, 599, "must be an HTTP status"), "The status that the event would have had on its own."),
  event: optional(Event, "The event, where it was recorded now or before."),
  problem: optional(Problem, "Why it was not recorded.")
}).annotate({ identifier: "BatchResult", description: "What became of one event of a batch." })
export type BatchResult = typeof BatchResult.Type

export const BatchResults = Schema.Struct({
  results: field(Schema.Array(BatchResult), "One result an event, in the order in which they were sent.")
})

const recordCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict", "member_not_active"]
/** A conflict is an event's own, within the answer. */
const batchCodes = changeProblems.filter((code) => code !== "idempotency_conflict")
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export class Events extends HttpApiGroup.make("platform_events")
  .add(
    HttpApiEndpoint.post("recordEvent", eventsPath, {
      payload: EventFacts,
      success: [Recorded.pipe(HttpApiSchema.status(201)), Recorded.pipe(HttpApiSchema.status(200))],
      error: problems(recordCodes)
    })
      .annotateMerge(
        annotated(
          "recordEvent",
          "Record what a guest did",
          "Answers 201, and 200 with the first event where the same key came before with the same facts. Events may come " +
            "in any order. Scope: `platform:write`.",
          recordCodes,
          examples.recordEvent,
          false,
          false
        )
      )
      .annotate(AccessOf, { hasOwnKeys: true }),
    HttpApiEndpoint.get("listEvents", eventsPath, {
      query: EventQuery,
      success: EventList,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "listEvents",
        "Find events",
        "Every filter may be combined with every other. Scope: `platform:read`.",
        listCodes,
        examples.listEvents,
        true
      )
    ),
    HttpApiEndpoint.post("recordEvents", eventsBatchPath, {
      payload: Batch,
      success: BatchResults,
      error: problems(batchCodes)
    })
      .annotateMerge(
        annotated(
          "recordEvents",
          "Record many events",
          "Each succeeds or fails on its own; send the same again where the answer was lost. Scope: `platform:write`.",
          batchCodes,
          examples.recordEvents,
          false,
          false
        )
      )
      .annotate(AccessOf, { hasOwnKeys: true })
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "What guests did, as other systems tell it." })) {}
