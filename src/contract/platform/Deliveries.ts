/** Deliveries of connectors: what was sent, and what a caller can ask for (contract/events.md *Delivery*, *Replay*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { annotated, changeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { bounded, field, Identifier, Integer, optional, Timestamp, whole } from "../Values.ts"
import { Connector, connectorsPath, madeSecret } from "./Connectors.ts"
import examples from "./deliveryExamples.json" with { type: "json" }

/** Characters of an answer's body that are kept, as many as the bytes that are read of it. */
const maxAnswer = 1_024
/** Most events that a replay names. */
const maxReplayed = 1_000
/** Longest time for which two secrets sign, seconds. */
const maxOverlapSeconds = 604_800
export const defaultOverlapSeconds = 86_400

const connector_id = field(Identifier, "The connector.")

export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

export const Attempt = Schema.Struct({
  at: field(Timestamp, "When it was sent, by the machine's clock."),
  status: optional(Integer, "The receiver's HTTP status; absent without one."),
  duration_ms: field(Integer, "How long it took."),
  error: optional(
    Schema.String,
    "Why there was no status: `timeout`, `address_not_public`, or the error's code, such as `ECONNREFUSED`."
  )
}).annotate({ identifier: "DeliveryAttempt", description: "An attempt to deliver an event." })
export type Attempt = typeof Attempt.Type

const ReceiverAnswer = Schema.String.annotate({
  description: `The first ${maxAnswer} bytes of the answer's body, as text.`
})

export const Delivery = Schema.Struct({
  event_id: field(Schema.String, "The event's `id`, also sent as `webhook-id`."),
  event_type: field(Schema.String, "The event's type."),
  status: field(DeliveryStatus, "`pending`: not delivered yet. `failed`: given up; a replay sends it again."),
  attempts: field(Schema.Array(Attempt), "The attempts, oldest first; of more than 20 the newest."),
  next_attempt_at: optional(
    Timestamp,
    "When it is sent again at the earliest; absent if another event of the member is sent before, and at the end."
  ),
  last_answer: optional(ReceiverAnswer, "The last answer's body, if there was one.")
}).annotate({ identifier: "Delivery", description: "The delivery of an event to a connector." })
export type Delivery = typeof Delivery.Type

export const DeliveryQuery = Schema.Struct({
  connector_id,
  status: optional(DeliveryStatus, "Only deliveries with this status."),
  ...page
})
export type DeliveryQuery = typeof DeliveryQuery.Type

const DeliveryList = Schema.Struct({
  deliveries: field(Schema.Array(Delivery), "A page of deliveries, newest first."),
  next_cursor: nextCursor
})

const EventIds = Schema.Array(bounded(1, 128)).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  Schema.isMaxLength(maxReplayed, { message: told`must have at most ${maxReplayed} items` })
)

export const ReplayRequest = Schema.Struct({
  connector_id,
  event_ids: optional(
    EventIds,
    `Ids of 1 to ${maxReplayed} events whose deliveries are kept. Instead of \`after\` and \`until\`.`
  ),
  after: optional(
    Schema.String,
    "Sends the events after it again: `next` of the feed, `0`, or `time:` and an instant, as in `time:2026-07-14T10:00:00Z`."
  ),
  until: optional(Schema.String, "Up to it, in the same form. Absent: up to now.")
}).annotate({ identifier: "ReplayRequest", description: "Events that a connector gets again." })
export type ReplayRequest = typeof ReplayRequest.Type

const ReplayAccepted = Schema.Struct({
  connector_id,
  accepted: field(Schema.Literal(true), "Always true: the replay is stored and goes on in the background.")
})

const ConnectorRetry = Schema.Struct({ connector_id })

const RetryAccepted = Schema.Struct({
  connector_id,
  accepted: field(Schema.Literal(true), "Always true: the attempts begin in the background, within a second.")
})

export const ConnectorTest = Schema.Struct({ connector_id })

const TestOutcome = Schema.Struct({
  status: optional(Integer, "The receiver's HTTP status; absent without one."),
  duration_ms: field(Integer, "How long it took."),
  error: optional(Schema.String, "Why there was no status, as in an attempt of a delivery."),
  body: optional(ReceiverAnswer, "The answer's body, if there was one.")
}).annotate({ identifier: "ConnectorTested", description: "What the receiver answered to the test." })
export type TestOutcome = typeof TestOutcome.Type

