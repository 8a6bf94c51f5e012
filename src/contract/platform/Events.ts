/** Events of guests, recorded by other systems (contract/engagement.md *Events of guests*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Problem } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import {
  AnyValue,
  bounded,
  Currency,
  ForeignId,
  FreeForm,
  field,
  IdempotencyKey,
  Identifier,
  Integer,
  Money,
  optional,
  Timestamp,
  whole
} from "../Values.ts"
import examples from "./eventExamples.json" with { type: "json" }
import { platformPath, programId } from "./Platform.ts"

const eventsPath = `${platformPath}/events` as const
export const eventsBatchPath = `${eventsPath}/batch` as const

/** Most properties of an event. */
export const maxProperties = 100
/** Largest JSON of the properties of an event, bytes. */
export const maxPropertiesBytes = 65_536
/** Most events in a batch. */
const maxBatch = 500

const EventType = bounded(1, 128)

export const GuestEvent = Schema.Struct({
  event_id: field(Identifier, "The event's id, unique in the service."),
  program_id: field(Identifier, "The programme that the member belongs to."),
  member_id: field(Identifier, "The member who did it."),
  type: field(EventType, "The kind of event, named by the caller, such as `app.opened`."),
  occurred_at: field(Timestamp, "When it happened."),
  recorded_at: field(Timestamp, "When the service recorded it."),
  source: optional(Schema.String, "The system that sent the event."),
  value: optional(Money, "The event's value, such as the price of a booking."),
  campaign_id: optional(Identifier, "The campaign that it belongs to."),
  location_id: optional(ForeignId, "The location where it happened."),
  properties: optional(FreeForm, "The caller's own data about the event, returned as it was stored.")
}).annotate({ identifier: "Event", description: "An event of a guest, such as a visit or a review." })
export type GuestEvent = typeof GuestEvent.Type

export const EventFacts = Schema.Struct({
  idempotency_key: field(
    IdempotencyKey,
    "A unique key for the event in the programme. The header `Idempotency-Key` is ignored. The same key with other properties is refused."
  ),
  type: field(EventType, "The kind of event, named by the caller, such as `app.opened`."),
  member_id: field(Identifier, "The member who did it."),
  program_id: programId,
  event_id: optional(Identifier, "The event's id, unique in the service. Absent: the service makes one."),
  occurred_at: optional(Timestamp, "When it happened. Absent: now."),
  source: optional(bounded(1, 128), "The system that sent the event."),
  value: optional(Money, "The event's value, such as the price of a booking."),
  value_minor_units: optional(Integer, "Short form of `value`: an amount in minor units of `currency`."),
  currency: optional(Currency, "The currency of `value_minor_units`. Absent: the programme's currency."),
  campaign_id: optional(Identifier, "The campaign that it belongs to. Not checked."),
  location_id: optional(ForeignId, "The location where it happened."),
  properties: optional(
    FreeForm,
    `The caller's own data about the event: at most ${maxProperties} keys and 64 KiB of JSON.`
  )
}).annotate({ identifier: "EventFacts", description: "An event to record." })
export type EventFacts = typeof EventFacts.Type

export const RecordedEvent = Schema.Struct({ event: field(GuestEvent, "The event as it was first recorded.") })

export const EventQuery = Schema.Struct({
  program_id: programId,
  member_id: optional(Identifier, "Only events of this member and of members merged into it."),
  type: optional(EventType, "Only events of this type."),
  campaign_id: optional(Identifier, "Only events of this campaign."),
  from: optional(Timestamp, "Only events that happened at this instant or later."),
  until: optional(Timestamp, "Only events that happened at this instant or earlier."),
  ...page
})
export type EventQuery = typeof EventQuery.Type

const EventList = Schema.Struct({
  events: field(Schema.Array(GuestEvent), "A page of events, newest `occurred_at` first."),
  kept_from: field(Timestamp, "Events that were recorded before are deleted, or will be soon."),
  next_cursor: nextCursor
})

const Batch = Schema.Struct({
  // Items are checked one by one by the handler, so that a fault of one does not refuse the others.
  events: field(
    Schema.Array(AnyValue.annotate({ identifier: "EventItem" })).check(
      Schema.isMinLength(1, { message: "must have at least 1 item" }),
      Schema.isMaxLength(maxBatch, { message: told`must have at most ${maxBatch} items` })
    ),
    `At most ${maxBatch} events, each in the form of \`POST /events\`.`
  )
})

export const BatchResult = Schema.Struct({
  status: field(whole(200, 599, "must be an HTTP status"), "The HTTP status that `POST /events` would have answered."),
  event: optional(GuestEvent, "The event, if it was recorded now or before."),
  problem: optional(Problem, "Why the event was not recorded.")
}).annotate({ identifier: "BatchResult", description: "The result for one event of a batch." })
export type BatchResult = typeof BatchResult.Type

const BatchResults = Schema.Struct({
  results: field(Schema.Array(BatchResult), "One result for each event, in the same order.")
})

const batchCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "limit_exceeded"]
const recordCodes: ReadonlyArray<ProblemCode> = [...batchCodes, "not_found", "conflict", "member_not_active"]
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export class Events extends HttpApiGroup.make("platform_events")
  .add(
    HttpApiEndpoint.post("recordEvent", eventsPath, {
      payload: EventFacts,
      success: [RecordedEvent.pipe(HttpApiSchema.status(201)), RecordedEvent.pipe(HttpApiSchema.status(200))],
      error: problems(recordCodes)
    })
      .annotateMerge(
        annotated(
          "event.record",
          "Record an event",
          "Answers 201. If the key was used before with the same properties, answers 200 with the first event. Events may " +
            "arrive in any order.",
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
      annotated("event.list", "Find events", "All filters must match.", listCodes, examples.listEvents, true)
    ),
    HttpApiEndpoint.post("recordEvents", eventsBatchPath, {
      payload: Batch,
      success: BatchResults,
      error: problems(batchCodes)
    })
      .annotateMerge(
        annotated(
          "event.record_batch",
          "Record many events",
          "Each event succeeds or fails independently, by its own key. If the answer was lost, or was 503, send the same batch " +
            "again.",
          batchCodes,
          examples.recordEvents
        )
      )
      .annotate(AccessOf, { isRepeatable: true })
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Events", description: "Events of guests, recorded by other systems." })
  ) {}