export const ConnectorRotation = Schema.Struct({
  connector_id,
  overlap_seconds: optional(
    whole(0, maxOverlapSeconds, told`must be a whole number from ${0} to ${maxOverlapSeconds}`),
    `Time for which deliveries have signatures of both secrets, in seconds. Absent: ${defaultOverlapSeconds}, a day.`
  )
})
export type ConnectorRotation = typeof ConnectorRotation.Type

export const ConnectorStatus = Schema.Struct({
  connector_id,
  enabled: field(Schema.Boolean, "False: it delivers nothing.")
})
export type ConnectorStatus = typeof ConnectorStatus.Type

const Rotated = Schema.Struct({ connector: field(Connector, "The connector with its new secret."), ...madeSecret })
const Changed = Schema.Struct({ connector: field(Connector, "The connector as it is now.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const changeCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found"]
const stateCodes: ReadonlyArray<ProblemCode> = [...changeCodes, "invalid_state"]

export class Deliveries extends HttpApiGroup.make("platform_deliveries")
  .add(
    HttpApiEndpoint.get("listDeliveries", `${connectorsPath}/deliveries`, {
      query: DeliveryQuery,
      success: DeliveryList,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "delivery.list",
        "List a connector's deliveries",
        "All that wait for another attempt, and of the last 30 days those that failed and the last 1,000 that were delivered. ",
        listCodes,
        examples.listDeliveries,
        true
      )
    ),
    HttpApiEndpoint.post("replayConnector", `${connectorsPath}/replay`, {
      payload: ReplayRequest,
      success: ReplayAccepted.pipe(HttpApiSchema.status(202)),
      error: problems(stateCodes)
    }).annotateMerge(
      annotated(
        "connector.replay",
        "Deliver events again",
        "Sends events with their first ids again, also those of times in which the connector was disabled. Audited. ",
        stateCodes,
        examples.replayConnector
      )
    ),
    HttpApiEndpoint.post("retryConnector", `${connectorsPath}/retry`, {
      payload: ConnectorRetry,
      success: RetryAccepted.pipe(HttpApiSchema.status(202)),
      error: problems(stateCodes)
    }).annotateMerge(
      annotated(
        "connector.retry",
        "Try now what waits",
        "Tries the deliveries that wait for another attempt at once, for a receiver that was mended. While all fail, one is " +
          "tried, and the others follow once the receiver accepts it. Audited. ",
        stateCodes,
        examples.retryConnector
      )
    ),
    HttpApiEndpoint.post("testConnector", `${connectorsPath}/test`, {
      payload: ConnectorTest,
      success: TestOutcome,
      error: problems(changeCodes)
    }).annotateMerge(
      annotated(
        "connector.test",
        "Send a test to a connector",
        "Sends a signed `proto.ping.v1` at once, also to a disabled connector, and answers what the receiver said. It is not " +
          "an event of the feed, and is not repeated. Audited.",
        changeCodes,
        examples.testConnector
      )
    ),
    HttpApiEndpoint.post("rotateConnector", `${connectorsPath}/rotate`, {
      payload: ConnectorRotation,
      success: Rotated,
      error: problems(changeCodes)
    }).annotateMerge(
      annotated(
        "connector.rotate",
        "Give a connector a new secret",
        "Only the first answer has the secret; a replay has `secret_withheld` instead. Until the overlap ends, deliveries have " +
          "signatures of both. Audited.",
        changeCodes,
        examples.rotateConnector
      )
    ),
    HttpApiEndpoint.post("setConnectorStatus", `${connectorsPath}/status`, {
      payload: ConnectorStatus,
      success: Changed,
      error: problems(stateCodes)
    }).annotateMerge(
      annotated(
        "connector.set_status",
        "Enable or disable a connector",
        "An enabled connector delivers what happens from now on. At most 50 are enabled. Audited.",
        stateCodes,
        examples.setConnectorStatus
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Deliveries", description: "What connectors have delivered, and what waits." })
  ) {}
